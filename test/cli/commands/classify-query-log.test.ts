import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryLogRow } from '../../../src/judge/verdict/classify-query-log.ts'
import { NEW_TABLE, OLD_TABLE, seedCosts, seedLog } from '../../intake/imports/query-log/seed-log.ts'
import { LOGS, rowsOf } from '../../judge/statistics/query-log/executions-of.ts'
import { perfTriage } from './capture.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Document {
  readonly metric: string
  readonly counts: Readonly<Record<string, number>>
  readonly variants: readonly string[]
  readonly queries: readonly QueryLogRow[]
  readonly whole: readonly QueryLogRow[]
  readonly warnings: readonly { readonly code: string; readonly where: string; readonly message: string }[]
}

async function file(name: string, contents: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, contents)
  return path
}

const lines = (rows: Iterable<object>) => [...rows].map((row) => `${JSON.stringify(row)}\n`).join('')

async function run(...argv: readonly string[]) {
  return await perfTriage(['classify', '--format', 'query-log', ...argv])
}

async function json(...argv: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await run('--json', ...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document
}

describe('index_granularity 1,024 against 32, as the talk saw it', () => {
  let path = ''
  const side = ['--side', `tables=${OLD_TABLE},${NEW_TABLE}`, '--group', 'log_comment.time_window_in_mins']
  beforeAll(async () => {
    path = await file('seed.jsonl', lines(seedLog({ share: 0.01, hours: 24 })))
  })

  test('faster at 5 minutes, slower at 60, where 6.6 times the marks are read', async () => {
    const { metric, counts, queries, whole } = await json(path, ...side)
    expect({ metric, counts }).toMatchObject({ metric: 'query_duration', counts: { slower: 1 } })
    const row = (window: number, name: string) =>
      queries.find((one) => one.queryName === `time_window_in_mins = ${window}` && one.metric === name)!
    const [at5, at60, marks] = [row(5, 'query_duration'), row(60, 'query_duration'), row(60, 'SelectedMarks')]
    expect(at5).toMatchObject({ test: `SELECT avg(value) FROM ${OLD_TABLE} WHERE tenant = ? AND time > now() - ?` })
    expect(at5).toMatchObject({ unit: 's', outcome: 'changed', direction: 'faster', notes: [] })
    expect(at5.traffic.verdict).toBe('improvement')
    expect(at5.old.median).toBeCloseTo(0.0765, 2)
    expect(at5.new.median).toBeCloseTo(0.0279, 2)
    expect(at60).toMatchObject({ outcome: 'changed', direction: 'slower' })
    expect(at60.traffic.crude?.old.mean).toBeCloseTo(0.0822, 2)
    expect(at60.traffic.crude?.new.mean).toBeCloseTo(0.0936, 2)
    expect(at60.traffic.coverage!.old).toBeGreaterThanOrEqual(0.9)
    expect(marks).toMatchObject({ unit: null, outcome: 'changed', direction: 'slower', separated: true })
    expect(marks.new.median! / marks.old.median!).toBeCloseTo(6.6, 0)
    expect(whole.find((one) => one.metric === 'query_duration')).toMatchObject({ direction: 'faster' })
  })

  test('the table has several metrics of a group, one under the other', async () => {
    const { code, stdout, stderr } = await run(path, ...side)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('1 slower, 4 faster, 0 unstable, 0 too small, 1 not significant')
    expect(stdout).toMatch(/^time_window_in_mins = 60 +query_duration +slower .* 498 \+ 374$/m)
    const metrics = stdout.split('\n').filter((line) => line.startsWith('time_window_in_mins = 60 '))
    expect(metrics.map((line) => line.split(/\s{2,}/)[1])).toEqual([
      'query_duration',
      'OSCPUVirtualTimeMicroseconds',
      'SelectedParts',
      'SelectedMarks',
      'SelectedRows',
      'read_rows',
      'read_bytes',
      'memory_usage',
    ])
  })

  test('merges and what the parts hold are metrics of their own, after the queries', async () => {
    const costs = await file('costs.jsonl', lines(seedCosts({ hours: 24 })))
    const { queries, counts } = await json(path, costs, ...side)
    expect(counts).toEqual((await json(path, ...side)).counts)
    const of = (name: string) => queries.find(({ metric }) => metric === name)
    expect(of('merge_duration')).toMatchObject({
      test: 'merges',
      unit: 's',
      old: { repetitions: 1440 },
      new: { repetitions: 1440 },
      outcome: 'changed',
      direction: 'slower',
    })
    expect(of('merge_duration')!.difference).toBeCloseTo(0.2, 1)
    expect(of('merge_peak_memory_usage')).toMatchObject({ unit: 'bytes', outcome: 'not-significant' })
    for (const size of ['primary_key_bytes_in_memory', 'primary_key_bytes_in_memory_allocated', 'marks_bytes']) {
      const sums = { old: { median: 300_000 }, new: { median: 9_600_000 }, difference: 31 }
      expect(of(size)).toMatchObject({ test: 'parts', status: 'measured-once', outcome: null, ...sums })
    }
    const { stdout } = await run(path, costs, ...side)
    expect(stdout.split('\n').filter((line) => /^(?:merges|parts) /.test(line))).toHaveLength(5)
  })

  test('merges of one table alone, parts of one alone, and merges that failed', async () => {
    const rows = [...seedCosts({ hours: 1 })].map((row) =>
      row['table'] === 'by_32' ? { ...row, error: 236, active: 0 } : row,
    )
    const { queries } = await json(path, await file('one-side.jsonl', lines(rows)), ...side)
    const statuses = queries.filter(({ test: of }) => of === 'merges' || of === 'parts').map(({ status }) => status)
    expect(statuses).toEqual(['only-old', 'only-old', 'only-old', 'only-old', 'only-old'])
  })

  test('rows of parts tell no side by a setting, and sizes that are no numbers are told', async () => {
    const settings = lines(
      ['4', '8'].map((max_threads) => ({ event_time: 1_767_225_600, read_rows: 1, Settings: { max_threads } })),
    )
    const merge = { event_type: 'MergeParts', event_time: 1_767_225_600, database: 'a', table: 'b' }
    const bySetting = await json(
      await file('set.jsonl', settings + lines([merge])),
      '--side',
      'Settings.max_threads=4,8',
    )
    expect(bySetting.warnings.map(({ message }) => message)).toEqual([
      'rows of system.part_log need --side tables=OLD,NEW to tell the sides apart: skipped',
    ])
    const bad = 'database\ttable\tmarks_bytes\nmetrics\tby_32\t-1\nmetrics\tby_1024\tnan\nother\tby_1024\t5\n'
    const { warnings } = await json(path, await file('parts.tsv', bad), ...side)
    expect(warnings.map(({ where, message }) => [where.replace(/.*:/, ''), message])).toEqual([
      ['2', 'marks_bytes is not a number from 0 to 2^53: skipped'],
      ['3', 'marks_bytes is not a number from 0 to 2^53: skipped'],
    ])
  })

  test('one metric alone, and --fail-on', async () => {
    const marks = await json(path, ...side, '--metric', 'SelectedMarks')
    expect(new Set(marks.queries.map(({ metric }) => metric))).toEqual(new Set(['SelectedMarks']))
    const { code, stderr } = await run(path, ...side, '--metric', 'query_duration', '--fail-on', 'slower')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'perf-triage classify: --fail-on: 1 slower\n' })
  })
})

