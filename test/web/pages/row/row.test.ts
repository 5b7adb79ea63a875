import { expect, test } from 'vitest'
import type { TriageReport } from '../../../../src/report/report.ts'
import { ownRowPath, reportPath } from '../../../../src/report/urls.ts'
import type { StoredMetric } from '../../../../src/store/runs/stored-metrics.ts'
import { attemptWords } from '../../../../src/web/pages/row/row-page.ts'
import { MOST_ARCHITECTURES } from '../../../../src/web/pages/shown-report.ts'
import { pages } from '../../../../src/web/pages.ts'
import { readTexts } from '../../../intake/measurement/read-text.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { sampleReport } from '../../sample-report.ts'

const SAMPLES = { old: [1, 2, 3, 4, 5, 6, 7], new: [2, 3, 4, 5, 6, 7, 8] }

function metric(name: string, samples: NonNullable<StoredMetric['samples']> = SAMPLES): StoredMetric {
  return {
    metric: name,
    unit: null,
    measurement: 0,
    rounded: false,
    oldMedian: 4,
    newMedian: 5,
    oldRepetitions: 7,
    newRepetitions: 7,
    status: 'ok',
    statusReason: null,
    difference: 0.25,
    threshold: 0.5,
    pValue: 0.4,
    smallestPValue: 0.001,
    separated: false,
    samples,
  }
}

function site(report: TriageReport, metrics: readonly StoredMetric[]) {
  const asked: (string | null)[] = []
  const { store } = memoryReports(report)
  const app = pages({
    store: {
      ...store,
      runs: {
        ...store.runs,
        metricsOf: async (_repository, _head, _query, architectures) => {
          asked.push(...architectures)
          const run = { runId: '0', check: 'c', shard: null, attempt: 1, source: 'x', finishedAt: 'x' }
          return architectures.map((architecture) => ({ ...run, architecture, metrics, left: 0 }))
        },
      },
    },
    publicUrl: 'https://perf.example.org',
    version: '1',
    log: recordingLog(),
  })
  const { owner, name } = report.repository
  const address = { owner, repo: name, number: report.pullRequest.number, head: report.head }
  return { app, asked, page: ownRowPath(address, report.rows[0]!), report: reportPath(address) }
}

/** The sample report with another first row. */
function withRow(change: (row: TriageReport['rows'][number]) => Partial<TriageReport['rows'][number]>): TriageReport {
  const report = sampleReport()
  const [row, ...others] = report.rows
  return { ...report, rows: [{ ...row!, ...change(row!) }, ...others] }
}

test('the text of a query is not repeated in full for each sample; the JSON has all of it', async () => {
  const queryName = `SELECT ${'x'.repeat(60_000)}`
  const report = withRow(({ results }) => ({
    queryName,
    results: results.map((result) => ({ ...result, queryName })),
  }))
  const { metric: primary } = report.rows[0]!
  const metrics = Array.from({ length: 20 }, (_, index) => metric(index === 0 ? primary : `Event${index}`))
  const { app, page } = site(report, metrics)
  const tsv = await (await app.request(`${page}?format=tsv`)).text()
  expect(tsv.length).toBeLessThan(20 * 14 * 2 * 5000)
  expect(tsv.split('\n')[1]!.split('\t')[2]).toBe(`${queryName.slice(0, 4095)}…`)
  const json = (await (await app.request(`${page}?format=json`)).json()) as { row: { queryName: string } }
  expect(json.row.queryName).toBe(queryName)
})

test('300 metrics of a long text are sent without being held, and whole', async () => {
  const queryName = `SELECT ${'x'.repeat(20_000)}`
  const report = withRow(({ results }) => ({
    queryName,
    results: results.map((result) => ({ ...result, queryName })),
  }))
  const { metric: primary } = report.rows[0]!
  const metrics = Array.from({ length: 300 }, (_, index) => metric(index === 0 ? primary : `Event${index}`))
  const { app, page } = site(report, metrics)
  const answer = await app.request(`${page}?format=tsv`)
  expect(answer.headers.get('content-length')).toBeNull()
  const lines = (await answer.text()).split('\n')
  expect(lines).toHaveLength(1 + 300 * 14 * 2 + 1)
  expect(new Set(lines.slice(1, -1).map((line) => line.split('\t').length))).toEqual(new Set([13]))
})

