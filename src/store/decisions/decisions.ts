import type { ClickHouse } from '../client.ts'
import { readSql } from '../sql-file.ts'
import { columnOf, dateTime64, few, insertInto, reading, string, table, uint32, uint64 } from '../table.ts'

/** Decisions of people in ClickHouse, for counting. The inbox keeps the ones that count. */

const NEWEST_SQL = readSql(new URL('./newest-decision.sql', import.meta.url))

/** A decision of a person as the inbox has it. Times in milliseconds. */
export interface StoredDecision {
  readonly id: number
  readonly repositoryId: number
  /** Null: it is of the whole repository. */
  readonly pullRequestNumber: number | null
  readonly kind: string
  /** JSON: what it is about. */
  readonly subject: string
  readonly reason: string
  /** Null: it has no end. */
  readonly until: number | null
  readonly via: string
  readonly actor: string
  readonly actorId: number
  readonly saidAt: number
  readonly decidedAt: number
}

const column = columnOf<StoredDecision>()

export const DECISIONS = table('decisions', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  decision_id: column(uint64, ({ id }) => id),
  pull_request_number: column(uint32, ({ pullRequestNumber }) => pullRequestNumber ?? 0),
  kind: column(few(string), ({ kind }) => kind),
  subject: column(string, ({ subject }) => subject),
  reason: column(string, ({ reason }) => reason),
  until: column(dateTime64, ({ until }) => until ?? 0),
  via: column(few(string), ({ via }) => via),
  actor: column(string, ({ actor }) => actor),
  actor_id: column(uint64, ({ actorId }) => actorId),
  said_at: column(dateTime64, ({ saidAt }) => saidAt),
  decided_at: column(dateTime64, ({ decidedAt }) => decidedAt),
})

/** The same rows again are there once. */
export async function insertDecisions(clickhouse: ClickHouse, decisions: readonly StoredDecision[]): Promise<void> {
  await insertInto(clickhouse, DECISIONS, decisions)
}

/** When the newest decision was made that is stored, in milliseconds; 0: there is none. */
export async function selectNewestDecision(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.read('newest-decision', NEWEST_SQL, {}, reading(DECISIONS, 'decided_at'))
  return row?.decidedAt ?? 0
}
