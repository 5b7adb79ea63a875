import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decisive } from '../../../../src/report/parts.ts'
import type { ReportRow } from '../../../../src/report/report.ts'
import { parseReportView, rowsShown } from '../../../../src/web/pages/report/report-view.ts'
import { columnsOf, reportTsv, SORTS } from '../../../../src/web/pages/report/result-columns.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { ONE_SIDED_STATES } from '../../../report/render/one-sided-states.ts'
import { joined } from '../../joined.ts'
import { sampleReport, sampleResult, sampleRow } from '../../sample-report.ts'

/** ClickHouse's rules for TabSeparated, written apart from the writer. */
function parseTsv(text: string): (string | null)[][] {
  expect(text.endsWith('\n')).toBe(true)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t').map((field) => (field === '\\N' ? null : unescaped(field))))
}

function unescaped(field: string): string {
  const bytes: Buffer[] = []
  const named: Record<string, string> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', '0': '\0', '\\': '\\' }
  for (const part of field.match(/\\x[0-9A-F]{2}|\\[^x]|[^\\]+/g) ?? []) {
    if (part.startsWith('\\x')) bytes.push(Buffer.from(part.slice(2), 'hex'))
    else bytes.push(Buffer.from(part.startsWith('\\') ? named[part[1]!]! : part))
  }
  return Buffer.concat(bytes).toString('utf8')
}

function objects(text: string): Record<string, string | null>[] {
  const [names, ...lines] = parseTsv(text)
  return lines.map((line) => {
    expect(line).toHaveLength(names!.length)
    return Object.fromEntries(names!.map((name, index) => [name!, line[index]!]))
  })
}

test('a line per query and architecture, numbers unrounded, nothing as \\N', () => {
  const report = sampleReport()
  const lines = objects(joined(reportTsv(report)))
  expect(lines).toHaveLength(report.rows.flatMap(({ results }) => results).length)
  expect(lines[0]).toMatchObject({
    repository: 'acme/fast.db',
    test: 'join_hash',
    architecture: 'arm',
    old_median: '0.639123',
    p_value: '0.011655012',
    separated: 'true',
    decides: 'true',
    verdict: 'regression',
    since_last_push: 'new',
  })
  expect(JSON.parse(lines[0]!['evidence']!)).toEqual(report.rows[0]!.evidence)
  expect(lines[1]).toMatchObject({ architecture: 'amd', decides: 'false', outcome: 'not-significant' })
  expect(lines.at(-1)).toMatchObject({
    status: 'only-new',
    old_median: null,
    outcome: null,
    status_reason: 'run-error',
  })
})

test('whatever a name holds comes back from it, and no control character is written', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc
      .array(fc.constantFrom('\t', '\n', '\\', '\\N', '\0', '\u001b', '\u0085', '\u202e', "'", '"', '=1+1', 'ü'))
      .map((a) => a.join('')),
  )
  fc.assert(
    fc.property(hostile, hostile, hostile, fc.double(), (name, text, architecture, median) => {
      const result = sampleResult({ test: name, queryName: text, architecture, old: { median, repetitions: 7 } })
      const written = joined(reportTsv(sampleReport({ rows: [sampleRow([result])] })))
      expect(written.replace(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
      const [line] = objects(written)
      const read = ['test', 'query_name', 'architecture'].map((key) => line![key]!.replace(/^'(?='*[=+\-@])/, ''))
      expect(read).toEqual([name, text, architecture])
      if (Number.isFinite(median)) expect(Number(line!['old_median'])).toBe(median + 0)
    }),
  )
})

test('the text of a query is cut, so that it does not stand in full on the line of each architecture', () => {
  const result = sampleResult({ queryName: 'x'.repeat(1_000_000) })
  const report = sampleReport({ rows: [sampleRow(Array.from({ length: 100 }, () => result))] })
  expect(joined(reportTsv(report)).length).toBeLessThan(100 * 5000)
})

test('the columns and orders of a table, of two builds and of the head alone', () => {
  const headed = (rows: readonly ReportRow[]) => {
    const { main, all } = columnsOf(rows)
    const headings = (columns: typeof all) => columns.map(({ heading }) => heading).join(', ')
    return [headings(main), headings(all)]
  }
  expect(headed(sampleReport().rows)).toEqual([
    'Old, New, Difference, Threshold, p',
    'Architecture, Outcome, Old, New, Difference, Threshold, p, Rank p, q, Overlap, Flagged from, Unstable from, Notes',
  ])
  expect(headed(ONE_SIDED_STATES['one-sided-two-jobs']!.report.rows.slice(0, 1))).toEqual([
    'Baseline, This run, Change, Detectable from',
    'Architecture, Outcome, Baseline, This run, Change, Detectable from, Flagged from, Notes',
  ])
  expect(SORTS.map(({ key, words, ascending }) => [key, words, ascending === true])).toEqual([
    ['worst', 'worst first', false],
    ['test', 'by test', true],
    ['old', 'slowest old median first', false],
    ['new', 'slowest new median first', false],
    ['difference', 'largest slowdown first', false],
    ['threshold', 'largest threshold first', false],
    ['p', 'smallest p first', true],
    ['rank-p', 'smallest rank p first', true],
    ['q', 'smallest q first', true],
  ])
})

test.each([
  ['new', (row: ReportRow) => decisive(row).new.median, [3, 2, 1, null]],
  ['rank-p', (row: ReportRow) => decisive(row).rankPValue, [0.1, 0.2, 0.3, null]],
])('rows by %s, and the other way round: one without the number is last in both', (sort, value, expected) => {
  const rows = [2, null, 1, 3].map((place, queryIndex) =>
    sampleRow([
      sampleResult({
        queryIndex,
        rankPValue: place === null ? null : place / 10,
        new: { median: place, repetitions: 7 },
      }),
    ]),
  )
  const shown = (order: string) =>
    rowsShown(sampleReport({ rows }), parseReportView(new URLSearchParams({ sort, order }))).rows.map(({ row }) =>
      value(row),
    )
  expect(shown('')).toEqual(expected)
  expect(shown('reverse')).toEqual([...expected.slice(0, 3).toReversed(), null])
})
