import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { type InstallationAge, installationAgeRow, type QueueAge, queueAgeRow } from './deliveries.ts'
import {
  afterCrash,
  backoff,
  CRASHED,
  CRASHES_OF_ITS_OWN,
  errorText,
  isOfItsOwn,
  LONGEST_CRASH_PAUSE,
  milliseconds,
  type RetryPolicy,
  type Time,
} from './retry.ts'
import { type Outage, type Turns, WORK_OF_ONE } from './turns.ts'

interface InRepository {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  /** The head that was last seen, a full commit id: for the log; what is true is read from GitHub. */
  readonly head: string | null
}

export interface PullRequestTarget extends InRepository {
  readonly pullRequestNumber: number
}

/** The default branch of a repository: its runs, CI results and ledger entries. */
export interface TrunkTarget extends InRepository {
  readonly pullRequestNumber: null
}

/** The pull request that is to be looked at, or the trunk. */
export type TriageTarget = PullRequestTarget | TrunkTarget

/** A target that nobody else works on until the claim is given back or its lease runs out. */
export type TriageClaim<Target extends TriageTarget = TriageTarget> = Target & {
  /** The row in the inbox. */
  readonly id: number
  readonly generation: number
  readonly claim: number
  /** 1 for the first. */
  readonly attempts: number
  /** See `Turns.pause`. */
  readonly pausesBegun: number
  readonly claimedAt: number
  /** A person asked for its check to run again, and no write has answered that yet. */
  readonly isAskedFor: boolean
}

/** GitHub's outage, or that of the bot's own database; null: the failure is one of the work itself. */
export type TriageOutage = Outage | 'database' | null

export type FailingTriage = TriageTarget & {
  readonly state: TriageState
  readonly attempts: number
  readonly lastError: string
  readonly changedAt: number
}

const STATES = ['due', 'working', 'waiting', 'settled'] as const
export type TriageState = (typeof STATES)[number]

export interface TriageOutcome {
  /** When to look again although no event comes, because something is outstanding; null: only when something happens. */
  readonly waitUntil: Time | null
  /** The head that was looked at. */
  readonly head?: string | null
}

/** Hints for one pull request within half a minute are one triage. */
export const DEBOUNCE_MS = 30_000

/** Twelve archives of a hundred megabytes each over a slow line; `renew` holds a claim for longer. */
const LEASE_MS = 15 * 60_000

/**
 * 30 s, 1, 2, 4, 8, 15, 15, … minutes: a source that is down for a day costs a day, not the comment. An end of the
 * process counts as an attempt only where this alone was in hand (`isOfItsOwn`).
 */
const RETRY: RetryPolicy = { firstMs: 30_000, longestMs: 15 * 60_000, attempts: 100 }

/** A triage that still fails for want of the database after this many returns of it waits like any other failure. */
const DATABASE_RETURNS = 5

const KEEP_SETTLED_MS = 90 * 24 * 3600_000

const STATEMENTS = [
  'wake',
  'nextInstallation',
  'claim',
  'claimAlone',
  'claimAgain',
  'renew',
  'held',
  'goesFirst',
  'release',
  'lookNow',
  'sweep',
  'leased',
  'answered',
  'wantsDatabase',
  'databaseIsBack',
  'putBack',
  'settleInstallation',
  'settleRepository',
  'prune',
  'count',
  'failing',
  'oldest',
  'oldestOfInstallations',
  'nextDue',
] as const

type ClaimKey = Pick<TriageClaim, 'id' | 'claim'>

const inRepository = z.object({
  repositoryId: z.int(),
  installationId: z.int(),
  owner: z.string(),
  repo: z.string(),
  head: z.string().nullable(),
})
const targetRow: z.ZodType<TriageTarget> = z.union([
  inRepository.extend({ pullRequestNumber: z.int() }),
  inRepository.extend({ pullRequestNumber: z.null() }),
])
const claimedRow: z.ZodType<Omit<TriageClaim, 'claimedAt'>> = targetRow.and(
  z.object({
    id: z.int(),
    generation: z.int(),
    claim: z.int(),
    attempts: z.int(),
    pausesBegun: z.int(),
    isAskedFor: flag,
  }),
)
const installationRow = z.object({ installationId: z.int() })
const heldRow = z.object({ generation: z.int(), dueAt: z.int().nullable() })
const leasedRow = z.object({
  id: z.int(),
  claim: z.int(),
  attempts: z.int(),
  dueAt: z.int().nullable(),
  pausesBegun: z.int(),
  crashes: z.int(),
})
const failingRow: z.ZodType<FailingTriage> = targetRow.and(
  z.object({
    state: z.enum(STATES),
    attempts: z.int(),
    lastError: z.string(),
    changedAt: z.int(),
  }),
)
const countRow = z.object({ state: z.enum(STATES), count: z.int() })
const nextRow = z.object({ at: z.int().nullable() })

