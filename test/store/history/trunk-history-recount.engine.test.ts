import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { median } from '../../../src/intake/measurement/median.ts'
import { queryKey } from '../../../src/intake/measurement/run.ts'
import type { HistoryOf, TrunkHistory } from '../../../src/judge/history/trunk-history.ts'
import type {
  QueryOnArchitecture,
  TimeRange,
  TrunkPoint,
  TrunkSeries,
} from '../../../src/judge/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { storedTrunkHistory } from '../../../src/store/history/stored-trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'
import { DAY, NOON, trunkRow } from './trunk-rows.ts'

/** What the statements say of random rows, against a recount of the same rows one by one. */

let clickhouse: ClickHouse

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(async () => {
  await clickhouse.close()
})

const REPOSITORY = 1
const TABLE = 'https://ci.example.com/query_metrics_v2'
const OF: HistoryOf = { repositoryId: REPOSITORY, metric: 'client_time', now: NOON, copiedFrom: [TABLE] }
const ALL_TIME = { from: 0, to: NOON }
const LEARNING = { from: NOON - 37 * DAY, to: NOON - 7 * DAY }
const MONTH = { from: NOON - 30 * DAY, to: NOON }

interface Stored {
  readonly repositoryId: number
  readonly row: TrunkRow
}

const QUERIES = [
  { test: 'join', queryName: 'SELECT 1', architecture: 'amd' },
  { test: 'join', queryName: 'SELECT 1', architecture: 'arm' },
  { test: 'join', queryName: 'SELECT 2', architecture: 'amd' },
  { test: 'sort', queryName: 'SELECT 1', architecture: '' },
  { test: 'sort', queryName: null, architecture: 'amd' },
]

/** One job of the trunk: who has its rows, and how its rows differ from those of the job before. */
const job = fc.record({
  own: fc.boolean(),
  imported: fc.boolean(),
  copied: fc.boolean(),
  ofAnother: fc.boolean(),
  /** Imported rows may have another time than own ones. */
  minutes: fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 1 })),
  /** The commit of the job before, measured again. */
  again: fc.integer({ min: 0, max: 5 }).map((x) => x === 0),
  /** How many commits the reference lags behind. */
  lag: fc.integer({ min: 1, max: 3 }),
  index: fc.constantFrom(0, 1, null),
  twice: fc.integer({ min: 0, max: 2 }).map((x) => x === 0),
  instanceType: fc.constantFrom('', 'c7g.4xlarge', 'm7i.large'),
  baseBranch: fc.constantFrom('', 'master', 'main'),
  difference: fc.integer({ min: -30, max: 30 }).map((x) => x / 1000),
  spike: fc.integer({ min: 0, max: 30 }).map((x) => (x === 0 ? 0.4 : 0)),
  threshold: fc.option(fc.integer({ min: 1, max: 40 }).map((x) => x / 1000)),
})
type Job = typeof job extends fc.Arbitrary<infer T> ? T : never

function rowsOf(query: (typeof QUERIES)[number], jobs: readonly Job[], step: number): Stored[] {
  return jobs.flatMap((one, i) => {
    const level = (n: number) => 0.1 * (n < step ? 1 : 1.3)
    const rowsFrom = (source: TrunkRow['source'], repositoryId: number, minutes: number, scale: number): Stored[] =>
      (one.twice ? [0, 1] : [0]).map((place) => {
        const before = level(i - 1) * scale
        const after = level(i) * scale * (1 + one.difference + one.spike + place / 100)
        return {
          repositoryId,
          row: trunkRow({
            ...query,
            source,
            ...(source === 'ci-database' && { copiedFrom: { table: TABLE, isOfRawRuns: false } }),
            // The first ones are too young to be learned from.
            time: NOON - 4 * DAY - (jobs.length - i) * 0.2 * DAY + minutes * 60_000,
            newCommit: `c${one.again ? i - 1 : i}`,
            oldCommit: `c${i - one.lag}`,
            queryIndex: one.index === null ? (place === 0 ? null : 0) : one.index + place,
            instanceType: one.instanceType,
            baseBranch: one.baseBranch,
            old: before,
            new: after,
            difference: (after - before) / before,
            threshold: one.threshold,
          }),
        }
      })
    return [
      ...(one.own ? rowsFrom('own', REPOSITORY, 0, 1) : []),
      ...(one.imported ? rowsFrom('imported', REPOSITORY, one.minutes[0], 1.1) : []),
      ...(one.copied ? rowsFrom('ci-database', REPOSITORY, one.minutes[1], 1.2) : []),
      ...(one.ofAnother ? rowsFrom('own', 2, 0, 9) : []),
    ]
  })
}

