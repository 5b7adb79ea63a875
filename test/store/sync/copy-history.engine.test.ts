import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { queryKey } from '../../../src/intake/measurement/run.ts'
import { trunkSteps } from '../../../src/judge/bisect/trunk-steps.ts'
import { mediansOfRepetitions } from '../../../src/judge/history/medians-of-repetitions.ts'
import type { HistoryOf, TrunkHistory } from '../../../src/judge/history/trunk-history.ts'
import type { TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { ExternalDatabase } from '../../../src/store/external-database.ts'
import { type HistoryCopies, historyCopies } from '../../../src/store/history/history-copies.ts'
import { storedTrunkHistory } from '../../../src/store/history/stored-trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { type ProfileCopies, profileCopies } from '../../../src/store/profiles/profile-copies.ts'
import { storedProfiles } from '../../../src/store/profiles/profile-lookup.ts'
import { STACKS, stackRows } from '../../../src/store/runs/stack-rows.ts'
import { StoreUnavailable } from '../../../src/store/store-unavailable.ts'
import { type CopyStep, copyHistory, type HistoryCopy } from '../../../src/store/sync/copy-history.ts'
import { type RepositoryCopies, startHistorySync } from '../../../src/store/sync/history-sync.ts'
import { SourceTable } from '../../../src/store/sync/source-table.ts'
import { insertInto } from '../../../src/store/table.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'
import { DAY, measuredRuns, NOON, trunkRow } from '../history/trunk-rows.ts'
import {
  createCiTables,
  GENERATED_ROWS,
  GENERATED_SERIES,
  generateHistory,
  insertMedians,
  insertRepetitions,
  type MeasuredQuery,
  type Sides,
} from './ci-tables.ts'

const HOUR = 3_600_000
const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOON }

let clickhouse: ClickHouse
let copies: HistoryCopies
let profiles: ProfileCopies
let ci: ExternalDatabase
let medians: SourceTable
let rawRuns: SourceTable

beforeAll(async () => {
  const { url, user, password } = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
  copies = historyCopies(clickhouse)
  profiles = profileCopies(clickhouse, {
    ready: async () => {},
    now: () => new Date(),
    own: storedProfiles(clickhouse),
    besideOf: async () => null,
  })
  ci = new ExternalDatabase({ url, user, password, called: 'the CI database' })
  medians = SourceTable.ofMedians(ci, `${clickhouse.database}.medians`)
  rawRuns = SourceTable.ofRawRuns(ci, `${clickhouse.database}.repetitions`)
  await createCiTables(clickhouse)
})
afterAll(async () => {
  await ci.close()
  await clickhouse.close()
})

async function empty(...tables: string[]): Promise<void> {
  for (const table of tables) await clickhouse.command('empty', `TRUNCATE TABLE ${table}`)
}

function copyOf(source: SourceTable, changes: Partial<HistoryCopy> = {}): HistoryCopy {
  return { repositoryId: 1, source, metric: 'client_time', trunk: ['master'], days: 40, ...changes }
}

async function bringUpToDate(copy: HistoryCopy, now = NOON): Promise<CopyStep[]> {
  const states = await copies.states()
  const state = states.find(
    (one) => one.repositoryId === copy.repositoryId && one.copiedFrom === copy.source.copiedFrom,
  )
  const steps: CopyStep[] = []
  for await (const step of copyHistory(copies, copy, state ?? null, () => now)) steps.push(step)
  return steps
}

/** Repository of the bot's own rows that say the same as the source. */
const SAME = 3

/** What the rows of a source say, each reduced here one by one and stored as one of the bot's own. */
async function answersOfRows(rows: readonly TrunkRow[]) {
  await saveTrunkRows(
    clickhouse,
    SAME,
    rows.map((row) => ({ ...row, source: 'own' })),
  )
  return await answersOf(storedTrunkHistory(clickhouse), { ...OF, repositoryId: SAME })
}