/**
 * The pull requests that must be looked at: one row each, so that hints for one of them within `debounceMs` are one
 * triage, and work on it is serial. A hint that arrives during the work makes it due again afterwards.
 */
export class Triages {
  readonly #database: Database
  readonly #turns: Turns
  readonly #debounceMs: number
  readonly #process: string
  readonly #statements

  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, turns: Turns, debounceMs: number = DEBOUNCE_MS, process = '') {
    this.#database = database
    this.#turns = turns
    this.#debounceMs = debounceMs
    this.#process = process
    this.#statements = statementsOf('triages.sql', STATEMENTS)
  }

  /**
   * Something may have changed. Due `debounceMs` after the first hint since the last look, or the last failure.
   * `isAskedFor`: a person asked for the check to run again.
   */
  async wake(
    { installationId, repositoryId, owner, repo, pullRequestNumber, head }: TriageTarget,
    now: Time,
    isAskedFor = false,
  ): Promise<void> {
    const at = milliseconds(now)
    const hint = {
      installationId,
      repositoryId,
      owner,
      repo,
      pullRequestNumber,
      head,
      dueAt: at + this.#debounceMs,
      isAskedFor: Number(isAskedFor),
      crashesOfItsOwn: CRASHES_OF_ITS_OWN,
      longestCrashPause: LONGEST_CRASH_PAUSE,
      now: at,
    }
    await this.#inWork(() => this.#database.run(this.#statements.wake, hint), false)
  }

  /**
   * The one that is due for longest, of the installation with the least under way, and among these of the one that was
   * served longest ago; one whose lease ran out is due again. null when there is none.
   */
  async claimNext(now: Time): Promise<TriageClaim | null> {
    const at = milliseconds(now)
    const row = await this.#inWork(async () => {
      const lease = { now: at, leasedUntil: at + LEASE_MS, process: this.#process }
      const again = await this.#database.row(this.#statements.claimAgain, claimedRow, lease)
      if (again !== null) return again
      const mayBegin = await this.#turns.next('triages', at)
      if (mayBegin === 'alone') return await this.#database.row(this.#statements.claimAlone, claimedRow, lease)
      if (mayBegin === 'nothing') return null
      const next = await this.#database.row(this.#statements.nextInstallation, installationRow, {
        now: at,
        most: WORK_OF_ONE,
      })
      if (next === null) return null
      await this.#turns.take('triages', next.installationId)
      return await this.#database.row(this.#statements.claim, claimedRow, { ...next, ...lease })
    })
    return row === null ? null : { ...row, claimedAt: at }
  }

  /** Keeps the claim of longer work. False when it is lost: stop. */
  async renew({ id, claim }: TriageClaim, now: Time): Promise<boolean> {
    const leasedUntil = milliseconds(now) + LEASE_MS
    return (await this.#database.run(this.#statements.renew, { id, claim, leasedUntil })) > 0
  }

  /** Whether nobody else works on it. */
  async holds(claim: ClaimKey): Promise<boolean> {
    return (await this.#held(claim)) !== null
  }

  /** Whether it is to be looked at again after the work that is under way, or is no longer the caller's. */
  async isWanted({ generation, ...claim }: Pick<TriageClaim, 'id' | 'claim' | 'generation'>): Promise<boolean> {
    const row = await this.#held(claim)
    return row === null || row.generation !== generation
  }

  /**
   * Whether another pull request with the same head is being looked at that goes before this one, where one alone should do something of the
   * head: that to which it belongs (`owner`), or one with a smaller number.
   */
  async goesFirst(
    of: Pick<PullRequestTarget, 'repositoryId' | 'pullRequestNumber'> & {
      readonly head: string
      readonly owner: number
    },
    now: Time,
  ): Promise<boolean> {
    return (
      (await this.#database.row(this.#statements.goesFirst, z.object({}), { ...of, now: milliseconds(now) })) !== null
    )
  }

  /** The look is complete. False when the claim was lost. */
  async finish(claim: TriageClaim, { waitUntil, head = null }: TriageOutcome, now: Time): Promise<boolean> {
    const at = milliseconds(now)
    const end = async () => {
      const row = await this.#held(claim)
      if (row === null) return false
      await this.#turns.resume(claim.installationId, claim.claimedAt)
      const done = { attempts: 0, pausesBegun: 0, crashes: 0, wantsDatabase: false, error: null, head, now: at }
      if (row.generation !== claim.generation) {
        await this.#release(claim, { state: 'due', dueAt: row.dueAt ?? at, nextLookAt: null, ...done })
      } else if (waitUntil === null) {
        await this.#release(claim, { state: 'settled', dueAt: null, nextLookAt: null, ...done })
      } else {
        await this.#release(claim, { state: 'waiting', dueAt: null, nextLookAt: milliseconds(waitUntil), ...done })
      }
      return true
    }
    return await this.#inWork(end, false)
  }

  /**
   * The look failed: again later (`retry`), not until the next hint (`gave-up`), or no longer the caller's (`lost`). With
   * an outage of GitHub everything of the installation waits, and the failure does not count; with one of the database it
   * is due when that is back.
   */
  async fail(
    claim: TriageClaim,
    error: unknown,
    now: Time,
    outage: TriageOutage = null,
  ): Promise<'retry' | 'gave-up' | 'lost'> {
    const at = milliseconds(now)
    return await this.#inWork(async () => {
      const row = await this.#held(claim)
      if (row === null) return 'lost'
      const hasNewHint = row.generation !== claim.generation
      const wantsDatabase = outage === 'database'
      const pausesBegun =
        outage === null || wantsDatabase
          ? null
          : await this.#turns.pause(claim.installationId, outage, claim.pausesBegun, at)
      if (pausesBegun === null) {
        const dueAt = at + backoff(RETRY, claim.attempts)
        return await this.#releaseFailed(claim, errorText(error), dueAt, hasNewHint, at, { wantsDatabase })
      }
      const uncounted = { ...claim, attempts: claim.attempts - 1, pausesBegun }
      return await this.#releaseFailed(uncounted, errorText(error), at, hasNewHint, at)
    })
  }

  /** The write that a person asked for has been made. */
  async answered({ id, claim, generation }: TriageClaim): Promise<void> {
    await this.#database.run(this.#statements.answered, { id, claim, generation })
  }

  /** Whether something waits for the database to come back. */
  async wantsDatabase(now: Time): Promise<boolean> {
    const before = { now: milliseconds(now), mostReturns: DATABASE_RETURNS }
    return (await this.#database.row(this.#statements.wantsDatabase, z.object({}), before)) !== null
  }

  /** Triages that had failed for want of the database are due at once. */
  async databaseIsBack(now: Time): Promise<void> {
    await this.#database.run(this.#statements.databaseIsBack, { now: milliseconds(now), mostReturns: DATABASE_RETURNS })
  }

  /** What heads of a repository were waiting for may be there: those that are to be looked at again are due at once. */
  async lookNow(repositoryId: number, now: Time): Promise<void> {
    await this.#database.run(this.#statements.lookNow, { repositoryId, now: milliseconds(now) })
  }

  /** Makes those due whose time to look again has come, and names them. */
  async dueForSweep(now: Time): Promise<TriageTarget[]> {
    return await this.#database.rows(this.#statements.sweep, targetRow, { now: milliseconds(now) })
  }

  /** What a dead process had begun is due at once, unless it was in hand at three ends in a row. Returns how many. */
  async recoverAfterCrash(now: Time): Promise<number> {
    const at = milliseconds(now)
    return await this.#database.transaction(async () => {
      const leased = await this.#database.rows(this.#statements.leased, leasedRow)
      for (const row of leased) {
        const crashes = row.crashes + 1
        const isFailure = isOfItsOwn(crashes)
        const released = { ...row, attempts: row.attempts - (isFailure ? 0 : 1) }
        // A hint during the work is a reason to look again, and none to crash for ever.
        const hasNewHint = row.dueAt !== null && !isFailure
        await this.#releaseFailed(released, CRASHED, at + afterCrash(crashes), hasNewHint, at, { crashes })
      }
      return leased.length
    })
  }

  /** At the end: what this process had in hand and was cut off is due again, and the attempt does not count. */
  async putBack(now: Time): Promise<void> {
    await this.#database.run(this.#statements.putBack, { now: milliseconds(now), process: this.#process })
  }

  /** Ends the triages of repositories from which the App was removed; null: those of the whole installation. */
  async settle(installationId: number, repositoryIds: readonly number[] | null, now: Time): Promise<void> {
    const at = milliseconds(now)
    await this.#database.transaction(async () => {
      if (repositoryIds === null)
        await this.#database.run(this.#statements.settleInstallation, { installationId, now: at })
      for (const repositoryId of repositoryIds ?? []) {
        await this.#database.run(this.#statements.settleRepository, { installationId, repositoryId, now: at })
      }
    })
  }

  /** Drops rows of pull requests where nothing happened for 90 days. Returns how many. */
  async prune(now: Time): Promise<number> {
    return await this.#database.run(this.#statements.prune, { before: milliseconds(now) - KEEP_SETTLED_MS })
  }

  async counts(): Promise<Readonly<Record<TriageState, number>>> {
    const counts = { due: 0, working: 0, waiting: 0, settled: 0 }
    for (const { state, count } of await this.#database.rows(this.#statements.count, countRow)) counts[state] = count
    return counts
  }

  /** As that of deliveries. */
  async oldestOfInstallations(now: Time): Promise<InstallationAge[]> {
    return await this.#database.rows(this.#statements.oldestOfInstallations, installationAgeRow, {
      now: milliseconds(now),
    })
  }

  /** The age of the queue: triages whose time has come and whose work has not begun. */
  async oldest(now: Time): Promise<QueueAge> {
    return (await this.#database.row(this.#statements.oldest, queueAgeRow, { now: milliseconds(now) }))!
  }

  /** Triages whose last attempt failed, the newest first. */
  async failing(limit: number): Promise<FailingTriage[]> {
    return await this.#database.rows(this.#statements.failing, failingRow, { limit })
  }

  /** When there is something to claim or to sweep next; null when there is nothing. May lie in the past. */
  async nextAt(): Promise<number | null> {
    return (await this.#database.row(this.#statements.nextDue, nextRow))!.at
  }

  async #release(
    { id, claim }: ClaimKey,
    row: {
      readonly state: TriageState
      readonly dueAt: number | null
      readonly nextLookAt: number | null
      readonly attempts: number
      readonly pausesBegun: number
      readonly crashes: number
      readonly wantsDatabase: boolean
      readonly error: string | null
      readonly head: string | null
      readonly now: number
    },
  ): Promise<void> {
    const wantsDatabase = Number(row.wantsDatabase)
    await this.#database.run(this.#statements.release, { id, claim, ...row, wantsDatabase })
  }

  async #held({ id, claim }: ClaimKey) {
    return await this.#database.row(this.#statements.held, heldRow, { id, claim })
  }

  async #releaseFailed(
    claim: ClaimKey & Pick<TriageClaim, 'attempts' | 'pausesBegun'>,
    error: string,
    dueAt: number,
    hasNewHint: boolean,
    now: number,
    { crashes = 0, wantsDatabase = false } = {},
  ): Promise<'retry' | 'gave-up'> {
    // A database that is down for days is no reason to give up.
    const isLast = claim.attempts >= RETRY.attempts && !hasNewHint && !wantsDatabase
    await this.#release(claim, {
      state: isLast ? 'settled' : 'due',
      dueAt: isLast ? null : dueAt,
      nextLookAt: null,
      attempts: claim.attempts,
      pausesBegun: claim.pausesBegun,
      crashes,
      wantsDatabase,
      error,
      head: null,
      now,
    })
    return isLast ? 'gave-up' : 'retry'
  }

  /** Without waiting for the disk: work that a crash loses is done again, with the delivery that it comes from. */
  async #inWork<T>(work: () => Promise<T>, isSerial = true): Promise<T> {
    return await this.#database.transaction(work, { isDurable: false, isSerial })
  }
}
