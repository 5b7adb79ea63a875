import type { ReadWarningCode } from '../measurement/run.ts'
import type { CheckRow } from './checks/check-row.ts'
import type { GivenValues } from './checks/given-values.ts'

/** What a format of CI results provides, and what its reader is given. */

export interface ReadContext {
  /** How messages name the file. */
  readonly where: string
  /** Values of the caller for rows that don't state them themselves. */
  readonly given: GivenValues
  /** When this job ran, in milliseconds: asked for at the first row. Throws `SourceError` where nobody knows. */
  readonly time: () => number
  /** A time of the job as the file writes it. */
  readonly stateTime: (text: string) => void
  /** `line` is 1-based, null for the file as a whole. */
  readonly warn: (code: ReadWarningCode, line: number | null, message: string) => void
}

/** A format of CI results. A new one is one file and one entry in `formats.ts`. */
export interface CiResultsFormat {
  /** The name for `--format`. */
  readonly name: string
  /** How messages describe its files. */
  readonly looksFor: string
  /** Whether a file that begins like this (up to `HEAD_BYTES`) is of this format. */
  matches(head: string): boolean
  /** Why a file that begins like this can't be read with these values: one line, what is missing; null: it can. */
  problem(head: string, given: GivenValues): string | null
  /**
   * The rows, some at a time, with the memory of a few. What is wrong with one is a warning; what ends the reading before
   * the file's end is thrown as `ReadStopped`, after the rows before it.
   */
  read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<readonly CheckRow[]>
}

/** A file whose format is known. */
export interface RowsFile<Row> {
  /** The name of the format. */
  readonly format: string
  /** All its rows, read as they are asked for. What is wrong with some is a warning. */
  rows(): AsyncIterable<Row>
  /** The reading ended before the end of the file, with a warning; what was read until then stands. */
  stopped(): boolean
  /** Lets go of a file that is not read. */
  close(): Promise<void>
}

/** Enough for the header of a table and for the comments that may stand before the root of an XML document. */
export const HEAD_BYTES = 64 * 1024

/** The rest of a file can't be read. What was read until then stands. The message is one line for a person. */
export class ReadStopped extends Error {
  override readonly name = 'ReadStopped'
  readonly code: ReadWarningCode
  /** 1-based; null where lines mean nothing. */
  readonly line: number | null

  constructor(code: ReadWarningCode, line: number | null, message: string) {
    super(message)
    this.code = code
    this.line = line
  }
}
