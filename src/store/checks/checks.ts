import type { CheckRow } from '../../intake/imports/checks/check-row.ts'
import { OUTPUT_CUT, OUTPUT_END_READ, SIGNATURE_RULE, signatureOf } from '../../judge/ledger/signature.ts'
import { testOutcome } from '../../judge/ledger/test-status.ts'
import type { ClickHouse } from '../client.ts'
import { insertInBatches } from '../insert-in-batches.ts'
import { columnOf, dateTime, few, string, table, uint16, uint32, uint64 } from '../table.ts'
import { OccurrenceCounter } from './occurrences.ts'

/** Bytes that are kept of one output: a person reads it, and its signature is made of its beginning and its end. */
export const OUTPUT_KEPT = 64 * 1024

const BATCH_ROWS = 20_000

const LAST_TIME = 2 ** 32 - 1

export interface StoredCheck {
  readonly repositoryId: number
  readonly row: CheckRow
  /** Seconds since 1970. */
  readonly time: number
  /** Of a row that failed. */
  readonly signature: ReturnType<typeof signatureOf> | null
  readonly occurrence: number
}

const column = columnOf<StoredCheck>()

export const CHECKS = table('checks', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  pull_request_number: column(uint32, ({ row }) => wholeNumber(row.pullRequestNumber, LAST_TIME)),
  commit_sha: column(few(string), ({ row }) => row.commitSha),
  check_name: column(few(string), ({ row }) => row.checkName),
  check_status: column(few(string), ({ row }) => row.checkStatus),
  check_duration_ms: column(uint64, ({ row }) => wholeNumber(row.checkDurationMs, Number.MAX_SAFE_INTEGER)),
  check_start_time: column(dateTime, ({ time }) => time),
  test_name: column(few(string), ({ row }) => row.testName),
  test_status: column(few(string), ({ row }) => row.testStatus),
  test_duration_ms: column(uint64, ({ row }) => wholeNumber(row.testDurationMs, Number.MAX_SAFE_INTEGER)),
  report_url: column(string, ({ row }) => row.reportUrl),
  pull_request_url: column(string, ({ row }) => row.pullRequestUrl),
  commit_url: column(string, ({ row }) => row.commitUrl),
  task_url: column(string, ({ row }) => row.taskUrl),
  base_ref: column(few(string), ({ row }) => row.baseRef),
  base_repo: column(few(string), ({ row }) => row.baseRepo),
  head_ref: column(few(string), ({ row }) => row.headRef),
  head_repo: column(few(string), ({ row }) => row.headRepo),
  test_context_raw: column(string, ({ row }) => withinBytes(row.testContextRaw.toWellFormed(), OUTPUT_KEPT)),
  instance_type: column(few(string), ({ row }) => row.instanceType),
  instance_id: column(string, ({ row }) => row.instanceId),
  workflow_name: column(few(string), ({ row }) => row.workflowName),
  attributes: column(string, ({ row }) => row.attributes),
  signature_kind: column(few(string), ({ signature }) => signature?.kind ?? ''),
  signature: column(string, ({ signature }) => signature?.text ?? ''),
  signature_rule: column(uint16, ({ signature }) => (signature === null ? 0 : SIGNATURE_RULE)),
  occurrence: column(uint32, ({ occurrence }) => occurrence),
})

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
    table: CHECKS,
    batchRows: BATCH_ROWS,
    rowOf: (row) => {
      const time = secondsOf(row)
      return { repositoryId, row, time, signature: signatureIn(row), occurrence: occurrences.next(row, time) }
    },
    charactersOf,
    secondsOf,
    onProgress: options.onProgress,
  })
}

function signatureIn(row: CheckRow): StoredCheck['signature'] {
  const failed = testOutcome(row.testName === '' ? row.checkStatus : row.testStatus) === 'failing'
  return failed ? signatureOf(row.testName, row.testContextRaw) : null
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
