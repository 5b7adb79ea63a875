import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { type Released, WorkQueue } from './queue.ts'
import { errorText, milliseconds, type RetryPolicy, type Time } from './retry.ts'
import type { Outage, Turns } from './turns.ts'

/** A webhook delivery of GitHub's. */
export interface Delivery {
  /** `X-GitHub-Delivery`. */
  readonly guid: string
  /** `X-GitHub-Event`. */
  readonly event: string
  /** The installation that the event names; null: it names none. */
  readonly installationId: number | null
  /** The JSON as it came. */
  readonly payload: string
}

/** A delivery whose work is under way. */
export interface DeliveryClaim extends Delivery {
  readonly claim: number
  /** 1 for the first. */
  readonly attempts: number
  readonly receivedAt: number
  /** Pauses that began with it in hand: after some of them it fails for a reason of its own. */
  readonly pausesBegun: number
  readonly claimedAt: number
  /** An attempt before this one failed, and not for the end of the process. */
  readonly hasFailed: boolean
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

const STATES = ['received', 'working', 'done', 'failed'] as const
export type DeliveryState = (typeof STATES)[number]

export const DELIVERY_GUID = /^[0-9A-Za-z-]{1,64}$/
export const DELIVERY_EVENT = /^[a-z_]{1,64}$/

/** GitHub sends nothing larger. */
const LARGEST_PAYLOAD = 25 * 1024 * 1024

/** The work of a delivery is a look-up and a note for the queue of triages; a call to GitHub may have to wait a minute. */
const LEASE_MS = 5 * 60_000

/**
 * 5 s, 10 s, … 15 min, 15 min: a GitHub that is down for a day costs a day, not the comment. An end of the
 * process counts as an attempt only where this alone was in hand (`isOfItsOwn`).
 */
const RETRY: RetryPolicy = { firstMs: 5000, longestMs: 15 * 60_000, attempts: 100 }

const DAY_MS = 24 * 3600_000

/** GitHub delivers again within 3 days, Enterprise Server within 7: after that nobody asks whether it was done. */
const KEEP_DONE_MS = 8 * DAY_MS
const KEEP_FAILED_MS = 30 * DAY_MS

const STATEMENTS = statementsOf('deliveries.sql', [
  'insert',
  'requeue',
  'claim',
  'putBack',
  'finish',
  'retry',
  'bury',
  'prune',
  'dead',
])

const claimedRow = z.object({
  guid: z.string(),
  event: z.string(),
  installationId: z.int(),
  payload: z.instanceof(Uint8Array),
  claim: z.int(),
  attempts: z.int(),
  receivedAt: z.int(),
  pausesBegun: z.int(),
  hasFailed: flag,
})
const deadRow: z.ZodType<DeadDelivery> = z.object({
  guid: z.string(),
  event: z.string(),
  attempts: z.int(),
  lastError: z.string(),
  receivedAt: z.int(),
  failedAt: z.int(),
})

/** Webhook deliveries, each kept until its work is done. */
export class Deliveries extends WorkQueue<z.output<typeof claimedRow>, DeliveryClaim, DeliveryState> {
  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, turns: Turns, process = '') {
    super(database, turns, process, {
      queue: 'deliveries',
      states: STATES,
      claim: STATEMENTS.claim,
      putBack: STATEMENTS.putBack,
      claimed: claimedRow,
      leaseMs: LEASE_MS,
      retry: RETRY,
      agesInWork: true,
    })
  }

  /** Throws `RangeError` for what is no delivery of GitHub's: a strange GUID or event, a payload over 25 MiB. */
  async receive({ guid, event, installationId, payload }: Delivery, now: Time): Promise<Receipt> {
    if (!DELIVERY_GUID.test(guid)) throw new RangeError('not a delivery id of GitHub')
    if (!DELIVERY_EVENT.test(event)) throw new RangeError('not an event of GitHub')
    if (Buffer.byteLength(payload) > LARGEST_PAYLOAD) throw new RangeError('the payload is larger than 25 MiB')
    const row = {
      guid,
      event,
      installationId: installationId ?? 0,
      payload: gzipSync(payload),
      now: milliseconds(now),
    }
    const keep = async (): Promise<Receipt> => {
      if ((await this.database.run(STATEMENTS.insert, row)) > 0) return 'stored'
      return (await this.database.run(STATEMENTS.requeue, row)) > 0 ? 'requeued' : 'known'
    }
    return await this.database.transaction(keep, { isSerial: false })
  }

  /** The work is done. False when the lease ran out and somebody else has it now. */
  async finish({ guid, installationId, claim, hasFailed, claimedAt }: DeliveryClaim, now: Time): Promise<boolean> {
    const end = async () => {
      const isHeld = (await this.database.run(STATEMENTS.finish, { key: guid, claim, now: milliseconds(now) })) > 0
      // GitHub has answered a delivery that had waited for it; many need no answer of GitHub's.
      if (isHeld && hasFailed) await this.turns.resume(installationId ?? 0, claimedAt)
      return isHeld
    }
    return await this.inWork(end, false)
  }

  /**
   * The work failed: again later (`retry`), never again (`dead`), or no longer the caller's (`lost`). With an `outage`
   * everything of the installation waits, and the failure does not count.
   */
  async fail(
    claim: DeliveryClaim,
    error: unknown,
    now: Time,
    outage: Outage | null = null,
  ): Promise<'retry' | 'dead' | 'lost'> {
    const at = milliseconds(now)
    const { guid, installationId } = claim
    return await this.inWork(async () => {
      const left = await this.afterFailure(claim, installationId ?? 0, outage, at)
      const failed = { crashes: 0, hasNewHint: false, error: errorText(error), now: at }
      return await this.release({ key: guid, claim: claim.claim, ...left, ...failed })
    })
  }

  /** Drops what is long done; what failed for good stays visible for longer. Returns how many. */
  async prune(now: Time): Promise<number> {
    const at = milliseconds(now)
    return await this.database.run(STATEMENTS.prune, {
      doneBefore: at - KEEP_DONE_MS,
      failedBefore: at - KEEP_FAILED_MS,
    })
  }

  /** Deliveries that failed for good, the newest first. */
  async dead(limit: number): Promise<DeadDelivery[]> {
    return await this.database.rows(STATEMENTS.dead, deadRow, { limit })
  }

  protected claimOf({ payload, ...row }: z.output<typeof claimedRow>, claimedAt: number): DeliveryClaim {
    const json = gunzipSync(payload, { maxOutputLength: LARGEST_PAYLOAD }).toString('utf8')
    return { ...row, payload: json, claimedAt }
  }

  protected async release(work: Released): Promise<'retry' | 'dead' | 'lost'> {
    const { key, claim, attempts, pausesBegun, crashes, dueAt, error, now } = work
    const isLast = this.isLast(work)
    const changed = isLast
      ? await this.database.run(STATEMENTS.bury, { key, claim, error, now })
      : await this.database.run(STATEMENTS.retry, { key, claim, error, dueAt, attempts, pausesBegun, crashes })
    if (changed === 0) return 'lost'
    return isLast ? 'dead' : 'retry'
  }
}
