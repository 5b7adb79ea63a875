import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { queryKey } from '../../../src/intake/measurement/run.ts'
import { levelChanges } from '../../../src/judge/bisect/level-changes.ts'
import { type HistoryOf, HistoryUnavailable, type TrunkHistory } from '../../../src/judge/history/trunk-history.ts'
import type { QueryOnArchitecture, TrunkPoint, TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { storedHistories } from '../../../src/store/history/stored-history.ts'
import { storedTrunkHistory } from '../../../src/store/history/stored-trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { splitStatements } from '../../../src/store/sql-file.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'
import { DAY, measuredRows, NOON, trunkRow } from './trunk-rows.ts'

let clickhouse: ClickHouse
let own: TrunkHistory
let copied: TrunkHistory

const TABLE = 'https://ci.example.com/query_metrics_v2'

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  own = storedTrunkHistory(clickhouse)
  const ofOther = (of: HistoryOf): HistoryOf => ({ ...of, repositoryId: 2, copiedFrom: [TABLE] })
  copied = {
    learnedThresholds: (of) => own.learnedThresholds(ofOther(of)),
    moves: (of, ...asked) => own.moves(ofOther(of), ...asked),
    series: (of, ...asked) => own.series(ofOther(of), ...asked),
    mediansOfCommits: (of, ...asked) => own.mediansOfCommits(ofOther({ ...of, now: NOON }), ...asked),
    allSeries: (of, range) => own.allSeries(ofOther(of), range),
  }
})
afterAll(async () => {
  await clickhouse.close()
})
beforeEach(async () => {
  await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
})

function asCopied(rows: readonly TrunkRow[], table = TABLE): TrunkRow[] {
  return rows.map((row) => ({ ...row, source: 'ci-database', copiedFrom: { table, isOfRawRuns: false } }))
}

/** The same rows as the bot's own ones of repository 1, each written twice, and as copied ones of repository 2. */
async function store(rows: readonly TrunkRow[]): Promise<void> {
  await saveTrunkRows(clickhouse, 1, rows)
  await saveTrunkRows(clickhouse, 1, rows)
  await saveTrunkRows(clickhouse, 2, asCopied(rows))
}

const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOON }
const ALL_TIME = { from: 0, to: NOON + 1000 * DAY }

/** What own and copied rows answer, which is the same. */
async function fromBoth<T>(ask: (history: TrunkHistory) => Promise<T>): Promise<T> {
  const [fromOwn, fromCopied] = await Promise.all([ask(own), ask(copied)])
  expect(fromCopied).toEqual(fromOwn)
  return fromOwn
}

function withoutSource<T extends { readonly source: string }>(all: readonly T[]): Omit<T, 'source'>[] {
  return all.map((one) => ({ ...one, source: undefined }))
}

async function all(history: TrunkHistory): Promise<TrunkSeries[]> {
  const found: TrunkSeries[] = []
  for await (const some of history.allSeries(OF, ALL_TIME)) found.push(...some)
  return inOrder(found)
}

function inOrder<T extends QueryOnArchitecture>(series: readonly T[]): T[] {
  const label = (one: T) => `${queryKey(one)} ${one.architecture}`
  return series.toSorted((a, b) => (label(a) < label(b) ? -1 : 1))
}

/** One run of one query a day, ending `gap` days before NOON. */
function daily(differences: readonly number[], gap: number, changes: Partial<TrunkRow> = {}): TrunkRow[] {
  return differences.map((difference, i) =>
    trunkRow({
      time: NOON - (gap + (differences.length - 1 - i) / 10) * DAY,
      newCommit: `c${i}`,
      new: 0.1 * (1 + difference),
      difference,
      ...changes,
    }),
  )
}

