import { ExternalDatabase, type ExternalDatabaseSettings } from '../external-database.ts'
import { chainedWithCostly } from './chained-trunk-history.ts'
import { ExternalTrunkRows, historyUnavailable } from './external-trunk-rows.ts'
import { withRememberedThresholds } from './remembered-thresholds.ts'
import type { HistoryOf, HistoryUnavailable, TimeRange, TrunkHistory } from './trunk-history.ts'
import { TrunkHistoryLookup } from './trunk-history-lookup.ts'

export interface CiTrunkHistorySettings extends Omit<ExternalDatabaseSettings, 'called'>, CiTrunkTables {
  /** Whether each table is asked for learned thresholds once an hour, as `withRememberedThresholds` has it. */
  readonly remembersThresholds?: boolean
}

export interface CiTrunkTables {
  /** `query_metrics_v2` or `database.query_metrics_v2`, in the columns of that table; null: there is none. */
  readonly table: string | null
  /** `query_metric_runs_v1`, in the columns of that table, for queries that `table` does not have; null: there is none. */
  readonly runsTable?: string | null
}

export interface CiTrunkHistory extends TrunkHistory {
  close(): Promise<void>
}

/**
 * A database that belongs to others and keeps the trunk's measurements in the columns of `query_metrics_v2` (medians),
 * `query_metric_runs_v1` (raw runs) or both: it is only read, with limits, and reached at the first lookup. Medians come
 * first, query by query. Of the two tables one may be missing, and in each of them the newer columns.
 * @throws HistoryUnavailable for a url or a name of a table that is none
 */
export function openCiTrunkHistory({
  table,
  runsTable = null,
  remembersThresholds = false,
  ...settings
}: CiTrunkHistorySettings): CiTrunkHistory {
  try {
    const database = new ExternalDatabase({ ...settings, called: 'the history database' })
    const medians = table === null ? [] : [ExternalTrunkRows.ofMedians(database, table)]
    const repetitions = runsTable === null ? [] : [ExternalTrunkRows.ofRepetitions(database, runsTable)]
    return new TrunkHistoryOfTables(database, [...medians, ...repetitions], remembersThresholds)
  } catch (error) {
    throw historyUnavailable(error)
  }
}

class TrunkHistoryOfTables implements CiTrunkHistory {
  readonly source = 'ci-database'
  readonly #database: ExternalDatabase
  readonly #tables: readonly { readonly rows: ExternalTrunkRows; readonly history: TrunkHistory }[]

  constructor(database: ExternalDatabase, tables: readonly ExternalTrunkRows[], remembers: boolean) {
    this.#database = database
    this.#tables = tables.map((rows) => {
      const history = new TrunkHistoryLookup(rows)
      return { rows, history: remembers ? withRememberedThresholds(history) : history }
    })
  }

  learnedThresholds: TrunkHistory['learnedThresholds'] = async (of, known) =>
    await (await this.#history()).learnedThresholds(of, known)

  moves: TrunkHistory['moves'] = async (...asked) => await (await this.#history()).moves(...asked)

  series: TrunkHistory['series'] = async (...asked) => await (await this.#history()).series(...asked)

  async *allSeries(of: HistoryOf, range: TimeRange): ReturnType<TrunkHistoryLookup['allSeries']> {
    yield* (await this.#history()).allSeries(of, range)
  }

  pairedStepsOfAll: TrunkHistory['pairedStepsOfAll'] = async (...asked) =>
    await (await this.#history()).pairedStepsOfAll(...asked)

  async close(): Promise<void> {
    await this.#database.close()
  }

  /** Of the tables that are there. Throws what is said of the first one where none is. */
  async #history(): Promise<TrunkHistory> {
    const missing: HistoryUnavailable[] = []
    const there: TrunkHistory[] = []
    for (const { rows, history } of this.#tables) {
      const why = await rows.missing()
      if (why === null) there.push(history)
      else missing.push(why)
    }
    const [first, second] = there
    if (first === undefined) throw missing[0]!
    return second === undefined ? first : chainedWithCostly(first, second)
  }
}
