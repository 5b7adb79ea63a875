import { Buffer } from 'node:buffer'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckRow } from '../../../../src/intake/imports/checks/check-row.ts'
import { readFrom, readRows } from './read-rows.ts'

const NOTHING = { checkName: null, commitSha: null }

const ROW = {
  pull_request_number: 42,
  commit_sha: 'abc',
  check_name: 'Stateless tests (asan)',
  check_status: 'failure',
  check_duration_ms: '123456',
  check_start_time: '2026-10-20 08:15:00',
  test_name: '02995_settings',
  test_status: 'FAIL',
  test_duration_ms: 5,
  report_url: 'https://r',
  pull_request_url: 'https://p',
  commit_url: 'https://c',
  task_url: 'https://t',
  base_ref: 'master',
  base_repo: 'o/r',
  head_ref: 'fix',
  head_repo: 'me/r',
  test_context_raw: 'line 1\nline "2"\t|',
  instance_type: 'm6i',
  instance_id: 'i-1',
  workflow_name: 'PR',
  attributes: { host_cpu_peak_pct: 93 },
}

const READ: CheckRow = {
  pullRequestNumber: 42,
  commitSha: 'abc',
  checkName: 'Stateless tests (asan)',
  checkStatus: 'failure',
  checkDurationMs: 123_456,
  checkStartTime: Date.UTC(2026, 9, 20, 8, 15),
  testName: '02995_settings',
  testStatus: 'FAIL',
  testDurationMs: 5,
  reportUrl: 'https://r',
  pullRequestUrl: 'https://p',
  commitUrl: 'https://c',
  taskUrl: 'https://t',
  baseRef: 'master',
  baseRepo: 'o/r',
  headRef: 'fix',
  headRepo: 'me/r',
  testContextRaw: 'line 1\nline "2"\t|',
  instanceType: 'm6i',
  instanceId: 'i-1',
  workflowName: 'PR',
  attributes: '{"host_cpu_peak_pct":93}',
}

const lines = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('columns that are not known', () => {
  const { test_context_raw: _, ...withoutOutput } = ROW
  const asTsv = (row: object) => `${Object.keys(row).join('\t')}\n${Object.values(row).map(String).join('\t')}\n`

  test.each([
    [
      { ...withoutOutput, output: 'o', message: 'm' },
      'in: columns output, message are unknown and were left out; no failing row has any output (test_context_raw)',
    ],
    [
      { ...withoutOutput, output: 'o' },
      'in: column output is unknown and was left out; no failing row has any output (test_context_raw)',
    ],
    [
      { ...withoutOutput, a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 },
      'in: columns a, b, c, d, e, … are unknown and were left out; no failing row has any output (test_context_raw)',
    ],
  ])('are named once where none holds the output %#', async (row, warning) => {
    for (const text of [lines(row, row), `${asTsv(row)}${asTsv(row).split('\n')[1]}\n`]) {
      const { rows, warnings } = await readRows(text, { given: NOTHING })
      expect({ rows: rows.length, warnings }).toEqual({ rows: 2, warnings: [warning] })
    }
  })

  test('are not where one does, or where none is there', async () => {
    const later = { ...ROW, test_context_raw: 'later' }
    for (const text of [lines({ ...withoutOutput, output: 'o' }, later), lines(withoutOutput), asTsv(withoutOutput)]) {
      expect((await readRows(text, { given: NOTHING })).warnings).toEqual([])
    }
  })
})

