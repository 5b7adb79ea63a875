import { z } from 'zod'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

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

const COLUMNS = [
  'repository_id',
  'decision_id',
  'pull_request_number',
  'kind',
  'subject',
  'reason',
  'until',
  'via',
  'actor',
  'actor_id',
  'said_at',
  'decided_at',
] as const

/** The same rows again are there once. */
export async function insertDecisions(clickhouse: ClickHouse, decisions: readonly StoredDecision[]): Promise<void> {
  const time = (at: number | null) => new Date(at ?? 0).toISOString()
  const rows = decisions.map((one) => [
    one.repositoryId,
    one.id,
    one.pullRequestNumber ?? 0,
    one.kind,
    one.subject,
    one.reason,
    time(one.until),
    one.via,
    one.actor,
    one.actorId,
    time(one.saidAt),
    time(one.decidedAt),
  ])
  await clickhouse.insert('decisions', COLUMNS, rows)
}

/** When the newest decision was made that is stored, in milliseconds; 0: there is none. */
export async function selectNewestDecision(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.read('newest-decision', NEWEST_SQL, {}, z.object({ decidedAt: count }))
  return row?.decidedAt ?? 0
}
