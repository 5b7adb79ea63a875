import type { DatabaseSync } from 'node:sqlite'
import { prepareAll } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** What a person decided. Decisions are only ever added; one that takes another back names it. */
export interface Decision {
  readonly repositoryId: number
  /** null: for the whole repository. */
  readonly pullRequestNumber: number | null
  readonly kind: 'acknowledge' | 'mute' | 'chronic'
  /** What it is about: a query, a failure, … as its rule defines it. */
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
  /** All of a repository, the oldest first. */
  list(repositoryId: number): StoredDecision[]
}

export function createDecisions(database: DatabaseSync): Decisions {
  const statements = prepareAll(database, 'records.sql', ['addDecision', 'decisionsOf'])
  return {
    add({ subject, ...decision }, now) {
      const row = statements.addDecision.get({ ...decision, subject: JSON.stringify(subject), now: milliseconds(now) })
      return row!['id'] as number
    },

    list(repositoryId) {
      return statements.decisionsOf
        .all({ repositoryId })
        .map((row) => ({ ...row, subject: JSON.parse(row['subject'] as string) }) as unknown as StoredDecision)
    },
  }
}