describe('the outcomes of the definition', () => {
  const argv = ['--side', 'Settings.max_threads=4,8', '--group', 'log_comment.window']

  test.each<readonly [keyof typeof LOGS, object]>([
    ['equal', { outcome: 'unstable', notes: ['short-run'] }],
    ['slowerBy20', { outcome: 'unstable', old: { repetitions: 50 } }],
    ['anHour', { outcome: 'too-small' }],
    [
      'alternating',
      { outcome: 'changed', direction: 'slower', traffic: { verdict: 'needs-rerun', blocks: { minutes: 2 } } },
    ],
    ['oneAfterTheOther', { status: 'not-comparable', outcome: null, difference: null, threshold: null }],
  ])('%s', async (name, expected) => {
    const { queries, whole } = await json(await file(`${name}.jsonl`, lines(rowsOf(LOGS[name]))), ...argv)
    expect(queries).toMatchObject([{ test: '17', queryName: 'window = short', ...expected }])
    expect(whole).toEqual([])
  })

  test('twoGroups', async () => {
    const { counts, whole } = await json(await file('groups.jsonl', lines(rowsOf(LOGS.twoGroups))), ...argv)
    expect(counts).toMatchObject({ faster: 1 })
    expect(whole).toMatchObject([
      { outcome: 'changed', direction: 'faster', notes: ['short-run', 'mix-shift', 'simpson'] },
    ])
    expect(whole[0]!.traffic.crude?.difference).toBeCloseTo(1.593, 3)
  })

  test('a step of a count that many swaps reach is none, though it is T', async () => {
    const [low, high] = [
      [9, 9, 9, 10],
      [10, 10, 10, 9],
    ] as const
    const rows = Array.from({ length: 60 }, (_, minute) => minute).flatMap((minute) =>
      [0, 1, 2, 3].flatMap((i) => {
        const even = minute % 2 === 0
        const [old, fresh] = even ? [low, high] : [high, low]
        const time = { event_time: 1_767_225_600 + minute * 60 }
        return [
          { ...time, read_rows: minute === 0 ? 9 : old[i], user: 'a' },
          { ...time, read_rows: fresh[i], user: 'b' },
        ]
      }),
    )
    const { queries } = await json(await file('counts.jsonl', lines(rows)), '--side', 'user=a,b')
    expect(queries).toMatchObject([
      { metric: 'read_rows', old: { median: 9 }, new: { median: 10 }, outcome: 'unstable' },
    ])
    expect(queries[0]!.difference).toBe(queries[0]!.threshold)
    expect(queries[0]!.pValue).toBeGreaterThan(0.5)
  })

  test('not comparable is explained', async () => {
    const path = await file('one.jsonl', lines(rowsOf(LOGS.oneAfterTheOther)))
    const { stdout } = await run(path, ...argv)
    expect(stdout).toContain('1 not compared')
    expect(stdout).toContain('not comparable: The two sides never ran within the same hour.')
  })
})