test('samples that are no number or infinite are the same in JSON and TSV', async () => {
  const report = sampleReport()
  const { app, page } = site(report, [metric(report.rows[0]!.metric, { old: [1, Infinity, NaN], new: [-Infinity, 2] })])
  const json = (await (await app.request(`${page}?format=json`)).json()) as {
    measured: { metrics: { samples: unknown }[] }[]
  }
  expect(json.measured[0]!.metrics[0]!.samples).toEqual({ old: [1, 'inf', 'nan'], new: ['-inf', 2] })
  const tsv = await (await app.request(`${page}?format=tsv`)).text()
  expect(
    tsv
      .split('\n')
      .slice(1, 6)
      .map((line) => line.split('\t')[8]),
  ).toEqual(['1', 'inf', 'nan', '-inf', '2'])
})

test('process and place of each sample come with it, and are read back', async () => {
  const report = sampleReport()
  const taken = {
    old: { processes: [0, 0, 0, 1, 1, 1, 1], places: [0, 2, 4, 6, 8, 10, 12] },
    new: { processes: [0, 0, 0, 0, 0, 1, 1], places: [1, 3, 5, 7, 9, 11, 13] },
    clock: true,
  } as const
  const { metric: name } = report.rows[0]!
  const { app, page } = site(report, [
    { ...metric(name), unit: 's', taken },
    { ...metric('Other'), unit: 's', taken: { clock: true } },
    { ...metric('Third'), unit: 's' },
  ])
  for (const format of ['json', 'tsv']) {
    const exported = await (await app.request(`${page}?format=${format}`)).text()
    const { measurements } = await readTexts({ [`row.${format}`]: exported }, { direct: true })
    const read = (metricName: string) => {
      const found = measurements.find((one) => one.metric === metricName)!
      return { old: found.old, new: found.new, taken: found.taken, clock: found.clock }
    }
    const { clock, ...sides } = taken
    expect(read(name)).toEqual({ ...SAMPLES, taken: sides, clock })
    expect(read('Other')).toEqual({ ...SAMPLES, taken: undefined, clock })
    expect(read('Third')).toEqual({ ...SAMPLES, taken: undefined, clock: undefined })
  }
})

test('of thousands of architectures a page shows a few, the deciding one and the one that is asked for', async () => {
  const report = withRow(({ results }) => ({
    results: Array.from({ length: 3000 }, (_, index) => ({
      ...results[0]!,
      architecture: `${'a'.repeat(300)}${index}`,
    })),
    decidedBy: 2000,
  }))
  const { app, page, asked, report: whole } = site(report, [metric(report.rows[0]!.metric)])
  const html = await (await app.request(page)).text()
  expect(asked).toHaveLength(MOST_ARCHITECTURES + 1)
  expect(html.length).toBeLessThan(200_000)
  expect(html).toContain('And 2,991 architectures more, in the JSON.')
  expect(html).not.toContain('The samples are not stored')
  const last = `${'a'.repeat(300)}2999`
  asked.length = 0
  const other = await (await app.request(`${page}?architecture=${last}&format=json`)).json()
  expect(asked).toContain(last)
  expect((other as { row: { results: unknown[] } }).row.results).toHaveLength(3000)
  const list = await (await app.request(whole)).text()
  expect(list.length).toBeLessThan(300_000)
  expect(list).toContain('And 2,991 architectures more, in the JSON.')
})

test.each([
  [1, 'attempt 1'],
  [1200, 'attempt 1,200'],
  [1_795_288_158, 'finished 2026-11-21 19:09 UTC'],
])('attempt %d: %s', (attempt, words) => expect(attemptWords(attempt)).toBe(words))
