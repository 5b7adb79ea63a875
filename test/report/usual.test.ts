import { describe, expect, test } from 'vitest'
import { resultKey } from '../../src/intake/measurement/run.ts'
import {
  headFacts,
  lastCompleteRuns,
  lessThanUsual,
  type TrunkShard,
  type Usual,
  usualOf,
} from '../../src/report/usual.ts'
import { classified, judged, measured, runOf, STEADY, shard } from './judge-setting.ts'

const shardOf = (head: string, number: number, all = 3, more: Partial<TrunkShard> = {}): TrunkShard => ({
  runId: `${head} ${number}`,
  head,
  check: `perf (${number}/${all})`,
  architecture: null,
  shard: number,
  shards: all,
  ...more,
})
const commit = (head: string, numbers = [1, 2, 3]) => numbers.map((number) => shardOf(head, number))

describe('the last complete runs of the trunk', () => {
  test('five commits, newest first, each shard once', () => {
    const newestFirst = ['f', 'e', 'd', 'c', 'b', 'a'].flatMap((head) => commit(head, [3, 2, 1, 1]))
    const found = lastCompleteRuns(newestFirst)
    expect([...new Set(found.map(({ head }) => head))]).toEqual(['f', 'e', 'd', 'c', 'b'])
    expect(found).toHaveLength(15)
  })

  test('a commit without all of the shards that its names say is left out, one without numbers is whole', () => {
    expect(lastCompleteRuns([...commit('b', [1, 3]), ...commit('a')]).map(({ head }) => head)).toEqual(['a', 'a', 'a'])
    const alone = shardOf('c', 1, 1, { check: 'perf', shard: null, shards: null })
    expect(lastCompleteRuns([alone])).toEqual([alone])
  })

  test('an architecture has shards of its own', () => {
    const on = (architecture: string, numbers: readonly number[]) =>
      numbers.map((number) => shardOf('a', number, 2, { check: `perf (${architecture}, ${number}/2)`, architecture }))
    expect(lastCompleteRuns([...on('amd', [1, 2]), ...on('arm', [1, 2])])).toHaveLength(4)
    expect(lastCompleteRuns([...on('amd', [1, 2]), ...on('arm', [2])])).toEqual([])
  })
})

describe('what is usual', () => {
  const query = (name: string) => ({ test: name, queryIndex: 0, queryName: null, architecture: null })

  test('the median of the shards, and the queries of more than half of the runs with the median of their repetitions', () => {
    const shards = [...commit('c', [1]), ...commit('b'), ...commit('a')]
    const usual = usualOf(shards, [
      { ...query('often'), shards: [0, 1, 4], repetitions: [13, 7, 0], processes: [0, 5, 3] },
      { ...query('once'), shards: [0], repetitions: [13], processes: [0] },
      { ...query('given'), shards: [0, 1], repetitions: [0, 0], processes: [0, 0] },
    ])
    expect([usual?.trunkRuns, usual?.shards]).toEqual([3, 3])
    expect(
      [...(usual?.queries.values() ?? [])].map(({ test: name, repetitions, processes }) => [
        name,
        repetitions,
        processes,
      ]),
    ).toEqual([
      ['often', 13, 5],
      ['given', null, null],
    ])
  })

  test('a query that half of the runs measured is not usual', () => {
    const usual = usualOf(
      [...commit('b', [1]), ...commit('a', [1])],
      [{ ...query('once'), shards: [0], repetitions: [13], processes: [0] }],
    )
    expect(usual?.queries.size).toBe(0)
  })

  test('without any run of the trunk nothing is known', () => {
    expect(usualOf([], [])).toBeNull()
  })
})

