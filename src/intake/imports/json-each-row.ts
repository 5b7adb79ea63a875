import type { CiResultsFormat, ReadContext } from './format.ts'
import { type Line, lineBatches, TOO_LONG } from './line-batches.ts'
import { RowError, type RowOf, tableRows } from './table-row.ts'

/**
 * ClickHouse's `JSONEachRow`: an object in the columns of `checks` on each line; also as one JSON array with a row on each
 * line, which ClickHouse writes where `output_format_json_array_of_rows` is set.
 */
export const jsonEachRow: CiResultsFormat = {
  name: 'JSONEachRow',
  looksFor: 'JSON lines in the columns of checks (check_name, commit_sha, test_name, test_status, check_start_time, …)',
  matches(head) {
    const start = head.trimStart()
    if (!start.startsWith('{') && !/^\[\s*\{/.test(start)) return false
    return start.includes('"check_start_time"') || start.includes('"test_status"') || start.includes('"check_name"')
  },
  problem: () => null,
  read: (bytes, context) => tableRows(context, (rowOf) => readJsonRows(bytes, context, rowOf)),
}

/** The rows of a file, some at a time. `rowOf` throws `RowError` for one that is not read: a warning. */
export async function* readJsonRows<T>(
  bytes: AsyncIterable<Uint8Array>,
  context: Pick<ReadContext, 'warn'>,
  rowOf: RowOf<T>,
): AsyncGenerator<readonly T[]> {
  const tooLong = (number: number) => context.warn('limit-reached', number, TOO_LONG)
  for await (const lines of lineBatches(bytes, tooLong)) {
    const rows: T[] = []
    for (const line of lines) {
      const row = rowOfLine(line, context, rowOf)
      if (row !== null) rows.push(row)
    }
    yield rows
  }
}

function rowOfLine<T>({ text, number, ended }: Line, { warn }: Pick<ReadContext, 'warn'>, rowOf: RowOf<T>): T | null {
  const value = parse(text)
  if (value === null) return null
  if (value === undefined) {
    // a whole object that lacks only its line end is complete: an object that was cut has no closing brace
    if (ended) warn('malformed-line', number, 'this is not a JSON object: skipped')
    else warn('truncated-line', number, 'the last line was cut off: skipped')
    return null
  }
  try {
    return rowOf(
      (column) => (Object.hasOwn(value, column) ? value[column] : null),
      () => Object.keys(value),
    )
  } catch (error) {
    if (!(error instanceof RowError)) throw error
    warn('malformed-line', number, `${error.message}: skipped`)
    return null
  }
}

/** The object on a line; null for an empty line, undefined for one that is no object. */
function parse(line: string): Readonly<Record<string, unknown>> | null | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    const inside = line
      .trim()
      .replace(/^\[/, '')
      .replace(/[,\]]$/, '')
      .trim()
    if (inside === '') return null
    try {
      value = JSON.parse(inside)
    } catch {
      return undefined
    }
  }
  if (Array.isArray(value)) return value.length === 0 ? null : arrayOfOne(value)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

function arrayOfOne(values: readonly unknown[]): Readonly<Record<string, unknown>> | undefined {
  const [value] = values
  if (values.length > 1 || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return value as Record<string, unknown>
}
