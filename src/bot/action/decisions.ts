import { z } from 'zod'
import type { CommandComment, CommandGiver, HeardCommand } from '../../inbox/commands.ts'
import { type Decision, decisionSchema } from '../../report/acceptance.ts'
import { linesOf } from './lines.ts'

/** People's decisions on pull requests, as lines of `decisions.jsonl` on the history branch, and the commands that made them, in `commands.jsonl`. */

const decisionLine = z.object({
  v: z.literal(1),
  /** The number of the pull request. */
  pull: z.int().positive(),
  decision: decisionSchema,
})
export type DecisionLine = Readonly<z.output<typeof decisionLine>>

/** The lines that can be read, in the order in which they were said, and how many can't. */
export function parseDecisions(text: string): { readonly lines: readonly DecisionLine[]; readonly problems: number } {
  return linesOf(text, decisionLine)
}

/** A line of the file, with its end. */
export function decisionText(pull: number, decision: Decision): string {
  return `${JSON.stringify({ v: 1, pull, decision } satisfies DecisionLine)}\n`
}

const commandLine = z.object({
  v: z.literal(1),
  /** The number of the pull request. */
  pull: z.int().positive(),
  /** GitHub's id of the comment. */
  comment: z.int().positive(),
  actorId: z.int(),
  /** Milliseconds. */
  at: z.int(),
  line: z.string(),
  wasDone: z.boolean(),
  words: z.string().nullable(),
})
export type HeardLine = Readonly<z.output<typeof commandLine>>

/** Characters of a command that are kept: a longer one is done again where its comment is edited. */
const LONGEST_LINE = 1000

/** The lines that can be read, in the order in which they were heard. */
export function parseHeard(text: string): readonly HeardLine[] {
  return linesOf(text, commandLine).lines
}

/** A command as its file keeps it, done or refused. `at` in milliseconds. */
export function heardLine(command: HeardCommand & CommandComment & CommandGiver, at: number): HeardLine {
  const { pullRequestNumber: pull, commentId: comment, actorId, wasDone, words } = command
  return { v: 1, pull, comment, actorId, at, line: command.line.slice(0, LONGEST_LINE), wasDone, words }
}

/** A line of the file, with its end. */
export function heardText(line: HeardLine): string {
  return `${JSON.stringify(line)}\n`
}
