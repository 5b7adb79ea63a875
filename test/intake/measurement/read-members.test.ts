import { describe, expect, test } from 'vitest'
import { type Side, unreadParts } from '../../../src/intake/measurement/run.ts'
import { computed } from '../../computing-time.ts'
import { codes, readTexts, row, summaries } from './read-text.ts'

const raw = row('query', 0, 'x.query0.run0', 0, 1) + row('query', 0, 'x.query0.run0', 1, 2)

describe('what stands beside the raw files', () => {
  test('commits: a bare id, the output of git log, and the reference that really ran', async () => {
    const old = 'a'.repeat(40)
    const { oldCommit, newCommit } = await readTexts({
      'sum-raw.tsv': raw,
      'left-commit.txt': `WARNING: expected ${'c'.repeat(40)}\ncommit ${'d'.repeat(40)} (tag: x)\nReference commit: ${old}\n`,
      'right-commit.txt': `commit ${'b'.repeat(40)}\nAuthor: Somebody\n\n    deadbeef fix\n`,
    })
    expect(oldCommit).toBe(old)
    expect(newCommit).toBe('b'.repeat(40))
  })

  test('a reference that ClickHouse’s job took in the place of the intended one is the commit that it states', async () => {
    // As its job writes it where it says `Reference baseline` (ci/jobs/performance_tests.py): what --version prints comes first.
    const old = '0a1b2c3d'.repeat(5)
    const { oldCommit } = await readTexts({
      'sum-raw.tsv': raw,
      'left-commit.txt': `ClickHouse local version 26.12.1.1 (official build).\n\nWARNING: the newest build of master is the reference.\nReference commit: ${old}\n`,
    })
    expect(oldCommit).toBe(old)
    const plain = { 'sum-raw.tsv': raw, 'left-commit.txt': 'ClickHouse local version 26.12.1.1 (official build).\n' }
    expect((await readTexts(plain)).oldCommit).toBeNull()
  })

  test('a short commit id that may have been cut is not believed', async () => {
    const contents = await readTexts({
      'sum-raw.tsv': raw,
      'left-commit.txt': 'abcdef0',
      'right-commit.txt': 'abcdef1\n',
    })
    expect(contents.oldCommit).toBeNull()
    expect(contents.newCommit).toBe('abcdef1')
    expect(codes(contents)).toEqual(['truncated-line left-commit.txt:1'])
  })

  test('run errors go to the query or the test that they name; one that nothing else is known of is added', async () => {
    const contents = await readTexts({
      'sum-raw.tsv': raw + row('query', 1, 'sum.query1.run0', 0, 1) + row('run-error', 0, 1, 'Code: 1'),
      'run-errors.tsv':
        row('sum', 'query 0 server 1: Code: 1') +
        row('sum', 'query 0 server 0: Code: 2') +
        row('sum', 'the server died') +
        row('lost', 'Code: 3') +
        'no tab\n',
    })
    expect(contents.measurements.map(({ test, queryIndex, problems }) => [test, queryIndex, problems])).toEqual([
      ['lost', null, [{ reason: 'run-error', side: null, message: 'Code: 3' }]],
      [
        'sum',
        0,
        [
          { reason: 'run-error', side: 'new', message: 'Code: 1' },
          { reason: 'run-error', side: 'old', message: 'Code: 2' },
        ],
      ],
      ['sum', 1, [{ reason: 'run-error', side: null, message: 'the server died' }]],
    ])
    expect(codes(contents)).toEqual([
      'run-error sum-raw.tsv:4',
      'malformed-line run-errors.tsv:5',
      'run-error run-errors.tsv:2',
      'run-error run-errors.tsv:3',
      'run-error run-errors.tsv:4',
    ])
  })

  test('companions alone are no run, run errors alone are one that measured nothing', async () => {
    await expect(readTexts({ 'left-commit.txt': `${'a'.repeat(40)}\n` })).rejects.toThrow('no measurements')
    const { measurements } = await readTexts({ 'run-errors.tsv': row('sum', 'Code: 1') })
    expect(summaries(measurements)).toEqual(['sum #null client_time: 0 + 0'])
  })
})

