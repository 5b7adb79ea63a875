import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type Decision, decisionSchema } from '../report/acceptance.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRow, readRows } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const idRow = z.object({ id: z.int() })
const decisionRow = z.looseObject({ subject: jsonText(z.unknown()) }).pipe(decisionSchema)

/** The decisions of people. They are only ever added; one that takes another back is one more. */
export class Decisions {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['addDecision', 'decisionsOf'])
  }

  /** Returns its id. */
  add(repositoryId: number, pullRequestNumber: number, { subject, ...decision }: Decision, now: Time): number {
    const row = { ...decision, subject: JSON.stringify(subject), now: milliseconds(now) }
    return readRow(this.#statements.addDecision, idRow, { repositoryId, pullRequestNumber, ...row })!.id
  }

  /** Lists the decisions about a pull request in the order in which they were said. */
  list(repositoryId: number, pullRequestNumber: number): Decision[] {
    return readRows(this.#statements.decisionsOf, decisionRow, { repositoryId, pullRequestNumber })
  }
}
