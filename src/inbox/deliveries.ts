import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import {
  afterCrash,
  backoff,
  CRASHED,
  errorText,
  isOfItsOwn,
  milliseconds,
  type RetryPolicy,
  type Time,
} from './retry.ts'
import { type Outage, type Turns, WORK_OF_ONE } from './turns.ts'

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
  /** See `Turns.pause`. */
  readonly pausesBegun: number
  readonly claimedAt: number
  /** An attempt before this one failed, and not for the end of the process. */
  readonly hasFailed: boolean
}

/** The length of a queue, and since when its oldest piece of work waits, in milliseconds; null: nothing waits. */
export interface QueueAge {
  readonly waiting: number
  readonly since: number | null
}

export const queueAgeRow: z.ZodType<QueueAge> = z.object({ waiting: z.int(), since: z.int().nullable() })

/** Since when the oldest work of an installation waits. */
export interface InstallationAge {
  readonly installationId: number
  readonly since: number
}

export const installationAgeRow: z.ZodType<InstallationAge> = z.object({ installationId: z.int(), since: z.int() })

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

const STATEMENTS = [
  'insert',
  'requeue',
  'nextInstallation',
  'claim',
  'claimAlone',
  'claimAgain',
  'finish',
  'retry',
  'bury',
  'leased',
  'putBack',
  'prune',
  'count',
  'dead',
  'oldest',
  'oldestOfInstallations',
  'nextDue',
] as const

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
const installationRow = z.object({ installationId: z.int() })
const leasedRow = z.object({
  guid: z.string(),
  claim: z.int(),
  attempts: z.int(),
  pausesBegun: z.int(),
  crashes: z.int(),
})
const deadRow: z.ZodType<DeadDelivery> = z.object({
  guid: z.string(),
  event: z.string(),
  attempts: z.int(),
  lastError: z.string(),
  receivedAt: z.int(),
  failedAt: z.int(),
})
const countRow = z.object({ state: z.enum(STATES), count: z.int() })
const nextRow = z.object({ at: z.int().nullable() })

