import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import type { CheckRow } from './checks/check-row.ts'
import { type GivenValues, headRepositoryOf } from './checks/given-values.ts'
import type { ReadContext } from './format.ts'
import { parseTime } from './parse-time.ts'

/** A value as a row of a table holds it: of JSON anything, of TSV text, null for `\N` and for a column that is not there. */
export type ColumnValue = (column: string) => unknown

/** The columns of `checks` that are read; of another one nothing is kept. */
const COLUMNS = [
  ...['pull_request_number', 'commit_sha', 'check_name', 'check_status', 'check_duration_ms', 'check_start_time'],
  ...['test_name', 'test_status', 'test_duration_ms', 'test_context_raw', 'report_url', 'pull_request_url'],
  ...['commit_url', 'task_url', 'base_ref', 'base_repo', 'head_ref', 'head_repo', 'instance_type', 'instance_id'],
  ...['workflow_name', 'attributes', 'extensions'],
] as const
type Column = (typeof COLUMNS)[number]
type ValueIn = (column: Column) => unknown

const OUTPUT_COLUMN: Column = 'test_context_raw'
const KNOWN: ReadonlySet<string> = new Set(COLUMNS)
const MOST_NAMED = 5
/** Characters. */
const LONGEST_NAMED = 60

/** A row with its values and the names of all its columns. Throws `RowError` for one that is not read. */
export type RowOf<T> = (value: ColumnValue, columns: () => Iterable<string>) => T

/**
 * Rows in the columns of `checks`. Where none has an output and there are columns of other names, the output may be in one
 * of these: a warning.
 */
export async function* tableRows(
  { given, warn }: Pick<ReadContext, 'given' | 'warn'>,
  read: (rowOf: RowOf<CheckRow>) => AsyncGenerator<readonly CheckRow[]>,
): AsyncGenerator<readonly CheckRow[]> {
  const unknown = new Set<string>()
  let hasOutput = false
  yield* read((value, columns) => {
    const row = tableRow(value, given)
    if (!hasOutput) {
      for (const column of columns()) {
        hasOutput ||= column === OUTPUT_COLUMN
        if (!KNOWN.has(column) && unknown.size <= MOST_NAMED) unknown.add(detached(column))
      }
    }
    return row
  })
  if (hasOutput || unknown.size === 0) return
  const names = [...unknown].slice(0, MOST_NAMED).map((name) => cut(name, LONGEST_NAMED))
  const left = unknown.size === 1 ? 'is unknown and was left out' : 'are unknown and were left out'
  const named = `${names.join(', ')}${unknown.size > MOST_NAMED ? ', …' : ''}`
  const message = `${unknown.size === 1 ? 'column' : 'columns'} ${named} ${left}; no failing row has any output (${OUTPUT_COLUMN})`
  warn('invalid-value', null, message)
}

/** The problem of a row, for a person: the row is not read. */
export class RowError extends Error {}

/** Names beyond it are cut: no name of a test is so long, and the column is a dictionary. Characters. */
const LONGEST_NAME = 4000
/** Output beyond it is cut. Characters; the first failing lines are what a failure is told by. */
export const LONGEST_OUTPUT = 64 * 1024
/** Addresses and small texts. Characters. */
const LONGEST_TEXT = 8000

const LARGEST_PULL_REQUEST = 0xffff_ffff

/**
 * A row in the columns of ClickHouse's CI database. Columns it doesn't know are not asked for; what a row leaves empty
 * is taken from the given values. Throws `RowError`.
 */
