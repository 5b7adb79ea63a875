import { z } from 'zod'
import { type Decision, decisionSchema } from '../../report/acceptance.ts'
import { linesOf } from './lines.ts'

/** What people have said of pull requests, as lines of `decisions.jsonl` on the history branch. */

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
