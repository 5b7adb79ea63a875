import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStatement, StatementRefused } from '../../../src/store/embedded/statement.ts'
import { anyCodePoint } from '../../any-code-point.ts'

function refusal(sql: string): string {
  try {
    const statement = readStatement(sql)
    return `accepted as ${JSON.stringify(statement)}`
  } catch (error) {
    if (error instanceof StatementRefused) return `${error.code} ${error.message}`
    throw error
  }
}

describe('one statement', () => {
  test('is cut at its semicolon, and what stands in quotes and comments is no end', () => {
    expect(readStatement('SELECT \';\' AS a, "b;", `c;` /* ; */ -- ;\n FORMAT JSON ;; -- done\n')).toEqual({
      kind: 'query',
      text: 'SELECT \';\' AS a, "b;", `c;` /* ; */ -- ;\n FORMAT JSON',
      verb: 'SELECT',
      format: 'JSON',
      selects: 1,
    })
    expect(readStatement("SELECT 'it''s; \\'; fine'")).toMatchObject({
      text: "SELECT 'it''s; \\'; fine'",
      format: null,
    })
  })

  test('counts the SELECTs and reads FORMAT outside of parentheses only', () => {
    expect(readStatement('SELECT format FROM (SELECT 1 FORMAT x) LIMIT 1')).toMatchObject({ selects: 2, format: null })
    expect(readStatement('SELECT format FORMAT CSV SETTINGS a = 1, b = 2;')).toMatchObject({ format: 'CSV' })
    expect(readStatement('SELECT 1 AS format, 2 FORMAT x, 3')).toMatchObject({ format: null })
    expect(readStatement('create table format (a Int8) engine=Memory')).toMatchObject({ verb: 'CREATE' })
  })

  test.each([
    'SELECT 1; DROP TABLE t',
    'SELECT 1;;DROP TABLE t',
    'SELECT 1 /* ; */; /* x */ SELECT 2',
    "SELECT ''';'; SELECT 2",
    "SELECT '\\\\'; DROP TABLE t --'",
    'SELECT `\\``; DROP TABLE t',
    'SELECT 1 -- x\n; DROP TABLE t',
    "INSERT INTO t VALUES (1, 'a;b'); DROP TABLE t",
    "INSERT INTO t SELECT 1, 'a;b'; DROP TABLE t",
    'INSERT INTO t (SELECT 1); DROP TABLE t',
    'INSERT INTO t (a) SETTINGS max_threads = 1 SELECT 1; DROP TABLE t',
  ])('%s is refused', (sql) => {
    expect(refusal(sql)).toBe('62 Syntax error (Multi-statements are not allowed)')
  })

  test.each([
    ['SELECT "\\\\fil\\x65"', /^48/],
    ["SELECT 1 INTO OUTFILE '/etc/x'", /^48 OUTFILE/],
    ["INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV", /^48 INFILE/],
    ["INSERT INTO FUNCTION file('x') SELECT 1", /^48/],
    ["SELECT file('/etc/passwd')", /^48 file/],
    ["SELECT `file` /* x */ ('/etc/passwd')", /^48 `file`/],
    ['SELECT "fil\\x65"(\'/etc/passwd\')', /^48/],
    ["SELECT * APPLY file FROM (SELECT '/etc/passwd')", /^48 file/],
    ["INSERT INTO t SELECT file('/etc/passwd')", /^48 file/],
    ["DESCRIBE TABLE url('http://127.0.0.1/x.csv')", /^48 .*describes/],
    ["desc `url`('http://127.0.0.1/x.csv')", /^48 .*describes/],
    ['SELECT 1 SETTINGS max_execution_time = 0', /^452/],
    ['INSERT INTO t SETTINGS max_execution_time = 0 FORMAT CSV 1', /^452/],
    ['', /^62 Empty/],
    [' -- nothing\n', /^62 Empty/],
    ["SELECT 'open", /^62 .*not closed/],
    ['SELECT 1 /* open', /^62 .*not closed/],
    // Where two readers could differ: a quoted text to one, the end of the statement to the other.
    ["SELECT \u2018 ' \u2019; DROP TABLE t --'", /^62 .*typographic/],
    ['SELECT $x$ ; $x$', /^62 .*"\$"/],
    ['SELECT 1\\G DROP TABLE t', /^62/],
    ['SELECT 1 # x', /^62/],
  ])('%s is refused', (sql, expected) => {
    expect(refusal(sql)).toMatch(expected)
  })
})

describe('an INSERT with data', () => {
  test('is cut where the data begins, whatever the data holds', () => {
    expect(readStatement('INSERT INTO t (a, b) FORMAT TSV\n1\tx\n\n;DROP TABLE t\n')).toEqual({
      kind: 'insert',
      target: 'INSERT INTO t (a, b)',
      settings: '',
      format: 'TSV',
      data: '1\tx\n\n;DROP TABLE t\n',
    })
    expect(
      readStatement('insert into `d;b`.`t` -- x\n settings a = 1, b = \';\' format JSONEachRow {"a":"\'"}'),
    ).toEqual({
      kind: 'insert',
      target: 'insert into `d;b`.`t`',
      settings: "settings a = 1, b = ';'",
      format: 'JSONEachRow',
      data: '{"a":"\'"}',
    })
    expect(readStatement("INSERT INTO t VALUES (1, 'a'), (2, 'b;c')")).toMatchObject({
      format: 'Values',
      data: "(1, 'a'), (2, 'b;c')",
    })
  })

  test('nothing in the data reaches the statement', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (data) => {
        const statement = readStatement(`INSERT INTO t FORMAT CSV\n${data}`)
        expect(statement).toEqual({ kind: 'insert', target: 'INSERT INTO t', settings: '', format: 'CSV', data })
      }),
    )
  })
})

test('a text that is quoted as it should be never ends a statement', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), fc.constantFrom("'", '"', '`'), (value, quote) => {
      const quoted = quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote
      const sql = `SELECT ${quoted} AS x`
      expect(readStatement(sql)).toMatchObject({ kind: 'query', text: sql })
      expect(refusal(`${sql}; DROP TABLE t`)).toMatch(/^62 .*Multi-statements/)
    }),
  )
})