describe('learned thresholds', () => {
  const learned = (
    query: { test?: string; queryName?: string; ordinal?: number },
    architecture: string | null = 'amd',
  ) =>
    fromBoth(async (history) =>
      (await history.learnedThresholds(OF)).lookup(
        queryKey({ test: 'join', queryName: 'SELECT 1', queryIndex: 99, ...query }),
        architecture,
      ),
    )

  test('are 1.5 times the 0.99 quantile of |difference|, and of T where it was not reached, over more than 100 runs', async () => {
    const differences = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 1 : -1) * (i / 1000))
    await store(daily(differences, 8).map((row, i) => ({ ...row, threshold: i < 50 ? 0.5 + i / 100 : 0.05 })))
    // 0.99 * 200 = 198: the element with two above it would be 0.197; ClickHouse takes index 198
    const found = await learned({})
    expect(found!.changed).toBeCloseTo(1.5 * 0.198, 12)
    expect(found!.unstable).toBeCloseTo(1.5 * 0.99, 12)
    expect(await learned({}, 'arm')).toBeNull()
    expect(await learned({ test: 'other' })).toBeNull()
    expect(await learned({ queryName: 'SELECT 2' })).toBeNull()
    expect(await fromBoth(async (history) => (await history.learnedThresholds(OF)).queries)).toBe(1)
    expect(await fromBoth(async (history) => (await history.learnedThresholds(OF)).newest)).toBe(NOON - 8 * DAY)
  })

  test('of 100 runs are none; runs of the last week and before the month do not count, nor other metrics', async () => {
    const flat = Array.from({ length: 101 }, () => 0.01)
    await store([
      ...daily(flat.slice(1), 8, { queryName: 'too few' }),
      ...daily(flat, 8, { queryName: 'enough' }),
      ...daily(flat, 6.9, { queryName: 'one is too young' }),
      ...daily(flat, 27.1, { queryName: 'one is too old' }),
      ...daily(flat, 8, { queryName: 'another metric', metric: 'memory' }),
    ])
    expect(await learned({ queryName: 'enough' })).toEqual({ changed: 0.015, unstable: 0.06 })
    for (const queryName of ['too few', 'one is too young', 'one is too old', 'another metric']) {
      expect(await learned({ queryName }), queryName).toBeNull()
    }
  })

  test('follow the text when a query is inserted before it, and tell equal texts apart', async () => {
    const runs = Array.from({ length: 120 }, (_, i) => i)
    await store(
      runs.flatMap((i) => {
        const run = { time: NOON - 9 * DAY - i * 3_600_000, newCommit: `c${i}` }
        const shift = i < 60 ? 1 : 0
        return [
          trunkRow({ ...run, queryIndex: shift, new: 0.101, difference: 0.01 }),
          trunkRow({ ...run, queryIndex: shift + 1, queryName: 'twice', new: 0.102, difference: 0.02 }),
          trunkRow({ ...run, queryIndex: shift + 2, queryName: 'twice', new: 0.104, difference: 0.04 }),
        ]
      }),
    )
    expect((await learned({}))!.changed).toBeCloseTo(0.015)
    expect((await learned({ queryName: 'twice' }))!.changed).toBeCloseTo(0.03)
    expect((await learned({ queryName: 'twice', ordinal: 1 }))!.changed).toBeCloseTo(0.06)
    expect(await learned({ queryName: 'twice', ordinal: 2 })).toBeNull()
  })

  test('of a query without a text are those of its own test', async () => {
    const query = { queryName: null, queryIndex: 0 }
    const still = Array.from({ length: 120 }, () => 0.01)
    const moving = Array.from({ length: 120 }, () => 0.2)
    await store([...daily(still, 8, { ...query, test: 'alpha' }), ...daily(moving, 8, { ...query, test: 'beta' })])
    const changed = (test: string) =>
      fromBoth(
        async (history) => (await history.learnedThresholds(OF)).lookup(queryKey({ ...query, test }), 'amd')?.changed,
      )
    expect(await changed('alpha')).toBeCloseTo(1.5 * 0.01)
    expect(await changed('beta')).toBeCloseTo(1.5 * 0.2)
  })

  test('come from own runs and imported ones together, each run once', async () => {
    const flat = Array.from({ length: 101 }, () => 0.01)
    const imported = (queryName: string) =>
      daily(
        flat.map(() => 0.5),
        8,
        { queryName, source: 'imported' },
      )
    await saveTrunkRows(clickhouse, 1, [
      ...daily(flat, 8),
      ...imported('SELECT 1'),
      // Two of the 101 runs are known from what was imported alone.
      ...daily(flat.slice(2), 8, { queryName: 'b' }),
      ...imported('b'),
      ...imported('c'),
    ])
    const { lookup, source, alsoFrom, queries } = await own.learnedThresholds(OF)
    expect(lookup('["join","SELECT 1"]', 'amd')?.changed).toBeCloseTo(0.015)
    expect(lookup('["join","b"]', 'amd')?.changed).toBeCloseTo(0.75)
    expect(lookup('["join","c"]', 'amd')?.changed).toBeCloseTo(0.75)
    expect({ source, alsoFrom, queries }).toEqual({ source: 'own', alsoFrom: ['imported'], queries: 3 })
  })

  test('of an empty history are none, and nothing is newest', async () => {
    const { lookup, queries, newest } = await own.learnedThresholds(OF)
    expect({ queries, newest, found: lookup('["join","SELECT 1"]', 'amd') }).toEqual({
      queries: 0,
      newest: null,
      found: null,
    })
  })
})

