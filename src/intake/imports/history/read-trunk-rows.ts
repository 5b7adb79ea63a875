import { counted } from '../../../text/numbers.ts'
import { SourceError } from '../../measurement/source.ts'
import type { Warnings } from '../../measurement/warnings.ts'
import { ReadStopped, type RowsFile } from '../format.ts'
import { readJsonRows } from '../json-each-row.ts'
import { lineBatches, TOO_LONG } from '../line-batches.ts'
import { closeBytes, plainBytes } from '../plain-bytes.ts'
import type { ColumnValue } from '../table-row.ts'
import { columnsOf, firstLine, readTsvRows } from '../tsv-with-names.ts'
import {
  type HistoryLineProblem,
  type HistoryRun,
  historyRunKey,
  readHistoryLine,
  trunkRowsOf,
} from './history-lines.ts'
import { type MediansOf, RunsOfRepetitions } from './runs-of-repetitions.ts'
import { REPETITION_COLUMNS, REQUIRED_COLUMNS, type Repetition, tableRepetition, tableTrunkRow } from './table-rows.ts'
import type { TrunkRow } from './trunk-row.ts'

/** Reads a trunk’s history from files: medians or repetitions, told apart by their columns, or the Action's lines. */

export interface TrunkRowsOptions {
  /** The names of the trunk. */
  readonly trunk: readonly string[]
  readonly medians: MediansOf
  readonly warnings: Pick<Warnings, 'add'>
  /** Told of each row that is not the trunk's. */
  readonly skipped: () => void
  /** Told of each line that could not be read as a row. */
  readonly unread?: () => void
  /** Takes the runs of the Action's history file, one after the other, besides their rows. */
  readonly runs?: (run: HistoryRun) => Promise<void>
}

/**
 * The kind of a file, by its columns: medians as in `query_metrics_v2`, or repetitions as in `query_metric_runs_v1`; `history`: lines of
 * the Action.
 */
interface Contents {
  readonly format: 'JSONEachRow' | 'TSVWithNames' | 'history'
  readonly areRepetitions: boolean
}

/**
 * Opens rows in the columns of `query_metrics_v2` or `query_metric_runs_v1`, as ClickHouse's JSONEachRow or TSVWithNames,
 * or lines of the Action's history, compressed or not. Memory is a few lines, and for repetitions what `RunsOfRepetitions` holds. Throws `SourceError` (one
 * line for a person) when it is neither, or lacks a column.
 */
export async function openTrunkRows(
  where: string,
  bytes: AsyncIterable<Uint8Array>,
  options: TrunkRowsOptions,
): Promise<RowsFile<TrunkRow>> {
  const plain = await plainBytes(where, bytes)
  try {
    const contents = contentsOf(new TextDecoder().decode(plain.head), where)
    return new TrunkRowsFile(where, plain.bytes, contents, options)
  } catch (error) {
    await closeBytes(plain.bytes)
    throw error
  }
}

class TrunkRowsFile implements RowsFile<TrunkRow> {
  readonly format: Contents['format']
  readonly #areRepetitions: boolean
  readonly #where: string
  readonly #bytes: AsyncIterable<Uint8Array>
  readonly #options: TrunkRowsOptions
  #stopped = false
  #isCut = false

  constructor(where: string, bytes: AsyncIterable<Uint8Array>, contents: Contents, options: TrunkRowsOptions) {
    this.format = contents.format
    this.#areRepetitions = contents.areRepetitions
    this.#where = where
    this.#bytes = bytes
    this.#options = options
  }

