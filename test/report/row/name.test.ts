import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QueryId } from '../../../src/intake/measurement/run.ts'
import { rowAnchor } from '../../../src/report/anchors.ts'
import { renderCheckRun } from '../../../src/report/render/check-run.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { queryName } from '../../../src/report/row/name.ts'
import { queryPath } from '../../../src/report/urls.ts'
import { NAME_LIMIT } from '../../../src/text/markdown.ts'
import { changed, decidedReport, report, row } from '../render/report-builder.ts'
import { PAGES } from '../render/states.ts'

const PACKAGE = 'example.com/pkg'
const query = (queryName: string | null, more: Partial<QueryId> = {}): QueryId => ({
  test: PACKAGE,
  queryIndex: null,
  queryName,
  ...more,
})
const LONG = `BenchmarkSort/${'of_many_elements/'.repeat(12)}`

test('a query is named by its position, and by its text where that is unknown', () => {
  expect(queryName(query('SELECT 1', { queryIndex: 3 }), NAME_LIMIT)).toBe('example.com/pkg #3')
  expect(queryName(query('BenchmarkSort'), NAME_LIMIT)).toBe('example.com/pkg BenchmarkSort')
  expect(queryName(query('BenchmarkSort', { ordinal: 1 }), NAME_LIMIT)).toBe('example.com/pkg BenchmarkSort (no. 2)')
  const cut = queryName(query(LONG, { ordinal: 1 }), NAME_LIMIT)
  expect(cut).toMatch(/… [0-9a-f]{8} \(no\. 2\)$/)
  expect(cut.length).toBeLessThanOrEqual(NAME_LIMIT)
  expect(queryName(query(null), NAME_LIMIT)).toBe(PACKAGE)
  expect(queryName(query(PACKAGE), NAME_LIMIT)).toBe(PACKAGE)
})

test('long names that differ only where they are cut stay different', () => {
  const names = [`${LONG}1`, `${LONG}2`].map((name) => queryName(query(name), NAME_LIMIT))
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(name).toMatch(/^example\.com\/pkg BenchmarkSort\/of_many.*… [0-9a-f]{8}$/)
  const text = fc.string({ unit: 'grapheme', maxLength: 300 })
  fc.assert(
    fc.property(text, text, fc.integer({ min: 20, max: 120 }), (test_, name, limit) => {
      expect(queryName({ test: test_, queryIndex: null, queryName: name }, limit).length).toBeLessThanOrEqual(limit)
    }),
  )
})

test('rows of one test without an index are told apart in comment, block, check run, anchors and addresses', () => {
  const queries = [
    query('BenchmarkSort'),
    query('BenchmarkScan'),
    query('BenchmarkScan', { ordinal: 1 }),
    query(`${LONG}1`),
    query(`${LONG}2`),
    query(null),
  ]
  const rows = queries.map(({ test: name, queryName: text, ordinal }) =>
    row(name, null, [changed(0.1, 0.2)], { queryName: text, ...(ordinal !== undefined && { ordinal }) }),
  )
  const of = report(rows)
  const body = renderComment({ report: of, links: PAGES, botId: 'bot', previous: null })
  const check = renderCheckRun(decidedReport(of), PAGES)
  for (const text of [body, `${check.summary}\n${check.text}`]) {
    const names = [...text.matchAll(/^\| \[?`([^`]+)`/gm)].map(([, name]) => name!)
    expect(names.toSorted()).toEqual(queries.map((one) => queryName(one, NAME_LIMIT)).toSorted())
    expect(new Set(names).size).toBe(queries.length)
  }
  const block = /perf-triage:verdicts:v1 (.*) -->/.exec(body)![1]!
  const entries = (JSON.parse(block) as { rows: readonly Record<string, unknown>[] }).rows
  const said = entries.map(({ test: name, queryIndex, queryName: text, ordinal }) =>
    JSON.stringify([name, queryIndex, text, ordinal]),
  )
  expect(new Set(said).size).toBe(queries.length)
  expect(entries).toContainEqual(expect.objectContaining({ queryIndex: null, queryName: 'BenchmarkScan', ordinal: 1 }))
  expect(new Set(queries.map(rowAnchor)).size).toBe(queries.length)
  expect(new Set(queries.map((one) => queryPath({ owner: 'acme', repo: 'engine' }, one))).size).toBe(queries.length)
})
