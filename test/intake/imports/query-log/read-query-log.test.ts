import { describe, expect, test } from 'vitest'
import { parseLogField } from '../../../../src/intake/imports/query-log/field.ts'
import { normalizeQuery, withOneTable } from '../../../../src/intake/imports/query-log/normalize-query.ts'
import { QueryLogReader } from '../../../../src/intake/imports/query-log/read-query-log.ts'
import { Warnings } from '../../../../src/intake/measurement/warnings.ts'
import { computed } from '../../../computing-time.ts'

async function read(text: string, side = 'tables', variants = ['db.old', 'db.new'], group: string | null = null) {
  const warnings = new Warnings(100)
  const reader = new QueryLogReader({
    side: { field: parseLogField(side)!, variants },
    group: group === null ? null : parseLogField(group),
    metric: null,
    warnings,
  })
  const bytes = new TextEncoder().encode(text)
  // pieces that end within lines and characters
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) => bytes.subarray(i * 7, i * 7 + 7))
  await reader.read(
    'log',
    (async function* () {
      yield* pieces
    })(),
  )
  const log = reader.finish()
  return {
    ...log,
    warnings: warnings.list(),
    messages: warnings.list().map(({ where, message }) => `${where}: ${message}`),
  }
}

const row = (fields: object) =>
  `${JSON.stringify({ type: 'QueryFinish', event_time: '2026-06-01 08:00:00', query_duration_ms: 5, ...fields })}\n`

test('two tables are one word in a query, and its hash is passed over', async () => {
  const { cells, executions } = await read(
    row({ tables: ['db.old'], normalized_query_hash: '1', query: 'SELECT max(v) FROM db.old WHERE id = 17' }) +
      row({
        tables: ['db.new', 'db.names'],
        normalized_query_hash: '2',
        query: 'SELECT max(v)\nFROM `db`.`new` WHERE id = 4',
      }),
  )
  expect(cells).toEqual([{ test: 'SELECT max(v) FROM db.old WHERE id = ?', group: null }])
  expect([0, 1].map((row) => executions.variant(row))).toEqual([0, 1])
})

test('a query that reads both tables is of no side', async () => {
  const { executions } = await read(
    row({ tables: ['db.old'] }) + row({ tables: ['db.new'] }) + row({ tables: ['db.new', 'db.old'] }),
  )
  expect(executions.rows).toBe(2)
})

test('TSVWithNames, with arrays and maps as ClickHouse writes them', async () => {
  const { cells, executions } = await read(
    [
      'event_time\ttype\ttables\tProfileEvents\tSettings\tlog_comment\tquery_duration_ms\tread_rows',
      "2026-06-01 08:00:59\tQueryFinish\t['db.old']\t{'SelectedMarks':9,'OSReadBytes':4096}\t{'a':'1'}\t{\"w\":60}\t12\t8192",
      "2026-06-01 08:01:00\tQueryFinish\t['db.new']\t{'SelectedMarks':73}\t{'a':'1'}\t{\"w\":60}\t14\t\\N",
      "2026-06-01 08:01:00\tExceptionWhileProcessing\t['db.new']\t{}\t{}\t\t1\t1",
      '',
    ].join('\n'),
    'tables',
    ['db.old', 'db.new'],
    'log_comment.w',
  )
  expect(cells).toEqual([{ test: 'every query', group: 'w = 60' }])
  expect(executions.metrics).toEqual(['query_duration', 'read_rows', 'SelectedMarks', 'OSReadBytes'])
  expect([0, 1].map(executions.bins('SelectedMarks'))).toEqual([9, 73])
  expect([0, 1].map(executions.bins('OSReadBytes'))).toEqual([2048 + 1024, 0])
  expect(executions.minute(1) - executions.minute(0)).toBe(1)
})

