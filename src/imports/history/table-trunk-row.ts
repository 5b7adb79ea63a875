import type { TrunkRow } from '../../history/trunk-row.ts'
import type { ColumnValue } from '../table-row.ts'
import { measured, number, optional, queryColumns, required, time, trunkBranch } from './row-values.ts'

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
 * One row in the columns of `query_metrics_v2`; null for one that is not the trunk's: of a pull request, of a branch
 * beside the trunk (`trunk` has its names; a row that names no branch is the trunk's), or compared with a release. Columns
 * of newer versions may be missing. Throws `RowError`.
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