describe('JSONEachRow', () => {
  test('all columns; those it does not know are passed over', async () => {
    const { format, rows, warnings } = await readRows(lines({ ...ROW, later: [1] }), { given: NOTHING })
    expect({ format, warnings }).toEqual({ format: 'JSONEachRow', warnings: [] })
    expect(rows).toEqual([READ])
  })

  test('as one array with a row on each line', async () => {
    const text = `[\n${JSON.stringify(ROW)},\n${JSON.stringify(ROW)}\n]\n`
    const inline = `[${JSON.stringify(ROW)},\n${JSON.stringify(ROW)}]`
    for (const array of [text, inline]) {
      const { rows, warnings } = await readRows(array, { given: NOTHING })
      expect({ rows, warnings }).toEqual({ rows: [READ, READ], warnings: [] })
    }
  })

  test.each([
    ['2026-10-20 08:15:00', Date.UTC(2026, 9, 20, 8, 15)],
    ['2026-10-20 08:15:00.250', Date.UTC(2026, 9, 20, 8, 15, 0, 250)],
    ['2026-10-20T10:15:00+02:00', Date.UTC(2026, 9, 20, 8, 15)],
    ['2026-10-20T08:15:00Z', Date.UTC(2026, 9, 20, 8, 15)],
    ['2026-10-20', Date.UTC(2026, 9, 20)],
    [1_792_484_100, 1_792_484_100_000],
    ['1792484100', 1_792_484_100_000],
    [1_792_484_100_123, 1_792_484_100_123],
  ])('the time %j', async (check_start_time, time) => {
    const { rows } = await readRows(lines({ ...ROW, check_start_time }))
    expect(rows.map(({ checkStartTime }) => checkStartTime)).toEqual([time])
  })

  test.each([
    [{ check_start_time: '2026-02-30 00:00:00' }, 'check_start_time is not a time'],
    [{ check_start_time: '20 Oct' }, 'check_start_time is not a time'],
    [{ check_start_time: '2126-10-20 08:15:00' }, 'check_start_time is not a time'],
    [{ check_start_time: undefined }, 'check_start_time is missing'],
    [{ check_name: '' }, 'check_name is missing (--check gives one)'],
    [{ commit_sha: null }, 'commit_sha is missing (--sha gives one)'],
    [{ test_name: undefined }, 'test_name is missing'],
    [{ test_name: 7 }, 'test_name is not text'],
    [{ test_status: '' }, 'test_status is missing in the row of a test'],
    [{ test_status: '', check_status: '' }, 'test_status and check_status are missing'],
    [{ pull_request_number: -1 }, 'pull_request_number is not a whole number'],
    [{ pull_request_number: '4294967296' }, 'pull_request_number is not a whole number'],
  ])('%j is a warning, and the rows around it are read', async (change, message) => {
    const { rows, warnings } = await readRows(lines(ROW, { ...ROW, ...change }, ROW), { given: NOTHING })
    expect(rows).toEqual([READ, READ])
    expect(warnings.length).toBe(1)
    expect(warnings[0]).toContain(`in:2: ${message}`)
  })

  test('a job row needs no test status; pseudo rows and skipped ones are rows', async () => {
    const { rows, warnings } = await readRows(
      lines({ ...ROW, test_name: '', test_status: '' }, { ...ROW, test_name: 'Usage Storage', test_status: '12' }),
    )
    expect(warnings).toEqual([])
    expect(rows.map(({ testName }) => testName)).toEqual(['', 'Usage Storage'])
  })

  test('what a row leaves empty is taken from what was given, and nothing else', async () => {
    const empty = { ...ROW, check_name: '', commit_sha: '', base_repo: '', head_repo: '', head_ref: '', base_ref: '' }
    const given = {
      checkName: 'c',
      commitSha: 's',
      pullRequestNumber: 9,
      headRef: 'h',
      baseRef: 'b',
      repository: 'x/y',
    }
    const { rows } = await readRows(lines(empty, { ...empty, pull_request_number: undefined }, ROW), { given })
    expect(rows).toEqual([
      { ...READ, checkName: 'c', commitSha: 's', headRef: 'h', baseRef: 'b', baseRepo: 'x/y', headRepo: '' },
      {
        ...READ,
        checkName: 'c',
        commitSha: 's',
        pullRequestNumber: 9,
        headRef: 'h',
        baseRef: 'b',
        baseRepo: 'x/y',
        headRepo: '',
      },
      READ,
    ])
  })

  test('durations that make no sense are 0, extensions are attributes', async () => {
    const { rows } = await readRows(
      lines({ ...ROW, check_duration_ms: 'long', test_duration_ms: -3, attributes: undefined, extensions: '{"a":1}' }),
    )
    expect(rows).toEqual([{ ...READ, checkDurationMs: 0, testDurationMs: 0, attributes: '{"a":1}' }])
  })

  test('lines that are none are counted, the first twenty told', async () => {
    const { rows, warnings } = await readRows(`${lines(ROW)}${'oops\n'.repeat(1000)}${lines(ROW)}`)
    expect(rows.length).toBe(2)
    expect(warnings.length).toBe(21)
    expect(warnings.at(-1)).toBe('in: 980 more like this')
  })

  test('a last line that was cut is told as such; a whole one without an end is whole', async () => {
    const whole = lines(ROW, ROW)
    expect((await readRows(whole.trimEnd())).rows.length).toBe(2)
    const { rows, warnings } = await readRows(whole.slice(0, -20))
    expect(rows.length).toBe(1)
    expect(warnings).toEqual(['in:2: the last line was cut off: skipped'])
  })

  test('a line that is too long is passed over', async () => {
    const { rows, warnings } = await readFrom('in', endlessLine(), {})
    expect(rows.length).toBe(2)
    expect(warnings).toEqual(['in:2: the line is longer than 33,554,432 characters: skipped'])
  })

  async function* endlessLine(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines(ROW))
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let i = 0; i < 40; i += 1) yield piece
    yield Buffer.from(`\n${lines(ROW)}`)
  }

  test('names that are too long are cut, and stay different', async () => {
    const long = ['a', 'b'].map((last) => ({ ...ROW, test_name: 'n'.repeat(20_000) + last }))
    const { rows } = await readRows(lines(...long, ...long))
    expect(rows.map(({ testName }) => testName.length)).toEqual([4000, 4000, 4000, 4000])
    expect(new Set(rows.map(({ testName }) => testName)).size).toBe(2)
  })

  test('hostile keys and values', async () => {
    const text = `{"__proto__":{"test_status":"OK"},"check_start_time":"2026-10-20 08:15:00","test_name":"a","constructor":1}\n`
    const { rows, warnings } = await readRows(text + lines({ ...ROW, test_name: "a'b|c`\u0000\ud800" }))
    expect(rows.map(({ testName }) => testName)).toEqual(["a'b|c`\u0000\ud800"])
    expect(warnings).toEqual(['in:1: test_status and check_status are missing: skipped'])
  })
})

