import { ReadStopped } from '../ci-results/format.ts'
import { readJsonRows } from '../ci-results/json-each-row.ts'
import { closeBytes, plainBytes } from '../ci-results/plain-bytes.ts'
import { columnsOf, firstLine, readTsvRows } from '../ci-results/tsv-with-names.ts'
import { SourceError } from '../measurement/source-error.ts'
import type { Warnings } from '../measurement/warnings.ts'
import { REQUIRED_COLUMNS, tableTrunkRow } from './table-trunk-row.ts'
import type { TrunkRow } from './trunk-row.ts'

export interface TrunkRowsOptions {
  /** The names of the trunk. */
  readonly trunk: readonly string[]
  readonly warnings: Pick<Warnings, 'add'>
  /** Told of each row that is not the trunk's. */
  readonly skipped: () => void
}

export interface TrunkRowsFile {
  readonly format: 'JSONEachRow' | 'TSVWithNames'
  /** The trunk's rows, read as they are asked for. What is wrong with some is a warning. */
  rows(): AsyncGenerator<TrunkRow>
  /** The reading ended before the end of the file, with a warning; what was read until then stands. */
  stopped(): boolean
  /** Lets go of a file that is not read. */
  close(): Promise<void>
}

/**
 * Opens rows in the columns of `query_metrics_v2`, as ClickHouse's JSONEachRow or TSVWithNames, compressed or not. Memory
 * is a few lines. Throws `SourceError` (one line for a person) when it is neither, or lacks a column.
 */
export async function openTrunkRows(
  where: string,
  bytes: AsyncIterable<Uint8Array>,
  { trunk, warnings, skipped }: TrunkRowsOptions,
): Promise<TrunkRowsFile> {
  const plain = await plainBytes(where, bytes)
  const head = new TextDecoder().decode(plain.head)
  let format: TrunkRowsFile['format']
  try {
    format = formatOf(head, where)
  } catch (error) {
    await closeBytes(plain.bytes)
    throw error
  }
  let stopped = false
  const warn: Parameters<typeof readJsonRows>[1]['warn'] = (code, line, message) =>
    warnings.add(code, where, line, message)
  const rowOf = (value: Parameters<typeof tableTrunkRow>[0]) => {
    const row = tableTrunkRow(value, trunk)
    if (row === null) skipped()
    return row
  }
  return {
    format,
    stopped: () => stopped,
    close: async () => await closeBytes(plain.bytes),
    async *rows() {
      const batches =
        format === 'JSONEachRow'
          ? readJsonRows(plain.bytes, { warn }, rowOf)
          : readTsvRows(plain.bytes, { warn }, rowOf, { timeColumn: 'event_time' })
      try {
        for await (const rows of batches) for (const row of rows) if (row !== null) yield row
      } catch (error) {
        if (!(error instanceof ReadStopped)) throw error
        stopped = true
        warn(error.code, error.line, error.message)
      }
    },
  }
}

function formatOf(head: string, where: string): TrunkRowsFile['format'] {
  const start = head.replace(/^\ufeff/, '').trimStart()
  if (start === '') throw new SourceError('no-measurements', `${where}: the file is empty`)
  if (/^(?:\[\s*)?\{/.test(start) && start.includes('"query_display_name"')) return 'JSONEachRow'
  const names = columnsOf(firstLine(head))
  if (!names.includes('query_display_name')) {
    throw new SourceError(
      'no-measurements',
      `${where}: these are no rows of query_metrics_v2; there are: JSONEachRow (JSON lines with query_display_name, old_value, new_value, …); TSVWithNames (the names of the columns in the first line)`,
    )
  }
  const missing = REQUIRED_COLUMNS.filter((column) => !names.includes(column))
  if (missing.length > 0) throw new SourceError('usage', `${where}: the columns ${missing.join(', ')} are missing`)
  return 'TSVWithNames'
}