test('the order of the files does not show in the result', async () => {
  const files = { 'b-raw.tsv': raw, 'a-raw.tsv': raw, 'x/c-raw.tsv': raw }
  const reversed = Object.fromEntries(Object.entries(files).reverse())
  expect((await readTexts(files)).measurements).toEqual((await readTexts(reversed)).measurements)
})

test('of two files of one test the first stands, with one warning for a whole folder of copies', async () => {
  const other = row('query', 0, 'x.query0.run0', 0, 9)
  const contents = await readTexts({ 'sum-raw.tsv': raw, 'b-raw.tsv': raw, 'x/sum-raw.tsv': other, 'x/b-raw.tsv': raw })
  expect(contents.measurements.map(({ old }) => old)).toEqual([[1], [1]])
  expect(contents.warnings).toEqual([
    {
      code: 'refused-member',
      where: 'x/sum-raw.tsv',
      message: 'already read from sum-raw.tsv: the first one counts, like 1 more file beside it',
    },
  ])
})

test('an empty file is a warning: its test did not run', async () => {
  expect(codes(await readTexts({ 'sum-raw.tsv': '', 'b-raw.tsv': raw }))).toEqual(['unreadable-member sum-raw.tsv'])
})

describe('results of one build that are there and hold nothing', () => {
  const go = (name: string) => `pkg: x\nBenchmark${name}-2 100 10 ns/op\nBenchmark${name}-2 100 11 ns/op\n`
  const both = { 'old/1.txt': go('Sum'), 'new/1.txt': go('Sum') }

  // What tools leave of a run without a benchmark, and what is left where a disk is full or a job was killed.
  test.each([
    ['', 'the file is empty'],
    [' \n\n', 'there is only white space in it'],
    ['{}', 'there are no results in it'],
    ['[]', 'there are no results in it'],
    ['{"benchmarks": [{"name": "Su', 'this is not whole JSON: it was cut off, or is damaged'],
    ['{"a": 1}\n{"a": 2}\n', 'no known format: it looks like JSON'],
    ['running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n', 'no known format: it looks like plain text'],
    ['goos: linux\npkg: x\nPASS\n', 'there is no Go benchmark in it'],
    ['{"context": {}, "benchmarks": []}', 'there are no results in it'],
    ['# started on Mon Nov  2 10:00:00 2026\n\n', ''],
    ['command,mean,stddev,median,user,system,min,max\n', 'there is no command measured by hyperfine in it'],
  ])('beside results of the other build of that name: %j', async (text, why) => {
    for (const [empty, full] of [
      ['new/2.txt', 'old/2.txt'],
      ['b/2-old.txt', 'b/2-new.txt'],
    ] as const) {
      const { warnings } = await readTexts({ ...both, [full]: go('Sort'), [empty]: text })
      expect(unreadParts(warnings).map(({ where }) => where)).toEqual([empty])
      expect(warnings[0]!.message).toContain(why)
    }
  })

  test('where the build has no other: none of its files says anything', async () => {
    const contents = await readTexts({ 'old/1.txt': go('Sum'), 'new/out.txt': '', 'new/more.txt': '{}' })
    expect(contents.warnings).toEqual([
      {
        code: 'unreadable-member',
        where: 'new/out.txt',
        message: 'the file is empty, so results of the new build are missing',
      },
      {
        code: 'unreadable-member',
        where: 'new/more.txt',
        message: 'there are no results in it, so results of the new build are missing',
      },
    ])
  })

  test('not what a tool writes beside its results, which often is nothing', async () => {
    expect(codes(await readTexts({ ...both, 'new/stderr.txt': '', 'old/notes.txt': 'a quiet machine' }))).toEqual([])
    expect(codes(await readTexts({ ...both, 'new/stderr.txt': '', 'old/stderr.txt': '' }))).toEqual([])
  })
})

test('a file that was named is known by its contents', async () => {
  expect(summaries((await readTexts({ 'results.txt': raw }, { direct: true })).measurements)).toEqual([
    'results #0 client_time: 1 + 1',
  ])
  await expect(readTexts({ 'results.txt': 'hello' }, { direct: true })).rejects.toThrow(
    'results.txt: no known format: it looks like plain text; supported formats: clickhouse-raw, go, jmh, ',
  )
  await expect(readTexts({ 'results.txt': '' }, { direct: true })).rejects.toThrow('the file is empty')
})

