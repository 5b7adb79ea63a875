import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { ExternalDatabase, type ExternalDatabaseSettings } from '../../../src/store/external-database.ts'
import { SourceTable } from '../../../src/store/sync/source-table.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'
import { NOON, type RepetitionRow, repetitionRows, trunkRow } from '../history/trunk-rows.ts'
import { createCiTables, insertRepetitionRows, type Sides } from './ci-tables.ts'

/** What is read of a table of others. */

let clickhouse: ClickHouse
const opened: ExternalDatabase[] = []

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  await createCiTables(clickhouse)
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await clickhouse.close()
})

const OF = { metric: 'client_time', trunk: ['master'] }
const HOUR = Math.floor(NOON / 3_600_000)

type Kind = 'ofMedians' | 'ofRawRuns'

function open(kind: Kind, table: string, changes: Partial<ExternalDatabaseSettings> = {}): SourceTable {
  const { url, user, password } = engineOfRun()
  const database = new ExternalDatabase({ url, user, password, called: 'the CI database', ...changes })
  opened.push(database)
  return SourceTable[kind](database, `${clickhouse.database}.${table}`)
}

/** All rows of the table in the order of their texts, and those that say nothing. */
async function read(source: SourceTable) {
  const page = { hours: [HOUR - 48, HOUR + 48] as const, rows: 1, parts: 1 }
  const { rows, leftOut } = await source.read(OF, page, 0)
  const key = ({ test: name, queryName, queryIndex, newCommit }: TrunkRow) =>
    JSON.stringify([name, queryName, queryIndex, newCommit])
  return { rows: rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)), leftOut }
}

async function create(table: string, columns: string, values: string): Promise<void> {
  await clickhouse.command('create', `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY tuple()`)
  if (values !== '') await clickhouse.command('insert', `INSERT INTO ${table} VALUES ${values}`)
}

const ESSENTIAL =
  'event_time DateTime, new_sha String, test String, query_index UInt32, query_display_name String, metric String, old_value Float64, new_value Float64'
const BEFORE = "'2026-06-01 10:00:00'"

describe('medians', () => {
  test('with the essential columns alone', async () => {
    await create(
      'old_table',
      ESSENTIAL,
      `(${BEFORE}, 'b', 't', 3, 'SELECT 1', 'client_time', 1, 1.5), (${BEFORE}, 'b', 't', 3, 'SELECT 1', 'memory', 1, 1)`,
    )
    const source = open('ofMedians', 'old_table')
    expect((await read(source)).rows).toEqual([
      {
        ...{ source: 'ci-database', copiedFrom: { table: source.copiedFrom, isOfRawRuns: false } },
        ...{ time: Date.UTC(2026, 5, 1, 10), oldCommit: '', newCommit: 'b' },
        ...{ test: 't', queryName: 'SELECT 1', queryIndex: 3, metric: 'client_time', architecture: '' },
        ...{ old: 1, new: 1.5, difference: 0.5, threshold: null },
        ...{ workflowName: '', baseBranch: '', reportUrl: '', instanceType: '', instanceId: '' },
      },
    ])
    expect(await source.rowsOfHours(OF, [HOUR - 48, HOUR])).toEqual(new Map([[HOUR - 2, 1]]))
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
    const { rows } = await read(open('ofMedians', 'nullable_table'))
    expect(rows.map(({ queryName, architecture, newCommit }) => [queryName, architecture, newCommit])).toEqual([
      ['SELECT 1', 'arm', 'b'],
      ['SELECT 2', 'arm', 'b'],
    ])
    expect(rows[1]).toMatchObject({ oldCommit: '', new: 2, threshold: 0.25 })
  })

  test('texts that were cut, with the index behind them', async () => {
    const long = 'é'.repeat(1000)
    await create(
      'long_table',
      ESSENTIAL,
      [4, 7].map((index) => `(${BEFORE}, 'b', 't', ${index}, '${long}...(${index})', 'client_time', 1, 1.5)`).join(','),
    )
    const source = open('ofMedians', 'long_table')
    expect((await read(source)).rows.map(({ queryName, queryIndex }) => [queryName === long, queryIndex])).toEqual([
      [true, 4],
      [true, 7],
    ])
    const query = { test: 't', queryName: long, queryIndex: 9, architecture: null }
    const wanted = [query, { ...query, ordinal: 1 }, { ...query, ordinal: 2 }]
    const live = await source.seriesOf(OF, wanted, { from: 0, to: NOON })
    expect(live.map(({ ordinal, points }) => [ordinal, points.length])).toEqual([
      [undefined, 1],
      [1, 1],
    ])
  })

  test('columns that change while it is open', async () => {
    const columns = `${ESSENTIAL}, arch String`
    await create('changing', columns, `(${BEFORE}, 'b', 't', 3, 'SELECT 1', 'client_time', 1, 1.5, 'amd')`)
    const source = open('ofMedians', 'changing')
    expect((await read(source)).rows[0]?.architecture).toBe('amd')
    await clickhouse.command('drop', 'ALTER TABLE changing DROP COLUMN arch')
    expect((await read(source)).rows[0]?.architecture).toBe('')
  })

  test('that can’t be asked are a problem of their own, which says no password', async () => {
    await create('lacking', ESSENTIAL.replace('new_sha String, ', '').replace('metric String, ', ''), '')
    await expect(read(open('ofMedians', 'lacking'))).rejects.toMatchObject({
      problem: 'missing-column',
      message: expect.stringContaining('new_sha, metric') as string,
    })
    await expect(read(open('ofMedians', 'not_there'))).rejects.toMatchObject({ problem: 'missing-table' })
    expect(() => open('ofMedians', 'a; DROP TABLE b')).toThrow('is not a table name')
    const elsewhere = read(open('ofMedians', 'lacking', { url: 'http://127.0.0.1:1' }))
    await expect(elsewhere).rejects.toMatchObject({ problem: 'unreachable' })
    const refused = read(open('ofMedians', 'lacking', { password: 'a secret of 1' }))
    await expect(refused).rejects.toMatchObject({
      problem: 'access-denied',
      message: expect.not.stringContaining('a secret of 1') as string,
    })
  })
})