/** Webhook deliveries, each kept until its work is done. */
export class Deliveries {
  readonly #database: Database
  readonly #turns: Turns
  readonly #process: string
  readonly #statements

  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, turns: Turns, process = '') {
    this.#database = database
    this.#turns = turns
    this.#process = process
    this.#statements = statementsOf('deliveries.sql', STATEMENTS)
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
      if ((await this.#database.run(this.#statements.insert, row)) > 0) return 'stored'
      return (await this.#database.run(this.#statements.requeue, row)) > 0 ? 'requeued' : 'known'
    }
    return await this.#database.transaction(keep, { isSerial: false })
  }

  /**
   * The oldest that is due, leased to the caller, of the installation with the least under way, and among these of the
   * one that was served longest ago; one whose lease ran out is due again. null when there is none.
   */
  async claimNext(now: Time): Promise<DeliveryClaim | null> {
    const at = milliseconds(now)
    const row = await this.#inWork(async () => {
      const lease = { now: at, leasedUntil: at + LEASE_MS, process: this.#process }
      const again = await this.#database.row(this.#statements.claimAgain, claimedRow, lease)
      if (again !== null) return again
      const mayBegin = await this.#turns.next('deliveries', at)
      if (mayBegin === 'alone') return await this.#database.row(this.#statements.claimAlone, claimedRow, lease)
      if (mayBegin === 'nothing') return null
      const next = await this.#database.row(this.#statements.nextInstallation, installationRow, {
        now: at,
        most: WORK_OF_ONE,
      })
      if (next === null) return null
      await this.#turns.take('deliveries', next.installationId)
      return await this.#database.row(this.#statements.claim, claimedRow, { ...next, ...lease })
    })
    if (row === null) return null
    const payload = gunzipSync(row.payload, { maxOutputLength: LARGEST_PAYLOAD }).toString('utf8')
    return { ...row, payload, claimedAt: at }
  }

  /** The work is done. False when the lease ran out and somebody else has it now. */
  async finish({ guid, installationId, claim, hasFailed, claimedAt }: DeliveryClaim, now: Time): Promise<boolean> {
    const end = async () => {
      const isHeld = (await this.#database.run(this.#statements.finish, { guid, claim, now: milliseconds(now) })) > 0
      // GitHub has answered a delivery that had waited for it; many need no answer of GitHub's.
      if (isHeld && hasFailed) await this.#turns.resume(installationId ?? 0, claimedAt)
      return isHeld
    }
    return await this.#inWork(end, false)
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
    return await this.#inWork(async () => {
      const pausesBegun =
        outage === null ? null : await this.#turns.pause(claim.installationId ?? 0, outage, claim.pausesBegun, at)
      if (pausesBegun === null)
        return await this.#release(claim, errorText(error), at + backoff(RETRY, claim.attempts), at)
      return await this.#release({ ...claim, attempts: claim.attempts - 1, pausesBegun }, errorText(error), at, at)
    })
  }

  /** What a dead process had begun is due at once. Returns how many. */
  async recoverAfterCrash(now: Time): Promise<number> {
    const at = milliseconds(now)
    return await this.#database.transaction(async () => {
      const leased = await this.#database.rows(this.#statements.leased, leasedRow)
      for (const row of leased) {
        const crashes = row.crashes + 1
        const attempts = row.attempts - (isOfItsOwn(crashes) ? 0 : 1)
        await this.#release({ ...row, attempts }, CRASHED, at + afterCrash(crashes), at, crashes)
      }
      return leased.length
    })
  }

  /** At the end: what this process had in hand and was cut off is due again, and the attempt does not count. */
  async putBack(now: Time): Promise<void> {
    await this.#database.run(this.#statements.putBack, { now: milliseconds(now), process: this.#process })
  }

  /** Drops what is long done; what failed for good stays visible for longer. Returns how many. */
  async prune(now: Time): Promise<number> {
    const at = milliseconds(now)
    return await this.#database.run(this.#statements.prune, {
      doneBefore: at - KEEP_DONE_MS,
      failedBefore: at - KEEP_FAILED_MS,
    })
  }

  async counts(): Promise<Readonly<Record<DeliveryState, number>>> {
    const counts = { received: 0, working: 0, done: 0, failed: 0 }
    for (const { state, count } of await this.#database.rows(this.#statements.count, countRow)) counts[state] = count
    return counts
  }

  /** The age of the queue: deliveries whose time has come and whose work is not done. */
  /** Since when the oldest work waits of the ten installations that wait longest. */
  async oldestOfInstallations(now: Time): Promise<InstallationAge[]> {
    return await this.#database.rows(this.#statements.oldestOfInstallations, installationAgeRow, {
      now: milliseconds(now),
    })
  }

  async oldest(now: Time): Promise<QueueAge> {
    return (await this.#database.row(this.#statements.oldest, queueAgeRow, { now: milliseconds(now) }))!
  }

  /** Deliveries that failed for good, the newest first. */
  async dead(limit: number): Promise<DeadDelivery[]> {
    return await this.#database.rows(this.#statements.dead, deadRow, { limit })
  }

  /** When there is something to claim next; null when there is nothing. May lie in the past. */
  async nextAt(): Promise<number | null> {
    return (await this.#database.row(this.#statements.nextDue, nextRow))!.at
  }

  async #release(
    { guid, claim, attempts, pausesBegun }: Pick<DeliveryClaim, 'guid' | 'claim' | 'attempts' | 'pausesBegun'>,
    error: string,
    dueAt: number,
    now: number,
    crashes = 0,
  ): Promise<'retry' | 'dead' | 'lost'> {
    const isLast = attempts >= RETRY.attempts
    const changed = isLast
      ? await this.#database.run(this.#statements.bury, { guid, claim, error, now })
      : await this.#database.run(this.#statements.retry, { guid, claim, error, dueAt, attempts, pausesBegun, crashes })
    if (changed === 0) return 'lost'
    return isLast ? 'dead' : 'retry'
  }

  /** Without waiting for the disk: work that a crash loses is done again, and only the receipt of a delivery must not be lost. */
  async #inWork<T>(work: () => Promise<T>, isSerial = true): Promise<T> {
    return await this.#database.transaction(work, { isDurable: false, isSerial })
  }
}
