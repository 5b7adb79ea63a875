import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HISTORY_SOURCES, type TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { queryKey } from '../../../src/intake/measurement/run.ts'
import type { HistoryOf, TrunkHistory } from '../../../src/judge/history/trunk-history.ts'
import { trunkHistoryOfRows } from '../../../src/judge/history/trunk-history-of-rows.ts'
import type { QueryOnArchitecture, TimeRange, TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { storedTrunkHistory } from '../../../src/store/history/stored-trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'
import { DAY, measuredRows, NOON, trunkRow } from './trunk-rows.ts'

/** The history of rows in memory, against what the database says of the same rows. */

let clickhouse: ClickHouse

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(async () => {
  await clickhouse.close()
})

const REPOSITORY = 1
const TABLES = ['https://ci.example.com/query_metrics_v2', 'https://ci.example.com/query_metric_runs_v1']
const ALL_TIME = { from: 0, to: NOON }

/** Saves in some parts, so that rows meet others that are stored; then nothing is there twice. */
async function stored(rows: readonly TrunkRow[]): Promise<TrunkHistory> {
  await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
  const third = Math.ceil(rows.length / 3)
  for (const start of [0, third, 2 * third]) {
    await saveTrunkRows(clickhouse, REPOSITORY, rows.slice(start, start + third))
  }
  await clickhouse.command('merge', 'OPTIMIZE TABLE trunk_history FINAL')
  return storedTrunkHistory(clickhouse)
}

function keyOf(query: QueryOnArchitecture): string {
  return `${query.architecture} ${queryKey(query)}`
}

async function everySeries(history: TrunkHistory, of: HistoryOf, range: TimeRange): Promise<TrunkSeries[]> {
  const all: TrunkSeries[] = []
  for await (const some of history.allSeries(of, range)) all.push(...some)
  return all.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** All that a history says, in an order that is always the same. */
async function answers(history: TrunkHistory, of: HistoryOf, queries: readonly QueryOnArchitecture[]) {
  const { lookup, ...learned } = await history.learnedThresholds(of)
  const wanted = [0, 0.02, 0.3].flatMap((atLeast) => queries.map((query) => ({ ...query, atLeast })))
  const medians = await history.mediansOfCommits(of, 'c1', 'c20')
  return {
    learned,
    thresholds: queries.map((query) => lookup(queryKey(query), query.architecture)),
    moves: await history.moves(of, 30, wanted),
    month: await history.series(of, queries, { from: NOON - 30 * DAY, to: NOON - DAY }),
    all: await everySeries(history, of, ALL_TIME),
    medians: medians.map((one) => JSON.stringify(one)).toSorted(),
  }
}

async function expectEqual(rows: readonly TrunkRow[], of: HistoryOf) {
  const inMemory = trunkHistoryOfRows(rows)
  const database = await stored(rows)
  const { length } = await everySeries(inMemory, { ...of, copiedFrom: TABLES }, ALL_TIME)
  const known = await everySeries(database, { ...of, copiedFrom: TABLES }, ALL_TIME)
  expect(known).toHaveLength(length)
  const queries = [
    ...known.map(({ test, queryName, queryIndex, architecture, ordinal }) => ({
      ...{ test, queryName, queryIndex, architecture },
      ...(ordinal !== undefined && { ordinal }),
    })),
    { test: 'unknown', queryName: null, queryIndex: null, architecture: null },
  ]
  const expected = await answers(database, of, queries)
  expect(await answers(inMemory, of, queries)).toEqual(expected)
  return expected
}

const QUERIES = [
  { test: 'join', queryName: 'SELECT 1', architecture: 'amd' },
  { test: 'join', queryName: 'SELECT 1', architecture: 'arm' },
  { test: 'join', queryName: 'SELECT 2', architecture: '' },
  { test: 'sort', queryName: null, architecture: 'amd' },
]

const value = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 90, max: 130 }).map((x) => x / 1000) },
  { weight: 1, arbitrary: fc.constantFrom(0, 5, Infinity, Number.NaN) },
)
const row = fc.record({
  query: fc.nat(QUERIES.length - 1),
  source: fc.constantFrom('own', 'own', 'own', ...HISTORY_SOURCES),
  table: fc.nat(TABLES.length - 1),
  index: fc.constantFrom(0, 0, 0, 1, 2, null),
  /** Runs of one second, and a commit that was measured again. */
  run: fc.nat(220),
  late: fc.constantFrom(0, 0, 0, 0, 1, 1500, DAY),
  reference: fc.constantFrom(1, 1, 1, 2),
  instanceType: fc.constantFrom('', '', 'c7g', 'm7i'),
  old: value,
  new: value,
  threshold: fc.option(
    fc.oneof(
      value,
      fc.integer({ min: 0, max: 40 }).map((x) => x / 1000),
    ),
  ),
  metric: fc.constantFrom('client_time', 'client_time', 'client_time', 'memory'),
})

