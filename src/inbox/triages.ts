import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { type Released, WorkQueue } from './queue.ts'
import {
  CRASHES_OF_ITS_OWN,
  errorText,
  LONGEST_CRASH_PAUSE,
  milliseconds,
  type RetryPolicy,
  type Time,
} from './retry.ts'
import type { Outage, Turns } from './turns.ts'

/** The queue of triages: targets that are due, claimed and given back. Which process works on one is decided here alone. */

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
  /** Pauses that began with it in hand: after some of them it fails for a reason of its own. */
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

const STATEMENTS = statementsOf('triages.sql', [
  'wake',
  'claim',
  'putBack',
  'renew',
  'held',
  'goesFirst',
  'release',
  'lookNow',
  'sweep',
  'nextLook',
  'answered',
  'wantsDatabase',
  'databaseIsBack',
  'settleInstallation',
  'settleRepository',
  'prune',
  'failing',
])

/** A row whose work has ended. */
type EndedRow = Omit<Released, 'dueAt' | 'hasNewHint' | 'error'> & {
  readonly state: TriageState
  readonly dueAt: number | null
  readonly nextLookAt: number | null
  readonly wantsDatabase: number
  readonly error: string | null
  readonly head: string | null
}

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
type ClaimedRow = Omit<TriageClaim, 'claimedAt'>
const claimedRow: z.ZodType<ClaimedRow> = targetRow.and(
  z.object({
    id: z.int(),
    generation: z.int(),
    claim: z.int(),
    attempts: z.int(),
    pausesBegun: z.int(),
    isAskedFor: flag,
  }),
)
const heldRow = z.object({ generation: z.int(), dueAt: z.int().nullable() })
const failingRow: z.ZodType<FailingTriage> = targetRow.and(
  z.object({
    state: z.enum(STATES),
    attempts: z.int(),
    lastError: z.string(),
    changedAt: z.int(),
  }),
)
const nextLookRow = z.object({ at: z.int().nullable() })

/**
 * The pull requests that must be looked at: one row each, so that hints for one of them within `debounceMs` are one
 * triage, and work on it is serial. A hint that arrives during the work makes it due again afterwards.
 */
