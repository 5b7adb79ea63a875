import { existsSync } from 'node:fs'
import { type ClickHouseEnvironment, EnvironmentError, readClickHouseEnvironment } from '../../config/environment.ts'
import { InboxUnusable } from '../../inbox/database.ts'
import { HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import { CiResultsUnavailable } from '../../store/checks/ci-results.ts'
import { type ClickHouse, openClickHouse } from '../../store/client.ts'
import { databaseFolder } from '../../store/embedded/port-file.ts'
import { ExternalDatabaseUnavailable } from '../../store/external-database.ts'
import { hasDatabase, MigrationFailed, migrate, requireNotNewer } from '../../store/migrate.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { type CommandIO, InputError } from './command.ts'

/** The database of the environment, its tables up to date. The caller closes it. */
export async function openDatabase(io: CommandIO): Promise<ClickHouse> {
  return await prepared(await openClickHouse(readClickHouseEnvironment(io.env)), migrate)
}

/**
 * The database of the environment, for a command that only asks: it makes neither a folder nor a database. The tables are as
 * they were left. The caller closes it. Throws `InputError` where there is none.
 */
export async function openExistingDatabase(io: CommandIO): Promise<ClickHouse> {
  const environment = readClickHouseEnvironment(io.env)
  const missing = missingFolder(environment)
  if (missing !== null) throw new InputError(missing)
  return await prepared(await openClickHouse(environment), async (clickhouse) => {
    if (await hasDatabase(clickhouse)) return
    const { database, where } = clickhouse
    throw new InputError(`there is no database ${database} in ${where}: name another one with CLICKHOUSE_DATABASE`)
  })
}

/** The same with its tables up to date. */
export async function openStoredDatabase(io: CommandIO): Promise<ClickHouse> {
  return await prepared(await openExistingDatabase(io), migrate)
}

/** The same with nothing changed. Throws `InputError` where the tables are those of an older version, `DatabaseNewer` of a newer one. */
export async function openDatabaseToRead(io: CommandIO): Promise<ClickHouse> {
  return await prepared(await openExistingDatabase(io), async (clickhouse) => {
    if (await requireNotNewer(clickhouse)) return
    const { database, where } = clickhouse
    throw new InputError(
      `the tables of ${database} in ${where} are of an older perf-triage: bring them up to date with perf-triage migrate`,
    )
  })
}

/** Why the folder of the embedded engine can't be asked; null: it is there, or a server is asked. */
function missingFolder({ url, dataDir }: ClickHouseEnvironment): string | null {
  if (url !== null || existsSync(databaseFolder(dataDir))) return null
  const what = existsSync(dataDir) ? `no database in the data folder ${dataDir}` : `no data folder ${dataDir}`
  return `there is ${what}: name another folder with --data-dir, or a server with CLICKHOUSE_URL`
}

async function prepared(
  clickhouse: ClickHouse,
  prepare: (opened: ClickHouse) => Promise<unknown>,
): Promise<ClickHouse> {
  try {
    await prepare(clickhouse)
    return clickhouse
  } catch (error) {
    await clickhouse.close()
    throw error
  }
}

/** Does work in a database and closes it. */
export async function withDatabase<T>(
  io: CommandIO,
  work: (clickhouse: ClickHouse) => Promise<T>,
  open = openDatabase,
): Promise<T> {
  const clickhouse = await open(io)
  try {
    return await work(clickhouse)
  } finally {
    await clickhouse.close()
  }
}

const PROBLEMS = [
  EnvironmentError,
  InboxUnusable,
  StoreUnavailable,
  MigrationFailed,
  HistoryUnavailable,
  ExternalDatabaseUnavailable,
  CiResultsUnavailable,
]

/** A problem of a database or of the settings that name it: the message says where and what to do. */
export function isDatabaseProblem(error: unknown): error is Error {
  return PROBLEMS.some((kind) => error instanceof kind)
}
