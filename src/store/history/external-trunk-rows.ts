import { type ExternalDatabase, ExternalDatabaseUnavailable } from '../external-database.ts'
import { type Column, type Columns, ExternalTable, textColumn, timeColumn } from '../external-table.ts'
import type { HistoryQueries } from './history-queries.ts'
import { type HistoryRowSource, historySql } from './history-sql.ts'
import { HistoryUnavailable } from './trunk-history.ts'

/** A proxy before a server takes addresses of 8 KB; what is no text takes the rest. */
const PARAMETER_LENGTH = 5000

/**
 * Medians that thresholds are learned from in one statement where they are made of raw runs: with seven repetitions a side a
 * server takes some 600 MB for so many at once.
 */
const LEARNED_AT_A_TIME = 500_000

/** A table of the trunk's measurements that belongs to others, as the lookups of the history read it. */
export class ExternalTrunkRows implements HistoryQueries {
  readonly source = 'ci-database'
  readonly parameterLength = PARAMETER_LENGTH
  readonly learnedAtATime?: number
  readonly #table: ExternalTable
  readonly #file: HistoryRowSource['file']

  private constructor(table: ExternalTable, file: HistoryRowSource['file']) {
    this.#table = table
    this.#file = file
    if (file === 'repetitions') this.learnedAtATime = LEARNED_AT_A_TIME
  }

  /** In the columns of `query_metrics_v2`. @throws ExternalDatabaseUnavailable for a name of a table that is none */
  static ofMedians(database: ExternalDatabase, table: string): ExternalTrunkRows {
    return new ExternalTrunkRows(new ExternalTable(database, table, MEDIAN_COLUMNS), 'external-rows')
  }

  /** In the columns of `query_metric_runs_v1`. @throws ExternalDatabaseUnavailable for a name of a table that is none */
  static ofRepetitions(database: ExternalDatabase, table: string): ExternalTrunkRows {
    return new ExternalTrunkRows(new ExternalTable(database, table, REPETITION_COLUMNS), 'repetitions')
  }

  /** Null: the table is there; else what the server says of it. @throws HistoryUnavailable where it can't be asked */
  async missing(): Promise<HistoryUnavailable | null> {
    try {
      await this.#table.columns()
      return null
    } catch (error) {
      const unavailable = historyUnavailable(error)
      if (unavailable instanceof HistoryUnavailable && unavailable.problem === 'missing-table') return unavailable
      throw unavailable
    }
  }

  read: HistoryQueries['read'] = async (name, parameters, row) => {
    try {
      const sqlOf = (columns: string) => historySql(name, { file: this.#file, columns })
      return await this.#table.read(name, sqlOf, parameters, row)
    } catch (error) {
      throw historyUnavailable(error)
    }
  }
}

export function historyUnavailable(error: unknown): unknown {
  return error instanceof ExternalDatabaseUnavailable ? new HistoryUnavailable(error.problem, error.message) : error
}

const number = (name: string, absent: string | null): Column => ({
  type: /^Float64$/,
  read: `ifNull(toFloat64(${name}), nan)`,
  absent,
})

/** Without `pr_number` and `base_branch` every row is the trunk's, without `arch` no row has an architecture. */
const COMMON: Columns = {
  pr_number: { type: /^UInt\d+$/, read: 'toUInt32(ifNull(pr_number, 0))', absent: 'toUInt32(0)' },
  old_sha: textColumn('old_sha'),
  new_sha: textColumn('new_sha', true),
  test: textColumn('test', true),
  query_index: { type: /^UInt32$/, read: 'toUInt32(ifNull(query_index, 4294967295))', absent: null },
  query_display_name: textColumn('query_display_name', true),
  arch: textColumn('arch'),
  instance_type: textColumn('instance_type'),
  base_branch: textColumn('base_branch'),
}

/** Of a table in the columns of `query_metrics_v2`. */
export const MEDIAN_COLUMNS: Columns = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(event_time)' },
  event_time: timeColumn('event_time'),
  ...COMMON,
  metric: textColumn('metric', true),
  old_value: number('old_value', null),
  new_value: number('new_value', null),
  diff: number('diff', '(toFloat64(new_value) - toFloat64(old_value)) / toFloat64(old_value)'),
  stat_threshold: number('stat_threshold', 'nan'),
}

/** Of a table in the columns of `query_metric_runs_v1`. */
export const REPETITION_COLUMNS: Columns = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(check_start_time)' },
  check_start_time: timeColumn('check_start_time'),
  ...COMMON,
  baseline_kind: textColumn('baseline_kind'),
  side: textColumn('side', true),
  metric_name: textColumn('metric_name', true),
  metric_value: number('metric_value', null),
}
