import type { TrunkRow } from '../history/trunk-row.ts'
import { timestamp } from './ci-parameters.ts'
import type { ClickHouse } from './client.ts'
import { NO_INDEX } from './query-hash.ts'

/** Rows and characters of one insert: what is held in memory, twice while one is written and the next is read. */
const BATCH_ROWS = 50_000
const BATCH_CHARACTERS = 16 * 2 ** 20
/** Months of one insert: ClickHouse takes 100 partitions, and rows of any time may come. */
const BATCH_MONTHS = 60

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
  let stored = 0
  let writing = Promise.resolve()
  let batch = new Batch()

  const flush = async () => {
    const full = batch
    batch = new Batch()
    await writing
    writing = clickhouse.insert('trunk_history', TRUNK_COLUMNS, full.rows).then(() => {
      stored += full.rows.length
      options.onProgress?.(stored)
    })
    // Read while it is written; its error comes with the next await.
    writing.catch(() => {})
  }

  for await (const row of rows) {
    if (!batch.takes(row)) await flush()
    batch.add(row, valuesOf(row, repositoryId))
  }
  if (batch.rows.length > 0) await flush()
  await writing
  return stored
}

class Batch {
  readonly rows: (readonly unknown[])[] = []
  #characters = 0
  readonly #months = new Set<number>()

  takes(row: TrunkRow): boolean {
    if (this.rows.length === 0) return true
    return (
      this.rows.length < BATCH_ROWS &&
      this.#characters + charactersOf(row) <= BATCH_CHARACTERS &&
      (this.#months.size < BATCH_MONTHS || this.#months.has(monthOf(row)))
    )
  }

  add(row: TrunkRow, values: readonly unknown[]): void {
    this.rows.push(values)
    this.#characters += charactersOf(row)
    this.#months.add(monthOf(row))
  }
}

/** In the order of `TRUNK_COLUMNS`. */
function valuesOf(row: TrunkRow, repositoryId: number): readonly unknown[] {
  return [
    repositoryId,
    row.source,
    timestamp(row.time / 1000),
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

function monthOf({ time }: TrunkRow): number {
  const date = new Date(timestamp(time / 1000) * 1000)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
