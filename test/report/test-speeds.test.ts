import { expect, test } from 'vitest'
import { testSpeeds } from '../../src/report/test-speeds.ts'
import { reportPage } from '../../src/web/pages/report/report.ts'
import { DEFAULT_VIEW } from '../../src/web/pages/report/report-view.ts'
import { notCompared, report, result, row } from './render/report-builder.ts'

const ROWS = [
  row('join', 0, [result(1, 2), result(1, 1, { architecture: 'amd' })]),
  row('join', 1, [result(4, 2)]),
  row('join', 2, [notCompared('only-new')]),
  row('short', 0, [result(0.01, 0.011)]),
]

test('of each test and architecture the geometric mean, the total and the slowest query, what takes longest first', () => {
  const speeds = testSpeeds(ROWS).map(({ slowest, ...speed }) => ({ ...speed, slowest: slowest.row.queryIndex }))
  // 1 to 2 and 4 to 2 are none together; 7 repetitions of each side, and those of the one new side
  expect(speeds).toMatchObject([
    { test: 'join', architecture: null, queries: 3, ratio: 1, slowest: 1 },
    { test: 'join', architecture: 'amd', queries: 1, ratio: 1, total: 14, slowest: 0 },
    { test: 'short', queries: 1, slowest: 0 },
  ])
  expect(speeds[0]!.total).toBeCloseTo(7 * (1 + 2 + 4 + 2 + 0.02), 12)
  expect(speeds[2]!.ratio).toBeCloseTo(1.1, 12)
})

test('what is no time has no line, and where nobody says how often it was measured there is no total', () => {
  expect(testSpeeds([row('rows', 0, [result(1, 2, { metric: 'read_rows', unit: null })])])).toEqual([])
  const given = result(1, 2, { old: { median: 1, repetitions: null } })
  expect(testSpeeds([row('join', 0, [given])])).toMatchObject([{ ratio: 2, total: null }])
  expect(testSpeeds([row('join', 0, [result(0, 0)])])).toMatchObject([{ ratio: null, total: 0 }])
})

test('the page of a report has the table, folded', async () => {
  const page = String(
    await reportPage(report(ROWS), DEFAULT_VIEW, '/r/acme/database/pull/108', {
      publicUrl: 'https://p.example',
      version: '1',
    }),
  )
  expect(page).toContain('<summary>Speed of 2 tests</summary>')
  expect(page).toContain('href="/r/acme/database/pull/108?test=join#rows"')
  const text = page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
  expect(text).toContain('client_time of each test, slowest first')
  expect(text).toMatch(/join – 3 0\.0% 63\.1 s join #1 4\.00 s/)
})
