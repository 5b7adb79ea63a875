import { readdirSync } from 'node:fs'
import { ClickHouseError } from '@clickhouse/client'
import { z } from 'zod'
import { counted } from '../text/numbers.ts'
import { sqlName, sqlText } from '../text/quote.ts'
import type { ClickHouse } from './client.ts'
import { readSql, readStatements } from './sql-file.ts'
import { fillPlaceholders } from './sql-placeholders.ts'
import { StoreUnavailable } from './store-unavailable.ts'
import { columnOf, dateTime64, insertInto, string, table, uint64 } from './table.ts'

/** Applies migrations in order and refuses a database that is newer than this version. */

export interface Migration {
  /** `001_runs`: number and name, in the order of application. */
  readonly name: string
  /**
   * The statements with the placeholders of `sql-placeholders.ts`. Each may be run again: two processes may apply at
   * once.
   */
  readonly statements: readonly string[]
}

export interface MigrationResult {
  readonly applied: readonly string[]
  /** Migrations that were in place already. */
  readonly present: readonly string[]
}

/** A statement of a migration failed. The message names file, statement and the server's reason. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed'
}

/** A newer version has migrated the database. The message says which, what it did, and what to do. */
export class DatabaseNewer extends MigrationFailed {}

export const MIGRATIONS: readonly Migration[] = readMigrations()

function readMigrations(): Migration[] {
  const directory = new URL('./migrations/', import.meta.url)
  return readdirSync(directory)
    .filter((file) => /^\d{3}_\w+\.sql$/.test(file))
    .toSorted()
    .map((file) => ({
      name: file.slice(0, -'.sql'.length),
      statements: readStatements(new URL(file, directory)),
    }))
}

const named = z.object({ name: z.string() })

const SELECT_DATABASE = readSql(new URL('./database-by-name.sql', import.meta.url))
const SELECT_RECORD = readSql(new URL('./table-by-name.sql', import.meta.url))
const SELECT_BROKEN = readSql(new URL('./broken-parts.sql', import.meta.url))
const SELECT_APPLIED = readSql(new URL('./applied-migrations.sql', import.meta.url))

const column = columnOf<{ readonly name: string; readonly appliedAt: Date }>()

export const APPLIED = table('migrations', {
  repository_id: column(uint64, () => 0),
  name: column(string, ({ name }) => name),
  applied_at: column(dateTime64, ({ appliedAt }) => appliedAt),
})

/** Not a migration itself: it is what the others are recorded in. */
const RECORD_TABLE = readStatements(new URL('./create-migrations.sql', import.meta.url))

/**
 * Creates the database where it is missing and applies what is not applied yet, in order. Two processes may do this at
 * the same time: every statement leaves alone what exists already.
 * @throws StoreUnavailable when the database can't be asked, MigrationFailed when it refuses a statement, DatabaseNewer
 * before anything is changed.
 */