describe('less than usual', () => {
  const usualQueries = (
    names: readonly string[],
    repetitions: number | null = 7,
    processes: number | null = null,
  ): Usual => ({
    trunkRuns: 5,
    shards: 1,
    queries: new Map(
      names.map((name) => {
        const query = { test: name, queryIndex: 0, queryName: `SELECT ${name}` }
        return [resultKey({ ...query, architecture: null }), { ...query, repetitions, processes }]
      }),
    ),
  })
  const headOf = (names: readonly string[], repetitions = 7) =>
    classified([
      runOf(names.map((name) => measured(name, STEADY.slice(0, repetitions), { old: STEADY.slice(0, repetitions) }))),
    ])
  const FOUR = ['a', 'b', 'c', 'd']

  test('as much as usual, and more, is nothing', () => {
    expect(lessThanUsual(usualQueries(FOUR), headOf(FOUR), [])).toBeNull()
    expect(lessThanUsual(usualQueries(FOUR), headOf([...FOUR, 'e']), [])).toBeNull()
  })

  test('what the trunk tells of a head stands in the report of a complete one', () => {
    const usual = usualQueries(FOUR)
    expect(headFacts(usual, headOf(FOUR), [])).toEqual({})
    const facts = headFacts(usual, headOf(['a']), [])
    expect(facts.lessThanUsual?.queries?.measured).toBe(1)
    const runs = [runOf([measured('a', STEADY)])]
    expect(judged(runs, { facts })).toMatchObject(facts)
    expect(judged(runs, { facts, shards: [shard({ state: 'pending' })] })).not.toHaveProperty('lessThanUsual')
  })

  test('values of one process are not as many repetitions, where the trunk says of how many processes its own are', () => {
    const of = (processes: readonly number[] | null) => {
      const taken = processes === null ? {} : { taken: { old: { processes }, new: { processes } } }
      return classified([runOf(FOUR.map((name) => measured(name, STEADY, { old: STEADY, ...taken })))])
    }
    const usual = usualQueries(FOUR, 7, 5)
    const less = { trunkRuns: 5, repetitions: { measured: 1, usual: 5, of: 'processes' } }
    expect(lessThanUsual(usual, of([0, 0, 0, 0, 0, 0, 0]), [])).toEqual(less)
    expect(lessThanUsual(usual, of([0, 0, 1, 1, 2, 2, 2]), [])).toBeNull()
    // neither knows it, or one of them alone: a run that was stored before, or a tool that has no processes
    expect(lessThanUsual(usual, of(null), [])).toBeNull()
    expect(lessThanUsual(usualQueries(FOUR), of([0, 0, 0, 0, 0, 0, 0]), [])).toBeNull()
    // as many processes, of one value each: the worse of the two is told
    expect(lessThanUsual(usualQueries(FOUR, 100, 5), of([0, 1, 2, 3, 4, 4, 4]), [])).toEqual({
      trunkRuns: 5,
      repetitions: { measured: 7, usual: 100 },
    })
  })

  test('half of the queries gone is less, one of four is not; those that have no sample are gone', () => {
    expect(lessThanUsual(usualQueries(FOUR), headOf(['a', 'b', 'c']), [])).toBeNull()
    const gone = { measured: 2, usual: 4, gone: { names: ['c #0', 'd #0'], more: 0 } }
    expect(lessThanUsual(usualQueries(FOUR), headOf(['a', 'b', 'new', 'newer']), [])).toEqual({
      trunkRuns: 5,
      queries: gone,
    })
    const empty = ['c', 'd'].map((name) => measured(name, [], { old: [] }))
    const head = classified([runOf([...['a', 'b'].map((name) => measured(name, STEADY)), ...empty])])
    expect(lessThanUsual(usualQueries(FOUR), head, [])).toEqual({ trunkRuns: 5, queries: gone })
  })

  test.each([
    ['deleted', { path: 'tests/performance/d.xml', status: 'removed' }, true],
    ['renamed', { path: 'tests/performance/z.xml', status: 'renamed', previousPath: 'tests/performance/d.xml' }, true],
    [
      'without the query',
      { path: 'bench/d.go', status: 'modified', patch: '@@ -1,2 +1 @@\n-(SELECT d)\n SELECT 2' },
      true,
    ],
    [
      'with one line replaced',
      { path: 'src/d.cpp', status: 'modified', patch: '@@ -1 +1 @@\n-int a;\n+int d;' },
      false,
    ],
    [
      'without a longer word alone',
      { path: 'src/d.cpp', status: 'modified', patch: '@@ -1 +0,0 @@\n-SELECT data' },
      false,
    ],
    [
      'with the query on another line',
      { path: 'src/d.cpp', status: 'modified', patch: '@@ -1,2 +1,2 @@\n-SELECT d\n a\n+SELECT d' },
      false,
    ],
    [
      'with the query as context',
      { path: 'docs/d.md', status: 'modified', patch: '@@ -1,2 +1 @@\n-text\n SELECT d' },
      false,
    ],
    [
      'with lines more',
      { path: 'bench/d.go', status: 'modified', patch: '@@ -1 +1,2 @@\n SELECT 1\n+SELECT d' },
      false,
    ],
    ['of which no difference is known', { path: 'bench/d.go', status: 'modified' }, false],
    ['of another name', { path: 'tests/performance/dd.xml', status: 'removed' }, false],
  ])('the file of a test %s: its queries are named and not counted', (_, file, isRemoved) => {
    const less = lessThanUsual(usualQueries(FOUR), headOf(['a', 'b']), [file])
    expect(less).toEqual(
      isRemoved
        ? { trunkRuns: 5, removed: { names: ['d #0'], more: 0 } }
        : { trunkRuns: 5, queries: { measured: 2, usual: 4, gone: { names: ['c #0', 'd #0'], more: 0 } } },
    )
  })

  test('a query without a name is removed with the file of its test alone', () => {
    const query = { test: 'd', queryIndex: 0, queryName: null }
    const queries = new Map([
      [resultKey({ ...query, architecture: null }), { ...query, repetitions: 7, processes: null }],
    ])
    const usual = { trunkRuns: 5, shards: 1, queries }
    const file = { path: 'bench/d.go', status: 'modified', patch: '@@ -1 +1 @@\n-(a)\n+ab' }
    expect(lessThanUsual(usual, headOf(['a']), [file])?.removed).toBeUndefined()
    expect(lessThanUsual(usual, headOf(['a']), [{ ...file, status: 'removed' }])?.removed?.names).toEqual(['d #0'])
  })

  test('less than half of the repetitions of half of the queries is less, of the side that has fewer; where they are not known nothing is said', () => {
    expect(lessThanUsual(usualQueries(FOUR, 7), headOf(FOUR, 3), [])).toEqual({
      trunkRuns: 5,
      repetitions: { measured: 3, usual: 7 },
    })
    expect(lessThanUsual(usualQueries(FOUR, 6), headOf(FOUR, 3), [])).toBeNull()
    expect(lessThanUsual(usualQueries(FOUR, null), headOf(FOUR, 3), [])).toBeNull()
    const few = (...names: readonly string[]) =>
      classified([
        runOf(
          FOUR.map((name) =>
            measured(name, STEADY.slice(0, names.includes(name) ? 3 : 7), { old: STEADY.slice(0, 7) }),
          ),
        ),
      ])
    expect(lessThanUsual(usualQueries(FOUR, 7), few('a'), [])).toBeNull()
    expect(lessThanUsual(usualQueries(FOUR, 7), few('a', 'b'), [])).toEqual({
      trunkRuns: 5,
      repetitions: { measured: 3, usual: 7 },
    })
    const uneven = classified([runOf(FOUR.map((name) => measured(name, STEADY.slice(0, 3))))])
    expect(lessThanUsual(usualQueries(FOUR, 7), uneven, [])?.repetitions).toEqual({ measured: 3, usual: 7 })
  })

  test('fewer shards, with those that were skipped; where one has no results that is said, and few repetitions beside it', () => {
    const usual = { ...usualQueries(FOUR), shards: 3 }
    const skipped = shard({ check: 'perf (2/2)', state: 'skipped' })
    const head = headOf(FOUR)
    const withShards = (...shards: ReturnType<typeof shard>[]) => ({ ...head, input: { ...head.input, shards } })
    expect(lessThanUsual(usual, withShards(shard(), skipped), [])).toEqual({
      trunkRuns: 5,
      shards: { measured: 1, usual: 3, skipped: ['perf (2/2)'] },
    })
    expect(lessThanUsual(usual, withShards(shard(), skipped), [], true)).toBeNull()
    expect(lessThanUsual(usual, withShards(shard()), [], true)).not.toBeNull()
    expect(lessThanUsual(usual, withShards(shard(), shard({ state: 'failed' })), [])).toBeNull()
    const lost = { ...headOf(['a', 'b'], 3), input: withShards(shard(), shard({ state: 'failed' })).input }
    const files = [{ path: 'tests/performance/d.xml', status: 'removed' }]
    expect(lessThanUsual(usual, lost, files)).toEqual({ trunkRuns: 5, repetitions: { measured: 3, usual: 7 } })
    expect(lessThanUsual({ ...usual, shards: 1 }, withShards(shard(), skipped), [])).toBeNull()
  })
})