// as ClickHouse 25.8 writes it
test('quotes, brackets and separators inside the values of a TSV', async () => {
  const log = (tables: string, x: number) =>
    `QueryFinish\t2026-06-01 08:00:00\t12\tSELECT \\'it\\'\\'s\\' FROM t\\n\\twhere a=${x}\t${tables}\t{"w":60,"q":"it\\'s \\\\"x\\\\""}\t{'a':'4','s':'it\\'s, {x}: [y]','last':'${x}'}\n`
  const { cells, executions } = await read(
    'type\tevent_time\tquery_duration_ms\tquery\ttables\tlog_comment\tSettings\n' +
      "String\tDateTime(\\'UTC\\')\tUInt64\tString\tArray(String)\tString\tMap(String, String)\n" +
      log("['db.a','d\\'b.c']", 5) +
      log("['d\\'b.c']", 6),
    'Settings.last',
    ['5', '6'],
    'tables',
  )
  expect(cells).toEqual([
    { test: 'SELECT ? FROM t where a=?', group: "tables = db.a, d'b.c" },
    { test: 'SELECT ? FROM t where a=?', group: "tables = d'b.c" },
  ])
  expect([0, 1].map((row) => executions.variant(row))).toEqual([0, 1])
})

test.each([
  ['Settings.max_threads', { Settings: { max_threads: '4' } }, { Settings: { max_threads: 8 } }],
  ['log_comment.max_threads', { log_comment: '{"max_threads":4}' }, { log_comment: '{"max_threads":"8"}' }],
  ['log_comment.a.b', { log_comment: '{"a":{"b":4}}' }, { log_comment: '{"a.b":8}' }],
  ['user', { user: '4' }, { user: '8' }],
])('the sides by %s', async (side, old, fresh) => {
  const { executions } = await read(row(old) + row(fresh) + row({}), side, ['4', '8'])
  expect([executions.rows, executions.variant(0), executions.variant(1)]).toEqual([2, 0, 1])
})

test('a setting that is not set is the empty text', async () => {
  const { executions } = await read(row({}) + row({ Settings: { x: '1' } }), 'Settings.x', ['', '1'])
  expect([executions.variant(0), executions.variant(1)]).toEqual([0, 1])
})

test('what is wrong with a row is a warning, and a value that is none is counted', async () => {
  const { executions, messages } = await read(
    row({ tables: ['db.old'], query_duration_ms: -1 }) +
      row({ tables: ['db.new'], event_time: 'soon' }) +
      'no json\n' +
      row({ tables: ['db.new'], ['__proto__']: 1, ProfileEvents: { constructor: 3 } }) +
      '{"event_time":"2026-06-0',
  )
  expect(executions.rows).toBe(2)
  expect(executions.metrics).toEqual(['query_duration', 'constructor'])
  expect(messages).toEqual([
    'log:2: event_time is not a time like 2026-10-20 08:15:00 (UTC): skipped',
    'log:3: this is not a JSON object: skipped',
    'log:5: the last line was cut off: skipped',
    'query log: 1 value of query_duration: not a number from 0 to 2^53, left out',
  ])
})

describe('a query without its literals', () => {
  test.each([
    ["SELECT * FROM t1 WHERE a = 'it\\'s' AND b IN (1, 2,3)", 'SELECT * FROM t1 WHERE a = ? AND b IN (?..)'],
    ['SELECT 1.5e3 -- a comment\n, 0xff /* more */ FROM `a b`', 'SELECT ?.. FROM `a b`'],
    ["SELECT 'it never ends", 'SELECT ?'],
    ['SELECT /* it never ends', 'SELECT'],
  ])('%s', (query, expected) => {
    expect(normalizeQuery(query)).toBe(expected)
  })

  test.each(["'".repeat(60_000), '/*'.repeat(30_000), '`'.repeat(60_001), '?,'.repeat(30_000), '-'.repeat(60_000)])(
    'a hostile text takes no longer than another',
    (query) => {
      const start = computed()
      normalizeQuery(query)
      expect(computed() - start).toBeLessThan(1000)
    },
  )

  test('a table in every spelling, and no word that holds it', () => {
    const toOneTable = withOneTable(['db.t', 'db.t_32'])
    expect(toOneTable('FROM db.t_32, t_32, `db` . `t_32`, my_t_32, t_320, x.t')).toBe(
      'FROM db.t, db.t, db.t, my_t_32, t_320, x.t',
    )
  })
})