const columns = {
  ...{ time: z.number(), oldCommit: z.string(), newCommit: z.string(), architecture: z.string() },
  ...{ instanceType: z.string(), test: z.string(), queryIndex: z.number(), queryName: z.string() },
}
const COLUMNS = `old_sha AS oldCommit, new_sha AS newCommit, arch AS architecture, test, query_index AS queryIndex,
  query_display_name AS queryName`
const OF_TRUNK = `pr_number = 0 AND base_branch IN ('', 'master')`

async function rowsOfMedians(): Promise<TrunkRow[]> {
  const number = { old: z.number(), new: z.number(), difference: z.number(), threshold: z.number() }
  const sql = `SELECT toUnixTimestamp(event_time) AS time, ${COLUMNS}, instance_type AS instanceType, old_value AS old,
    new_value AS new, diff AS difference, stat_threshold AS threshold FROM medians WHERE ${OF_TRUNK}`
  const found = await clickhouse.read('rows', sql, {}, z.object({ ...columns, ...number }))
  return found.map((row) => trunkRow({ ...row, time: row.time * 1000, queryName: row.queryName || null }))
}

async function rowsOfRawRuns(): Promise<TrunkRow[]> {
  const sides = { old: z.array(z.number()), new: z.array(z.number()) }
  const sql = `SELECT toUnixTimestamp(check_start_time) AS time, ${COLUMNS}, any(instance_type) AS instanceType,
    groupArrayIf(metric_value, side = 'baseline') AS old, groupArrayIf(metric_value, side = 'candidate') AS new
    FROM repetitions WHERE ${OF_TRUNK} AND baseline_kind = 'master_head' GROUP BY ALL`
  const found = await clickhouse.read('rows', sql, {}, z.object({ ...columns, ...sides }))
  return found.map(({ old, new: fresh, ...row }) =>
    trunkRow({ ...row, time: row.time * 1000, queryName: row.queryName || null, ...mediansOfRepetitions(old, fresh) }),
  )
}

function copied(...sources: readonly SourceTable[]): TrunkHistory {
  const history = storedTrunkHistory(clickhouse)
  const of = (asked: HistoryOf) => ({ ...asked, copiedFrom: sources.map(({ copiedFrom }) => copiedFrom) })
  return {
    learnedThresholds: (asked) => history.learnedThresholds(of(asked)),
    moves: (asked, ...more) => history.moves(of(asked), ...more),
    series: (asked, ...more) => history.series(of(asked), ...more),
    mediansOfCommits: (asked, ...more) => history.mediansOfCommits(of({ ...asked, now: NOON }), ...more),
    allSeries: (asked, range) => history.allSeries(of(asked), range),
  }
}

