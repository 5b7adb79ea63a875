import { z } from 'zod'
import { withoutIndex } from '../../intake/imports/history/table-rows.ts'
import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import { mediansOfRepetitions } from '../../judge/history/medians-of-repetitions.ts'
import { trunkHistoryOfRows } from '../../judge/history/trunk-history-of-rows.ts'
import type { QueryOnArchitecture, TimeRange, TrunkSeries } from '../../judge/history/trunk-series.ts'
import { timestamp } from '../../text/time.ts'
import type { QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import type { ExternalDatabase } from '../external-database.ts'
import { type Column, type Columns, ExternalTable, textColumn, timeColumn } from '../external-table.ts'
import type { Hours } from '../history/history-copies.ts'
import { readSql } from '../sql-file.ts'
import type { Page } from './hours.ts'

/** Reads pages of rows from a table of a CI database. What is copied when: `history-sync.ts`. */

const HOURS_OF_MEDIANS = readSql(new URL('./hours-of-medians.sql', import.meta.url))
const PAGE_OF_MEDIANS = readSql(new URL('./page-of-medians.sql', import.meta.url))
const HOURS_OF_REPETITIONS = readSql(new URL('./hours-of-repetitions.sql', import.meta.url))
const PAGE_OF_REPETITIONS = readSql(new URL('./page-of-repetitions.sql', import.meta.url))

/** Rows of one answer: with texts of some hundred characters these are some 10 MB. Twice as many are no faster. */
const MOST_MEDIANS = 10_000
/** Some 10,000 queries of seven repetitions a side. */
const MOST_REPETITIONS = 150_000

const numberColumn = (name: string, absent: string | null): Column => ({
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

/** The columns of a table like `query_metrics_v2`. */
const MEDIAN_COLUMNS: Columns = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(event_time)' },
  event_time: timeColumn('event_time'),
  ...COMMON,
  metric: textColumn('metric', true),
  old_value: numberColumn('old_value', null),
  new_value: numberColumn('new_value', null),
  diff: numberColumn('diff', '(toFloat64(new_value) - toFloat64(old_value)) / toFloat64(old_value)'),
  stat_threshold: numberColumn('stat_threshold', 'nan'),
}

/** The columns of a table like `query_metric_runs_v1`. */
const REPETITION_COLUMNS: Columns = {
  event_date: { type: /^Date$/, read: 'toDate(event_date)', absent: 'toDate(check_start_time)' },
  check_start_time: timeColumn('check_start_time'),
  ...COMMON,
  baseline_kind: textColumn('baseline_kind'),
  side: textColumn('side', true),
  metric_name: textColumn('metric_name', true),
  metric_value: numberColumn('metric_value', null),
}

/** The rows of a table that are read. */
export interface CopiedMetric {
  readonly metric: string
  /** The names of the trunk, for rows that name a branch. */
  readonly trunk: readonly string[]
}

export interface ReadPart {
  readonly rows: readonly TrunkRow[]
  /** Rows that say nothing: without a commit or test, or a query that was not measured on both sides. */
  readonly leftOut: number
}

const hourRow = z.object({ hour: z.number(), rows: count })
/** JSON has no NaN: null stands for what is no number. */
const value = z
  .number()
  .nullable()
  .transform((number) => number ?? Number.NaN)
const queryColumns = {
  time: z.number(),
  oldCommit: z.string(),
  newCommit: z.string(),
  test: z.string(),
  queryIndex: z.number(),
  queryName: z.string(),
  architecture: z.string(),
  instanceType: z.string(),
  baseBranch: z.string(),
}
const medianRow = z.object({ ...queryColumns, old: value, new: value, difference: value, threshold: value })
const repetitionsRow = z.object({ ...queryColumns, old: z.array(value), new: z.array(value) })
type QueryColumns = Omit<z.infer<typeof medianRow>, 'old' | 'new' | 'difference' | 'threshold'>

/** A table of a CI database that the trunk's history is copied out of. Its methods throw `ExternalDatabaseUnavailable`. */
export class SourceTable {
  /** Address and name of this table, by which copied rows are known. */
  readonly copiedFrom: string
  /** Rows that are read at a time. */
  readonly most: number
  readonly #isOfRawRuns: boolean
  readonly #table: ExternalTable

  private constructor(database: ExternalDatabase, table: string, isOfRawRuns: boolean) {
    this.copiedFrom = `${database.url}/${table}`
    this.most = isOfRawRuns ? MOST_REPETITIONS : MOST_MEDIANS
    this.#isOfRawRuns = isOfRawRuns
    this.#table = new ExternalTable(database, table, isOfRawRuns ? REPETITION_COLUMNS : MEDIAN_COLUMNS)
  }

  /** In the columns of `query_metrics_v2`. @throws ExternalDatabaseUnavailable for a name of a table that is none */
  static ofMedians(database: ExternalDatabase, table: string): SourceTable {
    return new SourceTable(database, table, false)
  }

  /** In the columns of `query_metric_runs_v1`. @throws ExternalDatabaseUnavailable for a name of a table that is none */
  static ofRawRuns(database: ExternalDatabase, table: string): SourceTable {
    return new SourceTable(database, table, true)
  }

  /** How many rows there are in each hour that has any. */
  async rowsOfHours(of: CopiedMetric, hours: Hours): Promise<Map<number, number>> {
    const name = this.#isOfRawRuns ? 'hours-of-repetitions' : 'hours-of-medians'
    const sql = this.#isOfRawRuns ? HOURS_OF_REPETITIONS : HOURS_OF_MEDIANS
    const rows = await this.#read(name, sql, parametersOf(of, hours), hourRow)
    return new Map(rows.map((row) => [row.hour, row.rows]))
  }

  /** The rows of one part of a page. */
  async read(of: CopiedMetric, { hours, parts }: Page, part: number): Promise<ReadPart> {
    return await this.#rows(of, { ...parametersOf(of, hours), parts, part, test: '', name: '', index: NO_INDEX })
  }

  /** The histories of one query on the architectures of `wanted`; one that has no run in the time is left out. */
  async seriesOf(
    of: CopiedMetric,
    wanted: readonly QueryOnArchitecture[],
    range: TimeRange,
  ): Promise<readonly TrunkSeries[]> {
    const [query] = wanted
    if (query === undefined) return []
    const { rows } = await this.#rows(of, {
      metric: of.metric,
      trunk: [...of.trunk],
      from: timestamp(range.from / 1000) + 1,
      to: timestamp(range.to / 1000) + 1,
      parts: 1,
      part: 0,
      test: query.test,
      name: query.queryName ?? '',
      index: query.queryIndex ?? NO_INDEX,
    })
    const { metric } = of
    return await trunkHistoryOfRows(rows).series({ metric, copiedFrom: [this.copiedFrom] }, wanted, range)
  }

  async #rows(of: CopiedMetric, parameters: QueryParameters): Promise<ReadPart> {
    const rows = this.#isOfRawRuns
      ? (await this.#read('page-of-repetitions', PAGE_OF_REPETITIONS, parameters, repetitionsRow)).map((row) => {
          const all = [...row.old, ...row.new]
          // A repetition without a value: the query was not compared.
          const medians = all.every((one) => one >= 0 && one < Infinity) ? mediansOfRepetitions(row.old, row.new) : null
          return medians === null ? null : this.#rowOf(row, of, medians)
        })
      : (await this.#read('page-of-medians', PAGE_OF_MEDIANS, parameters, medianRow)).map((row) => {
          const { old, new: fresh, threshold } = row
          // 0 / 0 is what a CI may have computed of a metric that is 0 on both sides: it was measured, and did not move.
          const difference = old === fresh ? 0 : row.difference
          return this.#rowOf(row, of, { old, new: fresh, difference, threshold: threshold >= 0 ? threshold : null })
        })
    const found = rows.filter((row) => row !== null)
    return { rows: found, leftOut: rows.length - found.length }
  }

  #rowOf(
    row: QueryColumns,
    { metric }: CopiedMetric,
    medians: Pick<TrunkRow, 'old' | 'new' | 'difference' | 'threshold'>,
  ): TrunkRow | null {
    const { time, oldCommit, newCommit, test, queryIndex, architecture, instanceType, baseBranch } = row
    if (newCommit === '' || test === '') return null
    const queryName = withoutIndex(row.queryName, queryIndex)
    return {
      source: 'ci-database',
      copiedFrom: { table: this.copiedFrom, isOfRawRuns: this.#isOfRawRuns },
      time: time * 1000,
      oldCommit,
      newCommit,
      test,
      queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
      queryName: queryName === '' ? null : queryName,
      metric,
      architecture,
      ...medians,
      workflowName: '',
      baseBranch,
      reportUrl: '',
      instanceType,
      instanceId: '',
    }
  }

  async #read<T>(name: string, sql: string, parameters: QueryParameters, row: z.ZodType<T>): Promise<T[]> {
    return await this.#table.read(name, (columns) => sql.replace('{{columns}}', () => columns), parameters, row)
  }
}

function parametersOf({ metric, trunk }: CopiedMetric, [first, end]: Hours): QueryParameters {
  return { metric, trunk: [...trunk], from: first * 3600, to: end * 3600 }
}
