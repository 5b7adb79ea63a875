import type { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { inTransaction, prepareAll } from './database.ts'
import { backoff, CRASHED, errorText, milliseconds, type RetryPolicy, type Time } from './retry.ts'

/** What a webhook brings. */
export interface Delivery {
  /** `X-GitHub-Delivery`. */
  readonly guid: string
  /** `X-GitHub-Event`. */
  readonly event: string
  /** The JSON as it came. */
  readonly payload: string
}

/** A delivery whose work is under way. */
export interface DeliveryClaim extends Delivery {
  readonly claim: number
  /** 1 for the first. */
  readonly attempts: number
  readonly receivedAt: number
}

export interface DeadDelivery {
  readonly guid: string
  readonly event: string
  readonly attempts: number
  readonly lastError: string
  readonly receivedAt: number
  readonly failedAt: number
}

/**
 * - `stored`: new, and on disk now.
 * - `requeued`: had failed for good; its work begins again.
 * - `known`: its work is done, under way or still to come.
 */
export type Receipt = 'stored' | 'requeued' | 'known'

export type DeliveryState = 'received' | 'working' | 'done' | 'failed'

/** Webhook deliveries, each kept until its work is done. */
export interface Deliveries {
  /** Throws `RangeError` for what is no delivery of GitHub's: a strange GUID or event, a payload over 25 MiB. */
  receive(delivery: Delivery, now: Time): Receipt
  /** The oldest that is due, leased to the caller; one whose lease ran out is due again. null when there is none. */
  claimNext(now: Time): DeliveryClaim | null
  /** The work is done. False when the lease ran out and somebody else has it now. */
  finish(claim: DeliveryClaim, now: Time): boolean
  /** The work failed: again later (`retry`), never again (`dead`), or no longer the caller's (`lost`). */
  fail(claim: DeliveryClaim, error: unknown, now: Time): 'retry' | 'dead' | 'lost'
  /** At start: what a dead process had begun is due at once. Returns how many. */
  recoverAfterCrash(now: Time): number
  /** Drops what is long done; what failed for good stays visible for longer. Returns how many. */
  prune(now: Time): number
  counts(): Readonly<Record<DeliveryState, number>>
  /** What failed for good, the newest first. */
  dead(limit: number): DeadDelivery[]
  /** When there is something to claim next; null when there is nothing. May lie in the past. */
  nextAt(): number | null
}

export const DELIVERY_GUID = /^[0-9A-Za-z-]{1,64}$/
export const DELIVERY_EVENT = /^[a-z_]{1,64}$/

/** GitHub sends nothing larger. */
const LARGEST_PAYLOAD = 25 * 1024 * 1024

/** The work of a delivery is a look-up and a note for the queue of triages; a call to GitHub may have to wait a minute. */
const LEASE_MS = 5 * 60_000

/** 5 s, 10 s, … 15 min, 15 min: a GitHub that is down for a day costs a day, not the comment. */
const RETRY: RetryPolicy = { firstMs: 5000, longestMs: 15 * 60_000, attempts: 100 }

/** A process may be ended this often for reasons of its own. */
const CRASHES_AT_ONCE = 10

const DAY_MS = 24 * 3600_000

/** GitHub delivers again within 3 days, Enterprise Server within 7: after that nobody asks whether it was done. */
const KEEP_DONE_MS = 8 * DAY_MS
const KEEP_FAILED_MS = 30 * DAY_MS

const STATEMENTS = [
  'insert',
  'requeue',
  'claimNext',
  'finish',
  'retry',
  'bury',
  'leased',
  'prune',
  'count',
  'dead',
  'nextDue',
] as const

export function createDeliveries(database: DatabaseSync): Deliveries {
  const statements = prepareAll(database, 'deliveries.sql', STATEMENTS)

  function release(
    { guid, claim, attempts }: Pick<DeliveryClaim, 'guid' | 'claim' | 'attempts'>,
    error: string,
    dueAt: number,
    now: number,
  ): 'retry' | 'dead' | 'lost' {
    const isLast = attempts >= RETRY.attempts
    const { changes } = isLast
      ? statements.bury.run({ guid, claim, error, now })
      : statements.retry.run({ guid, claim, error, dueAt })
    if (changes === 0) return 'lost'
    return isLast ? 'dead' : 'retry'
  }

  return {
    receive({ guid, event, payload }, now) {
      if (!DELIVERY_GUID.test(guid)) throw new RangeError('not a delivery id of GitHub')
      if (!DELIVERY_EVENT.test(event)) throw new RangeError('not an event of GitHub')
      if (Buffer.byteLength(payload) > LARGEST_PAYLOAD) throw new RangeError('the payload is larger than 25 MiB')
      const row = { guid, event, payload: gzipSync(payload), now: milliseconds(now) }
      return inTransaction(database, () => {
        if (statements.insert.run(row).changes > 0) return 'stored'
        return statements.requeue.run(row).changes > 0 ? 'requeued' : 'known'
      })
    },

    claimNext(now) {
      const at = milliseconds(now)
      const row = statements.claimNext.get({ now: at, leasedUntil: at + LEASE_MS }) as unknown as
        | (Omit<DeliveryClaim, 'payload'> & { readonly payload: Uint8Array })
        | undefined
      if (row === undefined) return null
      return { ...row, payload: gunzipSync(row.payload, { maxOutputLength: LARGEST_PAYLOAD }).toString('utf8') }
    },

    finish({ guid, claim }, now) {
      return statements.finish.run({ guid, claim, now: milliseconds(now) }).changes > 0
    },

    fail(claim, error, now) {
      const at = milliseconds(now)
      return release(claim, errorText(error), at + backoff(RETRY, claim.attempts), at)
    },

    recoverAfterCrash(now) {
      const at = milliseconds(now)
      return inTransaction(database, () => {
        const leased = statements.leased.all() as unknown as Pick<DeliveryClaim, 'guid' | 'claim' | 'attempts'>[]
        for (const row of leased) {
          // What brings the process down again and again waits like a failure, so that the rest is worked off.
          const pause = row.attempts > CRASHES_AT_ONCE ? backoff(RETRY, row.attempts) : 0
          release(row, CRASHED, at + pause, at)
        }
        return leased.length
      })
    },

    prune(now) {
      const at = milliseconds(now)
      return Number(statements.prune.run({ doneBefore: at - KEEP_DONE_MS, failedBefore: at - KEEP_FAILED_MS }).changes)
    },

    counts() {
      const rows = statements.count.all() as unknown as { readonly state: DeliveryState; readonly count: number }[]
      const counts = { received: 0, working: 0, done: 0, failed: 0 }
      for (const { state, count } of rows) counts[state] = count
      return counts
    },

    dead(limit) {
      return statements.dead.all({ limit }).map((row) => ({ ...row }) as unknown as DeadDelivery)
    },

    nextAt() {
      return statements.nextDue.get()!['at'] as number | null
    },
  }
}
