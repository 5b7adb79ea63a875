import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type Declaration, type Declarations, declarationSchema, lastDeclarations } from '../ledger/declaration.ts'
import { type Decision, decisionSchema } from '../report/acceptance.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRow, readRows } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const idRow = z.object({ id: z.int() })
const subjectRow = z.looseObject({ subject: jsonText(z.unknown()) })
const decisionRow = subjectRow.pipe(decisionSchema)
const declarationRow = subjectRow.pipe(declarationSchema)

const storedRow = z.object({
  id: z.int(),
  repositoryId: z.int(),
  pullRequestNumber: z.int().nullable(),
  kind: z.string(),
  subject: z.string(),
  reason: z.string(),
  until: z.int().nullable(),
  via: z.string(),
  actor: z.string(),
  actorId: z.int(),
  saidAt: z.int(),
  decidedAt: z.int(),
})

/** The decisions of people. They are only ever added; one that takes another back is one more. */
export class Decisions {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', [
      'addDecision',
      'decisionsOf',
      'decisionsAfter',
      'lastDecisionBefore',
      'declarationsOf',
    ])
  }

  /** Returns its id. A declaration is of no pull request. */
  add(
    repositoryId: number,
    pullRequestNumber: number | null,
    { subject, ...decision }: Decision | Declaration,
    now: Time,
  ): number {
    const row = { ...decision, subject: JSON.stringify(subject), now: milliseconds(now) }
    return readRow(this.#statements.addDecision, idRow, { repositoryId, pullRequestNumber, ...row })!.id
  }

  /** Lists the decisions about a pull request in the order in which they were said. */
  list(repositoryId: number, pullRequestNumber: number): Decision[] {
    return readRows(this.#statements.decisionsOf, decisionRow, { repositoryId, pullRequestNumber })
  }

  /** The decisions of all repositories after one of them, by their numbers, as they are kept. */
  after(id: number, limit: number): z.output<typeof storedRow>[] {
    return readRows(this.#statements.decisionsAfter, storedRow, { after: id, limit })
  }

  /** The number of the last decision that was made before a time in milliseconds; 0: there is none. */
  lastBefore(time: number): number {
    return readRow(this.#statements.lastDecisionBefore, idRow, { before: time })!.id
  }

  /** The last word of people on each failure of a repository. */
  declarations(repositoryId: number): Declarations {
    return lastDeclarations(readRows(this.#statements.declarationsOf, declarationRow, { repositoryId }))
  }
}