test('JSON lines of something else are passed over', async () => {
  const contents = await readTexts({ 'events.jsonl': '{"event":"start"}\n', 'sum-raw.tsv': raw })
  expect(summaries(contents.measurements)).toEqual(['sum #0 client_time: 1 + 1'])
  await expect(readTexts({ 'events.jsonl': '{"event":"start"}\n' })).rejects.toThrow('found events.jsonl')
})

describe('limits keep what was read and say so', () => {
  const many = Array.from({ length: 50 }, (_, run) => row('query', run, 'id', 0, 1)).join('')
  test.each([
    ['samples', { samples: 20 }, 20, 'many-raw.tsv'],
    ['measurements', { measurements: 20 }, 20, 'many-raw.tsv'],
    ['text', { text: 40 }, undefined, 'many-raw.tsv'],
    // beside the 8 KiB of opening a file
    ['work of lines', { workRatio: 0, workFrom: 8192 + 20 * 64 }, 20, 'many-raw.tsv'],
  ] as const)('%s: nothing more of the source', async (_, limits, count, where) => {
    const contents = await readTexts({ 'many-raw.tsv': many, 'next-raw.tsv': raw }, { limits })
    expect(codes(contents)).toEqual([`limit-reached ${where}`])
    expect(contents.measurements.filter(({ test }) => test === 'next')).toEqual([])
    const samples = contents.measurements.flatMap(({ old }) => old)
    if (count !== undefined) expect(samples.length).toBe(count)
    expect(samples.length).toBeLessThan(50)
  })

  test('bytes of a member: nothing more of the member', async () => {
    const contents = await readTexts({ 'many-raw.tsv': many, 'next-raw.tsv': raw }, { limits: { memberBytes: 100 } })
    expect(codes(contents)).toEqual(['limit-reached many-raw.tsv'])
    expect(summaries(contents.measurements)).toEqual(['next #0 client_time: 1 + 1'])
  })

  test('a line: that line', async () => {
    const text = row('display-name', 0, 'x'.repeat(5000)) + raw
    const contents = await readTexts({ 'sum-raw.tsv': text }, { limits: { lineLength: 1000 } })
    expect(codes(contents)).toEqual(['limit-reached sum-raw.tsv:1'])
    expect(summaries(contents.measurements)).toEqual(['sum #0 client_time: 1 + 1'])
  })

  test('names and problems of a hostile source end in time', async () => {
    const errors = Array.from({ length: 30_000 }, (_, i) => row('sum', `error ${i}`)).join('')
    const names = Array.from({ length: 30_000 }, (_, i) => row('display-name', i, 'SELECT 1')).join('')
    const start = computed()
    const { measurements } = await readTexts({ 'sum-raw.tsv': names, 'run-errors.tsv': errors })
    expect(measurements.length).toBe(30_000)
    expect(measurements.at(-1)?.ordinal).toBe(29_999)
    expect(measurements[0]?.problems.length).toBe(10)
    expect(computed() - start).toBeLessThan(5000)
  })
})

test.each<[string, Side | null]>([
  ['old/sort.jsonl', 'old'],
  ['run/base/2/sort.jsonl', 'old'],
  ['sort-old.jsonl', 'old'],
  ['sort.v2-base.measurements.jsonl', 'old'],
  ['old/sort-new.jsonl', 'new'],
  ['HEAD.jsonl', 'new'],
  ['head/sort.jsonl', 'new'],
  ['newer/renew.jsonl', null],
  ['threshold.jsonl', null],
])('%s is a file of the side %s', async (name, side) => {
  const reading = readTexts({
    [name]: '{"test":"sort","value":7}\n',
    'a.jsonl': '{"test":"a","value":1,"side":"old"}\n',
  })
  const sorted = (await reading).measurements.find((one) => one.test === 'sort')
  expect(sorted === undefined ? null : sorted.old.length > 0 ? 'old' : 'new').toBe(side)
})

test('a format that is pinned is read whatever the first bytes are', async () => {
  const text = `${'starting\n'.repeat(1000)}real 3.89\nuser 0.03\nsys 0.06\n`
  const options = { direct: true, side: 'old' } as const
  await expect(readTexts({ 'run.out': text }, options)).rejects.toThrow('no known format: it looks like')
  expect((await readTexts({ 'run.out': text }, { ...options, format: 'perf-stat' })).measurements).toHaveLength(5)
})
