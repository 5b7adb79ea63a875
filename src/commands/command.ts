import type { Command } from 'commander'

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

/** Called with the exit code when a command has done its work. */
export type Finished = (exitCode: number) => void

/** A command adds its description, arguments, options and examples here, and the call that does its work. */
export type Define = (command: Command, io: CommandIO, finished: Finished) => void

/** Prints the document of `--json`. Fields are added freely, never renamed or dropped: that would be another version. */
export function printJson(fields: object, io: CommandIO): void {
  io.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...fields }, null, 2)}\n`)
}

/** The examples at the end of a command's help. */
export function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length))
  const rows = lines.map(([command, meaning]) => `  perf-triage ${command.padEnd(width)}  ${meaning}`.trimEnd())
  return `\nExamples:\n${rows.join('\n')}`
}
