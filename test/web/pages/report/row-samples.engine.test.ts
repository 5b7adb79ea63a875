import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TriageReport } from '../../../../src/report/report.ts'
import { openStore, type Store } from '../../../../src/store/store.ts'
import { StoreUnavailable } from '../../../../src/store/store-unavailable.ts'
import { NO_SAMPLES, samplesOfRows } from '../../../../src/web/pages/report/row-samples.ts'
import type { PagesStore } from '../../../../src/web/pages/site.ts'
import { pages } from '../../../../src/web/pages.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { A_A_RUN, DEMO_RUN, storeReport } from '../../measured-report.ts'
import { recordingLog } from '../../recording-log.ts'

/** Milliseconds: a busy machine answers late, and a page would go without. */
const PATIENT = 20_000

let store: Store
let report: TriageReport

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  report = await storeReport(store, 7, 'a'.repeat(40), [
    { architecture: 'arm', source: DEMO_RUN },
    { architecture: 'amd', source: A_A_RUN },
  ])
})
afterAll(() => store?.close())

test('each result of each row has its own samples, which are those of its page', async () => {
  const samplesOf = await samplesOfRows({ store }, report, report.rows, PATIENT)
  const compared = report.rows.flatMap((row) => row.results.map((result) => ({ row, result })))
  expect(compared).toHaveLength(136)
  for (const { row, result } of compared.filter(({ result: { status } }) => status === 'compared')) {
    const sides = samplesOf(result)!
    expect([sides.old.length, sides.new.length]).toEqual([result.old.repetitions, result.new.repetitions])
    expect(sides.new.toSorted((a, b) => a - b)).toEqual(sides.new)
    if (row !== report.rows[0]) continue
    const [measured] = await store.runs.metricsOf(report.repository.id, report.head, row, [result.architecture])
    const { samples } = measured!.metrics.find(({ metric }) => metric === result.metric)!
    expect(sides.old).toEqual(samples!.old.toSorted((a, b) => a - b))
    expect(sides.new).toEqual(samples!.new.toSorted((a, b) => a - b))
  }
})

test('of rows that are not on the page nothing is read, nor of another head', async () => {
  const [first, ...others] = report.rows
  const samplesOf = await samplesOfRows({ store }, report, [first!], PATIENT)
  expect(samplesOf(first!.results[0]!)).not.toBeNull()
  const elsewhere = others.find(({ test: of }) => of !== first!.test)!
  expect(samplesOf(elsewhere.results[0]!)).toBeNull()
  const none = await samplesOfRows({ store }, { ...report, head: 'b'.repeat(40) }, report.rows, PATIENT)
  expect(none(first!.results[0]!)).toBeNull()
})

test('the page has them, and comes without them where they can’t be read, or not soon', async () => {
  const read = async (samplesOfTests: PagesStore['runs']['samplesOfTests']) => {
    const site = { publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() }
    const runs = { ...store.runs, samplesOfTests }
    const answer = await pages({ ...site, store: { ...store, runs } }).request('/r/acme/fast.db/pull/7')
    return { status: answer.status, dots: ((await answer.text()).match(/<svg class="dots"/g) ?? []).length }
  }
  const results = report.rows.flatMap((row) => row.results)
  const tests = [...new Set(report.rows.map((row) => row.test))]
  const { head, primaryMetric: metric } = report
  const found = await store.runs.samplesOfTests({ repositoryId: report.repository.id, head, tests, metric })
  expect(await read(async () => found)).toEqual({ status: 200, dots: results.length })
  const away = async () => await Promise.reject(new StoreUnavailable('away'))
  expect(await read(away)).toEqual({ status: 200, dots: 0 })
  const hung = async () => await new Promise<never>(() => {})
  expect(await read(hung)).toEqual({ status: 200, dots: 0 })
  const many = report.rows.map((row) => ({
    ...row,
    results: row.results.map((one) => ({ ...one, new: { ...one.new, repetitions: 2_000 } })),
  }))
  expect(await samplesOfRows({ store }, { ...report, rows: many }, many)).toBe(NO_SAMPLES)
})
