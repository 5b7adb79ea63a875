import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TriageReport } from '../../../src/report/report.ts'
import { flameGraphPath } from '../../../src/report/urls.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { resultsSql } from '../../../src/store/runs/results-sql.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { stacksSql } from '../../../src/web/pages/flame-graph/flame-graph.ts'
import { pages } from '../../../src/web/pages.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { A_A_RUN, DEMO_RUN, REPOSITORY, storeReport } from '../measured-report.ts'
import { recordingLog } from '../recording-log.ts'

let clickhouse: ClickHouse
let store: Store
let report: TriageReport

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse)
  report = await storeReport(store, 7, 'a'.repeat(40), [
    { architecture: 'arm', source: DEMO_RUN },
    { architecture: 'amd', source: A_A_RUN },
  ])
})
afterAll(() => store?.close())

const result = z.object({
  test: z.string(),
  architecture: z.string().nullable(),
  queryIndex: z.number().nullable(),
  difference: z.number().nullable(),
  threshold: z.number().nullable(),
  pValue: z.number().nullable(),
})
const line = z
  .looseObject({ query_index: z.unknown(), p_value: z.unknown(), on_architecture: z.unknown() })
  .transform(({ query_index: queryIndex, p_value: pValue, on_architecture: architecture, ...rest }) =>
    result.parse({ ...rest, architecture, queryIndex, pValue }),
  )

test('the statement of the report page gives the numbers of the report', async () => {
  const rows = await clickhouse.read('shown', resultsSql(report)!, {}, line)
  const expected = report.rows.flatMap(({ results }) => results.map((one) => result.parse(one)))
  const sorted = (all: readonly z.infer<typeof result>[]) => all.map((one) => JSON.stringify(one)).toSorted()
  expect(expected.length).toBeGreaterThan(20)
  expect(sorted(rows)).toEqual(sorted(expected))
  const [one, another] = report.rows
  for (const some of [[one!], [one!, another!]]) {
    const ofSome = await clickhouse.read('shown', resultsSql(report, some)!, {}, line)
    expect(sorted(ofSome)).toEqual(sorted(some.flatMap(({ results }) => results.map((each) => result.parse(each)))))
  }
  expect(resultsSql(report, [{ ...one!, test: 'a'.repeat(501) }])).toBeNull()
})

test('the statement of the flame graph page gives the stacks of the page', async () => {
  const query = { test: "it's one", queryIndex: 3, queryName: 'SELECT 1' }
  const sides = { old: [1, 2, 3, 4], new: [5, 6, 7, 8], reportThreshold: null, rounded: false, problems: [] }
  const old = [
    { stack: 'main;read', count: 400 },
    { stack: 'main;wait', count: 7 },
  ]
  const fresh = [{ stack: 'main;read', count: 900 }]
  const profiled = await storeReport(store, 8, 'b'.repeat(40), [
    {
      architecture: 'arm',
      source: [{ ...query, ...sides, metric: 'client_time', unit: 's', architecture: 'arm' }],
      profiles: [
        { ...query, traceType: 'CPU', old, new: fresh },
        { ...query, traceType: 'Real', old: fresh, new: old },
      ],
    },
  ])
  const [row] = profiled.rows
  const wanted = { ...row!, repositoryId: REPOSITORY.id, head: profiled.head, architecture: 'arm' }
  const summaries = await store.profiles.summariesOf(wanted)
  const view = { architecture: 'arm', traceType: 'CPU', normalize: false, icicle: false } as const
  const sql = stacksSql({ report: profiled, row: row!, view, summaries })!
  const line = z.object({ stack: z.string(), old: z.coerce.number(), new: z.coerce.number() })
  expect(await clickhouse.read('shown', sql, {}, line)).toEqual([
    { stack: 'main;read', old: 400, new: 900 },
    { stack: 'main;wait', old: 7, new: 0 },
  ])
  const site = pages({ store, publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() })
  const path = flameGraphPath({ owner: 'acme', repo: 'fast.db', number: 8, head: profiled.head }, row!)
  const html = (await (await site.request(path)).text()).replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  for (const format of ['json', 'tsv']) {
    expect(html).toContain(
      `curl --silent --fail 'https://perf.example.org${path}?architecture=arm&trace=CPU&format=${format}'`,
    )
  }
  expect(html).toContain(sql)
})

test('runs of another table than the bot’s own are asked for by no statement', () => {
  const [row] = report.rows
  const view = { architecture: 'arm', traceType: 'CPU', normalize: false, icicle: false } as const
  const of = (runs: readonly string[]) =>
    stacksSql({ report, row: row!, view, summaries: [{ traceType: 'CPU', old: 1, new: 1, runs }] })
  expect(of(['2026-11-21 10:00:00'])).toBeNull()
  expect(of([])).toBeNull()
  expect(of(['01234567-0123-0123-0123-0123456789ab'])).toContain("trace_type = 'CPU'")
})

test('the report page says it with its own address, and where the database is', async () => {
  const site = pages({ store, publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() })
  const html = await (await site.request('/r/acme/fast.db/pull/7')).text()
  const address = `https://perf.example.org/r/acme/fast.db/pull/7/${report.head}`
  const shown = html.slice(html.indexOf('class="reproduce"')).replaceAll('&#39;', "'")
  expect(shown).toContain(`curl --silent --fail '${address}?format=json'`)
  expect(shown).toContain(`curl --silent --fail '${address}?format=tsv'`)
  expect(shown).toContain('?database=perf_triage')
  expect((await site.request(`${new URL(address).pathname}?format=tsv`)).status).toBe(200)
})