  rows(): AsyncIterable<TrunkRow> {
    if (this.format === 'history') return this.#untilStopped(this.#rowsOfLines())
    if (this.#areRepetitions) return this.#runsOfRepetitions()
    return this.#untilStopped(this.#read((value) => tableTrunkRow(value, this.#options.trunk), 'event_time'))
  }

  stopped(): boolean {
    return this.#stopped
  }

  async close(): Promise<void> {
    await closeBytes(this.#bytes)
  }

  readonly #warn: Warn = (code, line, message) => {
    if (code === 'truncated-line') this.#isCut = true
    // A line without an end is told and read.
    if (line !== null && message.endsWith(NOT_READ)) this.#options.unread?.()
    this.#options.warnings.add(code, this.#where, line, message)
  }

  /** The trunk's rows; `rowOf` gives null for one that is not. */
  async *#read<Row>(rowOf: (value: ColumnValue) => Row | null, timeColumn: string): AsyncGenerator<Row> {
    const warn = this.#warn
    const orSkipped = (value: ColumnValue) => {
      const row = rowOf(value)
      if (row === null) this.#options.skipped()
      return row
    }
    const batches =
      this.format === 'JSONEachRow'
        ? readJsonRows(this.#bytes, { warn }, orSkipped)
        : readTsvRows(this.#bytes, { warn }, orSkipped, { timeColumn })
    for await (const rows of batches) for (const row of rows) if (row !== null) yield row
  }

  /** A line that says again what one before it says is passed over. */
  async *#rowsOfLines(): AsyncGenerator<TrunkRow> {
    const known = new Set<string>()
    const tooLong = (number: number) => this.#warn('limit-reached', number, TOO_LONG)
    for await (const lines of lineBatches(this.#bytes, tooLong)) {
      for (const { text, number } of lines) {
        const read = text.trim() === '' ? null : readHistoryLine(text)
        if (typeof read === 'string') this.#warn('malformed-line', number, NO_LINE[read])
        if (read === null || typeof read === 'string' || known.has(historyRunKey(read))) continue
        known.add(historyRunKey(read))
        await this.#options.runs?.(read)
        yield* trunkRowsOf(read)
      }
    }
  }

  /** A problem that ends the reading is a warning; what was read until then stands. */
  async *#untilStopped(rows: AsyncIterable<TrunkRow>): AsyncGenerator<TrunkRow> {
    try {
      yield* rows
    } catch (error) {
      if (!(error instanceof ReadStopped)) throw error
      this.#stopped = true
      this.#warn(error.code, error.line, error.message)
    }
  }

  async *#runsOfRepetitions(): AsyncGenerator<TrunkRow> {
    const runs = new RunsOfRepetitions(this.#options.medians)
    const repetitions = this.#read((value) => tableRepetition(value, this.#options.trunk), 'check_start_time')
    yield* this.#untilStopped(addAll(runs, repetitions))
    const lost = yield* runs.finish(this.#stopped || this.#isCut)
    if (lost > 0) {
      this.#stopped = true
      const few = counted(lost, 'run, which may lack repetitions, was', 'runs, which may lack repetitions, were')
      this.#warn('truncated-line', null, `the end is missing: ${few} not read`)
    }
    if (runs.notCompared > 0) {
      const some = counted(runs.notCompared, 'query of a run was', 'queries of runs were')
      const why = 'measured on one side only, or with a value that is not a number from 0'
      this.#warn('invalid-value', null, `${some} ${why}: skipped`)
    }
  }
}

/** How the readers of lines end what they say of one that is lost. */
const NOT_READ = ': skipped'

const NO_LINE: Readonly<Record<HistoryLineProblem, string>> = {
  malformed: `this is not JSON${NOT_READ}`,
  unexpected: `this is not a run of the Action’s history${NOT_READ}`,
  'newer-version': `a later version of perf-triage wrote this line; import it with that version${NOT_READ}`,
}

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
  if (start.startsWith('{') && start.includes('"v":') && start.includes('"rows":')) {
    return { format: 'history', areRepetitions: false }
  }
  const names = columnsOf(firstLine(head))
  if (!names.includes('query_display_name')) {
    throw new SourceError(
      'no-measurements',
      `${where}: these are not rows of query_metrics_v2 or query_metric_runs_v1; supported: JSONEachRow (JSON lines with query_display_name, old_value, new_value, … or side, metric_value, …); TSVWithNames (column names in the first line); history/*.jsonl of the Action; any other format that classify reads: one run of the main branch, with --commit SHA --time TIME`,
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
