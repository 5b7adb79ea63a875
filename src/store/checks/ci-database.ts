import type { z } from 'zod'
import type { QueryParameters } from '../client.ts'
import { ExternalDatabase, type ExternalDatabaseSettings, ExternalDatabaseUnavailable } from '../external-database.ts'
import { type Columns, ExternalTable, textColumn, timeColumn } from '../external-table.ts'
import { CiLookup } from './ci-lookup.ts'
import type { CiQueries, ReadOptions } from './ci-queries.ts'
import { type CiResults, CiResultsUnavailable } from './ci-results.ts'
import { ciSql, executionsOf, OUTPUT_PARAMETERS, STATUS_PARAMETERS } from './ci-sql.ts'

/** CI results in a database of others, which is read within limits and never written. */

export interface CiDatabaseSettings extends Omit<ExternalDatabaseSettings, 'called'> {
  /** `checks` or `database.checks`, in the columns of ClickHouse's CI database. */
  readonly table: string
}

export interface CiDatabase extends CiResults {
  /** The reader of the rows, for other statements. */
  readonly queries: CiQueries
  close(): Promise<void>
}

/**
 * A CI database that belongs to others: it is only read, with limits, and reached at the first lookup.
 * @throws CiResultsUnavailable for a url or a name of a table that is none.
 */
export function openCiDatabase({ table, ...settings }: CiDatabaseSettings): CiDatabase {
  try {
    const database = new ExternalDatabase({ ...settings, called: 'the CI database' })
    return new CiDatabaseLookup(database, new ChecksTable(new ExternalTable(database, table, COLUMNS)))
  } catch (error) {
    throw ciResultsUnavailable(error)
  }
}

class CiDatabaseLookup extends CiLookup implements CiDatabase {
  readonly queries: CiQueries
  readonly #database: ExternalDatabase

  constructor(database: ExternalDatabase, queries: CiQueries) {
    super(queries)
    this.queries = queries
    this.#database = database
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

const DAY = 86_400

class ChecksTable implements CiQueries {
  readonly source = 'ci-database'
  /** The table is ordered by time alone, and a head is rarely older than a month. */
  readonly commitSearch = [30 * DAY, 366 * DAY, null]
  /** A proxy before a server takes addresses of 8 KB; what is no text takes the rest. */
  readonly parameterLength = 5000
  readonly #table: ExternalTable

  constructor(table: ExternalTable) {
    this.#table = table
  }

  async read<T>(name: string, parameters: QueryParameters, row: z.ZodType<T>, options: ReadOptions = {}): Promise<T[]> {
    const executions = executionsOf(options)
    const sqlOf = (columns: string) => ciSql(name, { file: 'external-rows', executions, parts: { columns } })
    const all = { ...parameters, ...STATUS_PARAMETERS, ...OUTPUT_PARAMETERS }
    try {
      return await this.#table.read(name, sqlOf, all, row)
    } catch (error) {
      throw ciResultsUnavailable(error)
    }
  }
}

/**
 * Essential is what says whose a row is and whether it is the same failure: where nobody can tell, nothing must be excused.
 */
const COLUMNS: Columns = {
  pull_request_number: {
    type: /^UInt32$/,
    read: 'toUInt32(ifNull(pull_request_number, 0))',
    absent: null,
  },
  commit_sha: textColumn('commit_sha', true),
  check_name: textColumn('check_name', true),
  check_status: textColumn('check_status', true),
  check_start_time: timeColumn('check_start_time'),
  test_name: textColumn('test_name', true),
  test_status: textColumn('test_status', true),
  test_context_raw: textColumn('test_context_raw', true),
  base_ref: textColumn('base_ref', true),
  base_repo: textColumn('base_repo', true),
  head_ref: textColumn('head_ref', true),
  head_repo: textColumn('head_repo', true),
  report_url: textColumn('report_url'),
}

function ciResultsUnavailable(error: unknown): unknown {
  return error instanceof ExternalDatabaseUnavailable ? new CiResultsUnavailable(error.problem, error.message) : error
}
