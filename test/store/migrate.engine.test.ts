import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { NO_INDEX, queryHash } from '../../src/intake/measurement/query-hash.ts'
import type { QueryId } from '../../src/intake/measurement/run.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import {
  brokenParts,
  DatabaseNewer,
  MIGRATIONS,
  type Migration,
  MigrationFailed,
  migrate,
  requireNotNewer,
} from '../../src/store/migrate.ts'
import { fillPlaceholders } from '../../src/store/sql-placeholders.ts'
import { storeOn } from '../../src/store/store.ts'
import { isServer, migratedDatabase, ownDatabase } from './embedded/engine-fixture.ts'
import { NOON } from './history/trunk-rows.ts'

/** Migrated. */
let clickhouse: ClickHouse

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(() => clickhouse.close())

/** On a cluster the distributed ones alone. */
async function tables(of: ClickHouse): Promise<string[]> {
  const rows = await of.read(
    'tables',
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND NOT endsWith(name, '_local') ORDER BY name",
    {},
    z.object({ name: z.string() }),
  )
  return rows.map((row) => row.name)
}

test('creates the database and its tables once', async () => {
  const fresh = await openClickHouse(ownDatabase())
  const names = MIGRATIONS.map(({ name }) => name)
  expect(await migrate(fresh)).toEqual({ applied: names, present: [] })
  expect(await tables(fresh)).toEqual([
    'checks',
    'decisions',
    'flags',
    'history_copies',
    'ledger_entries',
    'migrations',
    'query_results',
    'reports',
    'runs',
    'samples',
    'stacks',
    'trunk_history',
  ])
  expect(await migrate(fresh)).toEqual({ applied: [], present: names })
  await fresh.close()
})

// What the engine does at its start with a part whose file is damaged.
test.skipIf(isServer())('a part that could not be read is named', async () => {
  const database = await openClickHouse(await migratedDatabase())
  await database.insert('flags', ['repository_id', 'test'], [[7, 'a']])
  expect(await brokenParts(database)).toEqual([])
  await database.command('detach', "ALTER TABLE flags DETACH PARTITION ID 'all'")
  const detached = z.object({ path: z.string() })
  const [part] = await database.read(
    'parts',
    'SELECT path FROM system.detached_parts WHERE database = currentDatabase()',
    {},
    detached,
  )
  const broken = join(dirname(part!.path), `broken-on-start_${basename(part!.path)}`)
  await rename(part!.path, broken)
  expect(await brokenParts(database)).toEqual([`1 part of flags (${broken})`])
  const warnings: unknown[] = []
  const store = storeOn(database, { warn: (details, message) => warnings.push([details, message]) })
  await store.ping()
  await store.close()
  expect(warnings).toEqual([
    [{ broken: [`1 part of flags (${broken})`] }, 'the database could not read all of its data, so rows are missing'],
  ])
})

test('several at once end with the same tables', async () => {
  const database = ownDatabase()
  const several = await Promise.all([1, 2, 3].map(() => openClickHouse(database)))
  await Promise.all(several.map((one) => migrate(one)))
  expect(await tables(several[0]!)).toEqual(await tables(clickhouse))
  expect((await migrate(several[1]!)).applied).toEqual([])
  for (const one of several) await one.close()
})

