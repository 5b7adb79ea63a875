import { z } from 'zod'
import {
  type Declaration,
  type Declarations,
  declarationSchema,
  lastDeclarations,
} from '../judge/ledger/declaration.ts'
import { type Decision, decisionSchema } from '../report/acceptance.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf, usable } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const idRow = z.object({ id: z.int() })
const subjectRow = z.looseObject({ subject: jsonText(z.unknown()) })
const decisionRow = subjectRow.pipe(decisionSchema)
const numberedRow = z.looseObject({ pullRequestNumber: z.int() })
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

/** What people have said of a pull request, by its number. */
export type DecisionsOf = (pullRequestNumber: number) => readonly Decision[]

/** The decisions of people. They are only ever added; one that takes another back is one more. */
export class Decisions {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'addDecision',
      'decisionsOf',
      'decisionsBetween',
      'decisionsAfter',
      'lastDecisionBefore',
      'declarationsOf',
    ])
  }

  /** Returns its id. A declaration is of no pull request. */
  async add(
    repositoryId: number,
    pullRequestNumber: number | null,
    { subject, ...decision }: Decision | Declaration,
    now: Time,
  ): Promise<number> {
    const row = { ...decision, subject: JSON.stringify(subject), now: milliseconds(now) }
    return (await this.#database.row(this.#statements.addDecision, idRow, { repositoryId, pullRequestNumber, ...row }))!
      .id
  }

  /** Lists the decisions about a pull request in the order in which they were said. */
  async list(repositoryId: number, pullRequestNumber: number): Promise<Decision[]> {
    return await this.#database.rows(this.#statements.decisionsOf, decisionRow, { repositoryId, pullRequestNumber })
  }

  /** Those about each of these pull requests, in the same order. */
  async on(repositoryId: number, pullRequestNumbers: readonly number[]): Promise<DecisionsOf> {
    if (pullRequestNumbers.length === 0) return () => []
    const [first, last] = [Math.min(...pullRequestNumbers), Math.max(...pullRequestNumbers)]
    const rows = await this.#database.rows(this.#statements.decisionsBetween, numberedRow, {
      repositoryId,
      first,
      last,
    })
    const wanted = new Set(pullRequestNumbers)
    const said = Map.groupBy(
      rows.filter(({ pullRequestNumber }) => wanted.has(pullRequestNumber)),
      ({ pullRequestNumber }) => pullRequestNumber,
    )
    return (number) => (said.get(number) ?? []).map((row) => usable(row, decisionRow))
  }

  /** The decisions of all repositories after one of them, by their numbers, as they are kept. */
  async after(id: number, limit: number): Promise<z.output<typeof storedRow>[]> {
    return await this.#database.rows(this.#statements.decisionsAfter, storedRow, { after: id, limit })
  }

  /** The number of the last decision that was made before a time in milliseconds; 0: there is none. */
  async lastBefore(time: number): Promise<number> {
    return (await this.#database.row(this.#statements.lastDecisionBefore, idRow, { before: time }))!.id
  }

  /** The last word of people on each failure of a repository. */
  async declarations(repositoryId: number): Promise<Declarations> {
    return lastDeclarations(
      await this.#database.rows(this.#statements.declarationsOf, declarationRow, { repositoryId }),
    )
  }
}
