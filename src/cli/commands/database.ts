import { EnvironmentError, readClickHouseEnvironment } from '../../config/environment.ts'
import { InboxUnusable } from '../../inbox/database.ts'
import { CiResultsUnavailable } from '../../store/checks/ci-results.ts'
import { type ClickHouse, openClickHouse } from '../../store/client.ts'
import { ExternalDatabaseUnavailable } from '../../store/external-database.ts'
import { HistoryUnavailable } from '../../store/history/trunk-history.ts'
import { MigrationFailed, migrate } from '../../store/migrate.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import type { CommandIO } from './command.ts'

/** The database of the environment, its tables up to date. The caller closes it. */
export async function openDatabase(io: CommandIO): Promise<ClickHouse> {
  const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
  try {
    await migrate(clickhouse)
    return clickhouse
  } catch (error) {
    await clickhouse.close()
    throw error
  }
}

/** Does work in that database and closes it. */
export async function withDatabase<T>(io: CommandIO, work: (clickhouse: ClickHouse) => Promise<T>): Promise<T> {
  const clickhouse = await openDatabase(io)
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