interface Counted {
  readonly query: QueryOnArchitecture
  readonly rows: readonly TrunkRow[]
}

const keyOf = (query: QueryOnArchitecture) => `${queryKey(query)} ${query.architecture}`

/** In the order in which they are believed. */
const SOURCES = ['own', 'imported', 'ci-database'] as const

/** The rows that count of each query in the time, in its order: of a commit those of the first source that has any, of whatever time. */
function recount(stored: readonly Stored[], { from, to }: TimeRange): Map<string, Counted> {
  const ofRepository = stored.filter(({ repositoryId }) => repositoryId === REPOSITORY).map(({ row }) => row)
  const text = ({ test, queryName, queryIndex, architecture }: TrunkRow) =>
    JSON.stringify([test, queryName ?? queryIndex, architecture])
  const run = (row: TrunkRow) => JSON.stringify([text(row), row.newCommit, row.time])
  const commit = (row: TrunkRow) => JSON.stringify([text(row), row.newCommit])
  const of = Map.groupBy(ofRepository, commit)
  const standing = (row: TrunkRow) =>
    SOURCES.find((source) => of.get(commit(row))!.some((other) => other.source === source))
  const rows = ofRepository
    .filter(({ time }) => time > from && time <= to)
    .filter((row) => row.source === standing(row))
    .toSorted((a, b) => a.time - b.time)
  const together = Map.groupBy(rows, run)
  const found = new Map<string, Counted & { rows: TrunkRow[] }>()
  for (const row of rows) {
    const before = together.get(run(row))!.filter(({ queryIndex }) => (queryIndex ?? -1) < (row.queryIndex ?? -1))
    const ordinal = before.length
    const { test, queryName, queryIndex } = row
    const architecture = row.architecture === '' ? null : row.architecture
    const query = { test, queryName, queryIndex, architecture, ...(ordinal > 0 && { ordinal }) }
    const counted = found.get(keyOf(query)) ?? { query, rows: [] }
    counted.rows.push(row)
    // The newest index stands.
    found.set(keyOf(query), { query, rows: counted.rows })
  }
  return found
}

/** The first of each commit; rows are in the order of time. */
function oncePerCommit(rows: readonly TrunkRow[]): readonly TrunkRow[] {
  return rows.filter(({ newCommit }, at) => rows.findIndex((row) => row.newCommit === newCommit) === at)
}

function sourcesOf(rows: readonly TrunkRow[]): Pick<TrunkSeries, 'source' | 'alsoFrom'> {
  const count = (source: TrunkRow['source']) => rows.filter((row) => row.source === source).length
  const [source, ...others] = SOURCES.filter((one) => count(one) > 0).toSorted((a, b) => count(b) - count(a))
  const alsoFrom = SOURCES.filter((one) => others.includes(one))
  return { source: source!, ...(alsoFrom.length > 0 && { alsoFrom }) }
}

function pointOf(row: TrunkRow): TrunkPoint {
  return {
    time: row.time,
    commit: row.newCommit,
    referenceCommit: row.oldCommit,
    old: row.old,
    new: row.new,
    difference: (row.new - row.old) / row.old,
    threshold: row.threshold,
    ...(row.instanceType !== '' && { instanceType: row.instanceType }),
  }
}

function seriesOf({ query, rows }: Counted): TrunkSeries {
  return { ...query, metric: OF.metric, ...sourcesOf(rows), points: rows.map(pointOf) }
}

function quantile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.99 * values.length)] ?? 0
}

function byKey<T extends QueryOnArchitecture>(all: readonly T[]): Map<string, T> {
  const found = new Map(all.map((one) => [keyOf(one), one]))
  expect(found.size).toBe(all.length)
  return found
}

