import type { Command } from 'commander'
import { SourceError } from '../../intake/measurement/source.ts'

/** Where a command writes: the process's streams, or a test's. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The part of the world that a command gets. A command returns its exit code; it never ends the process. */
export interface CommandIO {
  /** The bytes that `-` stands for; the process's own where not given. */
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Everything went well; a `--fail-on` condition holds; bad input or usage. */
export const EXIT_OK = 0
export const EXIT_CONDITION = 1
export const EXIT_BAD_INPUT = 2

/**
 * The user gave something that cannot be used. The message is one line: what, where, and what to do. Ends with exit
 * code 2.
 */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** The user's own, or a file that can't be read as what it should be. */
export function isInputProblem(error: unknown): error is Error {
  return error instanceof InputError || error instanceof SourceError
}

/** Called with the exit code when a command has done its work. */
export type Finished = (exitCode: number) => void

/** A command adds its description, arguments, options and examples here. */
export type Define = (command: Command) => void

/** Rows of a list that are made into text at once. */
const ROWS_OF_A_PIECE = 200

/** Prints the document of `--json`. Fields are added freely, never renamed or dropped: that would be another version. */
export function printJson(fields: object, io: CommandIO): void {
  for (const piece of jsonPieces({ schemaVersion: 1, ...fields })) io.stdout.write(piece)
}

/**
 * Yields what `JSON.stringify(fields, null, 2)` gives and the end of the line, a long list in pieces: as one text the 180,000 rows of
 * a run with all its metrics are 150 MB.
 */
function* jsonPieces(fields: object): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(fields)) {
    const list: readonly unknown[] = Array.isArray(value) ? value : []
    const start = `{\n  ${JSON.stringify(key)}: [`
    if (list.length <= ROWS_OF_A_PIECE) {
      const text = JSON.stringify({ [key]: value }, null, 2)
      // of what is not defined nothing is said
      if (text === '{}') continue
      yield before + text.slice('{'.length, -'\n}'.length)
    } else {
      yield before + start.slice('{'.length)
      for (let from = 0; from < list.length; from += ROWS_OF_A_PIECE) {
        const rows = JSON.stringify({ [key]: list.slice(from, from + ROWS_OF_A_PIECE) }, null, 2)
        yield (from === 0 ? '' : ',') + rows.slice(start.length, -'\n  ]\n}'.length)
      }
      yield '\n  ]'
    }
    before = ','
  }
  yield '\n}\n'
}

/** Columns of a terminal that help is made for. */
const HELP_WIDTH = 80

/** The examples at the end of a command's help: each with what it means behind it, or below it where there is no room. */
export function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length))
  const beside = lines.map(([command, meaning]) => `  perf-triage ${command.padEnd(width)}  ${meaning}`.trimEnd())
  const below = lines.map(([command, meaning]) => `  perf-triage ${command}\n      ${meaning}`)
  return `\nExamples:\n${(beside.every((line) => line.length <= HELP_WIDTH) ? beside : below).join('\n')}`
}
