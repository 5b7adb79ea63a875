import { z } from 'zod'
import { precedenceOf, type TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { NO_INDEX, queryHash } from '../../intake/measurement/query-hash.ts'
import { timestamp } from '../../text/time.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { insertInBatches } from '../insert-in-batches.ts'
import { readSql } from '../sql-file.ts'
import { columnOf, dateTime, enum8, few, float64, string, table, uint8, uint32, uint64 } from '../table.ts'

/** The table `trunk_history` and writing to it. Reading: `stored-trunk-history.ts`. */

const HELD_SQL = readSql(new URL('./held-history.sql', import.meta.url))
const WEAKER_SQL = readSql(new URL('./weaker-history.sql', import.meta.url))
const SUPERSEDE_SQL = readSql(new URL('./supersede-history.sql', import.meta.url))

const BATCH_ROWS = 50_000

export interface StoredTrunkRow {
  readonly repositoryId: number
  readonly row: TrunkRow
}

const column = columnOf<StoredTrunkRow>()

/** A difference of nothing has no sign. */
const unsignedZero: typeof float64 = { ...float64, write: (value) => float64.write(value + 0) }

export const TRUNK_HISTORY = table('trunk_history', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  source: column(enum8('own', 'imported', 'ci-database'), ({ row }) => row.source),
  event_time: column(dateTime, ({ row }) => secondsOf(row)),
  pr_number: column(uint32, () => 0),
  old_sha: column(few(string), ({ row }) => row.oldCommit),
  new_sha: column(few(string), ({ row }) => row.newCommit),
  test: column(few(string), ({ row }) => row.test),
  query_index: column(uint32, ({ row }) => row.queryIndex ?? NO_INDEX),
  query_display_name: column(few(string), ({ row }) => row.queryName ?? ''),
  metric: column(few(string), ({ row }) => row.metric),
  old_value: column(unsignedZero, ({ row }) => row.old),
  new_value: column(unsignedZero, ({ row }) => row.new),
  diff: column(unsignedZero, ({ row }) => row.difference),
  stat_threshold: column(unsignedZero, ({ row }) => row.threshold ?? Number.NaN),
  arch: column(few(string), ({ row }) => row.architecture),
  workflow_name: column(few(string), ({ row }) => row.workflowName),
  base_branch: column(few(string), ({ row }) => row.baseBranch),
  report_url: column(few(string), ({ row }) => row.reportUrl),
  instance_type: column(few(string), ({ row }) => row.instanceType),
  instance_id: column(few(string), ({ row }) => row.instanceId),
  precedence: column(uint8, ({ row }) => precedenceOf(row)),
  copied_from: column(few(string), ({ row }) => row.copiedFrom?.table ?? ''),
})

/** Commits that one statement names: 40 characters each in its address. */
const COMMITS_AT_A_TIME = 500

export interface SaveTrunkRowsOptions {
  /** Told after each insert how many rows are stored. */
  readonly onProgress?: (rows: number) => void
}

/**
 * Stores rows in the bot's own `trunk_history` and gives their number. Rows that were stored before are there once: a row
 * is known by repository, source, metric, query, index, architecture, time and commit. Memory does not grow with the
 * number of rows, beside the commits that they name.
 *
 * Of one run of a query (the same commit on the same architecture) the first of these stands: the bot's own rows, imported ones,
 * copied medians, copied raw runs. The others are superseded, whichever is written first.
 * @throws StoreUnavailable; what was stored before that stays.
 */
export async function saveTrunkRows(
  clickhouse: ClickHouse,
  repositoryId: number,
  rows: AsyncIterable<TrunkRow> | Iterable<TrunkRow>,
  options: SaveTrunkRowsOptions = {},
): Promise<number> {
  const commits = new Set<string>()
  const stored = await insertInBatches(clickhouse, rows, {
    table: TRUNK_HISTORY,
    batchRows: BATCH_ROWS,
    rowOf: (row) => {
      commits.add(row.newCommit.toWellFormed())
      return { repositoryId, row }
    },
    charactersOf,
    secondsOf,
    onProgress: options.onProgress,
  })
  for (const some of inGroups([...commits])) await settle(clickhouse, repositoryId, some)
  return stored
}

/** The rows, of one metric, that no row stands before which is already stored. @throws StoreUnavailable */
export async function withoutHeld(
  clickhouse: ClickHouse,
  repositoryId: number,
  metric: string,
  rows: readonly TrunkRow[],
): Promise<TrunkRow[]> {
  const [first] = rows
  if (first === undefined) return []
  const parameters = { repositoryId, metric: metric.toWellFormed(), precedence: precedenceOf(first) }
  const held = new Set<string>()
  const heldRow = z.object({ hash: z.string(), architecture: z.string(), commit: z.string() })
  const commits = new Set(rows.map(({ newCommit }) => newCommit.toWellFormed()))
  for (const some of inGroups([...commits])) {
    for (const { hash, architecture, commit } of await clickhouse.read(
      'held-history',
      HELD_SQL,
      { ...parameters, commits: some },
      heldRow,
    )) {
      held.add(`${hash} ${commit} ${architecture}`)
    }
  }
  if (held.size === 0) return [...rows]
  return rows.filter((row) => {
    const { newCommit, architecture } = row
    return !held.has(`${queryHash(row)} ${newCommit.toWellFormed()} ${architecture.toWellFormed()}`)
  })
}

/** Supersedes what others stand before. Whoever writes last sees the rows of both, so that the order does not matter. */
async function settle(clickhouse: ClickHouse, repositoryId: number, commits: readonly string[]): Promise<void> {
  const parameters = { repositoryId, commits }
  const [weaker] = await clickhouse.read('weaker-history', WEAKER_SQL, parameters, z.object({ rows: count }))
  if (weaker === undefined || weaker.rows === 0) return
  await clickhouse.command('supersede-history', SUPERSEDE_SQL, parameters, {
    do_not_merge_across_partitions_select_final: 1,
    max_partitions_per_insert_block: '0',
  })
}

function inGroups(commits: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let i = 0; i < commits.length; i += COMMITS_AT_A_TIME) groups.push(commits.slice(i, i + COMMITS_AT_A_TIME))
  return groups
}

function charactersOf(row: TrunkRow): number {
  return 300 + row.test.length + (row.queryName?.length ?? 0) + row.reportUrl.length
}

function secondsOf({ time }: TrunkRow): number {
  return timestamp(time / 1000)
}