/** Expects what a history says of series, moves and thresholds to be that of its stored rows, counted one by one. */
async function expectCounted(history: TrunkHistory, stored: readonly Stored[]) {
  const counted = recount(stored, ALL_TIME)
  const expected = new Map([...counted].map(([key, one]) => [key, seriesOf(one)]))
  const everything: TrunkSeries[] = []
  for await (const some of history.allSeries(OF, ALL_TIME)) everything.push(...some)
  expect(byKey(everything)).toEqual(expected)

  const month = recount(stored, MONTH)
  const wanted = [...counted.values()].map(({ query }) => query)
  const some = wanted.filter(({ architecture }) => architecture !== 'amd')
  expect(byKey(await history.series(OF, some, MONTH))).toEqual(
    new Map(
      some.flatMap((query) => {
        const one = month.get(keyOf(query))
        return one === undefined ? [] : [[keyOf(query), { ...seriesOf(one), queryIndex: query.queryIndex }]]
      }),
    ),
  )

  const moves = await history.moves(
    OF,
    30,
    wanted.map((query) => ({ ...query, atLeast: 0.02 })),
  )
  expect(moves).toEqual(
    wanted.map((query) => {
      const all = month.get(keyOf(query))?.rows
      if (all === undefined) return null
      const rows = oncePerCommit(all)
      const differences = rows.map(({ difference }) => difference)
      const large = rows.filter(({ difference }) => Math.abs(difference) >= 0.02)
      return {
        runs: rows.length,
        times: large.length,
        lastTime: large.at(-1)?.time ?? null,
        lowest: Math.min(...differences),
        highest: Math.max(...differences),
        median: median(differences.map(Math.abs)),
        third: differences.map(Math.abs).toSorted((a, b) => b - a)[2] ?? 0,
      }
    }),
  )

  const { lookup, queries } = await history.learnedThresholds(OF)
  const enough = [...recount(stored, LEARNING).values()]
    .map(({ query, rows }) => ({ query, rows: oncePerCommit(rows) }))
    .filter(({ rows }) => rows.length > 100)
  expect(queries).toBe(enough.length)
  for (const { query, rows } of enough) {
    const small = rows.filter(({ difference, threshold }) => threshold !== null && Math.abs(difference) < threshold)
    expect(lookup(queryKey(query), query.architecture)).toEqual({
      changed: 1.5 * quantile(rows.map(({ difference }) => Math.abs(difference))),
      unstable: 1.5 * quantile(small.map(({ threshold }) => threshold!)),
    })
  }
  return { everything, wanted, enough }
}

test('series, moves and thresholds are those of the runs counted one by one', async () => {
  let [learned, mixed, seconds] = [0, 0, 0]
  const jobs = fc.array(job, { minLength: 140, maxLength: 160, size: 'max' })
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(jobs, jobs, jobs, jobs, jobs),
      fc.integer({ min: 20, max: 90 }),
      fc.constantFrom('all', ...SOURCES),
      async (all, step, who) => {
        await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
        const stored = QUERIES.flatMap((query, i) => rowsOf(query, all[i]!, step)).filter(
          ({ row }) => who === 'all' || who === row.source,
        )
        for (const id of [REPOSITORY, 2]) {
          const rows = stored.filter(({ repositoryId }) => repositoryId === id).map(({ row }) => row)
          await saveTrunkRows(clickhouse, id, [...rows, ...rows.map((row) => ({ ...row, metric: 'real_time' }))])
          // A part of them came twice.
          await saveTrunkRows(clickhouse, id, rows.slice(0, rows.length / 3))
        }

        const { everything, wanted, enough } = await expectCounted(storedTrunkHistory(clickhouse), stored)
        learned += enough.length
        mixed += everything.filter(({ alsoFrom }) => alsoFrom !== undefined).length
        seconds += wanted.filter(({ ordinal }) => ordinal === 1).length
      },
    ),
    // The seed is one whose six histories have everything that is counted below.
    { numRuns: 6, seed: 1 },
  )
  expect(Math.min(learned, mixed, seconds)).toBeGreaterThan(0)
})
