import type { TrunkRow } from '../../history/trunk-row.ts'
import { NO_INDEX } from '../../measurement/query-hash.ts'
import { timestamp } from '../ci-parameters.ts'
import type { ClickHouse } from '../client.ts'
import { insertInBatches } from '../insert-in-batches.ts'

const BATCH_ROWS = 50_000

export const TRUNK_COLUMNS = [
  'repository_id',
  'source',
  'event_time',
  'pr_number',
  'old_sha',
  'new_sha',
  'test',
  'query_index',
  'query_display_name',
  'metric',
  'old_value',
  'new_value',
  'diff',
  'stat_threshold',
  'arch',
  'workflow_name',
  'base_branch',
  'report_url',
  'instance_type',
  'instance_id',
] as const

export interface SaveTrunkRowsOptions {
  /** Told after each insert how many rows are stored. */
  readonly onProgress?: (rows: number) => void
}

/**
 * Stores rows in the bot's own `trunk_history` and gives their number. Rows that were stored before are there once: a row
 * is known by repository, source, metric, query, index, architecture, time and commit. Memory does not grow with the
 * number of rows.
 * @throws StoreUnavailable; what was stored before that stays.
 */
export async function saveTrunkRows(
  clickhouse: ClickHouse,
  repositoryId: number,
  rows: AsyncIterable<TrunkRow> | Iterable<TrunkRow>,
  options: SaveTrunkRowsOptions = {},
): Promise<number> {
  return await insertInBatches(clickhouse, rows, {
    table: 'trunk_history',
    columns: TRUNK_COLUMNS,
    batchRows: BATCH_ROWS,
    valuesOf: (row) => valuesOf(row, repositoryId),
    charactersOf,
    secondsOf,
    onProgress: options.onProgress,
  })
}

/** In the order of `TRUNK_COLUMNS`. */
function valuesOf(row: TrunkRow, repositoryId: number): readonly unknown[] {
  return [
    repositoryId,
    row.source,
    secondsOf(row),
    0,
    row.oldCommit.toWellFormed(),
    row.newCommit.toWellFormed(),
    row.test.toWellFormed(),
    row.queryIndex ?? NO_INDEX,
    row.queryName?.toWellFormed() ?? '',
    row.metric.toWellFormed(),
    float(row.old),
    float(row.new),
    float(row.difference),
    float(row.threshold ?? Number.NaN),
    row.architecture.toWellFormed(),
    row.workflowName.toWellFormed(),
    row.baseBranch.toWellFormed(),
    row.reportUrl.toWellFormed(),
    row.instanceType.toWellFormed(),
    row.instanceId.toWellFormed(),
  ]
}

/** JSON has no NaN and no infinity; the database reads them as text. */
function float(value: number): number | string {
  if (Number.isFinite(value)) return value
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
}

function charactersOf(row: TrunkRow): number {
  return 300 + row.test.length + (row.queryName?.length ?? 0) + row.reportUrl.length
}

function secondsOf({ time }: TrunkRow): number {
  return timestamp(time / 1000)
}
