import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { takeDataFolder } from '../../../src/bot/triage/data-folder.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { COPIED_TABLES } from '../../../src/store/copy/copy-database.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { engineOfRun, ownDatabase, serverVariablesOf } from '../../store/embedded/engine-fixture.ts'
import { perfTriage } from './capture.ts'

/** The engine that is left, in a folder of its own; the one of the run is the server. */
const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-copy-'))
const own = ownDatabase()
const { CLICKHOUSE_URL: url, ...variables } = serverVariablesOf(own)
const env = { ...variables, PERF_TRIAGE_DATA_DIR: dataDir }
let server: ClickHouse

beforeAll(async () => {
  const clickhouse = await openClickHouse({ url: null, dataDir })
  await migrate(clickhouse)
  for (const statement of ROWS) await clickhouse.command('rows', statement)
  await clickhouse.close()
  server = await openClickHouse({ ...own, ...engineOfRun(), database: own.database })
})
afterAll(async () => {
  await server.close()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

const RUN_ID = '00000000-0000-4000-8000-000000000001'

/** Two months and more of each table, with all that a value may hold; of what replaces each other two versions. */
const ROWS = [
  `INSERT INTO samples (repository_id, run_id, measurement, repetition, expires)
    SELECT 1, generateUUIDv4(), number, number % 250, now() + INTERVAL 20 + number DAY FROM numbers(100)`,
  `INSERT INTO samples (repository_id, run_id, measurement, expires) SELECT 1, generateUUIDv4(), 1000, now() + INTERVAL 10 MINUTE`,
  ...['2026-01-31 23:59:59.999', '2026-02-01 00:00:00.000'].flatMap((at) => [
    `INSERT INTO reports (repository_id, pull_request_number, head, judged_at) VALUES (1, 1, '${at}', '${at}')`,
    `INSERT INTO reports (repository_id, pull_request_number, head, judged_at) VALUES (1, 1, '${at}', '${at}')`,
  ]),
  `INSERT INTO trunk_history (repository_id, event_time, test, metric, arch, new_sha, source, old_value, new_value)
    SELECT 1, toDateTime('2025-01-01 00:00:00', 'UTC') + INTERVAL number HOUR, concat('a\\tb\\n\\\\', char(255), toString(number)), 'client_time', 'amd', toString(number), 'own', 1 / 3, nan
    FROM numbers(3000)`,
  // Nothing of a flag need be known but the query: the columns that may be NULL sort the table.
  `INSERT INTO flags (repository_id, head, test, ordinal, architecture, judged_at)
    SELECT 1, toString(number), number, if(number % 2 = 0, NULL, number), if(number % 3 = 0, NULL, 'arm'), '2026-11-01 00:00:00' FROM numbers(28)`,
  `INSERT INTO runs (repository_id, head, run_id, stored_at) SELECT 1, 'h', generateUUIDv4(), now64(3) FROM numbers(3)`,
  // A run whose other metrics were stored after the turn of a month.
  ...['2026-01-31 23:59:59', '2026-02-01 00:00:09'].map(
    (at) => `INSERT INTO runs (repository_id, head, run_id, stored_at) VALUES (1, 'h', '${RUN_ID}', '${at}')`,
  ),
  `INSERT INTO runs (repository_id, head, run_id, stored_at) SELECT 1, 'h', generateUUIDv4(), toDateTime64('2026-01-15 00:00:00', 3)`,
]

function copy(more: readonly string[] = []) {
  return perfTriage(['migrate', '--copy-to', url!, ...more], { env })
}

const total = z.object({ rows: z.coerce.number() })
async function rowsOf(table: string): Promise<number> {
  const [found] = await server.read('rows', `SELECT count() AS rows FROM ${table}`, {}, total, { final: 1 })
  return found!.rows
}

test('a bot that serves from the folder is not copied from', async () => {
  const folder = await takeDataFolder(dataDir)
  const { code, stderr } = await copy()
  folder.release()
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^perf-triage migrate: .* is in use .*\n$/)])
})

test('a folder that is not there and a database without rows are refused, with what to do', async () => {
  const missing = join(dataDir, 'mistyped')
  const elsewhere = await perfTriage(['migrate', '--copy-to', url!], { env: { ...env, PERF_TRIAGE_DATA_DIR: missing } })
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('set PERF_TRIAGE_DATA_DIR') })
  expect(existsSync(missing)).toBe(false)
  mkdirSync(missing)
  const empty = await perfTriage(['migrate', '--copy-to', url!], { env: { ...env, PERF_TRIAGE_DATA_DIR: missing } })
  expect(empty).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has no rows to copy: set PERF_TRIAGE_DATA_DIR/),
  })
  const other = await copy(['--from-database', 'other'])
  expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/there are rows in perf_triage; name it with/) })
})

test('every table is copied, and each value is what it was', async () => {
  const { code, stdout, stderr } = await copy()
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('trunk_history: 3,000 rows of 5 months\n')
  expect(stdout).toContain('reports: 2 rows of 2 months\n')
  expect(stdout).toContain('flags: 28 rows of 1 month\n')
  // The one that leaves within the hour stays.
  expect(stdout).toMatch(/^samples: 100 rows of \d months$/m)
  expect(stdout).toMatch(
    new RegExp(
      `CLICKHOUSE_URL=${server.where}\nCLICKHOUSE_USER=${variables['CLICKHOUSE_USER']}\nCLICKHOUSE_DATABASE=${own.database}\n$`,
    ),
  )
  const sum = 'SELECT sum(cityHash64(tuple(*))) AS sum FROM trunk_history'
  const sumRow = z.object({ sum: z.string() })
  const there = await server.read('sum', sum, {}, sumRow)
  const source = await openClickHouse({ url: null, dataDir })
  expect(await source.read('sum', sum, {}, sumRow)).toEqual(there)
  await source.close()
})

test('a database with rows of its own is left alone', async () => {
  const { code, stderr } = await copy()
  expect([code, stderr]).toEqual([2, expect.stringContaining('copy into an empty database')])
  expect(await rowsOf('trunk_history')).toBe(3000)
})

test('broken off it goes on: a month that is there is passed over, one that is not all there is copied anew', async () => {
  writeFileSync(join(dataDir, 'copy-to.json'), JSON.stringify({ url: server.where, database: own.database }))
  await server.command('lose', "DELETE FROM trunk_history WHERE event_time BETWEEN '2025-02-10' AND '2025-02-20'")
  await server.command('lose', 'TRUNCATE TABLE runs')
  const { code, stdout } = await copy(['--json'])
  expect(code).toBe(0)
  const { tables } = copiedDocument.parse(JSON.parse(stdout))
  expect(tables.find(({ table }) => table === 'trunk_history')).toEqual({
    ...{ table: 'trunk_history', rows: 3000, months: 5, present: 4 },
  })
  expect(await rowsOf('trunk_history')).toBe(3000)
  expect(await rowsOf('runs')).toBe(5)
})

const copiedDocument = z.object({
  tables: z.array(z.object({ table: z.string(), rows: z.number(), months: z.number(), present: z.number() })),
})

test('every table but that of the migrations is copied', async () => {
  const tables = await server.read('tables', 'SHOW TABLES', {}, z.object({ name: z.string() }))
  expect(COPIED_TABLES.map(({ name }) => name).toSorted()).toEqual(
    tables.map(({ name }) => name).filter((name) => name !== 'migrations'),
  )
})
