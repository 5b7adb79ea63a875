import type { TrunkRow } from '../../history/trunk-row.ts'
import { type ColumnValue, RowError } from '../table-row.ts'
import { number, optional, queryColumns, required, time, trunkBranch } from './row-values.ts'

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

/** What a trunk row takes over from each of its repetitions. */
export type RepeatedQuery = Omit<TrunkRow, 'source' | 'old' | 'new' | 'difference' | 'threshold'>

/** One execution of a query on one side, for one metric. */
export interface Repetition {
  readonly query: RepeatedQuery
  readonly isNew: boolean
  /** In the metric's unit; null: it is no number from 0. */
  readonly value: number | null
}

/**
 * One row in the columns of `query_metric_runs_v1`; null for one that is not the trunk's, as `tableTrunkRow` has it. Columns
 * of newer versions may be missing. Throws `RowError` for a row of which nobody can say where it belongs.
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