export class Triages extends WorkQueue<ClaimedRow, TriageClaim, TriageState> {
  readonly #debounceMs: number

  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, turns: Turns, debounceMs: number = DEBOUNCE_MS, process = '') {
    super(database, turns, process, {
      queue: 'triages',
      states: STATES,
      claim: STATEMENTS.claim,
      putBack: STATEMENTS.putBack,
      claimed: claimedRow,
      leaseMs: LEASE_MS,
      retry: RETRY,
      agesInWork: false,
    })
    this.#debounceMs = debounceMs
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
    await this.inWork(() => this.database.run(STATEMENTS.wake, hint), false)
  }

  /** Keeps the claim of longer work. False when it is lost: stop. */
  async renew({ id, claim }: TriageClaim, now: Time): Promise<boolean> {
    const leasedUntil = milliseconds(now) + LEASE_MS
    return (await this.database.run(STATEMENTS.renew, { id, claim, leasedUntil })) > 0
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
    return (await this.database.row(STATEMENTS.goesFirst, z.object({}), { ...of, now: milliseconds(now) })) !== null
  }

  /** The look is complete. False when the claim was lost. */
  async finish(claim: TriageClaim, { waitUntil, head = null }: TriageOutcome, now: Time): Promise<boolean> {
    const at = milliseconds(now)
    const end = async () => {
      const row = await this.#held(claim)
      if (row === null) return false
      await this.turns.resume(claim.installationId, claim.claimedAt)
      const done = { attempts: 0, pausesBegun: 0, crashes: 0, wantsDatabase: 0, error: null, head, now: at }
      const ended = { key: claim.id, claim: claim.claim, ...done }
      if (row.generation !== claim.generation) {
        await this.#write({ ...ended, state: 'due', dueAt: row.dueAt ?? at, nextLookAt: null })
      } else if (waitUntil === null) {
        await this.#write({ ...ended, state: 'settled', dueAt: null, nextLookAt: null })
      } else {
        await this.#write({ ...ended, state: 'waiting', dueAt: null, nextLookAt: milliseconds(waitUntil) })
      }
      return true
    }
    return await this.inWork(end, false)
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
    return await this.inWork(async () => {
      const row = await this.#held(claim)
      if (row === null) return 'lost'
      const wantsDatabase = outage === 'database'
      const left = await this.afterFailure(claim, claim.installationId, wantsDatabase ? null : outage, at)
      const hasNewHint = row.generation !== claim.generation
      const failed = { crashes: 0, hasNewHint, error: errorText(error), now: at }
      return await this.release({ key: claim.id, claim: claim.claim, ...left, ...failed }, wantsDatabase)
    })
  }

  /** The write that a person asked for has been made. */
  async answered({ id, claim, generation }: TriageClaim): Promise<void> {
    await this.database.run(STATEMENTS.answered, { id, claim, generation })
  }

  /** Whether something waits for the database to come back. */
  async wantsDatabase(now: Time): Promise<boolean> {
    const before = { now: milliseconds(now), mostReturns: DATABASE_RETURNS }
    return (await this.database.row(STATEMENTS.wantsDatabase, z.object({}), before)) !== null
  }

  /** Triages that had failed for want of the database are due at once. */
  async databaseIsBack(now: Time): Promise<void> {
    await this.database.run(STATEMENTS.databaseIsBack, { now: milliseconds(now), mostReturns: DATABASE_RETURNS })
  }

  /** What heads of a repository were waiting for may be there: those that are to be looked at again are due at once. */
  async lookNow(repositoryId: number, now: Time): Promise<void> {
    await this.database.run(STATEMENTS.lookNow, { repositoryId, now: milliseconds(now) })
  }

  /** Makes those due whose time to look again has come, and names them. */
  async dueForSweep(now: Time): Promise<TriageTarget[]> {
    return await this.database.rows(STATEMENTS.sweep, targetRow, { now: milliseconds(now) })
  }

  /** Ends the triages of repositories from which the App was removed; null: those of the whole installation. */
  async settle(installationId: number, repositoryIds: readonly number[] | null, now: Time): Promise<void> {
    const at = milliseconds(now)
    await this.database.transaction(async () => {
      if (repositoryIds === null) await this.database.run(STATEMENTS.settleInstallation, { installationId, now: at })
      for (const repositoryId of repositoryIds ?? []) {
        await this.database.run(STATEMENTS.settleRepository, { installationId, repositoryId, now: at })
      }
    })
  }

  /** Drops rows of pull requests where nothing happened for 90 days. Returns how many. */
  async prune(now: Time): Promise<number> {
    return await this.database.run(STATEMENTS.prune, { before: milliseconds(now) - KEEP_SETTLED_MS })
  }

  /** Triages whose last attempt failed, the newest first. */
  async failing(limit: number): Promise<FailingTriage[]> {
    return await this.database.rows(STATEMENTS.failing, failingRow, { limit })
  }

  /** When there is something to claim or to sweep next; null when there is nothing. May lie in the past. */
  override async nextAt(): Promise<number | null> {
    // First what is looked at again: made due meanwhile it is in the queue.
    const look = (await this.database.row(STATEMENTS.nextLook, nextLookRow))!.at
    const next = await super.nextAt()
    return look === null || next === null ? (look ?? next) : Math.min(look, next)
  }

  protected claimOf(row: ClaimedRow, claimedAt: number): TriageClaim {
    return { ...row, claimedAt }
  }

  protected async release(
    { key, claim, hasNewHint, ...work }: Released,
    wantsDatabase = false,
  ): Promise<'retry' | 'gave-up'> {
    // A database that is down for days is no reason to give up.
    const isLast = this.isLast(work) && !hasNewHint && !wantsDatabase
    await this.#write({
      ...work,
      key,
      claim,
      state: isLast ? 'settled' : 'due',
      dueAt: isLast ? null : work.dueAt,
      nextLookAt: null,
      wantsDatabase: Number(wantsDatabase),
      head: null,
    })
    return isLast ? 'gave-up' : 'retry'
  }

  async #held({ id, claim }: ClaimKey) {
    return await this.database.row(STATEMENTS.held, heldRow, { id, claim })
  }

  async #write(row: EndedRow): Promise<void> {
    await this.database.run(STATEMENTS.release, row)
  }
}