async function all(history: TrunkHistory, of = OF): Promise<TrunkSeries[]> {
  const found: TrunkSeries[] = []
  for await (const some of history.allSeries(of, { from: 0, to: NOON })) found.push(...some)
  return found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = (one: TrunkSeries) => `${queryKey(one)} ${one.architecture}`

/** Everything that is asked of a history, whoever has it: series, steps, thresholds and moves of every query. */
async function answersOf(history: TrunkHistory, of = OF) {
  const series = await all(history, of)
  const learned = await history.learnedThresholds(of)
  const wanted = series.flatMap((one) => [0.005, 0.02, 0.2].map((atLeast) => ({ ...one, atLeast })))
  const range = { from: of.now - 20 * DAY, to: of.now - 2 * DAY }
  const withoutSource = (some: readonly TrunkSeries[]) => some.map((one) => ({ ...one, source: null }))
  return {
    series: withoutSource(series),
    steps: series.map((one) => trunkSteps(one)),
    some: withoutSource(await history.series(of, series, range)),
    thresholds: series.map((one) => learned.lookup(queryKey(one), one.architecture)),
    learned: { ...learned, source: null, lookup: null },
    moves: await history.moves(of, 30, wanted),
  }
}

/** Rows that stand, each once. */
async function rows(): Promise<number> {
  const sql = 'SELECT toUInt32(count()) AS rows FROM trunk_history FINAL WHERE NOT superseded'
  return (await clickhouse.read('rows', sql, {}, z.object({ rows: z.number() })))[0]!.rows
}

describe('a generated history of 30 days', () => {
  beforeAll(async () => {
    await empty('medians', 'repetitions', 'trunk_history', 'history_copies')
    await generateHistory(clickhouse, NOON)
  })
  beforeEach(async () => {
    await empty('trunk_history', 'history_copies')
  })

  test.each([
    ['medians', () => medians, rowsOfMedians],
    ['raw runs', () => rawRuns, rowsOfRawRuns],
  ])('%s: every answer is that of its rows, reduced one by one', async (_, source, rowsOf) => {
    const steps = await bringUpToDate(copyOf(source()))
    expect(steps.length).toBeGreaterThan(3)
    const end = NOON / HOUR + 1
    expect((await copies.states()).map(({ covered }) => covered)).toEqual([[[end - 40 * 24, end]]])
    expect(await rows()).toBe(GENERATED_ROWS)
    const found = await answersOf(copied(source()))
    expect(found.series).toHaveLength(GENERATED_SERIES)
    expect(found.thresholds).not.toContain(null)
    expect(found.steps.filter((one) => one.length > 0).length).toBeGreaterThanOrEqual(GENERATED_SERIES / 4)
    expect(new Set((await all(copied(source()))).map((one) => one.source))).toEqual(new Set(['ci-database']))
    expect(found).toEqual(await answersOfRows(await rowsOf()))
  })

  test('newest first, and what is copied twice is there once', async () => {
    const copy = copyOf(medians)
    const steps = await bringUpToDate(copy)
    const ends = steps.map(({ hours }) => hours[1])
    expect(ends).toEqual(ends.toSorted((a, b) => b - a))
    const before = [await rows(), await answersOf(copied(medians))]
    expect(await bringUpToDate(copy)).toEqual([])
    await empty('history_copies')
    expect(await bringUpToDate(copy)).toEqual(steps)
    expect([await rows(), await answersOf(copied(medians))]).toEqual(before)
  })

  test('killed in the middle it goes on where it was', async () => {
    const copy = copyOf(rawRuns)
    const { url, user, password } = engineOfRun()
    const script = fileURLToPath(new URL('copy-until-killed.ts', import.meta.url))
    const given = { url, user, password, database: clickhouse.database, now: NOON }
    const child = spawn(process.execPath, [script, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'inherit'] })
    // The rows of its third page are stored, which does not count as covered yet.
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const [state] = await copies.states()
    const expected = GENERATED_ROWS
    expect(await rows()).toBeLessThan(expected)
    expect(state!.covered.length).toBeGreaterThan(0)
    const steps = await bringUpToDate(copy)
    expect(steps.length).toBeGreaterThan(0)
    expect(steps.every(({ hours }) => hours[1] <= state!.covered[0]![0])).toBe(true)
    expect(await rows()).toBe(expected)
    expect(await answersOf(copied(rawRuns))).toEqual(await answersOfRows(await rowsOfRawRuns()))
  })

  test('stopped after the rows of a page and before it counts as covered, the page is copied again', async () => {
    const copy = copyOf(medians)
    let saves = 0
    const failing: HistoryCopies = {
      ...copies,
      async save(state) {
        saves += 1
        if (saves === 3) throw new Error('the machine lost power')
        await copies.save(state)
      },
    }
    const run = async () => {
      for await (const _ of copyHistory(failing, copy, null, () => NOON)) expect(saves).toBeLessThan(3)
    }
    await expect(run()).rejects.toThrow('power')
    await bringUpToDate(copy)
    expect(await rows()).toBe(GENERATED_ROWS)
  })

  test('two repositories have each its own, and only the days that it wants', async () => {
    await bringUpToDate(copyOf(medians))
    await bringUpToDate(copyOf(medians, { repositoryId: 2, days: 10 }))
    const other = { ...OF, repositoryId: 2 }
    const few = await all(copied(medians), other)
    expect(few).toHaveLength(GENERATED_SERIES)
    // To the whole hour.
    expect(new Set(few.map(({ points }) => points.length))).toEqual(new Set([59]))
    expect((await all(copied(medians)))[0]!.points).toHaveLength(180)
    await bringUpToDate(copyOf(medians, { repositoryId: 2, days: 20 }))
    expect((await all(copied(medians), other))[0]!.points).toHaveLength(119)
  })

  test('rows of a table that may not be used are not read', async () => {
    await bringUpToDate(copyOf(medians))
    expect(await all(copied())).toEqual([])
    expect(await all(copied(rawRuns))).toEqual([])
  })
})