describe('moves', () => {
  test('are counted from the asked size on, in the lookback alone', async () => {
    await store([...daily([0.1, -0.2, 0.3, 0.05], 0, {}), trunkRow({ time: NOON - 40 * DAY, difference: 9 })])
    const query = { test: 'join', queryName: 'SELECT 1', queryIndex: 7, architecture: 'amd' }
    const wanted = [
      { ...query, atLeast: 0.1 },
      { ...query, atLeast: 0.25 },
      { ...query, architecture: 'arm', atLeast: 0.1 },
      { ...query, queryName: 'SELECT 2', atLeast: 0.1 },
    ]
    const range = { runs: 4, lowest: -0.2, highest: 0.3, median: 0.2, third: 0.1 }
    expect(await fromBoth(async (history) => await history.moves(OF, 30, wanted))).toEqual([
      { ...range, times: 3, lastTime: expect.any(Number) as number },
      { ...range, times: 1, lastTime: expect.any(Number) as number },
      null,
      null,
    ])
    expect(await fromBoth(async (history) => await history.moves(OF, 30, []))).toEqual([])
  })

  test('of more queries than one request takes, with names that are long and strange', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `SELECT '${i}\t\\ \u{1F600}' ${'x'.repeat(1000)}`)
    await store(names.map((queryName, i) => trunkRow({ test: `t'\\${i}`, queryName, difference: i / 1000 })))
    const wanted = names.map((queryName, i) => ({
      test: `t'\\${i}`,
      queryName,
      queryIndex: 0,
      architecture: 'amd',
      atLeast: 0.1,
    }))
    const found = await fromBoth(async (history) => await history.moves(OF, 30, wanted))
    expect(found.map((moves) => moves?.times)).toEqual(names.map((_, i) => (i >= 100 ? 1 : 0)))
  })
})

