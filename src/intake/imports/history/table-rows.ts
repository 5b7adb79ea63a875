import { parseTime } from '../parse-time.ts'
import { type ColumnValue, cut, RowError } from '../table-row.ts'
import type { TrunkRow } from './trunk-row.ts'

/** The values of a row of the trunk's history as a file has them: numbers may be texts, times are UTC. All throw `RowError`. */

/** Texts beyond it are cut. Characters; perf.py writes 1,000. */
const LONGEST_QUERY = 8000
const LONGEST_TEXT = 4000
const LARGEST_INDEX = 0xffff_fffe

/**
 * The branch of a row of the trunk, as the row names it; null for a row of a pull request or another branch. `trunk` has
 * the trunk's names.
 */
function trunkBranch(value: ColumnValue, trunk: readonly string[]): string | null {
  const pullRequest = value('pr_number') ?? 0
  if (pullRequest !== 0 && pullRequest !== '0' && pullRequest !== '') return null
  const baseBranch = optional(value, 'base_branch')
  if (baseBranch !== '' && !trunk.includes(baseBranch)) return null
  const baseline = optional(value, 'baseline_kind')
  return baseline === '' || baseline === 'master_head' ? baseBranch : null
}

export interface QueryColumns {
  readonly test: string
  readonly queryIndex: number
  /** Without the index behind a text that was cut; null: there is none. */
  readonly queryName: string | null
}

function queryColumns(value: ColumnValue): QueryColumns {
  const queryIndex = wholeNumber(value, 'query_index')
  const name = withoutIndex(text(value, 'query_display_name', LONGEST_QUERY), queryIndex)
  return { test: required(value, 'test'), queryIndex, queryName: name === '' ? null : name }
}

function text(value: ColumnValue, column: string, longest: number): string {
  const found = value(column)
  if (found === undefined || found === null) throw new RowError(`${column} is missing`)
  if (typeof found !== 'string') throw new RowError(`${column} is not text`)
  return cut(found, longest)
}

function required(value: ColumnValue, column: string): string {
  const found = text(value, column, LONGEST_TEXT)
  if (found === '') throw new RowError(`${column} is empty`)
  return found
}

/** Empty where the column is not there or NULL. */
function optional(value: ColumnValue, column: string): string {
  const found = value(column)
  return found === undefined || found === null ? '' : text(value, column, LONGEST_TEXT)
}

function wholeNumber(value: ColumnValue, column: string): number {
  const found = number(value(column))
  if (found === null || !Number.isInteger(found) || found < 0 || found > LARGEST_INDEX) {
    throw new RowError(`${column} is not a whole number from 0`)
  }
  return found
}

function measured(value: ColumnValue, column: string): number {
  const found = number(value(column))
  if (found === null || found < 0) throw new RowError(`${column} is not a number from 0`)
  return found
}

/** A value as a number; null for one that is not finite, too. */
function number(found: unknown): number | null {
  const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null
}

let lastText = ''
let lastTime = 0

/** Milliseconds since 1970. */
function time(value: ColumnValue, column: string): number {
  const found = value(column)
  if (found === undefined || found === null || found === '') throw new RowError(`${column} is missing`)
  const written = typeof found === 'number' ? String(found) : found
  // all rows of a run have the same one
  if (written === lastText) return lastTime
  const parsed = typeof written === 'string' ? parseTime(written) : null
  if (parsed === null) {
    throw new RowError(`${column} is not a time like 2026-10-20 08:15:00 (UTC), ISO 8601 or seconds since 1970`)
  }
  lastText = written as string
  lastTime = parsed
  return parsed
}

/** perf.py cuts names after so many characters and writes `...(<index>)` behind, so that they stay distinct. */
const LONGEST_DISPLAY_NAME = 1000

/**
 * The text of a query without the index that was written behind a name that was cut: the index shifts when a query is
 * inserted before it, the text does not.
 */
export function withoutIndex(name: string, index: number): string {
  const suffix = `...(${index})`
  return name.endsWith(suffix) && name.length >= LONGEST_DISPLAY_NAME + suffix.length
    ? name.slice(0, -suffix.length)
    : name
}

/** Columns without which a row says nothing. */
export const REQUIRED_COLUMNS = [
  'event_time',
  'new_sha',
  'test',
  'query_index',
  'query_display_name',
  'metric',
  'old_value',
  'new_value',
] as const

/**
 * A row in the columns of `query_metrics_v2`; null for one that is not the trunk's: of a pull request, of a branch
 * beside the trunk (`trunk` has its names; a row that names no branch is the trunk's), or compared with a release.
 * Columns of newer versions may be missing. Throws `RowError`.
 */
export function tableTrunkRow(value: ColumnValue, trunk: readonly string[]): TrunkRow | null {
  const baseBranch = trunkBranch(value, trunk)
  if (baseBranch === null) return null

  const old = measured(value, 'old_value')
  const fresh = measured(value, 'new_value')
  const difference = number(value('diff'))
  const threshold = number(value('stat_threshold'))
  return {
    source: 'imported',
    time: time(value, 'event_time'),
    oldCommit: optional(value, 'old_sha'),
    newCommit: required(value, 'new_sha'),
    ...queryColumns(value),
    metric: required(value, 'metric'),
    architecture: optional(value, 'arch'),
    old,
    new: fresh,
    difference: difference ?? (old === fresh ? 0 : (fresh - old) / old),
    threshold: threshold !== null && threshold >= 0 ? threshold : null,
    workflowName: optional(value, 'workflow_name'),
    baseBranch,
    reportUrl: optional(value, 'report_url'),
    instanceType: optional(value, 'instance_type'),
    instanceId: optional(value, 'instance_id'),
  }
}

/** Columns without which a repetition says nothing. */
export const REPETITION_COLUMNS = [
  'check_start_time',
  'new_sha',
  'test',
  'query_index',
  'query_display_name',
  'side',
  'metric_name',
  'metric_value',
] as const

/** The values that a trunk row takes over from each of its repetitions. */
export type RepeatedQuery = Omit<TrunkRow, 'source' | 'old' | 'new' | 'difference' | 'threshold'>

/** An execution of a query on one side, for one metric. */
export interface Repetition {
  readonly query: RepeatedQuery
  readonly isNew: boolean
  /** The value in the metric's unit; null: it is no number from 0. */
  readonly value: number | null
}

/**
 * A row in the columns of `query_metric_runs_v1`; null for one that is not the trunk's, as `tableTrunkRow` has it.
 * Columns of newer versions may be missing. Throws `RowError` for a row of which nobody can say where it belongs.
 */
export function tableRepetition(value: ColumnValue, trunk: readonly string[]): Repetition | null {
  const baseBranch = trunkBranch(value, trunk)
  if (baseBranch === null) return null
  const side = value('side')
  if (side !== 'baseline' && side !== 'candidate') throw new RowError('side is neither baseline nor candidate')
  const measured = number(value('metric_value'))
  return {
    query: {
      time: time(value, 'check_start_time'),
      oldCommit: optional(value, 'old_sha'),
      newCommit: required(value, 'new_sha'),
      ...queryColumns(value),
      metric: required(value, 'metric_name'),
      architecture: optional(value, 'arch'),
      workflowName: optional(value, 'workflow_name'),
      baseBranch,
      reportUrl: optional(value, 'report_url'),
      instanceType: optional(value, 'instance_type'),
      instanceId: optional(value, 'instance_id'),
    },
    isNew: side === 'candidate',
    value: measured !== null && measured >= 0 ? measured : null,
  }
}
