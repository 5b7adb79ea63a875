import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { inject } from 'vitest'
import type { EngineOfRun } from './engine-of-run.ts'

/** The engine that all files of the run share; its tests of crashes, locks and port files start their own. */
export function engineOfRun(): EngineOfRun {
  const engine = inject('engineOfRun')
  if (engine === undefined) {
    throw new Error('The engine is there for *.engine.test.ts, *.bot.test.ts and *.browser.test.ts: rename this file.')
  }
  return engine
}

/** For `test.skipIf` of what only the embedded engine does: the statements are tested against a server as well. */
export function isServer(): boolean {
  return engineOfRun().migrated === null
}

export interface OwnDatabase {
  readonly url: null
  readonly dataDir: string
  readonly database: string
}

/** Databases of the test file that runs in this process. */
const databases: string[] = []

/** Tables cost the engine a little all the time: those of a hundred files took a tenth of a core. */
export async function dropDatabases(): Promise<void> {
  const client = clientOf(engineOfRun())
  for (const name of databases.splice(0)) await client.command({ query: `DROP DATABASE IF EXISTS ${name}` })
  await client.close()
}

/** A database of its own in the engine of the run, not created yet; it is dropped after the test file. */
export function ownDatabase(): OwnDatabase {
  const database = `perf_triage_${randomUUID().replaceAll('-', '')}`
  databases.push(database)
  return { url: null, dataDir: engineOfRun().dataDir, database }
}

/** The same with its tables, copied: the migrations themselves take the engine four times as long. */
export async function migratedDatabase(): Promise<OwnDatabase> {
  const { migrated, ...address } = engineOfRun()
  const own = ownDatabase()
  if (migrated === null) {
    // Imported here: who replaces the client for a server reads this file first.
    const { openClickHouse } = await import('../../../src/store/client.ts')
    const { migrate } = await import('../../../src/store/migrate.ts')
    const clickhouse = await openClickHouse(own)
    await migrate(clickhouse)
    await clickhouse.close()
    return own
  }
  const client = clientOf(address)
  await client.command({ query: `CREATE DATABASE ${own.database}` })
  await Promise.all(
    migrated.tables.map((table) =>
      client.command({ query: `CREATE TABLE ${own.database}.${table} AS ${migrated.database}.${table}` }),
    ),
  )
  await client.command({
    query: `INSERT INTO ${own.database}.migrations SELECT * FROM ${migrated.database}.migrations`,
  })
  await client.close()
  return own
}

/** The same as a command takes it from its environment. */
export function variablesOf({ dataDir, database }: OwnDatabase): Record<string, string> {
  return { PERF_TRIAGE_DATA_DIR: dataDir, CLICKHOUSE_DATABASE: database }
}

/** The same as a bot takes that of a server. */
export function serverVariablesOf({ database }: OwnDatabase): Record<string, string> {
  const { url, user, password } = engineOfRun()
  return { CLICKHOUSE_URL: url, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password, CLICKHOUSE_DATABASE: database }
}

/** A folder of its own, removed after the run. */
export async function temporaryFolder(): Promise<string> {
  return await mkdtemp(join(engineOfRun().dataDir, 'test-'))
}

export interface Address {
  readonly url: string
  readonly user: string
  readonly password: string
}

export function clientOf(address: Address, options: Parameters<typeof createClient>[0] = {}): ClickHouseClient {
  const { url, user: username, password } = address
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 1 } as const
  return createClient({
    url,
    username,
    password,
    clickhouse_settings,
    log: { level: ClickHouseLogLevel.OFF },
    ...options,
  })
}

export async function waitFor(condition: () => boolean | Promise<boolean>, timeout = 60_000): Promise<void> {
  const deadline = Date.now() + timeout
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