describe('TSVWithNames', () => {
  const escaped = (value: unknown) =>
    (typeof value === 'string' ? value : JSON.stringify(value))
      .replaceAll('\\', '\\\\')
      .replaceAll('\t', '\\t')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
      .replaceAll('\0', '\\0')
  const table = (columns: readonly string[], ...rows: readonly Readonly<Record<string, unknown>>[]) =>
    [columns, ...rows.map((row) => columns.map((column) => escaped(row[column])))]
      .map((fields) => `${fields.join('\t')}\n`)
      .join('')
  const COLUMNS = Object.keys(ROW)

  test('all columns, in any order, with a mark, with types, with CRLF', async () => {
    const types = COLUMNS.map((column) => (column === 'check_start_time' ? 'DateTime' : 'String')).join('\t')
    const text = table(COLUMNS, ROW)
    const withTypes = text.replace('\n', `\n${types}\n`)
    const backwards = table([...COLUMNS].reverse(), ROW)
    for (const input of [text, `\ufeff${text}`, withTypes, backwards, text.replaceAll('\n', '\r\n')]) {
      const { format, rows, warnings } = await readRows(input, { given: NOTHING })
      expect({ format, warnings }).toEqual({ format: 'TSVWithNames', warnings: [] })
      expect(rows).toEqual([READ])
    }
  })

  test('\\N is nothing', async () => {
    const text = table(COLUMNS, { ...ROW, head_ref: 'NULL', report_url: 'NULL' }).replaceAll('NULL', '\\N')
    const { rows } = await readRows(text, { given: { headRef: 'given' } })
    expect(rows).toEqual([{ ...READ, headRef: 'given', reportUrl: '' }])
  })

  test('every column that is missing is named at once', async () => {
    await expect(readRows('test_name\treport_url\na\tb\n', { given: NOTHING })).rejects.toThrow(
      'in: the columns check_name (or --check), commit_sha (or --sha), test_status (or check_status), check_start_time are missing',
    )
  })

  test('a line with another number of columns, and one that was cut', async () => {
    const text = table(COLUMNS, ROW, ROW).replace('\n42\t', '\n42\n42\t')
    const { rows, warnings } = await readRows(text)
    expect(rows).toEqual([READ, READ])
    expect(warnings).toEqual(['in:2: 1 columns, but 22 are named: skipped'])
    expect((await readRows(text.slice(0, -200))).warnings[1]).toBe('in:4: the last line was cut off: skipped')
  })

  test('any names and outputs come back as they were, however the bytes are cut', async () => {
    const texts = fc.record({
      test_name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      test_context_raw: fc.string({
        unit: fc.constantFrom('\t', '\n', '\r', '\\', 'N', '"', "'", '\0', 'ä', '😀'),
        maxLength: 30,
      }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 99 }),
        async (all, chunk) => {
          const rows = all.map((one) => ({ ...ROW, ...one }))
          for (const input of [table(COLUMNS, ...rows), lines(...rows)]) {
            const read = await readRows(input, { chunk })
            expect(read.warnings).toEqual([])
            expect(read.rows.map(({ testName, testContextRaw }) => [testName, testContextRaw])).toEqual(
              all.map(({ test_name, test_context_raw }) => [test_name, test_context_raw]),
            )
          }
        },
      ),
    )
  })
})

