import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TrunkRow } from '../../../src/history/trunk-row.ts'
import type { TrunkSeries } from '../../../src/history/trunk-series.ts'
import { randomizationTest } from '../../../src/statistics/randomization-test.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { chainedTrunkHistory } from '../../../src/store/history/chained-trunk-history.ts'
import { type CiTrunkHistory, openCiTrunkHistory } from '../../../src/store/history/ci-trunk-history.ts'
import { openHistoryDatabases } from '../../../src/store/history/history-databases.ts'
import { ownTrunkHistory } from '../../../src/store/history/own-trunk-history.ts'
import type { HistoryOf, TrunkHistory } from '../../../src/store/history/trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { engineOfRun, migratedDatabase } from '../../embedded/engine-fixture.ts'
import type { EngineOfRun } from '../../embedded/engine-of-run.ts'
import { DAY, measuredRuns, NOON, type RepetitionRow, repetitionRows, trunkRow } from './trunk-rows.ts'

let embedded: EngineOfRun
let clickhouse: ClickHouse
const opened: CiTrunkHistory[] = []

const COMMON = `pr_number UInt32, old_sha String, new_sha String, arch LowCardinality(String), base_branch String,
  test LowCardinality(String), query_index UInt32, query_display_name String`
const REPETITIONS = `event_date Date, check_start_time DateTime('UTC'), ${COMMON}, baseline_kind LowCardinality(String),
  workflow_name String, report_url String, instance_type String, instance_id String, side LowCardinality(String),
  query_id String, metric_name LowCardinality(String), metric_value Float64`
const MEDIANS = `event_date Date, event_time DateTime('UTC'), ${COMMON}, metric LowCardinality(String), old_value Float64,
  new_value Float64, diff Float64, stat_threshold Float64`

beforeAll(async () => {
  embedded = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
  await create('repetitions', REPETITIONS)
  await create('medians', MEDIANS)
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await clickhouse.close()
})
beforeEach(async () => {
  for (const table of ['trunk_history', 'repetitions', 'medians']) {
    await clickhouse.command('empty', `TRUNCATE TABLE ${table}`)
  }
})

const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOON, trunk: ['master'] }
const ALL_TIME = { from: 0, to: NOON + 1000 * DAY }

