import type { TrunkRow } from '../../history/trunk-row.ts'
import { SourceError } from '../../measurement/source-error.ts'
import type { Warnings } from '../../measurement/warnings.ts'
import { counted } from '../../text/numbers.ts'
import { ReadStopped } from '../format.ts'
import { readJsonRows } from '../json-each-row.ts'
import { closeBytes, plainBytes } from '../plain-bytes.ts'
import type { ColumnValue } from '../table-row.ts'
import { columnsOf, firstLine, readTsvRows } from '../tsv-with-names.ts'
import { RunsOfRepetitions } from './runs-of-repetitions.ts'
import { REPETITION_COLUMNS, REQUIRED_COLUMNS, type Repetition, tableRepetition, tableTrunkRow } from './table-rows.ts'

export interface TrunkRowsOptions {
  /** The names of the trunk. */
  readonly trunk: readonly string[]
  readonly warnings: Pick<Warnings, 'add'>
  /** Told of each row that is not the trunk's. */
  readonly skipped: () => void
  /** Told of each line that could not be read as a row. */
  readonly unread?: () => void
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
 * The kind of a file, by its columns: medians as in `query_metrics_v2`, or repetitions as in `query_metric_runs_v1`.
 */
interface Contents {
  readonly format: TrunkRowsFile['format']
  readonly areRepetitions: boolean
}

/**
 * Opens rows in the columns of `query_metrics_v2` or `query_metric_runs_v1`, as ClickHouse's JSONEachRow or TSVWithNames,
 * compressed or not. Memory is a few lines, and for repetitions what `RunsOfRepetitions` holds. Throws `SourceError` (one
 * line for a person) when it is neither, or lacks a column.
 */
export async function openTrunkRows(
  where: string,
  bytes: AsyncIterable<Uint8Array>,
  { trunk, warnings, skipped, unread }: TrunkRowsOptions,
): Promise<TrunkRowsFile> {
  const plain = await plainBytes(where, bytes)
  const head = new TextDecoder().decode(plain.head)
  let contents: Contents
  try {
    contents = contentsOf(head, where)
  } catch (error) {
    await closeBytes(plain.bytes)
    throw error
  }
  const { format, areRepetitions } = contents
  let stopped = false
  let isCut = false
  const warn: Warn = (code, line, message) => {
    if (code === 'truncated-line') isCut = true
    // A line without an end is told and read.
    if (line !== null && message.endsWith(NOT_READ)) unread?.()
    warnings.add(code, where, line, message)
  }

  async function* read<Row>(rowOf: (value: ColumnValue) => Row | null, timeColumn: string): AsyncGenerator<Row> {
    const orSkipped = (value: ColumnValue) => {
      const row = rowOf(value)
      if (row === null) skipped()
      return row
    }
    const batches =
      format === 'JSONEachRow'
        ? readJsonRows(plain.bytes, { warn }, orSkipped)
        : readTsvRows(plain.bytes, { warn }, orSkipped, { timeColumn })
    for await (const rows of batches) for (const row of rows) if (row !== null) yield row
  }

  /** A problem that ends the reading is a warning; what was read until then stands. */
  async function* untilStopped(rows: AsyncIterable<TrunkRow>): AsyncGenerator<TrunkRow> {
    try {
      yield* rows
    } catch (error) {
      if (!(error instanceof ReadStopped)) throw error
      stopped = true
      warn(error.code, error.line, error.message)
    }
  }

  async function* together(): AsyncGenerator<TrunkRow> {
    const runs = new RunsOfRepetitions()
    const repetitions = read((value) => tableRepetition(value, trunk), 'check_start_time')
    yield* untilStopped(addAll(runs, repetitions))
    const lost = yield* runs.finish(stopped || isCut)
    if (lost > 0) {
      stopped = true
      const few = counted(lost, 'run, which may lack repetitions, was', 'runs, which may lack repetitions, were')
      warn('truncated-line', null, `the end is missing: ${few} not read`)
    }
    if (runs.notCompared > 0) {
      const some = counted(runs.notCompared, 'query of a run was', 'queries of runs were')
      warn(
        'invalid-value',
        null,
        `${some} measured on one side only, or with a value that is no number from 0: not read`,
      )
    }
  }

  return {
    format,
    stopped: () => stopped,
    close: async () => await closeBytes(plain.bytes),
    rows: () =>
      areRepetitions ? together() : untilStopped(read((value) => tableTrunkRow(value, trunk), 'event_time')),
  }
}

/** How the readers of lines end what they say of one that is lost. */
const NOT_READ = ': not read'

type Warn = Parameters<typeof readJsonRows>[1]['warn']

async function* addAll(runs: RunsOfRepetitions, repetitions: AsyncIterable<Repetition>): AsyncGenerator<TrunkRow> {
  for await (const repetition of repetitions) yield* runs.add(repetition)
}

function contentsOf(head: string, where: string): Contents {
  const start = head.replace(/^\ufeff/, '').trimStart()
  if (start === '') throw new SourceError('no-measurements', `${where}: the file is empty`)
  if (/^(?:\[\s*)?\{/.test(start) && start.includes('"query_display_name"')) {
    return { format: 'JSONEachRow', areRepetitions: start.includes('"metric_value"') && !start.includes('"old_value"') }
  }
  const names = columnsOf(firstLine(head))
  if (!names.includes('query_display_name')) {
    throw new SourceError(
      'no-measurements',
      `${where}: these are no rows of query_metrics_v2 or query_metric_runs_v1; there are: JSONEachRow (JSON lines with query_display_name, old_value, new_value, … or side, metric_value, …); TSVWithNames (the names of the columns in the first line)`,
    )
  }
  const areRepetitions = names.includes('metric_value') && !names.includes('old_value')
  const missing = (areRepetitions ? REPETITION_COLUMNS : REQUIRED_COLUMNS).filter((column) => !names.includes(column))
  if (missing.length > 0) {
    const columns = missing.length === 1 ? `column ${missing[0]} is` : `columns ${missing.join(', ')} are`
    throw new SourceError('usage', `${where}: the ${columns} missing; docs/formats.md lists them all`)
  }
  return { format: 'TSVWithNames', areRepetitions }
}