export async function migrate(
  clickhouse: ClickHouse,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<MigrationResult> {
  const { cluster } = clickhouse
  await createDatabase(clickhouse)
  for (const statement of RECORD_TABLE) {
    await apply(clickhouse, 'create-migrations', statement)
  }
  const known = new Set(await appliedTo(clickhouse))

  const applied: string[] = []
  const present: string[] = []
  for (const migration of migrations) {
    const recorded = recordedName(migration, cluster)
    if (known.has(recorded)) {
      present.push(migration.name)
      continue
    }
    for (const statement of migration.statements) await apply(clickhouse, migration.name, statement)
    await insertInto(clickhouse, APPLIED, [{ name: recorded, appliedAt: new Date() }])
    applied.push(migration.name)
  }
  return { applied, present }
}

/**
 * Only looks, for who does not want to change anything, and says whether every migration of this version is applied.
 * @throws StoreUnavailable, DatabaseNewer
 */
export async function requireNotNewer(clickhouse: ClickHouse): Promise<boolean> {
  const { database } = clickhouse
  const outside = clickhouse.withoutDatabase()
  const found = await outside.read('table-by-name', SELECT_RECORD, { database, table: 'migrations' }, named)
  if (found.length === 0) return false
  const applied = new Set(await appliedTo(clickhouse))
  return MIGRATIONS.every((migration) => applied.has(recordedName(migration, clickhouse.cluster)))
}

/**
 * Parts of tables that are missing because the server could not read them: `2 parts of trunk_history
 * (/data/…/broken-on-start_all_1_1_0)`; empty where all of it was read. Of the node that is asked.
 */
export async function brokenParts(clickhouse: ClickHouse): Promise<readonly string[]> {
  const { database, cluster } = clickhouse
  const sql = fillPlaceholders(SELECT_BROKEN, clickhouse)!
  const found = await clickhouse
    .withoutDatabase()
    .read('broken-parts', sql, { database }, brokenPart, { skip_unavailable_shards: 1, prefer_localhost_replica: 1 })
  return found.map(({ host, table, parts, path }) => {
    const where = cluster === null ? path : `${path} on ${host}`
    return `${counted(parts, 'part', 'parts')} of ${table} (${where})`
  })
}

const brokenPart = z.object({ host: z.string(), table: z.string(), parts: z.number(), path: z.string() })

function recordedName({ name }: Migration, cluster: string | null): string {
  return cluster === null ? name : `${name} on ${cluster}`
}

/** The names as they are recorded. @throws DatabaseNewer when one of them is beyond the last that this version has. */
async function appliedTo(clickhouse: ClickHouse): Promise<readonly string[]> {
  const applied = (await clickhouse.read('applied-migrations', SELECT_APPLIED, {}, named)).map(({ name }) => name)
  const last = numberOf(MIGRATIONS.at(-1)?.name ?? '')
  const newer = applied.filter((name) => numberOf(name) > last)
  if (newer.length === 0) return applied
  throw new DatabaseNewer(
    `The database ${clickhouse.database} (${clickhouse.where}) was migrated by a newer perf-triage, which applied ` +
      `${newer.join(', ')}. Start the newer version again, or give this one another database ` +
      '(CLICKHOUSE_DATABASE, or PERF_TRIAGE_DATA_DIR for the embedded one).',
  )
}

const numberOf = (name: string) => Number.parseInt(name, 10)

/** Only looks. @throws StoreUnavailable */
export async function hasDatabase(clickhouse: ClickHouse): Promise<boolean> {
  const { database } = clickhouse
  const found = await clickhouse.withoutDatabase().read('database-by-name', SELECT_DATABASE, { database }, named)
  return found.length > 0
}

async function createDatabase(clickhouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickhouse
  // Even IF NOT EXISTS needs the grant to create one, which an operator may not want to give.
  if (await hasDatabase(clickhouse)) return
  const outside = clickhouse.withoutDatabase()
  const onCluster = cluster === null ? '' : ` ON CLUSTER ${sqlText(cluster)}`
  await apply(outside, 'the database', `CREATE DATABASE IF NOT EXISTS ${sqlName(database)}${onCluster}`)
}

async function apply(clickhouse: ClickHouse, name: string, statement: string): Promise<void> {
  const sql = fillPlaceholders(statement, clickhouse)
  if (sql === null) return
  for (let tries = 1; ; tries++) {
    try {
      await clickhouse.command(name, sql)
      return
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (wasReplaced(error) && tries < TRIES) continue
      const reason = error instanceof Error ? error.message : String(error)
      throw new MigrationFailed(`Migration ${name} failed.\n${reason}\nThe statement was:\n${sql}`, { cause: error })
    }
  }
}

const TRIES = 5

/** Another process replaced a table of the statement meanwhile (TABLE_IS_DROPPED): tried again, it finds the new one. */
function wasReplaced(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof ClickHouseError && cause.code === '218'
}