async function create(table: string, columns: string): Promise<void> {
  await clickhouse.command('create', `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
}

async function fill(table: string, rows: readonly RepetitionRow[]): Promise<void> {
  const names = Object.keys(rows[0]!)
  const value = (one: string | number) =>
    typeof one === 'string' ? `'${one}'` : Number.isNaN(one) ? 'nan' : String(one)
  const values = rows.map((row) => `(${names.map((name) => value(row[name]!)).join(', ')})`)
  await clickhouse.command('fill', `INSERT INTO ${table} (${names.join(', ')}) VALUES ${values.join(', ')}`)
}

function open(table: string | null, runsTable: string | null): CiTrunkHistory {
  const { url, user, password } = embedded
  const named = (name: string | null) => (name === null ? null : `${clickhouse.database}.${name}`)
  const history = openCiTrunkHistory({ url, user, password, table: named(table), runsTable: named(runsTable) })
  opened.push(history)
  return history
}

async function all(history: TrunkHistory): Promise<TrunkSeries[]> {
  const found = []
  for await (const some of history.allSeries(OF, ALL_TIME)) found.push(...some)
  const key = ({ test, queryName, queryIndex, ordinal }: TrunkSeries) =>
    JSON.stringify([test, queryName, queryName === null ? queryIndex : ordinal])
  return found.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** As a job stores its medians. */
function medianRow(row: TrunkRow, sides: readonly [readonly number[], readonly number[]]): RepetitionRow {
  const { oldMedian, newMedian, difference, threshold } = randomizationTest(...sides)
  const [{ event_date, check_start_time, pr_number, old_sha, new_sha, arch, base_branch, ...common }] = repetitionRows(
    row,
    sides,
  ) as [Record<string, string | number>]
  return {
    event_date: event_date!,
    event_time: check_start_time!,
    ...{ pr_number: pr_number!, old_sha: old_sha!, new_sha: new_sha!, arch: arch!, base_branch: base_branch! },
    ...{ test: common['test']!, query_index: common['query_index']! },
    query_display_name: common['query_display_name']!,
    metric: row.metric,
    old_value: oldMedian,
    new_value: newMedian,
    diff: difference,
    stat_threshold: threshold,
  }
}

type Sides = readonly [number[], number[]]

/** Medians, difference and T of each case as the statements over raw runs give them, by its place. */
async function bySql(cases: readonly Sides[]) {
  await clickhouse.command('empty', 'TRUNCATE TABLE repetitions')
  await fill(
    'repetitions',
    cases.flatMap((sides, i) => repetitionRows(trunkRow({ queryIndex: i, queryName: `q${i}` }), sides)),
  )
  const found = await all(open(null, 'repetitions'))
  return new Map(found.map(({ queryIndex, points }) => [queryIndex, points]))
}

describe('T in SQL is T in TypeScript', () => {
  const side = (value: fc.Arbitrary<number>, least: number, most: number) =>
    fc.array(value, { minLength: least, maxLength: most })
  const sides = (value: fc.Arbitrary<number>, least = 3, most = 13) =>
    fc.tuple(side(value, least, most), side(value, least, most))

  const differs = (cases: readonly Sides[], found: Awaited<ReturnType<typeof bySql>>) => {
    for (const [i, [old, fresh]] of cases.entries()) {
      const expected = randomizationTest(old, fresh)
      const [point] = found.get(i)!
      expect([point!.old, point!.new]).toEqual([expected.oldMedian, expected.newMedian])
      const largest = Math.max(...old, ...fresh)
      const tolerance = 3e-12 * (largest / expected.oldMedian)
      expect(Math.abs(point!.threshold! - expected.threshold)).toBeLessThanOrEqual(tolerance)
      // What a comparison decides does not depend on the last bit.
      const reached = Math.abs(expected.difference) >= expected.threshold
      expect(Math.abs(point!.difference) >= point!.threshold!).toBe(reached)
    }
  }

  test.each([
    ['times to the nanosecond', fc.integer({ min: 1, max: 1_000_000_000 }).map((nanoseconds) => nanoseconds / 1e9)],
    ['ticks of a clock, with many ties', fc.integer({ min: 1, max: 12 }).map((milliseconds) => milliseconds / 1000)],
    ['tenths, whose differences round', fc.integer({ min: 1, max: 40 }).map((ticks) => ticks * 0.1)],
    ['bytes', fc.integer({ min: 1, max: 2 ** 40 })],
  ])('3 to 13 repetitions: %s', async (_, value) => {
    await fc.assert(
      fc.asyncProperty(fc.array(sides(value), { minLength: 150, maxLength: 150 }), async (cases) => {
        differs(cases, await bySql(cases))
      }),
      { numRuns: 2, endOnFailure: true },
    )
  })

  test('up to 128 a side, and 1 against many', async () => {
    const value = fc.integer({ min: 1, max: 1e9 }).map((nanoseconds) => nanoseconds / 1e9)
    const large = fc.sample(sides(value, 1, 128), { seed: 4, numRuns: 30 })
    const counts = [
      [45, 45],
      [128, 128],
      [1, 99],
      [99, 1],
      [2, 23],
      [1, 1],
    ]
    const stated = counts.map(([n, m]): Sides => {
      const [pool] = fc.sample(side(value, 256, 256), { seed: n!, numRuns: 1 })
      return [pool!.slice(0, n), pool!.slice(n, n! + m!)]
    })
    const cases = [...large, ...stated]
    differs(cases, await bySql(cases))
  })

  test('beyond 256 repetitions nothing is said of T, and the medians are there', async () => {
    const many = Array.from({ length: 129 }, (_, i) => 1 + ((i * 37) % 129) / 1000)
    const found = await bySql([
      [many.slice(1), many.slice(1)],
      [many, many],
    ])
    expect(found.get(0)).toMatchObject([{ old: 1.065, threshold: expect.any(Number) as number }])
    expect(found.get(1)).toMatchObject([{ old: 1.064, new: 1.064, threshold: null }])
  })
})

describe('which raw runs count', () => {
  const steady: Sides = [
    [1, 1.01, 1.02],
    [1.5, 1.51, 1.52],
  ]
  const with_ = (rows: readonly RepetitionRow[], changes: RepetitionRow) => rows.map((row) => ({ ...row, ...changes }))

  test('those of the trunk against its predecessor alone', async () => {
    const rows = repetitionRows(trunkRow(), steady)
    await fill('repetitions', [
      ...rows,
      ...with_(rows, { pr_number: 7, new_sha: 'pull' }),
      ...with_(rows, { baseline_kind: 'release_base', new_sha: 'release' }),
      ...with_(rows, { base_branch: '25.8', new_sha: 'branch' }),
      ...with_(rows, { metric_name: 'memory_usage', new_sha: 'metric' }),
      ...with_(rows, { base_branch: '', baseline_kind: '', new_sha: 'unstated' }),
      ...with_(rows, { arch: 'arm' }),
    ])
    const found = await all(open(null, 'repetitions'))
    const commits = found.map(({ architecture, points }) => [
      architecture,
      points.map(({ commit }) => commit).toSorted(),
    ])
    expect(new Map(commits as [string, string[]][])).toEqual(
      new Map([
        ['amd', ['c1', 'unstated']],
        ['arm', ['c1']],
      ]),
    )
  })

  test('not what was measured on one side only or without a value', async () => {
    await fill('repetitions', [
      ...repetitionRows(trunkRow({ queryName: 'only new' }), [[], [1, 2]]),
      ...repetitionRows(trunkRow({ queryName: 'only old' }), [[1, 2], []]),
      ...repetitionRows(trunkRow({ queryName: 'failed' }), [
        [1, Number.NaN, 2],
        [1, 2],
      ]),
      ...repetitionRows(trunkRow({ queryName: 'negative' }), [
        [1, 2],
        [-1, 2],
      ]),
      ...repetitionRows(trunkRow({ queryName: 'zero' }), [
        [0, 0, 0],
        [1, 1, 1],
      ]),
      ...repetitionRows(trunkRow({ queryName: 'still' }), [
        [0, 0, 0],
        [0, 0, 0],
      ]),
    ])
    const history = open(null, 'repetitions')
    expect((await all(history)).map(({ queryName }) => queryName)).toEqual(['still', 'zero'])
    const wanted = ['zero', 'still'].map((queryName) => ({
      ...{ test: 'join', queryIndex: 0, queryName, architecture: 'amd', atLeast: 0 },
    }))
    expect(await history.moves(OF, 30, wanted)).toEqual([
      null,
      { runs: 1, times: 1, lowest: 0, highest: 0, lastTime: NOON },
    ])
  })

  test('equal texts of a test are told apart, a text that was cut has no index, one may be unknown', async () => {
    const long = 'é'.repeat(1000)
    const one = (queryIndex: number, queryName: string, level: number) =>
      repetitionRows(trunkRow({ queryIndex, queryName }), [
        [level, level, level],
        [level, level, level],
      ])
    await fill('repetitions', [
      ...one(9, 'twice', 9),
      ...one(2, 'twice', 2),
      ...one(4, `${long}...(4)`, 4),
      ...one(7, `${long}...(7)`, 7),
      ...one(5, '', 5),
      ...one(6, '', 6),
    ])
    const found = (await all(open(null, 'repetitions'))).map(({ queryName, queryIndex, ordinal, points }) => [
      queryName?.slice(0, 5) ?? null,
      queryIndex,
      ordinal,
      points.map((point) => point.new),
    ])
    expect(found).toEqual([
      ['twice', 9, 1, [9]],
      ['twice', 2, undefined, [2]],
      ['ééééé', 7, 1, [7]],
      ['ééééé', 4, undefined, [4]],
      [null, 5, undefined, [5]],
      [null, 6, undefined, [6]],
    ])
  })

  test('of a table with the essential columns alone, in other types', async () => {
    await create(
      'essential',
      `check_start_time DateTime64(3, 'UTC'), new_sha FixedString(2), test LowCardinality(Nullable(String)), query_index UInt8,
       query_display_name Nullable(String), side Enum8('baseline' = 0, 'candidate' = 1), metric_name String, metric_value Float32`,
    )
    const rows = repetitionRows(trunkRow({ queryName: 'SELECT 1' }), [
      [1, 2, 3],
      [2, 4, 6],
    ])
    const names = ['check_start_time', 'new_sha', 'test', 'query_index', 'query_display_name', 'side', 'metric_name']
    await fill(
      'essential',
      rows.map((row) => Object.fromEntries([...names, 'metric_value'].map((name) => [name, row[name]!]))),
    )
    expect(await all(open(null, 'essential'))).toEqual([
      {
        ...{ test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: null, metric: 'client_time' },
        source: 'ci-database',
        points: [{ time: NOON, commit: 'c1', referenceCommit: '', old: 2, new: 4, difference: 1, threshold: 1 }],
      },
    ])
    await create('lacking', REPETITIONS.replace('side LowCardinality(String),', ''))
    await expect(all(open(null, 'lacking'))).rejects.toMatchObject({
      problem: 'missing-column',
      message: expect.stringContaining('side') as string,
    })
  })
})

test('raw runs say what their medians say: points, moves and steps of the measured history', async () => {
  const runs = measuredRuns()
  await fill(
    'repetitions',
    runs.flatMap(({ row, sides }) => repetitionRows(row, sides)),
  )
  await fill(
    'medians',
    runs.map(({ row, sides }) => medianRow(row, sides)),
  )
  const [raw, medians] = [open(null, 'repetitions'), open('medians', null)]
  const [ofRaw, ofMedians] = [await all(raw), await all(medians)]
  expect(ofRaw).toHaveLength(68)
  expect(ofRaw.flatMap(({ points }) => points)).toHaveLength(1564)
  const rounded = (series: readonly TrunkSeries[]) =>
    series.map((one) => ({
      ...one,
      points: one.points.map((point) => ({ ...point, threshold: point.threshold?.toFixed(9) })),
    }))
  expect(rounded(ofRaw)).toEqual(rounded(ofMedians))

  const of = { ...OF, now: Math.max(...runs.map(({ row }) => row.time)) }
  const wanted = ofRaw.map((series) => ({ ...series, atLeast: 0.05 }))
  expect(await raw.moves(of, 30, wanted)).toEqual(await medians.moves(of, 30, wanted))
  expect(await raw.series(of, wanted.slice(0, 5), ALL_TIME)).toEqual(ofRaw.slice(0, 5))
  const steps = async (history: TrunkHistory) =>
    (await history.pairedStepsOfAll(OF, ALL_TIME)).toSorted((a, b) => (`${a.queryName}` < `${b.queryName}` ? -1 : 1))
  expect(await steps(raw)).toEqual(await steps(medians))
  expect((await steps(raw)).some((one) => one.steps.length > 0)).toBe(true)
})

/** A month of runs in which the query moves by so much in one of ten. */
function month(queryName: string, moved: number, changes: Partial<TrunkRow> = {}) {
  return Array.from({ length: 101 }, (_, i) => {
    const old = [1, 1.01, 1.02, 1.03, 1.04].map((level) => level + (i % 7) / 1000)
    const fresh = old.map((value) => value * (i % 10 === 0 ? 1 + moved : 1))
    const row = trunkRow({ time: NOON - 8 * DAY - i * 60_000, newCommit: `c${i}`, queryName, ...changes })
    return { row, sides: [old, fresh] as const }
  })
}
type Measured = { readonly row: TrunkRow; readonly sides: readonly [readonly number[], readonly number[]] }
const raw = (measured: readonly Measured[]) => measured.flatMap(({ row, sides }) => repetitionRows(row, sides))
const medianRows = (measured: readonly Measured[]) => measured.map(({ row, sides }) => medianRow(row, sides))

describe('both tables', () => {
  const key = (queryName: string) => JSON.stringify(['join', queryName])

  test('medians come first, query by query, and own rows before both', async () => {
    await fill('medians', [...medianRows(month('a', 0.2)), ...medianRows(month('b', 0.2))])
    await fill('repetitions', [...raw(month('b', 0.4)), ...raw(month('c', 0.4)), ...raw(month('a', 0.4))])
    const history = open('medians', 'repetitions')
    const learned = await history.learnedThresholds(OF)
    expect(learned).toMatchObject({ queries: 3, source: 'ci-database', newest: NOON - 8 * DAY, unavailable: null })
    const changed = ['a', 'b', 'c'].map((name) => learned.lookup(key(name), 'amd')?.changed.toFixed(6))
    expect(changed).toEqual(['0.300000', '0.300000', '0.600000'])
    const onlyMedians = await open('medians', null).learnedThresholds(OF)
    const onlyRaw = await open(null, 'repetitions').learnedThresholds(OF)
    expect(onlyRaw.queries).toBe(3)
    expect(learned.lookup(key('a'), 'amd')).toEqual(onlyMedians.lookup(key('a'), 'amd'))
    expect(learned.lookup(key('c'), 'amd')).toEqual(onlyRaw.lookup(key('c'), 'amd'))
    expect(learned.lookup(key('c'), 'arm')).toBeNull()

    const largest = async (of: TrunkHistory) =>
      (await all(of)).map(({ queryName, points, source }) => [
        queryName,
        source,
        Math.max(...points.map(({ difference }) => difference)).toFixed(3),
      ])
    expect(await largest(history)).toEqual([
      ['a', 'ci-database', '0.200'],
      ['b', 'ci-database', '0.200'],
      ['c', 'ci-database', '0.400'],
    ])
    const wanted = ['c', 'none', 'a'].map((queryName) => ({
      ...{ test: 'join', queryIndex: 0, queryName, architecture: 'amd', atLeast: 0.3 },
    }))
    expect((await history.moves(OF, 30, wanted)).map((moves) => moves?.times)).toEqual([11, undefined, 0])
    const steps = await history.pairedStepsOfAll(OF, ALL_TIME)
    expect(new Set(steps.map(({ queryName }) => queryName))).toEqual(new Set(['a', 'b', 'c']))
    expect(steps).toHaveLength(3)

    await saveTrunkRows(
      clickhouse,
      1,
      month('c', 0).map(({ row }) => ({ ...row, difference: 0.1, new: 0.11 })),
    )
    const chained = chainedTrunkHistory(ownTrunkHistory(clickhouse), history)
    expect((await chained.learnedThresholds(OF)).lookup(key('c'), 'amd')?.changed).toBeCloseTo(0.15)
    expect((await all(chained)).map(({ queryName, source }) => [queryName, source])).toEqual([
      ['a', 'ci-database'],
      ['b', 'ci-database'],
      ['c', 'own'],
    ])
  })

  test('too few medians to learn from leave it to the raw runs', async () => {
    await fill('medians', medianRows(month('a', 0.2)).slice(0, 50))
    await fill('repetitions', raw(month('a', 0.4)))
    const learned = await open('medians', 'repetitions').learnedThresholds(OF)
    expect(learned.lookup(key('a'), 'amd')?.changed).toBeCloseTo(0.6)
  })

  test('one of them may be missing, not both, and no other fault is passed over', async () => {
    await fill('medians', medianRows(month('a', 0.2)))
    await fill('repetitions', raw(month('c', 0.4)))
    const without = await open('medians', 'not_there').learnedThresholds(OF)
    expect([without.queries, without.unavailable]).toEqual([1, null])
    expect(await all(open('medians', 'not_there'))).toHaveLength(1)
    const rawAlone = await open('not_there', 'repetitions').learnedThresholds(OF)
    expect([rawAlone.queries, rawAlone.unavailable]).toEqual([1, null])
    await expect(open('no_table', 'not_there').learnedThresholds(OF)).rejects.toMatchObject({
      problem: 'missing-table',
      message: expect.stringContaining('no_table') as string,
    })
    await create('half', REPETITIONS.replace('metric_value', 'value'))
    await expect(open('medians', 'half').learnedThresholds(OF)).rejects.toMatchObject({ problem: 'missing-column' })
  })

  test('the default table of raw runs is left out where the operator lets none be read, another one is refused', async () => {
    const environment = { url: embedded.url, user: embedded.user, password: embedded.password, repositories: null }
    await fill('medians', medianRows(month('a', 0.2)))
    const table = `${clickhouse.database}.medians`
    const databases = openHistoryDatabases({ ...environment, tables: [table] })
    const left = databases.of('acme/engine', { table, runsTable: 'query_metric_runs_v1' })!
    expect(await left.learnedThresholds(OF)).toMatchObject({ queries: 1, unavailable: null })
    const refused = databases.of('acme/engine', { table, runsTable: 'system.users' })!
    await expect(refused.learnedThresholds(OF)).rejects.toMatchObject({ problem: 'access-denied' })
    expect(databases.of('acme/engine', { table: null, runsTable: 'query_metric_runs_v1' })).toBeNull()
    expect(databases.of('acme/engine', { table: null, runsTable: null })).toBeNull()
    await databases.close()
    const allowed = openHistoryDatabases({ ...environment, tables: [table, 'query_metric_runs_v1'] })
    expect(allowed.of('acme/engine', { table: null, runsTable: 'query_metric_runs_v1' })).toBeNull()
    await allowed.close()
  })
})