describe('the recorded history', () => {
  const recorded = (): MeasuredQuery[] => {
    const runs = measuredRuns()
    const newest = Math.max(...runs.map(({ row }) => row.time))
    // It is of another year: moved as a whole, so that all of it is copied.
    const moved = Math.floor((NOON - HOUR - newest) / HOUR) * HOUR
    return runs.map(({ row, sides }) => ({ row: { ...row, time: row.time + moved }, sides }))
  }

  beforeAll(async () => {
    await empty('medians', 'repetitions', 'trunk_history', 'history_copies')
    const queries = recorded()
    await insertMedians(clickhouse, queries)
    await insertRepetitions(clickhouse, queries)
  })
  beforeEach(async () => {
    await empty('trunk_history', 'history_copies')
  })

  test.each([
    ['medians', () => [medians]],
    ['raw runs', () => [rawRuns]],
    ['both', () => [medians, rawRuns]],
    ['both, the other order', () => [rawRuns, medians]],
  ])('%s: every answer is that of its rows, reduced one by one', async (_, sources) => {
    for (const source of sources()) await bringUpToDate(copyOf(source, { days: 3650 }))
    expect(await rows()).toBe(measuredRuns().length)
    const found = await answersOf(copied(...sources()))
    expect(found.series).toHaveLength(68)
    expect(found.steps.some((steps) => steps.length > 0)).toBe(true)
    const reduced = recorded().map(({ row, sides }) => ({ ...row, ...mediansOfRepetitions(...sides) }))
    expect(found).toEqual(await answersOfRows(reduced))
  })
})

