import { parseTime } from '../ci-results/parse-time.ts'
import { type ColumnValue, cut, RowError } from '../ci-results/table-row.ts'
import { withoutIndex } from './display-name.ts'
import type { TrunkRow } from './trunk-row.ts'

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

/** Texts beyond it are cut. Characters; perf.py writes 1,000. */
const LONGEST_QUERY = 8000
const LONGEST_TEXT = 4000
const LARGEST_INDEX = 0xffff_fffe

/**
 * One row in the columns of `query_metrics_v2`; null for one that is not the trunk's: of a pull request, of a branch
 * beside the trunk (`trunk` has its names; a row that names no branch is the trunk's), or compared with a release. Columns
 * of newer versions may be missing. Throws `RowError`.
 */
export function tableTrunkRow(value: ColumnValue, trunk: readonly string[]): TrunkRow | null {
  const pullRequest = value('pr_number') ?? 0
  if (pullRequest !== 0 && pullRequest !== '0' && pullRequest !== '') return null
  const baseBranch = optional(value, 'base_branch')
  if (baseBranch !== '' && !trunk.includes(baseBranch)) return null
  const baseline = optional(value, 'baseline_kind')
  if (baseline !== '' && baseline !== 'master_head') return null

  const index = wholeNumber(value, 'query_index')
  const old = measured(value, 'old_value')
  const fresh = measured(value, 'new_value')
  const difference = number(value('diff'))
  const threshold = number(value('stat_threshold'))
  const name = withoutIndex(text(value, 'query_display_name', LONGEST_QUERY), index)
  return {
    source: 'imported',
    time: time(value('event_time')),
    oldCommit: optional(value, 'old_sha'),
    newCommit: required(value, 'new_sha'),
    test: required(value, 'test'),
    queryIndex: index,
    queryName: name === '' ? null : name,
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

function text(value: ColumnValue, column: string, longest: number): string {
  const found = value(column)
  if (found === undefined || found === null) throw new RowError(`${column} is missing`)
  if (typeof found !== 'string') throw new RowError(`${column} is no text`)
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
    throw new RowError(`${column} is no whole number from 0`)
  }
  return found
}

function measured(value: ColumnValue, column: string): number {
  const found = number(value(column))
  if (found === null || found < 0) throw new RowError(`${column} is no number from 0`)
  return found
}

/** Null for what is not finite, too. */
function number(found: unknown): number | null {
  const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null
}

let lastText = ''
let lastTime = 0

function time(found: unknown): number {
  if (found === undefined || found === null || found === '') throw new RowError('event_time is missing')
  const written = typeof found === 'number' ? String(found) : found
  // all rows of a run have the same one
  if (written === lastText) return lastTime
  const parsed = typeof written === 'string' ? parseTime(written) : null
  if (parsed === null) {
    throw new RowError('event_time is no time like 2026-10-20 08:15:00 (UTC), ISO 8601 or seconds since 1970')
  }
  lastText = written as string
  lastTime = parsed
  return parsed
}
