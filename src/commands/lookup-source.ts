import {
  type CiDatabaseEnvironment,
  readCiDatabaseEnvironment,
  readClickHouseEnvironment,
} from '../config/environment.ts'
import { openCiDatabase } from '../store/checks/ci-database.ts'
import { type CiResults, CiResultsUnavailable } from '../store/checks/ci-results.ts'
import { type CiSearch, ciSearch } from '../store/checks/ci-search.ts'
import { ownCiQueries, ownCiResults } from '../store/checks/own-ci-results.ts'
import { rowsOfChecks } from '../store/checks/rows-of-checks.ts'
import { openClickHouse } from '../store/client.ts'
import { migrate } from '../store/migrate.ts'
import { type CommandIO, InputError } from './command.ts'
import { databaseProblem } from './database-problem.ts'

/** CI results for one command. */
export interface LookupSource {
  readonly ciResults: CiResults
  readonly search: CiSearch
  /** For messages: `the CI database https://…`, `the imported CI results`. */
  readonly where: string
  /** What `ciResults` said when it could not be asked; null while it could. */
  problem(): CiResultsUnavailable | null
  /** Rows that there are at all; null where counting them would be a scan of somebody else's table. */
  rows(): Promise<number | null>
  close(): Promise<void>
}

export interface LookupScope {
  /** Of the CI database, as the configuration names it. */
  readonly table: string
  readonly repositoryId: number
  /** `owner/name`; empty: every repository. */
  readonly repository: string
}

/**
 * The CI database of CIDB_URL, else the bot's own tables. Throws `InputError` when the database can't be opened.
 */
export async function openLookupSource(scope: LookupScope, io: CommandIO): Promise<LookupSource> {
  try {
    const database = readCiDatabaseEnvironment(io.env)
    return database === null ? await ownSource(scope, io) : ciDatabaseSource(scope, database)
  } catch (error) {
    if (error instanceof CiResultsUnavailable) throw new InputError(error.message)
    throw databaseProblem(error)
  }
}

async function ownSource(scope: LookupScope, io: CommandIO): Promise<LookupSource> {
  const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
  try {
    await migrate(clickhouse)
  } catch (error) {
    await clickhouse.close()
    throw error
  }
  return {
    ...remembering(ownCiResults(clickhouse)),
    search: ciSearch(ownCiQueries(clickhouse), scope),
    where: `the CI results in ${clickhouse.database} (${clickhouse.where})`,
    rows: async () => await rowsOfChecks(clickhouse, scope.repositoryId),
    close: async () => await clickhouse.close(),
  }
}

function ciDatabaseSource(scope: LookupScope, { url, user, password }: CiDatabaseEnvironment): LookupSource {
  const { table } = scope
  const database = openCiDatabase({ url, user, password, table })
  return {
    ...remembering(database),
    search: ciSearch(database.queries, scope),
    where: `${table} of the CI database ${url}`,
    rows: async () => await Promise.resolve(null),
    close: async () => await database.close(),
  }
}

/** A refused answer becomes a problem of the result; its words are kept for the person. */
function remembering(inner: CiResults): Pick<LookupSource, 'ciResults' | 'problem'> {
  let problem: CiResultsUnavailable | null = null
  const remember = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof CiResultsUnavailable) problem = error
      throw error
    }
  }
  return {
    problem: () => problem,
    ciResults: {
      source: inner.source,
      failuresOf: (...wanted) => remember(inner.failuresOf(...wanted)),
      historiesOf: (...wanted) => remember(inner.historiesOf(...wanted)),
      massFailuresOf: (...wanted) => remember(inner.massFailuresOf(...wanted)),
    },
  }
}
