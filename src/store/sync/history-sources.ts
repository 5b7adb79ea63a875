import type { CiDatabaseEnvironment } from '../../config/environment.ts'
import { DEFAULT_RUNS_TABLE } from '../../config/repository-config.ts'
import { ExternalDatabase } from '../external-database.ts'
import { SourceTable } from './source-table.ts'

/** The tables that a repository's configuration names; null: there is none. */
export interface NamedTables {
  /** `query_metrics_v2` or `database.query_metrics_v2`, in the columns of that table. */
  readonly table: string | null
  /** `query_metric_runs_v1`, in the columns of that table. */
  readonly runsTable: string | null
}

/** The tables of the CI database that the trunk's history is copied out of, as its operator lets repositories use them. */
export interface HistorySources {
  /** Whether the database holds anything of a repository (`owner/name`). */
  holds(repository: string): boolean
  /**
   * The tables of a repository (`owner/name`) that its configuration names, medians first; null: the database holds none of it.
   * None where the operator does not allow one of them: `forbidden` is its name then. The default one of raw runs, which nobody
   * may have asked for, is then left out, and also where there is no table of medians for it to add to.
   */
  of(repository: string, tables: NamedTables): AllowedSources | null
  close(): Promise<void>
}

export interface AllowedSources {
  readonly tables: readonly SourceTable[]
  readonly forbidden: string | null
}

/** The server is not asked before it is needed. `repositories`: null where a command is for one that a person names. */
export function openHistorySources(
  environment: Omit<CiDatabaseEnvironment, 'repositories'> & { readonly repositories: readonly string[] | null },
): HistorySources {
  const { url, user, password, repositories, tables } = environment
  const database = new ExternalDatabase({ url, user, password, called: 'the CI database' })
  const opened = new Map<string, SourceTable>()
  const open = (name: string, isOfRawRuns: boolean) => {
    const key = JSON.stringify([name, isOfRawRuns])
    const table =
      opened.get(key) ?? (isOfRawRuns ? SourceTable.ofRawRuns(database, name) : SourceTable.ofMedians(database, name))
    opened.set(key, table)
    return table
  }
  const holds = (repository: string) => repositories === null || repositories.includes(repository.toLowerCase())
  return {
    holds,
    of(repository, { table, runsTable }) {
      if (!holds(repository)) return null
      const isLeftOut = runsTable === DEFAULT_RUNS_TABLE && (table === null || !tables.includes(DEFAULT_RUNS_TABLE))
      const runs = isLeftOut ? null : runsTable
      const named = [table, runs].filter((name) => name !== null)
      if (named.length === 0) return null
      const forbidden = named.find((name) => !tables.includes(name)) ?? null
      if (forbidden !== null) return { tables: [], forbidden }
      const medians = table === null ? [] : [open(table, false)]
      const rawRuns = runs === null ? [] : [open(runs, true)]
      return { tables: [...medians, ...rawRuns], forbidden: null }
    },
    close: async () => await database.close(),
  }
}