describe('compression and what is none of these', () => {
  const text = lines(ROW, ROW)
  test.each([
    ['gzip', gzipSync(text)],
    ['gzip, twice', gzipSync(gzipSync(text))],
    ['gzip in two members', Buffer.concat([gzipSync(lines(ROW)), gzipSync(lines(ROW))])],
    ['zstd', zstdCompressSync(text)],
    ['zstd in two frames', Buffer.concat([zstdCompressSync(lines(ROW)), zstdCompressSync(lines(ROW))])],
  ])('%s', async (_name, bytes) => {
    for (const chunk of [3, 65_536]) expect((await readRows(bytes, { chunk })).rows).toEqual([READ, READ])
  })

  test('a cut stream gives what came out of it, and says so', async () => {
    const many = lines(...Array.from({ length: 2000 }, (_, i) => ({ ...ROW, test_name: `t${i * 7919}` })))
    const { rows, warnings, stopped } = await readRows(gzipSync(many).subarray(0, -50))
    expect(stopped).toBe(true)
    expect(rows.length).toBeGreaterThan(100)
    expect(warnings.join()).toContain('in: can’t be read completely: unexpected end of file')
  })

  test.each([
    ['', 'in: the file is empty'],
    [' \n', 'in: the file is empty'],
    ['PK\x03\x04', 'in: a zip archive; unpack it and give the files inside'],
    ['hello', 'in: not CI results in a supported format; supported: junit (JUnit XML); '],
    ['{"a":1}', 'in: not CI results'],
  ])('%j', async (input, message) => {
    await expect(readRows(input)).rejects.toThrow(message)
  })

  test('a format that is given is believed', async () => {
    const { rows, warnings } = await readRows('{"a":1}\n', { format: 'JSONEachRow' })
    expect(rows).toEqual([])
    expect(warnings).toEqual(['in:1: test_name is missing ("" for the check itself): skipped'])
  })
})

describe('FlakeFlagger and dequarantine reports', () => {
  const header =
    'Project,Test,IsFlaky,NumFailingRuns,NumPassingRuns,FirstFailingRunID,FirstPassingRunID,UniqueFailingExceptionTypes\n'
  test('rows that are none are warnings; a commit is needed', async () => {
    const { rows, warnings } = await readRows(`${header}p,a#b,1,2,3,7,0,1\noops\np,c#d,0,0,3,-1,x,0\np,e#f`)
    expect(rows.map(({ testName, testStatus, instanceId }) => [testName, testStatus, instanceId])).toEqual([
      ['a#b', 'FAIL', '7'],
      ['a#b', 'OK', '0'],
    ])
    expect(rows[0]!.checkStartTime - rows[1]!.checkStartTime).toBe(7000)
    const { rows: latest } = await readRows(`${header}p,a#b,1,2,3,99999,60312,1`)
    expect(latest[0]!.checkStartTime - rows[0]!.checkStartTime).toBe((99_999 - 7) * 1000)
    expect(latest[0]!.checkStartTime - latest[1]!.checkStartTime).toBe((99_999 - 60_312) * 1000)
    expect((await readRows(`${header}p,a#b,1,2,3,100000,0,1`)).rows).toEqual([])
    expect(warnings.length).toBe(3)
    await expect(readRows(header, { given: { commitSha: null } })).rejects.toThrow('give one with --sha')
  })

  test('a report that is no JSON, and results that are none', async () => {
    const broken = await readRows('[{"tests": [')
    expect([broken.rows.length, broken.stopped]).toEqual([0, true])
    const results = [
      { buildNo: 1, dateTime: 'never', result: 'PASSED' },
      { buildNo: 1, dateTime: '2026-01-01T00:00:00Z', result: 'constructor' },
      null,
    ]
    const { rows, warnings } = await readRows(
      JSON.stringify([{ tests: [{ testName: 't', testResults: results }, {}] }]),
    )
    expect(rows).toEqual([])
    expect(warnings.length).toBe(4)
  })
})
