import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { backoff, type RetryPolicy } from './retry.ts'

/** Work of one installation that is under way at once, of a kind: below `WORK_AT_ONCE`, so that others have a place. */
export const WORK_OF_ONE = 4
export const WORK_AT_ONCE = 6

/** How often a pause may begin with the same work in hand: after that it fails for a reason of its own. */
const PAUSES_BEGUN = 3

/** 5, 10, 20, 40, 60, 60, … seconds: what is asked is one piece of work, and the rest begins when it is done. */
const PAUSE: Omit<RetryPolicy, 'attempts'> = { firstMs: 5000, longestMs: 60_000 }

/** GitHub did not answer an installation, or asked it to wait: no fault of the work that was under way. */
export interface Outage {
  /** Until when GitHub said to wait, in milliseconds; null: it said nothing. */
  readonly until: number | null
  /** Other work of the installation goes on; absent: all of it waits. */
  readonly isOfThisAlone?: boolean
}

const QUEUES = ['deliveries', 'triages'] as const
export type Queue = (typeof QUEUES)[number]

export interface PausedInstallation {
  readonly installationId: number
  readonly until: number
  readonly failures: number
}

/** Work that waits to begin alone on a busy bot gets its turn after this: nothing else begins until all that is under way has ended. */
const LONGEST_WAIT_ALONE_MS = 5 * 60_000

const nextRow = z.object({
  /** The work of both queues. */
  underWay: z.int(),
  aloneUnderWay: flag,
  /** Where the oldest waits that begins alone and is due. */
  aloneQueue: z.enum(QUEUES).nullable(),
  aloneSince: z.int().nullable(),
})
const pauseRow = z.object({ until: z.int(), failures: z.int() })
const pausedRow: z.ZodType<PausedInstallation> = pauseRow.extend({ installationId: z.int() })

/** The turns of installations, and their pauses: for both queues, on disk like them. Called within their transactions. */
export class Turns {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('turns.sql', ['next', 'take', 'pauseOf', 'pause', 'resume', 'paused'])
  }

  /**
   * The work that may begin now: all but the suspects of ending the process (`others`), one suspect (`alone`), or `nothing`.
   * Nothing begins beside a suspect.
   */
  async next(queue: Queue, now: number): Promise<'others' | 'alone' | 'nothing'> {
    const row = (await this.#database.row(this.#statements.next, nextRow, { now }))!
    if (row.aloneUnderWay) return 'nothing'
    if (row.aloneQueue === null || row.aloneSince === null) return 'others'
    if (row.underWay === 0) return row.aloneQueue === queue ? 'alone' : 'nothing'
    return row.aloneSince <= now - LONGEST_WAIT_ALONE_MS ? 'nothing' : 'others'
  }

  /** Work of the installation begins: its turn comes again after all others that wait. */
  async take(queue: Queue, installationId: number): Promise<void> {
    await this.#database.run(this.#statements.take, { queue, installationId })
  }

  /**
   * Nothing of the installation begins for a while, and then one piece of work of each kind until that is done. Returns
   * how many pauses began with this work in hand; null where that are so many that it failed for a reason of its own.
   */
  async pause(installationId: number, { until }: Outage, begun: number, now: number): Promise<number | null> {
    const standing = await this.#database.row(this.#statements.pauseOf, pauseRow, { installationId })
    const begunNow = until === null && standing === null ? begun + 1 : begun
    if (begunNow > PAUSES_BEGUN) return null
    // Work that was under way together fails together: that is one failure.
    const failures = (standing?.failures ?? 0) + (standing === null || standing.until <= now ? 1 : 0)
    const next = until ?? now + backoff(PAUSE, failures)
    await this.#database.run(this.#statements.pause, {
      installationId,
      until: Math.max(next, standing?.until ?? 0),
      failures,
    })
    return begunNow
  }

  /** GitHub answered work that was claimed then: after a pause that was over by that time everything may begin. */
  async resume(installationId: number, claimedAt: number): Promise<void> {
    await this.#database.run(this.#statements.resume, { installationId, claimedAt })
  }

  async paused(now: number): Promise<PausedInstallation[]> {
    return await this.#database.rows(this.#statements.paused, pausedRow, { now })
  }
}