describe('series', () => {
  test('hold the points in the order of time, with the commits of each', async () => {
    await store([
      trunkRow({ time: NOON, oldCommit: 'b', newCommit: 'c', old: 0.2, new: 0.3, difference: 0.5, threshold: null }),
      trunkRow({
        time: NOON - DAY,
        oldCommit: 'a',
        newCommit: 'b',
        old: 0.1,
        new: 0.2,
        difference: 1,
        threshold: 0.07,
      }),
      trunkRow({ time: NOON - DAY, architecture: '', queryName: null, queryIndex: 3, difference: 0 }),
    ])
    const points: TrunkPoint[] = [
      { time: NOON - DAY, commit: 'b', referenceCommit: 'a', old: 0.1, new: 0.2, difference: 1, threshold: 0.07 },
      {
        time: NOON,
        commit: 'c',
        referenceCommit: 'b',
        old: 0.2,
        new: 0.3,
        difference: (0.3 - 0.2) / 0.2,
        threshold: null,
      },
    ]
    const wanted = [
      { test: 'join', queryName: 'not there', queryIndex: 1, architecture: 'amd' },
      { test: 'join', queryName: 'SELECT 1', queryIndex: 5, architecture: 'amd' },
      { test: 'join', queryName: null, queryIndex: 3, architecture: null },
    ]
    const found = await fromBoth(async (history) => withoutSource(await history.series(OF, wanted, ALL_TIME)))
    expect(found[0]).toEqual({ ...wanted[1], metric: 'client_time', points })
    expect(found[1]).toMatchObject({ ...wanted[2], points: [{ difference: 0 }] })
    expect(found).toHaveLength(2)
    const some = await own.series(OF, wanted, { from: NOON - DAY, to: NOON })
    expect(some.map((one) => one.points.length)).toEqual([1])
    expect(some[0]!.source).toBe('own')
  })

  test('have each run once, as the first source has it, and say which sources there are', async () => {
    const run = (day: number, changes: Partial<TrunkRow> = {}) =>
      trunkRow({ time: NOON - day * DAY, newCommit: `c${day}`, ...changes })
    await saveTrunkRows(clickhouse, 1, [
      ...[1, 2, 3].map((day) => run(day, { source: 'imported', new: 0.2 })),
      run(1, { source: 'imported', queryName: 'b' }),
      // It ended at another time than what was imported says, and on another architecture it is another run.
      run(1, { time: NOON - DAY - 60_000 }),
      run(1, { source: 'imported', architecture: 'arm' }),
    ])
    const found = await all(own)
    expect(
      found.map(({ queryName, architecture, source, alsoFrom, points }) => [
        queryName,
        architecture,
        source,
        alsoFrom,
        points.map((one) => one.new),
      ]),
    ).toEqual([
      ['SELECT 1', 'amd', 'imported', ['own'], [0.2, 0.2, 0.1]],
      ['SELECT 1', 'arm', 'imported', undefined, [0.1]],
      ['b', 'amd', 'imported', undefined, [0.1]],
    ])
    const wanted = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd', atLeast: 0.5 }
    expect(await own.moves(OF, 30, [wanted])).toMatchObject([{ runs: 3, times: 2 }])
  })

  test('one own run does not hide what was imported', async () => {
    const imported = Array.from({ length: 60 }, (_, i) =>
      trunkRow({ source: 'imported', time: NOON - (i + 2) * DAY, newCommit: `c${i}` }),
    )
    await saveTrunkRows(clickhouse, 1, imported)
    await saveTrunkRows(clickhouse, 1, [trunkRow({ newCommit: 'new' })])
    const wanted = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd', atLeast: 0.5 }
    expect(await own.moves(OF, 90, [wanted])).toMatchObject([{ runs: 61 }])
    expect((await own.series(OF, [wanted], ALL_TIME))[0]).toMatchObject({ source: 'imported', alsoFrom: ['own'] })
  })

  test('one own run hides nothing of what was copied, and counts once', async () => {
    const month = Array.from({ length: 101 }, (_, i) =>
      trunkRow({ time: NOON - 8 * DAY - i * 60_000, newCommit: `c${i}`, difference: 0.4, instanceType: 'c7g' }),
    )
    await saveTrunkRows(clickhouse, 1, asCopied(month))
    // The last one is known to both.
    await saveTrunkRows(clickhouse, 1, [trunkRow({ time: NOON - 8 * DAY, newCommit: 'c0', difference: 0.02 })])
    const of = { ...OF, copiedFrom: [TABLE] }
    const query = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd', atLeast: 0.1 }
    const [series] = await own.series(of, [query], ALL_TIME)
    expect(series).toMatchObject({ source: 'ci-database', alsoFrom: ['own'] })
    expect(series!.points.map(({ instanceType }) => instanceType).slice(-2)).toEqual(['c7g', undefined])
    expect(series!.points).toHaveLength(101)
    expect(await own.moves(of, 30, [query])).toMatchObject([{ runs: 101, times: 100 }])
    const learned = await own.learnedThresholds(of)
    expect(learned.lookup('["join","SELECT 1"]', 'amd')?.changed).toBeCloseTo(0.6)
    expect(learned).toMatchObject({ source: 'ci-database', alsoFrom: ['own'], queries: 1 })
    // Where the table may not be used the own run is all there is.
    expect(await own.moves(OF, 30, [query])).toMatchObject([{ runs: 1 }])
    const short = await own.learnedThresholds(OF)
    expect(short).toMatchObject({ queries: 0, tooShort: { runs: 1, moreThan: 100, days: 30, endedDaysAgo: 7 } })
  })

  test('of several tables those that may be used', async () => {
    const other = 'https://ci.example.com/query_metric_runs_v1'
    await saveTrunkRows(clickhouse, 1, asCopied([trunkRow()]))
    await saveTrunkRows(clickhouse, 1, asCopied([trunkRow({ newCommit: 'c2' })], other))
    const query = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd' }
    const pointsOf = async (...copiedFrom: string[]) => {
      const found = await own.series({ ...OF, copiedFrom }, [query], ALL_TIME)
      return found.flatMap(({ points }) => points.map(({ commit }) => commit).toSorted())
    }
    expect([await pointsOf(TABLE), await pointsOf(other), await pointsOf()]).toEqual([['c1'], ['c2'], []])
    expect(await pointsOf(TABLE, other)).toEqual(['c1', 'c2'])
    expect((await own.learnedThresholds(OF)).newest).toBeNull()
  })

  test('say the type of the machine where it is known', async () => {
    await saveTrunkRows(clickhouse, 1, [
      trunkRow({ time: NOON - DAY, newCommit: 'a', instanceType: 'c7g.4xlarge' }),
      trunkRow({ newCommit: 'b' }),
    ])
    expect((await all(own))[0]!.points.map(({ instanceType }) => instanceType)).toEqual(['c7g.4xlarge', undefined])
  })

  test('of queries without a text or an index', async () => {
    const queries = [
      { test: 'bench', queryName: null, queryIndex: null },
      { test: 'bench', queryName: 'BenchmarkA', queryIndex: null },
      { test: 'bench', queryName: null, queryIndex: 2 },
    ]
    await saveTrunkRows(clickhouse, 1, [
      ...queries.map((query) => trunkRow(query)),
      trunkRow({ test: 'bench', queryName: 'BenchmarkA', queryIndex: 1 }),
    ])
    const wanted = queries.map((query) => ({ ...query, architecture: 'amd' }))
    const found = await own.series(
      OF,
      [...wanted, { ...wanted[1]!, ordinal: 1 }, { ...wanted[2]!, queryIndex: 1 }],
      ALL_TIME,
    )
    expect(found.map(({ test, queryName, queryIndex }) => ({ test, queryName, queryIndex }))).toEqual([
      ...queries,
      queries[1],
    ])
    expect(found[3]?.ordinal).toBe(1)
    expect((await all(own)).map(queryKey).toSorted()).toEqual(
      wanted.map(queryKey).concat('["bench","BenchmarkA",1]').toSorted(),
    )
  })

  test('of two tests’ queries without a text at the same index are two', async () => {
    const tests = ['alpha', 'beta', 'a#', '']
    const query = { queryName: null, queryIndex: 0 }
    await store(tests.flatMap((name, i) => daily([0.01 * i, 0.02 * i], 1, { ...query, test: name })))
    const percent = (series: readonly TrunkSeries[]) =>
      series.map((one) => [one.test, ...one.points.map(({ difference }) => Math.round(difference * 100))])
    const expected = tests.map((name, i) => [name, i, 2 * i])
    const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1)
    const wanted = tests.map((name) => ({ ...query, test: name, architecture: 'amd', atLeast: 0.015 }))
    expect(await fromBoth(async (history) => percent(await all(history)).toSorted(byText))).toEqual(
      expected.toSorted(byText),
    )
    expect(await fromBoth(async (history) => percent(await history.series(OF, wanted, ALL_TIME)))).toEqual(expected)
    const moves = await fromBoth((history) => history.moves(OF, 30, wanted))
    expect(moves.map((one) => [one?.runs, one?.times])).toEqual([
      [2, 0],
      [2, 1],
      [2, 2],
      [2, 2],
    ])
  })

  test('of another repository are not there, nor those of none', async () => {
    await saveTrunkRows(clickhouse, 2, [trunkRow()])
    await saveTrunkRows(clickhouse, 0, [trunkRow({ source: 'imported' })])
    expect(await all(own)).toEqual([])
  })
})

