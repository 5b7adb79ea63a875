import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { queryHash } from '../../../src/intake/measurement/query-hash.ts'
import type { ReportRow, TriageReport } from '../../../src/report/report.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { FLAGS, type FlagRow, flagRows } from '../../../src/store/reports/flag-rows.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { amd, arm, judgedHead, measured, times } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: Store
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse)
  await store.ping()
})
afterAll(() => store.close())

const named = (rows: readonly FlagRow[]) =>
  rows.map((row) => Object.fromEntries(FLAGS.valuesOf(row).map((value, index) => [FLAGS.columnNames[index], value])))

test('each changed result, also one that does not decide, with the check and time of its run', () => {
  const finishedAt = '2026-11-20T09:00:00.000Z'
  const { report, runOf } = judgedHead([
    { ...amd(measured('both', times(2)), measured('one', times(2)), measured('none', times(1))), finishedAt },
    arm(measured('both', times(1.5)), measured('one', times(1)), measured('none', times(1))),
  ])
  const rows = named(flagRows(report, runOf))
  expect(rows.map((row) => [row['test'], row['architecture'], row['check_name'], row['finished_at']])).toEqual([
    ['both', 'amd', 'perf amd', finishedAt],
    ['both', 'arm', 'perf arm', '2026-11-20T10:00:00.000Z'],
    ['one', 'amd', 'perf amd', finishedAt],
  ])
  expect(rows[1]).toMatchObject({
    repository_id: 1,
    query_index: 0,
    query_name: 'SELECT both',
    ordinal: null,
    metric: 'client_time',
    pull_request_number: 7,
    judged_at: report.judgedAt,
    direction: 'slower',
    verdict: report.rows[0]!.verdict,
  })
  expect(rows[1]!['difference']).toBeCloseTo(0.5)
})

test('where nobody knows the runs it is the time when all was measured, else when it was judged', () => {
  const { report } = judgedHead([amd(measured('both', times(2)))])
  const timeIn = (of: TriageReport) => named(flagRows(of, () => null))[0]
  expect(timeIn(report)).toMatchObject({ check_name: '', finished_at: report.judgedAt })
  const measuredAt = Date.UTC(2026, 10, 20, 8)
  expect(timeIn({ ...report, history: { provenance: null, problem: null, measuredAt } })).toMatchObject({
    finished_at: '2026-11-20T08:00:00.000Z',
  })
})

test('of a report in which everything has changed no more than the worst 20,000', () => {
  const { report } = judgedHead([amd(measured('worst', times(3)), measured('other', times(2)))])
  const [worst, other] = report.rows as [ReportRow, ReportRow]
  const rows = [worst, ...Array.from({ length: 20_000 }, () => other)]
  const kept = named(flagRows({ ...report, rows }, () => null))
  expect([kept.length, kept[0]!['test']]).toEqual([20_000, 'worst'])
})

test('the database knows a query by the same number as the code, and stores a report twice as one', async () => {
  const queries = [
    measured('join hash/ü', times(2)),
    measured('half \ud800', times(2), { queryName: 'SELECT \udc00\0' }),
    measured('nameless', times(2), { queryName: null, queryIndex: 12 }),
    measured('placeless', times(2), { queryName: null, queryIndex: null }),
    measured('empty', times(2), { queryName: '', queryIndex: 3 }),
  ]
  const { report, runOf } = judgedHead([{ ...amd(...queries), repositoryId: 9 }])
  await store.reports.save(report, runOf)
  await store.reports.save(report, runOf)
  const sql = 'SELECT toString(query_hash) AS hash FROM flags FINAL WHERE repository_id = 9 ORDER BY hash'
  const stored = await clickhouse.read('hashes', sql, {}, z.object({ hash: z.string() }))
  expect(stored.map(({ hash }) => hash)).toEqual(queries.map((query) => queryHash(query).toString()).toSorted())
  for (const query of queries.filter(({ test: name }) => name.isWellFormed())) {
    const wanted = { repositoryId: 9, query, metric: 'client_time', since: 0, limit: 50 }
    expect(await store.reports.flagsOfQuery(wanted)).toHaveLength(1)
  }
})
