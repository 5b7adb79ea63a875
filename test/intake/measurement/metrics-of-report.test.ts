import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { metricsOfReport } from '../../../src/judge/verdict/evidence/different-work.ts'
import { readTexts, row } from './read-text.ts'

const METRICS = new Set(metricsOfReport('client_time'))

/** As they were asked for by metric. */
async function byMetric(files: Readonly<Record<string, string>>): Promise<readonly Measurement[]> {
  const contents = await readTexts(files, { byMetric: true })
  expect(contents.measurements).toEqual([])
  return [...contents.byMetric!].flatMap(([metric, measurements]) => {
    expect(new Set(measurements().map((one) => one.metric))).toEqual(new Set(measurements().length > 0 ? [metric] : []))
    return measurements()
  })
}

function sortedByMetric(measurements: readonly Measurement[]): readonly Measurement[] {
  return measurements.toSorted(({ metric: a }, { metric: b }) => (a === b ? 0 : a < b ? -1 : 1))
}

const line = fc
  .tuple(
    fc.constantFrom('client_time', 'SelectedRows', 'ContextLock', 'server_time', 'client_times'),
    fc.constantFrom('sum', 'join', 'sum\\tall'),
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom(0, 0.1, 0.2),
    fc.constantFrom(0.1, 0.3),
    fc.constantFrom(0.02, 0.4),
    fc.constantFrom(0.15, 0.2),
  )
  .map(([metric, test, index, old, d, t, bar]) =>
    row(
      metric,
      old,
      old * (1 + d),
      old === 0 ? 'nan' : d,
      1,
      old === 0 ? 'nan' : t,
      test,
      index,
      `SELECT ${index}`,
      bar,
      bar + 0.1,
    ),
  )

test('a run by the metrics of its report is the whole run without the others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 40 }), async (lines) => {
      // a table has a line for each query and metric
      const once = [...new Map(lines.map((one) => [one.split('\t').toSpliced(1, 5).slice(0, 3).join(), one])).values()]
      const files = { 'report/all-query-metrics.tsv': once.join('') }
      const whole = await readTexts(files)
      const { othersUnread, measurements, ...part } = await readTexts(files, { metrics: METRICS })
      const { measurements: all, ...about } = whole
      expect(await byMetric(files)).toEqual(sortedByMetric(all))
      const ofReport = all.filter(({ metric }) => METRICS.has(metric))
      // a query of which nothing else was measured is one without a result, and not one that is not there
      const decided = once.filter((one) => one.startsWith('client_time\t')).map(queryOf)
      const lost = new Set(once.map(queryOf).filter((query) => !decided.includes(query)))
      expect(part).toEqual(about)
      const isLost = ({ old }: (typeof all)[number]) => old.length === 0
      expect(new Set(measurements.filter((one) => !isLost(one)))).toEqual(new Set(ofReport))
      expect(measurements.filter(isLost).map(({ metric }) => metric)).toEqual([...lost].map(() => 'client_time'))
      expect(othersUnread === true).toBe(once.some((one) => !METRICS.has(one.split('\t')[0]!) && isLeftOut(once, one)))
    }),
    { numRuns: 300 },
  )
})

test('each row of a long table keeps its own numbers', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) =>
    row('client_time', index + 1, index + 2, 0.1, 1, 0.2, 'sum', index, `SELECT ${index}`, 0.15, 0.25),
  )
  const files = { 'report/all-query-metrics.tsv': lines.join('') }
  const { measurements } = await readTexts(files)
  const expected = lines.map((_, index) => [index, index + 1, index + 2])
  expect(measurements.map(({ queryIndex, old, new: fresh }) => [queryIndex, ...old, ...fresh])).toEqual(expected)
  expect(await byMetric(files)).toEqual(measurements)
})

function queryOf(line: string): string {
  return line.split('\t').slice(6, 8).join()
}

/** The first line of each query is read. */
function isLeftOut(lines: readonly string[], line: string): boolean {
  return lines.find((one) => queryOf(one) === queryOf(line)) !== line
}

test('beside raw files the metrics of each repetition are read by those of the report too, and a cut is seen', async () => {
  const raw = [0, 1].flatMap((side) =>
    [0, 1, 2].map((run) => row('query', 0, `sum.query0.run${run}`, side, 0.1 + run / 100)),
  )
  const metrics = ['SelectedRows', 'ContextLock'].flatMap((metric) =>
    [0, 1].flatMap((side) => [0, 1, 2].map((run) => row('sum', 0, metric, side, `sum.query0.run${run}`, 7))),
  )
  const files = { 'sum-raw.tsv': raw.join(''), 'analyze/query-run-metrics-denorm.tsv': metrics.join('') }
  const named = ({ measurements }: Awaited<ReturnType<typeof readTexts>>) => measurements.map(({ metric }) => metric)
  const whole = await readTexts(files)
  expect(named(whole)).toEqual(['ContextLock', 'SelectedRows', 'client_time'])
  expect(await byMetric(files)).toEqual(sortedByMetric(whole.measurements))
  const part = await readTexts(files, { metrics: METRICS })
  expect([named(part), part.othersUnread]).toEqual([['SelectedRows', 'client_time'], true])

  const cut = { ...files, 'analyze/query-run-metrics-denorm.tsv': metrics.join('').slice(0, -5) }
  const { warnings } = await readTexts(cut, { metrics: METRICS })
  expect(warnings.map(({ code, where }) => `${code} ${where}`)).toContain(
    'truncated-line analyze/query-run-metrics-denorm.tsv:12',
  )
})
