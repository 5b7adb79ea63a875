import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HistoryProblem } from '../../../src/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { chainedTrunkHistory, chainedWithCostly } from '../../../src/store/history/chained-trunk-history.ts'
import { openCiTrunkHistory } from '../../../src/store/history/ci-trunk-history.ts'
import { ownTrunkHistory } from '../../../src/store/history/own-trunk-history.ts'
import { type HistoryOf, HistoryUnavailable, type TrunkHistory } from '../../../src/store/history/trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { engineOfRun, migratedDatabase } from '../../embedded/engine-fixture.ts'
import type { EngineOfRun } from '../../embedded/engine-of-run.ts'
import { DAY, NOON, trunkRow } from './trunk-rows.ts'

let embedded: EngineOfRun
let clickhouse: ClickHouse
let own: TrunkHistory
const opened: { close(): Promise<void> }[] = []

beforeAll(async () => {
  embedded = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
  own = ownTrunkHistory(clickhouse)
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await clickhouse.close()
})
beforeEach(async () => {
  await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
})

const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOON, trunk: ['master'] }
const ALL_TIME = { from: 0, to: NOON }

function open(table: string, changes: Partial<Parameters<typeof openCiTrunkHistory>[0]> = {}): TrunkHistory {
  const { url, user, password } = embedded
  const history = openCiTrunkHistory({ url, user, password, table: `${clickhouse.database}.${table}`, ...changes })
  opened.push(history)
  return history
}

