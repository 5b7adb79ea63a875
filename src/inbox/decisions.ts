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

export interface Decisions {
  /** Returns its id. */
  add(decision: Decision, now: Time): number
  /** Lists the decisions of a repository, the oldest first. */
  list(repositoryId: number): StoredDecision[]
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

export function createDecisions(database: DatabaseSync): Decisions {
  const statements = prepareAll(database, 'records.sql', ['addDecision', 'decisionsOf'])
  return {
    add({ subject, ...decision }, now) {
      const row = { ...decision, subject: JSON.stringify(subject), now: milliseconds(now) }
      return readRow(statements.addDecision, idRow, row)!.id
    },

    list(repositoryId) {
      return readRows(statements.decisionsOf, decisionRow, { repositoryId })
    },
  }
}