function tableRow(value: ValueIn, given: GivenValues): CheckRow {
  const testName = name(value, 'test_name')
  if (testName === null) throw new RowError('test_name is missing ("" for the check itself)')
  const checkName = name(value, 'check_name') || given.checkName
  if (checkName === null) throw new RowError('check_name is missing (--check gives one)')
  const commitSha = text(value, 'commit_sha', LONGEST_TEXT) || given.commitSha
  if (commitSha === null) throw new RowError('commit_sha is missing (--sha gives one)')
  const testStatus = text(value, 'test_status', LONGEST_TEXT) ?? ''
  const checkStatus = text(value, 'check_status', LONGEST_TEXT) ?? ''
  if (testStatus === '' && checkStatus === '') throw new RowError('test_status and check_status are missing')
  if (testStatus === '' && testName !== '') throw new RowError('test_status is missing in the row of a test')
  const pullRequestNumber = pullRequest(value, given)
  const baseRepo = text(value, 'base_repo', LONGEST_TEXT) || (given.repository ?? '')
  return {
    pullRequestNumber,
    commitSha,
    checkName,
    checkStatus,
    checkDurationMs: duration(value('check_duration_ms')),
    checkStartTime: time(value('check_start_time')),
    testName,
    testStatus,
    testDurationMs: duration(value('test_duration_ms')),
    reportUrl: text(value, 'report_url', LONGEST_TEXT) ?? '',
    pullRequestUrl: text(value, 'pull_request_url', LONGEST_TEXT) ?? '',
    commitUrl: text(value, 'commit_url', LONGEST_TEXT) ?? '',
    taskUrl: text(value, 'task_url', LONGEST_TEXT) ?? '',
    baseRef: text(value, 'base_ref', LONGEST_TEXT) || (given.baseRef ?? ''),
    baseRepo,
    headRef: text(value, 'head_ref', LONGEST_TEXT) || (given.headRef ?? ''),
    headRepo: text(value, 'head_repo', LONGEST_TEXT) || headRepositoryOf(given, pullRequestNumber),
    testContextRaw: text(value, 'test_context_raw', LONGEST_OUTPUT) ?? '',
    instanceType: text(value, 'instance_type', LONGEST_TEXT) ?? '',
    instanceId: text(value, 'instance_id', LONGEST_TEXT) ?? '',
    workflowName: text(value, 'workflow_name', LONGEST_TEXT) ?? '',
    attributes: attributes(value),
  }
}

/** The text in a column, cut to the longest; null where the column is not there or NULL. */
function text(value: ValueIn, column: Column, longest: number): string | null {
  const found = wholeText(value, column)
  return found === null ? null : cut(found, longest)
}

function name(value: ValueIn, column: Column): string | null {
  const found = wholeText(value, column)
  return found === null ? null : cutName(found)
}

function wholeText(value: ValueIn, column: Column): string | null {
  const found = value(column)
  if (found === undefined || found === null) return null
  if (typeof found !== 'string') throw new RowError(`${column} is not text`)
  return found
}

/** The text cut to so many characters, with `…` where something was cut; never half of a surrogate pair. */
export function cut(value: string, longest: number): string {
  if (value.length <= longest) return value
  const code = value.charCodeAt(longest - 2)
  return detached(`${value.slice(0, code >= 0xd800 && code <= 0xdbff ? longest - 2 : longest - 1)}…`)
}

/** The same text in memory of its own: engines keep a part of a text as a reference to the whole of it. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}

/** A name of at most `LONGEST_NAME` characters; what is cut stays told apart by its check sum. */
export function cutName(name: string): string {
  if (name.length <= LONGEST_NAME) return name
  const sum = crc32(name).toString(16).padStart(8, '0')
  return `${cut(name, LONGEST_NAME - sum.length)}${sum}`
}

function pullRequest(value: ValueIn, given: GivenValues): number {
  const found = value('pull_request_number')
  if (found === undefined || found === null || found === '') return given.pullRequestNumber ?? 0
  const number = typeof found === 'string' && /^\d{1,10}$/.test(found) ? Number(found) : found
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > LARGEST_PULL_REQUEST) {
    throw new RowError('pull_request_number is not a whole number from 0 to 4294967295')
  }
  return number
}

/** Milliseconds; 0 where it is not there or makes no sense: a duration decides nothing. */
function duration(found: unknown): number {
  const number = typeof found === 'string' ? Number(found) : found
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return 0
  return Math.min(Math.round(number), Number.MAX_SAFE_INTEGER)
}

let lastText = ''
let lastTime = 0

function time(found: unknown): number {
  if (found === undefined || found === null || found === '') throw new RowError('check_start_time is missing')
  const written = typeof found === 'number' ? String(found) : found
  // all rows of a job have the same one
  if (written === lastText) return lastTime
  const parsed = typeof written === 'string' ? parseTime(written) : null
  if (parsed === null) {
    throw new RowError('check_start_time is not a time like 2026-10-20 08:15:00 (UTC), ISO 8601 or seconds since 1970')
  }
  lastText = written as string
  lastTime = parsed
  return parsed
}

/** The newest writers fill `attributes`, older ones `extensions`. An object is kept as its JSON text. */
function attributes(value: ValueIn): string {
  const found = value('attributes') ?? value('extensions')
  if (found === undefined || found === null || found === '') return ''
  const written = typeof found === 'string' ? found : JSON.stringify(found)
  // a cut JSON text would be none
  return written === '{}' || written.length > LONGEST_OUTPUT ? '' : written
}