async function create(table: string, columns: string, values: string): Promise<void> {
  await clickhouse.command('create', `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
  if (values !== '') await clickhouse.command('insert', `INSERT INTO ${table} VALUES ${values}`)
}

async function all(history: TrunkHistory) {
  const found = []
  for await (const some of history.allSeries(OF, ALL_TIME)) found.push(...some)
  return found.toSorted((a, b) => (`${a.test} ${a.queryName}` < `${b.test} ${b.queryName}` ? -1 : 1))
}

const ESSENTIAL =
  'event_time DateTime, new_sha String, test String, query_index UInt32, query_display_name String, metric String, old_value Float64, new_value Float64'
const BEFORE = "'2026-06-01 10:00:00'"

describe('a table of others', () => {
  test('with the essential columns alone', async () => {
    await create(
      'old_table',
      ESSENTIAL,
      `(${BEFORE}, 'b', 't', 3, 'SELECT 1', 'client_time', 1, 1.5), (${BEFORE}, 'b', 't', 3, 'SELECT 1', 'memory', 1, 1)`,
    )
    const history = open('old_table')
    expect(await all(history)).toEqual([
      {
        test: 't',
        queryName: 'SELECT 1',
        queryIndex: 3,
        architecture: null,
        metric: 'client_time',
        source: 'ci-database',
        points: [
          {
            time: Date.UTC(2026, 5, 1, 10),
            commit: 'b',
            referenceCommit: '',
            old: 1,
            new: 1.5,
            difference: 0.5,
            threshold: null,
          },
        ],
      },
    ])
    const wanted = { test: 't', queryName: 'SELECT 1', queryIndex: 0, architecture: null, atLeast: 0.5 }
    expect(await history.moves(OF, 30, [wanted])).toEqual([
      { runs: 1, times: 1, lowest: 0.5, highest: 0.5, lastTime: Date.UTC(2026, 5, 1, 10) },
    ])
  })

  test('with other types, and rows of pull requests and other branches', async () => {
    await create(
      'nullable_table',
      `event_date Nullable(Date), event_time DateTime64(3, 'UTC'), pr_number Nullable(Int64), old_sha Nullable(String), new_sha FixedString(1), test LowCardinality(Nullable(String)), query_index UInt64, query_display_name Nullable(String), metric Enum8('client_time' = 1), old_value Float32, new_value Nullable(Float32), diff Nullable(Float64), stat_threshold Nullable(Float32), arch Enum8('amd' = 1, 'arm' = 2), base_branch Nullable(String)`,
      `('2026-06-01', ${BEFORE}, 0, 'a', 'b', 't', 0, 'SELECT 1', 'client_time', 1, 1.5, 0.5, NULL, 'arm', NULL),
       ('2026-06-01', ${BEFORE}, NULL, NULL, 'b', 't', 1, 'SELECT 2', 'client_time', 1, 2, 1, 0.25, 'arm', 'master'),
       ('2026-06-01', ${BEFORE}, 7, 'a', 'c', 't', 0, 'SELECT 1', 'client_time', 1, 9, 8, 0.25, 'arm', ''),
       ('2026-06-01', ${BEFORE}, 0, 'a', 'd', 't', 0, 'SELECT 1', 'client_time', 1, 9, 8, 0.25, 'arm', '25.8')`,
    )
    const found = await all(open('nullable_table'))
    expect(found.map(({ queryName, architecture, points }) => [queryName, architecture, points.length])).toEqual([
      ['SELECT 1', 'arm', 1],
      ['SELECT 2', 'arm', 1],
    ])
    expect(found[1]!.points[0]).toMatchObject({ commit: 'b', referenceCommit: '', new: 2, threshold: 0.25 })
  })

  test('has texts that were cut, with the index behind them', async () => {
    const long = 'é'.repeat(1000)
    await create(
      'long_table',
      ESSENTIAL,
      [4, 7].map((index) => `(${BEFORE}, 'b', 't', ${index}, '${long}...(${index})', 'client_time', 1, 1.5)`).join(','),
    )
    const query = { test: 't', queryName: long, queryIndex: 9, architecture: null }
    const found = await open('long_table').series(
      OF,
      [query, { ...query, ordinal: 1 }, { ...query, ordinal: 2 }],
      ALL_TIME,
    )
    expect(found.map(({ ordinal }) => ordinal)).toEqual([undefined, 1])
  })

  test('whose columns change while it is open', async () => {
    await create(
      'changing',
      `${ESSENTIAL}, arch String`,
      `(${BEFORE}, 'b', 't', 3, 'SELECT 1', 'client_time', 1, 1.5, 'amd')`,
    )
    const history = open('changing')
    expect((await all(history))[0]?.architecture).toBe('amd')
    await clickhouse.command('drop', 'ALTER TABLE changing DROP COLUMN arch')
    expect((await all(history))[0]?.architecture).toBeNull()
  })

  const problemOf = async (history: () => TrunkHistory): Promise<{ problem: HistoryProblem; message: string }> => {
    try {
      await history().learnedThresholds(OF)
    } catch (error) {
      if (error instanceof HistoryUnavailable) return { problem: error.problem, message: error.message }
      throw error
    }
    throw new Error('it could be asked')
  }

  test('that can’t be asked is a problem of its own, and says no password', async () => {
    await create('lacking', ESSENTIAL.replace('new_sha String, ', '').replace('metric String, ', ''), '')
    expect(await problemOf(() => open('lacking'))).toMatchObject({
      problem: 'missing-column',
      message: expect.stringContaining('new_sha, metric') as string,
    })
    expect(await problemOf(() => open('not_there'))).toMatchObject({ problem: 'missing-table' })
    expect(await problemOf(() => open('a; DROP TABLE b'))).toMatchObject({ problem: 'missing-table' })
    expect(await problemOf(() => open('lacking', { url: 'nowhere' }))).toMatchObject({ problem: 'unreachable' })
    expect(await problemOf(() => open('lacking', { url: 'http://127.0.0.1:1' }))).toMatchObject({
      problem: 'unreachable',
    })
    const refused = await problemOf(() => open('lacking', { password: 'a secret of 1' }))
    expect(refused.problem).toBe('access-denied')
    expect(refused.message).not.toContain('a secret of 1')
  })
})

describe('own rows before those of another database', () => {
  const month = (changes: Parameters<typeof trunkRow>[0] = {}) =>
    Array.from({ length: 101 }, (_, i) =>
      trunkRow({ time: NOON - 8 * DAY - i * 60_000, newCommit: `c${i}`, difference: 0.02, ...changes }),
    )

  /** What is in the bot's own table now, and nothing there any more. */
  const moveTo = async (table: string) => {
    await create(
      table,
      `${ESSENTIAL}, old_sha String, diff Float64, stat_threshold Float64, arch String, instance_type String`,
      '',
    )
    await clickhouse.command(
      'fill',
      `INSERT INTO ${table} SELECT event_time, new_sha, test, query_index, query_display_name, metric, old_value, new_value, old_sha, diff, stat_threshold, arch, instance_type FROM trunk_history`,
    )
    await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
  }

  test('are taken run by run', async () => {
    await saveTrunkRows(clickhouse, 1, [...month({ difference: 0.4 }), ...month({ queryName: 'b' })])
    await moveTo('others')
    await saveTrunkRows(clickhouse, 1, month())
    const chained = chainedTrunkHistory(own, open('others'))

    const learned = await chained.learnedThresholds(OF)
    expect(learned.lookup('["join","SELECT 1"]', 'amd')?.changed).toBeCloseTo(0.03)
    expect(learned.lookup('["join","b"]', 'amd')?.changed).toBeCloseTo(0.03)
    expect(learned).toMatchObject({
      queries: 2,
      source: 'own',
      alsoFrom: ['ci-database'],
      newest: NOON - 8 * DAY,
      unavailable: null,
    })
    expect((await all(chained)).map(({ queryName, source }) => [queryName, source])).toEqual([
      ['SELECT 1', 'own'],
      ['b', 'ci-database'],
    ])
    const query = { test: 'join', queryIndex: 0, architecture: 'amd', atLeast: 0.1 }
    const wanted = [
      { ...query, queryName: 'b' },
      { ...query, queryName: 'none' },
      { ...query, queryName: 'SELECT 1' },
    ]
    expect((await chained.moves(OF, 30, wanted)).map((moves) => moves?.times)).toEqual([0, undefined, 0])
    expect((await chained.series(OF, wanted, ALL_TIME)).map(({ queryName, source }) => [queryName, source])).toEqual([
      ['b', 'ci-database'],
      ['SELECT 1', 'own'],
    ])
    const steps = await chained.pairedStepsOfAll(OF, ALL_TIME)
    expect(new Map(steps.map(({ queryName, source }) => [queryName, source]))).toEqual(
      new Map([
        ['SELECT 1', 'own'],
        ['b', 'ci-database'],
      ]),
    )
  })

  test('one own run hides nothing of the other database, and counts once', async () => {
    await saveTrunkRows(clickhouse, 1, month({ difference: 0.4, instanceType: 'c7g' }))
    await moveTo('longer')
    // The last one is known to both.
    await saveTrunkRows(clickhouse, 1, month().slice(0, 1))
    const chained = chainedTrunkHistory(own, open('longer'))
    const query = { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: 'amd', atLeast: 0.1 }
    const expected = { source: 'ci-database', alsoFrom: ['own'] }
    const [series] = await chained.series(OF, [query], ALL_TIME)
    expect(series).toMatchObject(expected)
    expect(series!.points).toHaveLength(101)
    expect(series!.points.map(({ time }) => time)).toEqual(
      series!.points.map(({ time }) => time).toSorted((a, b) => a - b),
    )
    expect(series!.points.map(({ instanceType }) => instanceType).slice(-2)).toEqual(['c7g', undefined])
    expect(await all(chained)).toMatchObject([{ ...expected, points: series!.points }])
    expect(await chained.moves(OF, 30, [query])).toMatchObject([{ runs: 101 }])
    expect((await chained.learnedThresholds(OF)).lookup('["join","SELECT 1"]', 'amd')?.changed).toBeCloseTo(0.6)
    expect((await chained.pairedStepsOfAll(OF, ALL_TIME)).map(({ points }) => points)).toEqual([101])
  })

  test('of two that are too short to learn from the longer one is told', async () => {
    await saveTrunkRows(clickhouse, 1, month().slice(0, 30))
    await moveTo('short')
    await saveTrunkRows(clickhouse, 1, month().slice(0, 5))
    const learning = { moreThan: 100, days: 30, endedDaysAgo: 7 }
    expect((await own.learnedThresholds(OF)).tooShort).toEqual({ ...learning, runs: 5 })
    const chained = chainedTrunkHistory(own, open('short'))
    expect((await chained.learnedThresholds(OF)).tooShort).toEqual({ ...learning, runs: 30 })
    await saveTrunkRows(clickhouse, 1, month())
    expect(await chained.learnedThresholds(OF)).not.toHaveProperty('tooShort')
  })

  test('stand where the other database can’t be asked, which is said', async () => {
    await saveTrunkRows(clickhouse, 1, month())
    const chained = chainedTrunkHistory(own, open('others', { url: 'http://127.0.0.1:1' }))
    const learned = await chained.learnedThresholds(OF)
    expect(learned).toMatchObject({ queries: 1, unavailable: { problem: 'unreachable' } })
    await expect(all(chained)).rejects.toThrow(HistoryUnavailable)
  })
})

describe('a costly second table', () => {
  const query = (test: string) => ({ test, queryIndex: 0, queryName: 'SELECT 1', architecture: 'amd' })
  /** Nothing listens there. */
  const down = (): TrunkHistory => open('nothing', { url: 'http://127.0.0.1:1' })

  test('that does not answer takes nothing from what the first one has', async () => {
    await saveTrunkRows(clickhouse, 1, [trunkRow({ time: NOON - DAY })])
    const both = chainedWithCostly(own, down())
    const wanted = [query('join'), query('unknown')]
    expect(
      await both.moves(
        OF,
        30,
        wanted.map((one) => ({ ...one, atLeast: 0.1 })),
      ),
    ).toMatchObject([{ runs: 1 }, null])
    expect(await both.series(OF, wanted, ALL_TIME)).toMatchObject([{ test: 'join' }])
    expect(await both.learnedThresholds(OF)).toMatchObject({ newest: NOON - DAY, unavailable: null })
  })

  test('is not taken for empty where the first one is', async () => {
    const both = chainedWithCostly(own, down())
    await expect(both.series(OF, [query('join')], ALL_TIME)).rejects.toThrow(HistoryUnavailable)
    expect((await both.learnedThresholds(OF)).unavailable).toBeInstanceOf(HistoryUnavailable)
  })
})