describe('raw runs', () => {
  const steady: Sides = [
    [1, 1.01, 1.02],
    [1.5, 1.51, 1.52],
  ]
  const with_ = (rows: readonly RepetitionRow[], changes: RepetitionRow) => rows.map((row) => ({ ...row, ...changes }))

  beforeEach(async () => {
    await clickhouse.command('empty', 'TRUNCATE TABLE repetitions')
  })

  test('count where they are of the trunk against its predecessor', async () => {
    const rows = repetitionRows(trunkRow(), steady)
    await insertRepetitionRows(clickhouse, [
      ...rows,
      ...with_(rows, { pr_number: 7, new_sha: 'pull' }),
      ...with_(rows, { baseline_kind: 'release_base', new_sha: 'release' }),
      ...with_(rows, { base_branch: '25.8', new_sha: 'branch' }),
      ...with_(rows, { metric_name: 'memory_usage', new_sha: 'metric' }),
      ...with_(rows, { base_branch: '', baseline_kind: '', new_sha: 'unstated' }),
      ...with_(rows, { arch: 'arm' }),
    ])
    const found = await read(open('ofRawRuns', 'repetitions'))
    expect(found.rows.map(({ architecture, newCommit }) => `${architecture} ${newCommit}`).toSorted()).toEqual([
      'amd c1',
      'amd unstated',
      'arm c1',
    ])
  })

  test('do not count where they were measured on one side only or without a value', async () => {
    await insertRepetitionRows(clickhouse, [
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
    const { rows, leftOut } = await read(open('ofRawRuns', 'repetitions'))
    expect(rows.map(({ queryName, difference }) => [queryName, difference])).toEqual([
      ['still', 0],
      ['zero', Infinity],
    ])
    expect(leftOut).toBe(4)
  })

  test('of equal texts, of a text that was cut, and of one that is unknown', async () => {
    const long = 'é'.repeat(1000)
    const one = (queryIndex: number, queryName: string) => repetitionRows(trunkRow({ queryIndex, queryName }), steady)
    await insertRepetitionRows(clickhouse, [
      ...one(9, 'twice'),
      ...one(2, 'twice'),
      ...one(4, `${long}...(4)`),
      ...one(7, `${long}...(7)`),
      ...one(5, ''),
      ...one(6, ''),
    ])
    const { rows } = await read(open('ofRawRuns', 'repetitions'))
    expect(rows.map(({ queryName, queryIndex }) => [queryName?.slice(0, 5) ?? null, queryIndex])).toEqual([
      ['twice', 2],
      ['twice', 9],
      ['ééééé', 4],
      ['ééééé', 7],
      [null, 5],
      [null, 6],
    ])
  })

  test('of a table with the essential columns alone, in other types', async () => {
    await create(
      'essential',
      `check_start_time DateTime64(3, 'UTC'), new_sha FixedString(2), test LowCardinality(Nullable(String)), query_index UInt8,
       query_display_name Nullable(String), side Enum8('baseline' = 0, 'candidate' = 1), metric_name String, metric_value Float32`,
      [1, 2, 3]
        .flatMap((value) => [`'baseline', 'client_time', ${value}`, `'candidate', 'client_time', ${2 * value}`])
        .map((values) => `(${BEFORE}, 'c1', 'join', 0, 'SELECT 1', ${values})`)
        .join(', '),
    )
    expect((await read(open('ofRawRuns', 'essential'))).rows).toMatchObject([
      { test: 'join', queryName: 'SELECT 1', queryIndex: 0, architecture: '', newCommit: 'c1', oldCommit: '' },
    ])
    expect((await read(open('ofRawRuns', 'essential'))).rows).toMatchObject([
      { old: 2, new: 4, difference: 1, threshold: 1 },
    ])
    await create('lacking_side', 'check_start_time DateTime, new_sha String, test String', '')
    await expect(read(open('ofRawRuns', 'lacking_side'))).rejects.toMatchObject({
      problem: 'missing-column',
      message: expect.stringContaining('side') as string,
    })
  })
})