test('three variants: each against the first', async () => {
  const rows = Array.from({ length: 60 }, (_, minute) => minute).flatMap((minute) =>
    [8192, 131_072, 1_048_576].flatMap((size, variant) =>
      [0, 1, 2, 3].map((i) => ({
        event_time: `2026-06-01 08:${String(minute).padStart(2, '0')}:00`,
        query_duration_ms: 1000 + ((37 * minute + 11 * i) % 23) - 600 * Math.min(variant, 1) - 100 * variant,
        Settings: { max_read_buffer_size: size },
      })),
    ),
  )
  const { variants, queries } = await json(
    await file('sizes.jsonl.zst', zstdCompressSync(lines(rows))),
    '--side',
    'Settings.max_read_buffer_size=8192,131072,1048576',
  )
  expect(variants).toEqual(['8192', '131072', '1048576'])
  expect(queries).toMatchObject([
    {
      variant: '1048576',
      direction: 'faster',
      old: { repetitions: 240 },
      new: { repetitions: 240 },
      outcome: 'changed',
    },
    {
      variant: '131072',
      direction: 'faster',
      old: { repetitions: 240 },
      new: { repetitions: 240 },
      outcome: 'changed',
    },
  ])
  expect(queries.map(({ difference }) => Number(difference!.toFixed(1)))).toEqual([-0.8, -0.7])
})

