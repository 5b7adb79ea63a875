import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { NEW_TABLE, OLD_TABLE, seedCosts, seedLog } from '../../intake/imports/query-log/seed-log.ts'
import {
  clientOf,
  engineOfRun,
  migratedDatabase,
  serverVariablesOf,
  temporaryFolder,
} from '../../store/embedded/engine-fixture.ts'
import { perfTriage } from './capture.ts'

/** `classify --query-log`: the log is asked of a server, by what is told of the sides. */

let clickhouse: ClickHouse
let env: Record<string, string> = {}
let table = ''
const rows = [...seedLog({ share: 0.003, hours: 24 })]
const SIDE = ['--side', `tables=${OLD_TABLE},${NEW_TABLE}`, '--group', 'log_comment.time_window_in_mins']
const DAY = ['--since', '2026-06-01 00:00:00', '--until', '2026-06-02 00:00:00']

beforeAll(async () => {
  const own = await migratedDatabase()
  clickhouse = await openClickHouse(own)
  env = serverVariablesOf(own)
  table = `${clickhouse.database}.query_log`
  await clickhouse.command(
    'create',
    `CREATE TABLE query_log (type Enum8('QueryStart' = 1, 'QueryFinish' = 2), event_time DateTime('Asia/Tokyo'),
      event_date Date DEFAULT toDate(event_time), query_duration_ms UInt64, query String, user String DEFAULT 'me',
      normalized_query_hash UInt64, tables Array(LowCardinality(String)), log_comment String, read_rows UInt64,
      read_bytes UInt64, memory_usage UInt64, ProfileEvents Map(LowCardinality(String), UInt64))
      ENGINE = MergeTree ORDER BY event_time`,
  )
  await clickhouse.command(
    'create',
    `CREATE TABLE query_log_older ENGINE = MergeTree ORDER BY event_time
      AS SELECT type, event_time, query_duration_ms, query, user FROM query_log`,
  )
  const client = clientOf(engineOfRun())
  const unrelated = { ...rows[0], tables: ['another.table'] }
  const values = [...rows, unrelated, { ...rows[0], type: 'QueryStart' }].map((row) => ({
    ...row,
    event_time: Date.parse(`${String(row['event_time' as keyof typeof row])}Z`) / 1000,
  }))
  await client.insert({ table, values, format: 'JSONEachRow' })
  await client.close()
})
afterAll(async () => {
  await clickhouse.close()
})

async function live(...argv: readonly string[]) {
  return await perfTriage(['classify', ...argv], { env })
}

test('a server says what the file of the same rows says', async () => {
  const path = join(await temporaryFolder(), 'log.jsonl')
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const fromFile = await perfTriage(['classify', path, '--format', 'query-log', '--json', ...SIDE])
  const { code, stdout, stderr } = await live('--query-log', table, '--json', ...SIDE, ...DAY)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual(JSON.parse(fromFile.stdout))
})

test('files beside the server say what merges and parts cost', async () => {
  const folder = await temporaryFolder()
  const [log, costs] = [join(folder, 'log.jsonl'), join(folder, 'costs.jsonl')]
  await writeFile(log, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  await writeFile(costs, [...seedCosts({ hours: 24 })].map((row) => `${JSON.stringify(row)}\n`).join(''))
  const fromFiles = await perfTriage(['classify', log, costs, '--format', 'query-log', '--json', ...SIDE])
  const { code, stdout } = await live(costs, '--query-log', table, '--json', ...SIDE, ...DAY)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual(JSON.parse(fromFiles.stdout))
  expect(stdout).toContain('merge_duration')
})

test('several variants, by a column of the server', async () => {
  const { code, stdout } = await live(
    ...[
      '--query-log',
      table,
      '--side',
      `tables=${OLD_TABLE},${NEW_TABLE},another.table`,
      '--metric',
      'query_duration',
      '--json',
      ...DAY,
    ],
  )
  expect(code).toBe(0)
  const { variants, queries } = JSON.parse(stdout) as {
    variants: string[]
    queries: { variant: string; status: string }[]
  }
  expect(variants).toEqual([OLD_TABLE, NEW_TABLE, 'another.table'])
  expect(queries.map(({ variant, status }) => [variant, status])).toEqual([
    [NEW_TABLE, 'compared'],
    ['another.table', 'not-comparable'],
  ])
})

test('an older server has no dates and tables of its own', async () => {
  await clickhouse.command(
    'fill',
    'INSERT INTO query_log_older SELECT type, event_time, query_duration_ms, query, if(has(tables, {old:String}), {old:String}, {new:String}) FROM query_log',
    { old: OLD_TABLE, new: NEW_TABLE },
  )
  const { code, stdout, stderr } = await live(
    '--query-log',
    `${table}_older`,
    '--side',
    `user=${OLD_TABLE},${NEW_TABLE}`,
    '--json',
    ...DAY,
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ metric: 'query_duration', variants: [OLD_TABLE, NEW_TABLE] })
})

test('one event alone, and another time', async () => {
  const one = await live('--query-log', table, '--json', '--metric', 'SelectedMarks', ...SIDE, ...DAY)
  const { queries } = JSON.parse(one.stdout) as { queries: { metric: string; outcome: string }[] }
  expect(new Set(queries.map(({ metric }) => metric))).toEqual(new Set(['SelectedMarks']))
  const later = await live('--query-log', table, ...SIDE)
  expect(later).toMatchObject({ code: 2, stdout: '' })
  expect(later.stderr).toMatch(/query_log: no such query finished from .* to .* UTC\n$/)
})

test.each<readonly [string, readonly string[], Record<string, string>, RegExp]>([
  ['no server', ['--query-log', ...SIDE], { CLICKHOUSE_URL: '' }, /--query-log needs a server: set CLICKHOUSE_URL$/],
  [
    'nobody there',
    ['--query-log', ...SIDE],
    { CLICKHOUSE_URL: 'http://127.0.0.1:1' },
    /can't be reached: .*ECONNREFUSED/,
  ],
  ['no such table', ['--query-log', 'system.query_lag', ...SIDE], {}, /does not have the table/],
  ['no name of a table', ['--query-log', 'a; DROP', ...SIDE], {}, /"a; DROP" is not a table name/],
  [
    'no such column',
    ['--query-log', 'TABLE', '--side', 'colour=a,b', ...DAY],
    {},
    /has no column `?colour`?: name another one in --side or --group; available: `?tables`?, .* and \d+ more$/,
  ],
  [
    'no tables on an older server',
    ['--query-log', 'OLDER', ...SIDE, ...DAY],
    {},
    /has no column `?tables`?, `?log_comment`?: name another/,
  ],
  ['no such file beside it', ['x.jsonl', '--query-log', 'TABLE', ...SIDE, ...DAY], {}, /x\.jsonl/],
  [
    'time runs back',
    ['--query-log', ...SIDE, '--since', '2026-06-02', '--until', '2026-06-01'],
    {},
    /--since must be before/,
  ],
  [
    'times of a file',
    ['x.jsonl', '--format', 'query-log', ...SIDE, ...DAY],
    {},
    /--since and --until are for --query-log/,
  ],
  ['another format', ['--format', 'perf-stat', '--query-log'], {}, /--query-log is for --format query-log/],
])('%s: one line and 2', async (_, argv, changes, message) => {
  const named = argv.map((word) => (word === 'TABLE' ? table : word === 'OLDER' ? `${table}_older` : word))
  const { code, stdout, stderr } = await perfTriage(['classify', ...named], { env: { ...env, ...changes } })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.trimEnd()).toMatch(message)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})