test('a statement whose table another process replaces meanwhile is applied again, five times at most', async () => {
  let left = 4
  const server = createServer((request, response) => {
    void text(request).then((statement) => {
      const replaced = statement.startsWith('TRUNCATE') && left-- > 0
      if (replaced) response.writeHead(500, { 'x-clickhouse-exception-code': '218' })
      response.end(replaced ? 'Code: 218. DB::Exception: Table t is dropped or detached. (TABLE_IS_DROPPED)' : '')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const other = await openClickHouse({ url: `http://127.0.0.1:${port}`, dataDir: '' })
  const migration: Migration = { name: '001_a', statements: ['TRUNCATE TABLE t'] }
  expect((await migrate(other, [migration])).applied).toEqual(['001_a'])
  left = 5
  await expect(migrate(other, [migration])).rejects.toThrow(MigrationFailed)
  expect(left).toBe(0)
  await other.close()
  server.close()
})

test('a statement that fails is named with its file, what came before it stays, and the next try goes on there', async () => {
  const broken = await openClickHouse(ownDatabase())
  const first: Migration = {
    name: '001_a',
    statements: ['CREATE TABLE IF NOT EXISTS {{table:a}} (x Int8) ENGINE = {{engine:MergeTree}} ORDER BY x'],
  }
  const second: Migration = {
    name: '002_b',
    statements: ['CREATE TABLE IF NOT EXISTS b (x Nope) ENGINE = MergeTree ORDER BY x'],
  }
  const error = await migrate(broken, [first, second]).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(MigrationFailed)
  expect(String(error)).toMatch(/Migration 002_b failed\.[\s\S]*Nope[\s\S]*CREATE TABLE IF NOT EXISTS b/)
  const mended = { ...second, statements: [second.statements[0]!.replace('Nope', 'Int8')] }
  expect(await migrate(broken, [first, mended])).toEqual({ applied: ['002_b'], present: ['001_a'] })
  await broken.close()
})

test('a database that a newer version has migrated is left alone, and says so', async () => {
  const other = await openClickHouse(ownDatabase())
  await migrate(other, MIGRATIONS.slice(0, 1))
  await requireNotNewer(other)
  const row = [0, '999_from_the_future on c', new Date().toISOString()]
  await other.insert('migrations', ['repository_id', 'name', 'applied_at'], [row])
  const before = await tables(other)
  for (const look of [() => migrate(other), () => requireNotNewer(other)]) {
    const error = await look().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(DatabaseNewer)
    expect(String(error)).toMatch(
      /The database \S+ \(.*\) was migrated by a newer .* 999_from_the_future on c\. Start the newer/,
    )
  }
  expect(await tables(other)).toEqual(before)
  await other.close()
  const nothing = await openClickHouse(ownDatabase())
  await requireNotNewer(nothing)
  await nothing.close()
})

test('a name of a database that needs quotes', async () => {
  const own = ownDatabase()
  const odd = await openClickHouse({ ...own, database: `${own.database}odd\`name; DROP` })
  expect((await migrate(odd)).applied).toHaveLength(MIGRATIONS.length)
  await odd.close()
})

test('samples leave when their time has come', async () => {
  const columns = ['repository_id', 'run_id', 'measurement', 'side', 'repetition', 'test', 'metric', 'value', 'expires']
  const row = (repetition: number, expires: number) => [
    1,
    '00000000-0000-0000-0000-000000000001',
    0,
    'old',
    repetition,
    't',
    'm',
    1,
    expires,
  ]
  const now = Math.floor(Date.now() / 1000)
  await clickhouse.insert('samples', columns, [row(0, now - 86_400), row(1, now + 86_400)])
  await clickhouse.command('optimize', 'OPTIMIZE TABLE samples FINAL')
  const left = await clickhouse.read('left', 'SELECT repetition FROM samples', {}, z.object({ repetition: z.number() }))
  expect(left).toEqual([{ repetition: 1 }])
})

test('rows of stacks are taken along into the new layout, also when it is applied again', async () => {
  const other = await openClickHouse(ownDatabase())
  const at = MIGRATIONS.findIndex(({ name }) => name === '008_stacks')
  await migrate(other, MIGRATIONS.slice(0, at))
  await other.command(
    'stacks',
    "INSERT INTO stacks (repository_id, run_id, test, query_index, trace_type, side, stack, samples, expires) SELECT 1, generateUUIDv4(), 't', 7, 'CPU', 'new', 'main;f', 3, now() + 1000",
  )
  const row = z.object({ stack: z.string(), samples: z.string(), hash: z.string() })
  for (const again of [MIGRATIONS.slice(0, at + 1), [{ ...MIGRATIONS[at]!, name: '008_again' }]]) {
    await migrate(other, again)
    const sql = 'SELECT stack, samples, toString(query_hash) AS hash FROM stacks'
    expect(await other.read('stacks', sql, {}, row)).toEqual([{ stack: 'main;f', samples: '3', hash: '7' }])
  }
  await other.close()
})

describe('queries without a text become known by their tests', () => {
  const at = MIGRATIONS.findIndex(({ name }) => name === '010_query_identity')
  const [before, identity] = [MIGRATIONS.slice(0, at), MIGRATIONS[at]!]
  const tests = ['alpha', 'beta']
  const queries: readonly QueryId[] = tests.flatMap((name) => [
    { test: name, queryIndex: 3, queryName: null },
    { test: name, queryIndex: null, queryName: null },
    { test: name, queryIndex: 3, queryName: 'SELECT 1' },
  ])
  const TABLES = ['trunk_history', 'flags', 'stacks']

  async function fill(of: ClickHouse): Promise<void> {
    // In the columns that the table has then.
    await of.insert(
      'trunk_history',
      ['repository_id', 'test', 'query_index', 'query_display_name', 'event_time', 'new_sha', 'metric', 'source'],
      queries.flatMap(({ test: name, queryIndex, queryName }) =>
        [0, 1].map((day) => [
          ...[1, name, queryIndex ?? NO_INDEX, queryName ?? '', NOON / 1000 + day * 40 * 86_400],
          ...[`c${day}`, 'client_time', 'own'],
        ]),
      ),
    )
    const named = queries.map((query) => [query.test, query.queryIndex, query.queryName])
    const key = ['repository_id', 'test', 'query_index', 'query_name']
    await of.insert(
      'flags',
      [...key, 'metric', 'pull_request_number', 'head', 'difference'],
      named.flatMap((query) => [5, 6].map((number) => [1, ...query, 'client_time', number, 'h', 0.5])),
    )
    await of.insert(
      'stacks',
      [...key, 'run_id', 'trace_type', 'side', 'stack', 'samples', 'expires'],
      named.flatMap((query) =>
        ['f', 'g'].map((stack) => [1, ...query, '00000000-0000-0000-0000-000000000001', 'CPU', 'new', stack, 3, 4e9]),
      ),
    )
  }

  const hashesOf = async (of: ClickHouse, table: string) => {
    const sql = `SELECT toString(query_hash) AS hash, count() AS n FROM ${table} ${table === 'stacks' ? '' : 'FINAL'} GROUP BY hash`
    const rows = await of.read('hashes', sql, {}, z.object({ hash: z.string(), n: z.coerce.number() }))
    return new Map(rows.map(({ hash, n }) => [hash, n]))
  }

  // Not at all, and with the rows of each table copied and the old ones still there.
  const copied = identity.statements.flatMap((sql, i) => (sql.startsWith('INSERT') ? [i + 1] : []))
  test.each([0, ...copied])('ended after %i statements it ends right', async (done) => {
    const other = await openClickHouse(ownDatabase())
    await migrate(other, before)
    await fill(other)
    expect((await hashesOf(other, 'flags')).get('3')).toBe(4)
    for (const sql of identity.statements.slice(0, done)) {
      const filled = fillPlaceholders(sql, null)
      if (filled !== null) await other.command('part', filled)
    }
    await migrate(other, [...before, identity])
    await migrate(other, [...before, { ...identity, name: '010_again' }])
    const expected = new Map(queries.map((query) => [String(queryHash(query)), 2]))
    expect(expected.size).toBe(6)
    for (const table of TABLES) expect(await hashesOf(other, table), table).toEqual(expected)
    await other.close()
  })

  test('half copied, the rest is copied and nothing twice', async () => {
    const other = await openClickHouse(ownDatabase())
    await migrate(other, before)
    await fill(other)
    for (const sql of identity.statements) {
      const filled = fillPlaceholders(sql, null)
      if (filled === null || / DELETE\n/.test(filled)) continue
      // What an insert has stored when it is killed is some of its blocks.
      await other.command('part', filled.startsWith('INSERT') ? `${filled} LIMIT 3` : filled)
    }
    await migrate(other, [...before, identity])
    const expected = new Map(queries.map((query) => [String(queryHash(query)), 2]))
    for (const table of TABLES) expect(await hashesOf(other, table), table).toEqual(expected)
    await other.close()
  })
})

test('rows from before copies have their precedence, and stand', async () => {
  const other = await openClickHouse(ownDatabase())
  const at = MIGRATIONS.findIndex(({ name }) => name === '011_copied_history')
  await migrate(other, MIGRATIONS.slice(0, at))
  await other.insert(
    'trunk_history',
    ['repository_id', 'source', 'event_time', 'new_sha', 'test'],
    [
      [1, 'own', NOON / 1000, 'a', 't'],
      [1, 'imported', NOON / 1000, 'b', 't'],
    ],
  )
  await migrate(other)
  await migrate(other, [{ ...MIGRATIONS[at]!, name: '011_again' }])
  const sql = 'SELECT new_sha, precedence, superseded, copied_from FROM trunk_history ORDER BY new_sha'
  expect(await other.read('rows', sql, {}, z.unknown())).toEqual([
    { new_sha: 'a', precedence: 0, superseded: false, copied_from: '' },
    { new_sha: 'b', precedence: 1, superseded: false, copied_from: '' },
  ])
  await other.close()
})

test('every other table takes a row of its own columns', async () => {
  await clickhouse.command(
    'stacks',
    "INSERT INTO stacks (repository_id, run_id, test, trace_type, side, stack, samples, expires) SELECT 1, generateUUIDv4(), 't', 'CPU', 'new', 'main;f', 3, now() + 100",
  )
  await clickhouse.command(
    'checks',
    "INSERT INTO checks (repository_id, check_name, check_start_time, test_name, test_status) SELECT 1, 'c', now(), 't', 'FAIL'",
  )
  await clickhouse.command(
    'ledger',
    "INSERT INTO ledger_entries (repository_id, entry_id, kind, updated_at) SELECT 1, 'e', 'failure', now64(3)",
  )
  const history =
    "INSERT INTO trunk_history (repository_id, source, event_time, test, query_index, query_display_name, old_value, new_value) VALUES (1, 'own', '2026-06-01 10:00:00', 't', 3, 'SELECT 1', 1.5, 2.5)"
  await clickhouse.command('history', history)
  await clickhouse.command('history', history)
  await clickhouse.command('optimize', 'OPTIMIZE TABLE trunk_history FINAL')
  const row = z.object({ date: z.string(), n: z.string() })
  expect(
    await clickhouse.read('n', 'SELECT any(event_date) AS date, count() AS n FROM trunk_history', {}, row),
  ).toEqual([{ date: '2026-06-01', n: '1' }])
})