describe('few rows', () => {
  const steady: Sides = [
    [1, 1.01, 1.02],
    [1.5, 1.51, 1.52],
  ]
  const query = (changes: Partial<TrunkRow> = {}, sides = steady): MeasuredQuery => ({
    row: trunkRow({ time: NOON - 5 * HOUR, ...changes }),
    sides,
  })

  beforeEach(async () => {
    await empty('medians', 'repetitions', 'trunk_history', 'history_copies')
  })

  test('repetitions that come late replace what was made of the others', async () => {
    const copy = copyOf(rawRuns)
    await insertRepetitions(clickhouse, [query()])
    expect(await bringUpToDate(copy)).not.toEqual([])
    const [before] = await all(copied(rawRuns))
    expect(before!.points).toMatchObject([{ old: 1.01, new: 1.51 }])
    await insertRepetitions(clickhouse, [query({}, [[0.5, 0.6, 0.7, 1.005], []]), query({ test: 'late' })])
    expect((await bringUpToDate(copy)).map(({ rows: stored }) => stored)).toEqual([2])
    const after = await all(copied(rawRuns))
    expect(after.map(({ test: name }) => name)).toEqual(['join', 'late'])
    expect(after[0]!.points).toMatchObject([{ old: 1, new: 1.51 }])
    expect(await rows()).toBe(2)
    expect(await bringUpToDate(copy)).toEqual([])
  })

  test('the latest hours are counted every time, those of the last days once an hour', async () => {
    const copy = copyOf(medians)
    await insertMedians(clickhouse, [query(), query({ newCommit: 'yesterday', time: NOON - 20 * HOUR })])
    await bringUpToDate(copy)
    await insertMedians(clickhouse, [query({ test: 'late' }), query({ test: 'late', time: NOON - 20 * HOUR })])
    const stored = async (minutes: number) =>
      (await bringUpToDate(copy, NOON + minutes * 60_000)).map(({ rows: some }) => some)
    expect(await stored(5)).toEqual([2])
    expect(await stored(10)).toEqual([])
    expect(await stored(60)).toEqual([2])
    expect(await stored(65)).toEqual([])
    expect(await rows()).toBe(4)
  })

  test('rows that came while the bot was away are found, however long it was', async () => {
    const copy = copyOf(medians)
    await insertMedians(clickhouse, [query()])
    await bringUpToDate(copy)
    await insertMedians(clickhouse, [query({ newCommit: 'late' })])
    await bringUpToDate(copy, NOON + 10 * DAY)
    expect((await all(copied(medians)))[0]!.points.map(({ commit }) => commit).toSorted()).toEqual(['c1', 'late'])
    // Three days after they were last counted nobody looks any more.
    await insertMedians(clickhouse, [query({ newCommit: 'too late' })])
    await bringUpToDate(copy, NOON + 10 * DAY + HOUR)
    expect((await all(copied(medians)))[0]!.points).toHaveLength(2)
  })

  test('an hour with more rows than are held is read in parts', async () => {
    await clickhouse.command(
      'fill',
      `INSERT INTO medians (event_time, new_sha, test, query_index, query_display_name, metric, old_value, new_value)
       SELECT toDateTime({at:UInt32}, 'UTC'), 'c', concat('t', toString(number % 50)), intDiv(number, 50), toString(number), 'client_time', 1, 2
       FROM numbers(50000)`,
      { at: NOON / 1000 - 7200 },
    )
    const steps = await bringUpToDate(copyOf(medians))
    expect(steps.map(({ rows: stored }) => stored).filter((stored) => stored > 0)).toEqual([50_000])
    expect(await rows()).toBe(50_000)
  })

  test('a run a week for a year takes as few pages as its rows fill', async () => {
    const weekly = Array.from({ length: 52 }, (_, week) =>
      query({ newCommit: `c${week}`, time: NOON - (7 * week + 4) * DAY }),
    )
    await insertMedians(clickhouse, weekly)
    const steps = await bringUpToDate(copyOf(medians, { days: 365 }))
    expect(steps.map(({ rows: stored }) => stored)).toEqual([1, 2, 4, 8, 16, 21])
    expect(await rows()).toBe(52)
  })

  test('a query that was not measured on both sides, and a row without a test, are left out', async () => {
    await insertRepetitions(clickhouse, [
      query(),
      query({ test: 'one side' }, [[1, 1, 1], []]),
      query({ test: 'no number' }, [[1, 1, Number.NaN], steady[1]]),
      query({ test: '' }),
    ])
    const steps = await bringUpToDate(copyOf(rawRuns))
    const stored = steps.map(({ rows: some, leftOut }) => [some, leftOut])
    expect(stored.filter(([some]) => some! > 0)).toEqual([[1, 3]])
  })

  test.each([
    ['medians', () => medians],
    ['raw runs', () => rawRuns],
  ])('%s: 0 on both sides is a measurement that did not move, of any metric', async (_, source) => {
    const none: Sides = [
      [0, 0, 0],
      [0, 0, 0],
    ]
    const reads = Array.from({ length: 12 }, (__, run) =>
      query({ metric: 'OSReadBytes', newCommit: `c${run}`, time: NOON - (run + 1) * HOUR }, none),
    )
    await insertMedians(clickhouse, reads)
    // `(new_value - old_value) / old_value`, as a CI may compute it.
    await clickhouse.command(
      'update',
      'ALTER TABLE medians UPDATE diff = 0 / 0 WHERE true',
      {},
      { mutations_sync: '1' },
    )
    await insertRepetitions(clickhouse, reads)
    await bringUpToDate(copyOf(source(), { metric: 'OSReadBytes' }))
    const of = { ...OF, metric: 'OSReadBytes' }
    const { series, moves } = await answersOf(copied(source()), of)
    expect(series[0]!.points.map((point) => [point.old, point.new, point.difference])).toEqual(
      reads.map(() => [0, 0, 0]),
    )
    expect(moves[0]).toMatchObject({ runs: 12, times: 0 })
  })

  test('a table that can’t be asked is a problem of the copy, until it can', async () => {
    const later = SourceTable.ofMedians(ci, `${clickhouse.database}.later`)
    await expect(bringUpToDate(copyOf(later))).rejects.toThrow('later')
    expect(
      (await copies.states()).map(({ problem, checkedAt }) => [
        problem?.kind === 'missing-table' && problem.message.includes('later'),
        checkedAt,
      ]),
    ).toEqual([[true, 0]])
    // A server that is away says nothing about the table.
    const known = (await copies.states())[0]!
    const down = new ExternalDatabase({
      url: 'http://127.0.0.1:9',
      user: 'u',
      password: 'p',
      called: 'the CI database',
    })
    const away = copyHistory(copies, copyOf(SourceTable.ofMedians(down, 'later')), known, () => NOON)
    await expect(away.next()).rejects.toMatchObject({ problem: 'unreachable' })
    await down.close()
    expect(await copies.states()).toEqual([known])
    await clickhouse.command('create', 'CREATE TABLE later AS medians')
    await bringUpToDate(copyOf(later))
    expect((await copies.states()).map(({ problem, checkedAt }) => [problem, checkedAt])).toEqual([[null, NOON]])
    await clickhouse.command('drop', 'DROP TABLE later')
  })

  describe('of one run of a query one source stands, whichever comes first', () => {
    const own = (changes: Partial<TrunkRow> = {}) =>
      // The bot finds it when it has ended.
      trunkRow({ source: 'own', time: NOON - 3 * HOUR, old: 3, new: 3, ...changes })
    const imported = () => trunkRow({ source: 'imported', time: NOON - 5 * HOUR + 7000, old: 2, new: 2 })
    const saveOwn = async () => void (await saveTrunkRows(clickhouse, 1, [own()]))
    const saveImported = async () => void (await saveTrunkRows(clickhouse, 1, [imported()]))
    const copyMedians = async () => void (await bringUpToDate(copyOf(medians)))
    const copyRawRuns = async () => void (await bringUpToDate(copyOf(rawRuns)))
    const writers = { saveOwn, saveImported, copyMedians, copyRawRuns }
    const found = async () => {
      const series = await all(copied(medians, rawRuns))
      return series.map(({ test: name, source, points }) => [name, source, points.map((point) => point.old)])
    }
    const beside = (source: string, old: number) => ['beside', source, [old]]

    const orders = [
      ['saveOwn', 'saveImported', 'copyMedians', 'copyRawRuns'],
      ['copyRawRuns', 'copyMedians', 'saveImported', 'saveOwn'],
      ['copyMedians', 'saveOwn', 'copyRawRuns', 'saveImported'],
      ['saveImported', 'copyRawRuns', 'saveOwn', 'copyMedians'],
    ] as const

    test.each(orders.map((order) => [order.join(', '), order] as const))('%s', async (_, order) => {
      const other: Sides = [[4, 4, 4], steady[1]]
      await insertMedians(clickhouse, [query(), query({ test: 'beside' })])
      await insertRepetitions(clickhouse, [
        query({}, other),
        query({ test: 'beside' }, other),
        query({ test: 'raw' }, other),
        query({ newCommit: 'c9' }, other),
      ])
      for (const name of order) await writers[name]()
      const sources = await found()
      // The commit that the bot has measured stands as its own, the one of the raw runs beside it.
      expect(sources).toEqual([beside('ci-database', 1.01), ['join', 'own', [4, 3]], ['raw', 'ci-database', [4]]])
      // Again, in the same order: nothing changes.
      for (const name of order) await writers[name]()
      expect(await found()).toEqual(sources)
    })

    test.each([[['saveImported', 'copyMedians'] as const], [['copyMedians', 'saveImported'] as const]])(
      'imported before copied: %s',
      async (order) => {
        await insertMedians(clickhouse, [query()])
        for (const name of order) await writers[name]()
        expect(await found()).toEqual([['join', 'imported', [2]]])
      },
    )

    test('another architecture, metric or repository is another run', async () => {
      await insertMedians(clickhouse, [query()])
      await copyMedians()
      await saveTrunkRows(clickhouse, 1, [own({ architecture: 'arm' }), own({ metric: 'memory_usage' })])
      await saveTrunkRows(clickhouse, 2, [own()])
      expect(await found()).toEqual([
        ['join', 'ci-database', [1.01]],
        ['join', 'own', [3]],
      ])
    })
  })

  describe('rounds', () => {
    const log = pino({ level: 'silent' })
    const round = async (
      wanted: readonly (RepositoryCopies | { repositoryId: number; copies: null })[],
      into: HistoryCopies = copies,
    ) => {
      const options = { profileCopies: profiles, wanted: async () => wanted, now: () => NOON, log, paced: false }
      const sync = startHistorySync({ copies: into, ...options })
      await sync.round()
      await sync.stop(10_000)
    }
    const repository = (repositoryId: number, ...sources: readonly SourceTable[]): RepositoryCopies => ({
      repositoryId,
      name: `acme/${repositoryId}`,
      copies: sources.map((source) => copyOf(source, { repositoryId })),
      profilesFrom: null,
    })
    const countOf = async (repositoryId: number) => {
      const sql =
        'SELECT toUInt32(count()) AS rows FROM trunk_history FINAL WHERE repository_id = {repositoryId:UInt64} AND NOT superseded'
      return (await clickhouse.read('rows', sql, { repositoryId }, z.object({ rows: z.number() })))[0]!.rows
    }

    test('what may not be copied any more is deleted, and what was left out for its sake comes back', async () => {
      await insertMedians(clickhouse, [query()])
      await insertRepetitions(clickhouse, [query({}, [[4, 4, 4], steady[1]])])
      await saveTrunkRows(clickhouse, 1, [trunkRow({ test: 'own' })])
      await round([repository(1, medians, rawRuns), repository(2, medians)])
      expect([await countOf(1), await countOf(2)]).toEqual([2, 1])
      expect((await all(copied(medians, rawRuns))).map(({ points }) => points[0]!.old)).toEqual([1.01, 0.1])
      await round([repository(1, rawRuns), repository(2, medians)])
      expect([await countOf(1), await countOf(2)]).toEqual([2, 1])
      expect((await all(copied(medians, rawRuns))).map(({ points }) => points[0]!.old)).toEqual([4, 0.1])
      expect((await copies.states()).map(({ repositoryId, copiedFrom }) => [repositoryId, copiedFrom])).toEqual([
        [1, rawRuns.copiedFrom],
        [2, medians.copiedFrom],
      ])
      // Its trunk is not known just now: nothing is deleted.
      await round([
        { repositoryId: 1, copies: null },
        { repositoryId: 2, copies: null },
      ])
      expect([await countOf(1), await countOf(2)]).toEqual([2, 1])
      await round([repository(1)])
      expect([await countOf(1), await countOf(2)]).toEqual([1, 0])
      expect(await copies.states()).toEqual([])
    })

    test('profiles that may not be used any more are deleted, and stay where nobody knows the trunk', async () => {
      const stacks = 'http://ci/stacks'
      const traceType = 'CPU' as const
      const profile = {
        test: 'join',
        queryIndex: 0,
        queryName: null,
        traceType,
        old: [{ stack: 'main', count: 1 }],
        new: [],
      }
      const runId = '01234567-89ab-cdef-0123-456789abcdef'
      const expires = new Date(Date.now() + 86_400_000)
      for (const [repositoryId, from] of [
        [1, stacks],
        [1, ''],
        [2, stacks],
        [3, stacks],
      ] as const) {
        const rows = stackRows({ repositoryId, profiles: [profile] }, runId, expires, from)
        await insertInto(clickhouse, STACKS, rows)
      }
      const held = async () => (await profiles.sources()).map(({ repositoryId }) => repositoryId)
      expect(await held()).toEqual([1, 2, 3])
      await round([{ ...repository(1), profilesFrom: stacks }, { repositoryId: 2, copies: null }, repository(3)])
      expect(await held()).toEqual([1, 2])
      await round([{ ...repository(1), profilesFrom: 'http://ci/others' }, repository(2)])
      expect(await held()).toEqual([])
      // What came with the run stays.
      const sql = 'SELECT toUInt32(count()) AS rows FROM stacks'
      expect(await clickhouse.read('rows', sql, {}, z.object({ rows: z.number() }))).toEqual([{ rows: 1 }])
    })

    test('under another name of the trunk everything is copied anew', async () => {
      await insertMedians(clickhouse, [query({ baseBranch: 'master' }), query({ baseBranch: 'main', newCommit: 'c2' })])
      await round([repository(1, medians)])
      expect((await all(copied(medians)))[0]!.points.map(({ commit }) => commit)).toEqual(['c1'])
      const [renamed] = repository(1, medians).copies
      await round([{ ...repository(1), copies: [{ ...renamed!, trunk: ['main'] }] }])
      expect((await all(copied(medians)))[0]!.points.map(({ commit }) => commit)).toEqual(['c2'])
      expect((await copies.states()).map(({ trunk }) => trunk)).toEqual([['main']])
    })

    test('rows of one repository that the database refuses hold up no other', async () => {
      await insertMedians(clickhouse, [query()])
      const refusing: HistoryCopies = {
        ...copies,
        saveRows: async (copy, rows) => {
          if (copy.repositoryId === 1) throw new StoreUnavailable('the rows are refused')
          return await copies.saveRows(copy, rows)
        },
      }
      await round([repository(1, medians), repository(2, medians)], refusing)
      expect([await countOf(1), await countOf(2)]).toEqual([0, 1])
    })

    test('is told when hours that were awaited are copied, not at each turn of the hour', async () => {
      await insertMedians(clickhouse, [query()])
      let now = NOON
      const told: number[] = []
      const sync = startHistorySync({
        ...{ copies, profileCopies: profiles, log, paced: false, now: () => now },
        wanted: async () => [repository(1, medians), repository(2)],
        onComplete: async (repositoryId) => void told.push(repositoryId),
      })
      const toldBy = async (hours: number) => {
        now = NOON + hours * HOUR
        await sync.round()
        return told.splice(0)
      }
      expect(await toldBy(0)).toEqual([1])
      expect(await toldBy(0)).toEqual([])
      expect(await toldBy(1)).toEqual([])
      // A run whose rows came in the hour that went on: they are copied, and nobody waited for them.
      await insertMedians(clickhouse, [query({ time: NOON + HOUR, newCommit: 'c2' })])
      expect(await toldBy(2)).toEqual([])
      expect(await countOf(1)).toBe(2)
      // The bot was away, and nothing ran.
      expect(await toldBy(5)).toEqual([1])
      // It was away again, and something ran.
      await insertMedians(clickhouse, [query({ time: NOON + 7 * HOUR, newCommit: 'c3' })])
      expect(await toldBy(9)).toEqual([1])
      await sync.stop(10_000)
    })

    test('is told with the last page, where the bot is stopped before it asks for another', async () => {
      // The one page reaches to the oldest hour that is wanted.
      await insertMedians(clickhouse, [query({ time: NOON - 23 * HOUR })])
      const told: number[] = []
      const stopped = Promise.withResolvers<void>()
      const sync = startHistorySync({
        copies: {
          ...copies,
          save: async (state) => {
            await copies.save(state)
            stopped.resolve(sync.stop(10_000))
          },
        },
        ...{ profileCopies: profiles, log, paced: false, now: () => NOON },
        wanted: async () => [{ ...repository(1), copies: [copyOf(medians, { days: 1 })] }],
        onComplete: async (repositoryId) => void told.push(repositoryId),
      })
      await sync.round()
      await stopped.promise
      expect(told).toEqual([1])
    })

    test('a source that can’t be asked holds up no other', async () => {
      await insertMedians(clickhouse, [query()])
      await round([repository(1, SourceTable.ofMedians(ci, 'nowhere.at_all'), medians), repository(2, medians)])
      expect([await countOf(1), await countOf(2)]).toEqual([1, 1])
    })
  })
})