describe('what is no query log ends with one line', () => {
  const good = { event_time: '2026-06-01 08:00:00', query_duration_ms: 5, tables: ['a'] }
  const side = ['--side', 'tables=a,b']
  test.each<readonly [string, string | Uint8Array, readonly string[], RegExp]>([
    ['nothing', '', side, /: the file is empty$/],
    ['noise', 'x\0y\n', side, /: these are not rows of system.query_log; supported: JSONEachRow/],
    ['no side', lines([good]), [], /--side is missing: say what tells the sides of a query log apart/],
    ['one variant', lines([good]), ['--side', 'tables=a'], /--side "tables=a" is not --side FIELD=OLD,NEW/],
    ['the same twice', lines([good]), ['--side', 'tables=a,a'], /names a variant twice/],
    ['no field', lines([good]), ['--side', '=a,b'], /--side "=a,b" is not/],
    ['a strange group', lines([good]), [...side, '--group', '1+1'], /--group "1\+1" is not a column/],
    [
      'one side',
      lines([good, { ...good, tables: ['c'] }]),
      side,
      /no execution with tables = b: 2 rows, 1 of other variants; other values of tables: c$/,
    ],
    [
      'no time',
      lines([{ ...good, event_time: 'soon' }]),
      side,
      /no execution with tables = a: 1 row \(.*:1: event_time is not a time like .*: skipped\)$/,
    ],
    [
      'nothing finished',
      lines([{ ...good, type: 'QueryStart' }]),
      side,
      /no execution with tables = a: 1 row, 1 of them not QueryFinish$/,
    ],
    [
      'no values',
      lines(['a', 'b'].map((tables) => ({ event_time: good.event_time, tables: [tables] }))),
      side,
      /no execution has a value of any metric$/,
    ],
    [
      'another metric',
      lines(['a', 'b'].map((tables) => ({ ...good, tables: [tables] }))),
      [...side, '--metric', 'x'],
      /no execution has a value of x: columns and ProfileEvents are metrics, such as SelectedMarks$/,
    ],
    [
      'another group',
      lines(['a', 'b'].map((tables) => ({ ...good, tables: [tables] }))),
      [...side, '--group', 'log_comment.window'],
      /no execution has a value of log_comment\.window, by which --group groups$/,
    ],
    [
      'a cut archive',
      zstdCompressSync(lines([good])).subarray(0, 20),
      side,
      /can’t be read completely: its end|no execution with/,
    ],
    [
      'too many groups',
      lines(Array.from({ length: 32_769 }, (_, i) => ({ ...good, query: `SELECT f${'x'.repeat(i % 7)}${i}()` }))),
      side,
      /more than 32,768 different queries and groups/,
    ],
    [
      'times of the year 1',
      lines([{ ...good, event_time: '0001-01-01 00:00:00' }]),
      side,
      /event_time is not a time like/,
    ],
    ['times of the wrong type', lines([{ ...good, event_time: { a: 1 } }]), side, /event_time is not a time like/],
    [
      'a huge line',
      `{"event_time":"${'x'.repeat(33 * 1024 * 1024)}"}\n`,
      side,
      /the line is longer than 33,554,432 characters/,
    ],
    [
      'binary',
      Uint8Array.from({ length: 4096 }, (_, i) => (i === 0 ? 0x7b : (i * 167) % 256)),
      side,
      /this is not a JSON object|was cut/,
    ],
    ['a TSV without times', 'query\ttables\nSELECT 1\t[]\n', side, /: these are not rows of system.query_log/],
    ['a TSV of other widths', 'event_time\ttables\n2026-06-01 08:00:00\n', side, /1 columns, but 2 are named/],
    [
      'NaN, negative and huge values',
      lines(
        ['a', 'b'].map((table, i) => ({
          ...good,
          tables: [table],
          query_duration_ms: ['nan', -1][i],
          read_rows: 1e300,
        })),
      ),
      side,
      /no execution has a value of any metric$/,
    ],
    [
      'values of the wrong type',
      lines(['a', 'b'].map((table) => ({ ...good, tables: [table], query_duration_ms: [5], ProfileEvents: 'x' }))),
      side,
      /no execution has a value of any metric$/,
    ],
    [
      'arrays in arrays without end',
      `{"event_time":"2026-06-01 08:00:00","query_duration_ms":5,"tables":${'['.repeat(200_000)}"a"${']'.repeat(200_000)}}\n`,
      side,
      /no execution with tables = a: 1 row$/,
    ],
    [
      'arrays without end in a group',
      lines(
        ['a', 'c'].map((table) => ({
          ...good,
          tables: [table],
          log_comment: `{"w":${'['.repeat(1e5)}1${']'.repeat(1e5)}}`,
        })),
      ),
      [...side, '--group', 'log_comment.w'],
      /no execution with tables = b: 2 rows, 1 of other variants/,
    ],
    [
      'another format of ClickHouse',
      JSON.stringify({ meta: [], data: [good] }, null, 1),
      side,
      /this is ClickHouse’s FORMAT JSON; give FORMAT JSONEachRow$/,
    ],
    ['noise of another tool', 'PAR1\u0000\u0015\u0004', side, /: these are not rows of system.query_log/],
    [
      'a group of a million values',
      lines(Array.from({ length: 40_000 }, (_, i) => ({ ...good, log_comment: `{"w":${i}}` }))),
      [...side, '--group', 'log_comment.w'],
      /more than 32,768 different queries and groups; give another --group, or the rows of fewer queries$/,
    ],
    [
      'control characters in a name',
      lines([{ ...good, tables: ['\u001b[31mred\u0000\u202e'] }]),
      side,
      /other values of tables: \[31mred$/,
    ],
    [
      'too many metrics',
      lines([{ ...good, ProfileEvents: Object.fromEntries(Array.from({ length: 1300 }, (_, i) => [`E${i}`, 1])) }]),
      side,
      /more than 1,200 metrics; --metric NAME keeps one metric$/,
    ],
  ])('%s', async (name, contents, argv, message) => {
    const path = await file(`${name}.log`, contents)
    const { code, stdout, stderr } = await run(path, ...argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.trimEnd()).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  test('control characters of queries and groups never reach the terminal', async () => {
    const rows = [...seedLog({ share: 0.001, hours: 24 })].map((row) => ({
      ...row,
      query: `SELECT \u001b[31m\u0007 FROM x\u202e`,
      log_comment: JSON.stringify({ w: '\u001b]0;title\u0007' }),
    }))
    const tables = ['--side', `tables=${OLD_TABLE},${NEW_TABLE}`, '--group', 'log_comment.w', '--all']
    const { code, stdout } = await run(await file('control.jsonl', lines(rows)), ...tables)
    expect(code).toBe(0)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  test('--side is for no other format', async () => {
    const { code, stderr } = await perfTriage(['classify', 'x', '--side', 'tables=a,b'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'perf-triage classify: --side is for --format query-log\n' })
  })
})

test('a query log that is given as a run, or as variants, is told what to give', async () => {
  const row = JSON.stringify({ type: 'QueryFinish', event_time: '2026-06-01 00:00:00', query_duration_ms: 5 })
  for (const text of [`${row}\n`, 'event_time\tquery_duration_ms\n2026-06-01 00:00:00\t5\n']) {
    const path = join(folder, 'as-a-run.txt')
    await writeFile(path, text)
    const { code, stderr } = await perfTriage(['classify', path])
    expect(code).toBe(2)
    expect(stderr).toMatch(/these are rows of system\.query_log; give --format query-log, and --side FIELD=OLD,NEW/)
    const argv = ['--variant', `a=${path}`, '--variant', `b=${path}`, '--format', 'query-log']
    expect((await perfTriage(['comment', ...argv])).stderr).toMatch(/for a query log, give --side FIELD=FIRST,SECOND/)
  }
})
