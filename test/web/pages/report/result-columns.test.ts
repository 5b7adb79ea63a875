import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportTsv } from '../../../../src/web/pages/report/result-columns.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
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
      expect([line!['test'], line!['query_name'], line!['architecture']]).toEqual([name, text, architecture])
      if (Number.isFinite(median)) expect(Number(line!['old_median'])).toBe(median + 0)
    }),
  )
})

test('the text of a query is cut, so that it does not stand in full on the line of each architecture', () => {
  const result = sampleResult({ queryName: 'x'.repeat(1_000_000) })
  const report = sampleReport({ rows: [sampleRow(Array.from({ length: 100 }, () => result))] })
  expect(joined(reportTsv(report)).length).toBeLessThan(100 * 5000)
})
