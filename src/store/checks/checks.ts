import type { CheckRow } from '../../ledger/check-row.ts'
import { OUTPUT_CUT, OUTPUT_END_READ, SIGNATURE_RULE, signatureOf } from '../../ledger/signature.ts'
import { testOutcome } from '../../ledger/test-status.ts'
import type { ClickHouse } from '../client.ts'
import { insertInBatches } from '../insert-in-batches.ts'
import { OccurrenceCounter } from './occurrences.ts'

/** Bytes that are kept of one output: a person reads it, and its signature is made of its beginning and its end. */
export const OUTPUT_KEPT = 64 * 1024

const BATCH_ROWS = 20_000

const LAST_TIME = 2 ** 32 - 1

export const CHECK_COLUMNS = [
  'repository_id',
  'pull_request_number',
  'commit_sha',
  'check_name',
  'check_status',
  'check_duration_ms',
  'check_start_time',
  'test_name',
  'test_status',
  'test_duration_ms',
  'report_url',
  'pull_request_url',
  'commit_url',
  'task_url',
  'base_ref',
  'base_repo',
  'head_ref',
  'head_repo',
  'test_context_raw',
  'instance_type',
  'instance_id',
  'workflow_name',
  'attributes',
  'signature_kind',
  'signature',
  'signature_rule',
  'occurrence',
] as const

export interface SaveChecksOptions {
  /** Told after each insert how many rows are stored. */
  readonly onProgress?: (rows: number) => void
}

/**
 * Stores rows in the bot's own `checks` and gives their number. Rows that were stored before are there once: a row is
 * known by repository, commit, pull request, check, start, test and status, and equal ones of one call by their order.
 * So the retries of a test within one job are told apart only when the whole job comes in one call, in whatever order its
 * rows stand; a job may come again, with more rows, at any time. Memory does not grow with the number of rows.
 * @throws StoreUnavailable; what was stored before that stays.
 */
export async function saveChecks(
  clickhouse: ClickHouse,
  repositoryId: number,
  rows: AsyncIterable<CheckRow> | Iterable<CheckRow>,
  options: SaveChecksOptions = {},
): Promise<number> {
  const occurrences = new OccurrenceCounter()
  return await insertInBatches(clickhouse, rows, {
    table: 'checks',
    columns: CHECK_COLUMNS,
    batchRows: BATCH_ROWS,
    valuesOf: (row) => {
      const time = secondsOf(row)
      return valuesOf(row, time, repositoryId, occurrences.next(row, time))
    },
    charactersOf,
    secondsOf,
    onProgress: options.onProgress,
  })
}

/** The values of a row in the order of `CHECK_COLUMNS`. */
function valuesOf(row: CheckRow, time: number, repositoryId: number, occurrence: number): readonly unknown[] {
  const failed = testOutcome(row.testName === '' ? row.checkStatus : row.testStatus) === 'failing'
  const signature = failed ? signatureOf(row.testName, row.testContextRaw) : null
  return [
    repositoryId,
    wholeNumber(row.pullRequestNumber, LAST_TIME),
    row.commitSha.toWellFormed(),
    row.checkName.toWellFormed(),
    row.checkStatus.toWellFormed(),
    wholeNumber(row.checkDurationMs, Number.MAX_SAFE_INTEGER),
    time,
    row.testName.toWellFormed(),
    row.testStatus.toWellFormed(),
    wholeNumber(row.testDurationMs, Number.MAX_SAFE_INTEGER),
    row.reportUrl.toWellFormed(),
    row.pullRequestUrl.toWellFormed(),
    row.commitUrl.toWellFormed(),
    row.taskUrl.toWellFormed(),
    row.baseRef.toWellFormed(),
    row.baseRepo.toWellFormed(),
    row.headRef.toWellFormed(),
    row.headRepo.toWellFormed(),
    withinBytes(row.testContextRaw.toWellFormed(), OUTPUT_KEPT),
    row.instanceType.toWellFormed(),
    row.instanceId.toWellFormed(),
    row.workflowName.toWellFormed(),
    row.attributes.toWellFormed(),
    signature?.kind ?? '',
    signature?.text ?? '',
    signature === null ? 0 : SIGNATURE_RULE,
    occurrence,
  ]
}

/** The columns of a row that may be long. */
function charactersOf(row: CheckRow): number {
  return (
    row.testName.length +
    Math.min(row.testContextRaw.length, OUTPUT_KEPT) +
    row.attributes.length +
    row.checkName.length +
    row.reportUrl.length +
    row.headRef.length
  )
}

function secondsOf({ checkStartTime }: CheckRow): number {
  return wholeNumber(checkStartTime / 1000, LAST_TIME)
}

function wholeNumber(value: number, largest: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.floor(value), 0), largest)
}

/** Beginning and end with `OUTPUT_CUT` between them, cut between two characters. */
function withinBytes(text: string, bytes: number): string {
  // A UTF-16 code unit has at most three bytes of UTF-8.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  const end = OUTPUT_CUT + text.slice(-OUTPUT_END_READ).replace(/^[\udc00-\udfff]/, '')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength(end)))
  return text.slice(0, read) + end
}
