import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRow, readRows } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const KINDS = ['acknowledge', 'mute', 'chronic'] as const

/** A decision of a person. Decisions are only ever added; one that takes another back names it. */
export interface Decision {
  readonly repositoryId: number
  /** null: for the whole repository. */
  readonly pullRequestNumber: number | null
  readonly kind: (typeof KINDS)[number]
  /** The query, failure, … that it is about, as its rule defines it. */
  readonly subject: unknown
  readonly reason: string
  readonly actor: string
  /** GitHub's numeric id of the actor: names change. */
  readonly actorId: number
  /** The id of the decision that this one takes back. */
  readonly revokes: number | null
}

export interface StoredDecision extends Decision {
  readonly id: number
  readonly decidedAt: number
}

const idRow = z.object({ id: z.int() })
const decisionRow: z.ZodType<StoredDecision> = z.object({
  id: z.int(),
  repositoryId: z.int(),
  pullRequestNumber: z.int().nullable(),
  kind: z.enum(KINDS),
  subject: jsonText(z.unknown()),
  reason: z.string(),
  actor: z.string(),
  actorId: z.int(),
  revokes: z.int().nullable(),
  decidedAt: z.int(),
})

export class Decisions {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['addDecision', 'decisionsOf'])
  }

  /** Returns its id. */
  add({ subject, ...decision }: Decision, now: Time): number {
    const row = { ...decision, subject: JSON.stringify(subject), now: milliseconds(now) }
    return readRow(this.#statements.addDecision, idRow, row)!.id
  }

  /** Lists the decisions of a repository, the oldest first. */
  list(repositoryId: number): StoredDecision[] {
    return readRows(this.#statements.decisionsOf, decisionRow, { repositoryId })
  }
}
