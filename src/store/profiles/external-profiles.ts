import { ExternalDatabase, type ExternalDatabaseSettings, ExternalDatabaseUnavailable } from '../external-database.ts'
import { type Columns, ExternalTable, textColumn, timeColumn } from '../external-table.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { externalProfileSql, ProfileLookup } from './profile-lookup.ts'
import type { ProfilesBeside } from './profiles.ts'

/** Profiles in a database of others, which is only read. */

export interface ExternalProfilesSettings extends Omit<ExternalDatabaseSettings, 'called'> {
  /** `perf_flamegraph_stacks_v1` or `database.perf_flamegraph_stacks_v1`, in the columns of that table. */
  readonly table: string
  readonly now?: () => Date
}

export interface ExternalProfiles extends ProfilesBeside {
  readonly copiedFrom: string
  close(): Promise<void>
}

/**
 * A database that belongs to others and keeps the stacks of performance runs: it is only read, with limits, and reached at
 * the first lookup. One without the table has no profiles. @throws StoreUnavailable for a url or a name of a table that is
 * none
 */
export function openExternalProfiles({
  table,
  now = () => new Date(),
  ...settings
}: ExternalProfilesSettings): ExternalProfiles {
  try {
    const database = new ExternalDatabase({ ...settings, called: 'the CI database' })
    return new ExternalProfileLookup(database, table, now)
  } catch (error) {
    throw unavailable(error)
  }
}

class ExternalProfileLookup extends ProfileLookup implements ExternalProfiles {
  readonly copiedFrom: string
  readonly #database: ExternalDatabase

  constructor(database: ExternalDatabase, name: string, now: () => Date) {
    const table = new ExternalTable(database, name, COLUMNS)
    super(async (statement, parameters, row) => {
      try {
        const sqlOf = (columns: string) => externalProfileSql(statement, columns)
        return await table.read(`${statement} of a profile`, sqlOf, parameters, row)
      } catch (error) {
        if (error instanceof ExternalDatabaseUnavailable && error.problem === 'missing-table') return []
        throw unavailable(error)
      }
    }, now)
    this.copiedFrom = `${database.url}/${name}`
    this.#database = database
  }

  async close(): Promise<void> {
    await this.#database.close()
  }
}

const COLUMNS: Columns = {
  check_start_time: timeColumn('check_start_time'),
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(check_start_time)' },
  new_sha: textColumn('new_sha', true),
  arch: textColumn('arch'),
  baseline_kind: textColumn('baseline_kind'),
  test: textColumn('test', true),
  query_index: { type: /^UInt32$/, read: 'toUInt32(ifNull(query_index, 4294967295))', absent: null },
  query_display_name: textColumn('query_display_name', true),
  side: textColumn('side', true),
  trace_type: textColumn('trace_type', true),
  stack: textColumn('stack', true),
  samples: { type: /^UInt64$/, read: 'toUInt64(ifNull(samples, 0))', absent: null },
}

function unavailable(error: unknown): unknown {
  return error instanceof ExternalDatabaseUnavailable ? new StoreUnavailable(error.message) : error
}