test('rows of no repository are given to one by the statements of the docs', async () => {
  const repositoryId = 60246359
  const docs = readFileSync(new URL('../../../docs/database.md', import.meta.url), 'utf8')
  const [, sql] = /#### Rows of no repository\n[\s\S]*?```sql\n([\s\S]*?)```/.exec(docs)!
  const imported = [0, 1, 2].map((day) =>
    trunkRow({ source: 'imported', time: NOON - day * DAY, newCommit: `c${day}`, new: 0.2 }),
  )
  await saveTrunkRows(clickhouse, 0, imported)
  await saveTrunkRows(clickhouse, 7, imported.slice(0, 1))
  // One of the commits it has measured itself, one it has copied.
  await saveTrunkRows(clickhouse, repositoryId, [trunkRow({ newCommit: 'c0', new: 0.3 })])
  await saveTrunkRows(clickhouse, repositoryId, asCopied([trunkRow({ newCommit: 'c1', new: 0.4 })]))
  for (const statement of splitStatements(sql!)) await clickhouse.command('give', statement)
  const of = { ...OF, repositoryId, copiedFrom: [TABLE] }
  const query = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd' }
  const [series] = await own.series(of, [query], ALL_TIME)
  expect(series!.points.map((point) => [point.commit, point.new])).toEqual([
    ['c2', 0.2],
    ['c1', 0.2],
    ['c0', 0.3],
  ])
  const left = await storedHistories(clickhouse)
  expect(left.map((one) => [one.repositoryId, one.runs])).toEqual([
    [7, 1],
    [repositoryId, 3],
  ])
})