function rowsOf(all: readonly (typeof row extends fc.Arbitrary<infer T> ? T : never)[]): TrunkRow[] {
  return all.map(({ query, table, index, run, late, reference, ...one }) =>
    trunkRow({
      ...QUERIES[query]!,
      source: one.source,
      ...(one.source === 'ci-database' && { copiedFrom: { table: TABLES[table]!, isOfRawRuns: table === 1 } }),
      queryIndex: index,
      // of two runs each the second is in the second of the first
      time: NOON - 2 * DAY - Math.floor(run / 2) * 0.3 * DAY + (run % 2) * 300 + late,
      newCommit: `c${run}`,
      oldCommit: `c${run - reference}`,
      instanceType: one.instanceType,
      metric: one.metric,
      old: one.old,
      new: one.new,
      difference: (one.new - one.old) / one.old,
      threshold: one.threshold,
    }),
  )
}

test('a history of rows in memory says what the database says of the same rows', async () => {
  const seen = { learned: 0, mixed: 0, seconds: 0, tooShort: 0, odd: 0, sameSecond: 0, copied: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 10, maxLength: 2500, size: 'max' }),
      fc.constantFrom([], TABLES.slice(0, 1), TABLES),
      fc.constantFrom(NOON, NOON - 10 * DAY, NOON - 400 * DAY),
      async (all, copiedFrom, now) => {
        const rows = rowsOf(all)
        const of = { repositoryId: REPOSITORY, metric: 'client_time', now, copiedFrom }
        const { learned, all: series } = await expectEqual(rows, of)
        seen.learned += learned.queries
        seen.tooShort += learned.tooShort === undefined ? 0 : 1
        seen.mixed += series.filter(({ alsoFrom }) => alsoFrom !== undefined).length
        seen.seconds += series.filter(({ ordinal }) => ordinal === 2).length
        const points = series.flatMap((one) => one.points)
        seen.odd += points.filter(({ old, new: fresh }) => old < 0 || fresh < 0).length
        seen.sameSecond += series.filter(({ points: of }) => of.some(({ time }, i) => of[i - 1]?.time === time)).length
        seen.copied += series.filter(({ source }) => source === 'ci-database').length
      },
    ),
    // Smaller rows of a history that differs would take minutes to find.
    { numRuns: 12, seed: 3, endOnFailure: true },
  )
  expect(Object.entries(seen).filter(([, times]) => times === 0)).toEqual([])
})

test('a recorded history in memory says what the database says of it', async () => {
  const recorded = measuredRows()
  const newest = recorded.reduce((latest, { time }) => Math.max(latest, time), 0)
  // 23 runs are too few to learn from: six weeks of them, one after the other.
  const rows = Array.from({ length: 6 }, (_, copy) =>
    recorded.map((one) => ({ ...one, time: one.time - copy * 3600_000, newCommit: `${copy}${one.newCommit}` })),
  ).flat()
  for (const now of [newest, newest + 8 * DAY, newest + 36 * DAY]) {
    await expectEqual(rows, { repositoryId: REPOSITORY, metric: 'client_time', now })
  }
  const { learned } = await expectEqual(rows, {
    repositoryId: REPOSITORY,
    metric: 'client_time',
    now: newest + 8 * DAY,
  })
  expect(learned.queries).toBeGreaterThan(0)
})