test('a database that is not there is a problem', async () => {
  const elsewhere = await openClickHouse({ url: 'http://127.0.0.1:1', dataDir: '' })
  try {
    const error = await storedTrunkHistory(elsewhere)
      .moves(OF, 30, [{ test: 't', queryName: 'q', queryIndex: 0, architecture: null, atLeast: 0 }])
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HistoryUnavailable)
    expect(error).toMatchObject({ problem: 'unreachable' })
  } finally {
    await elsewhere.close()
  }
})

test('rows of more months than one insert takes are stored', async () => {
  let told = 0
  const rows = function* () {
    for (let i = 0; i < 130; i += 1) yield trunkRow({ time: i * 31 * DAY, queryName: `q${i}`, newCommit: `c${i}` })
  }
  const stored = await saveTrunkRows(clickhouse, 1, rows(), { onProgress: (count) => (told = count) })
  expect(
    await clickhouse.read(
      'count',
      'SELECT count() AS rows FROM trunk_history',
      {},
      z.object({ rows: z.coerce.number() }),
    ),
  ).toEqual([{ rows: 130 }])
  expect({ stored, told }).toEqual({ stored: 130, told: 130 })
})

test('the measured history: both release boundaries, and what the runs between them teach', async () => {
  const rows = measuredRows()
  await store(rows)
  const series = await fromBoth(async (history) => withoutSource(await all(history)))
  expect(series).toHaveLength(68)
  expect(series.every(({ points }) => points.length === 23)).toBe(true)
  const positions = series.flatMap(({ points }) =>
    levelChanges(points).flatMap(({ index, isSure }) => (isSure ? [index] : [])),
  )
  expect(positions.filter((position) => position === 7).length).toBeGreaterThan(5)
  expect(positions.filter((position) => position === 15).length).toBeGreaterThanOrEqual(2)
  expect(positions.filter((position) => position !== 7 && position !== 15).length).toBeLessThanOrEqual(3)
})
