import { z } from 'zod'
import { type Database, type Statement, statementsOf } from './database.ts'
import { afterCrash, backoff, CRASHED, isOfItsOwn, milliseconds, type RetryPolicy, type Time } from './retry.ts'
import { type Outage, type Queue, type Turns, WORK_OF_ONE } from './turns.ts'

/** The queue of deliveries and that of triages: who is next, what is in hand, and what becomes of it when a process ends. */

/** The length of a queue, and since when its oldest piece of work waits, in milliseconds; null: nothing waits. */
export interface QueueAge {
  readonly waiting: number
  readonly since: number | null
}

/** Since when the oldest work of an installation waits. */
export interface InstallationAge {
  readonly installationId: number
  readonly since: number
}

/** Work whose attempt ended without success. */
export interface Released {
  readonly key: number | string
  readonly claim: number
  /** Those that count. */
  readonly attempts: number
  readonly pausesBegun: number
  /** Ends of the process in a row; 0: it was none. */
  readonly crashes: number
  /** The earliest time of the next attempt. */
  readonly dueAt: number
  /** Something has happened during the attempt that is a reason for another one. */
  readonly hasNewHint: boolean
  readonly error: string
  readonly now: number
}

/** What the queues differ in. */
export interface QueueKind<Row, State extends string> {
  readonly queue: Queue
  readonly states: readonly State[]
  /** Takes the work with this `key` where it still waits, or its lease ran out. */
  readonly claim: Statement
  /** Makes due at once what the process has in hand; the attempt does not count. */
  readonly putBack: Statement
  /** What `claim` returns. */
  readonly claimed: z.ZodType<Row>
  readonly leaseMs: number
  readonly retry: RetryPolicy
  /** Work that is under way counts as work that waits. */
  readonly agesInWork: boolean
}

const STATEMENTS = ['again', 'alone', 'next', 'leased', 'count', 'oldest', 'oldestOfInstallations', 'nextDue'] as const

/** Work that waits by itself is tried no more often: of hundreds that wait for the same writes each is judged anew. */
const ALONE_MS = 5 * 60_000

/** What stands in `queue.sql`, and what it is of triages. */
const OF_TRIAGES: ReadonlyMap<string, string> = new Map([
  ['deliveries', 'triages'],
  ["'received'", "'due'"],
  ["event = 'issue_comment', ", ''],
  ['received_at, guid', 'id'],
  ['guid', 'id'],
])
const NAMES = new RegExp([...OF_TRIAGES.keys()].join('|'), 'g')

/** The statements of `queue.sql` for one of the queues. */
export function queueStatements(queue: Queue): Readonly<Record<(typeof STATEMENTS)[number], Statement>> {
  const statements = statementsOf('queue.sql', STATEMENTS)
  if (queue === 'deliveries') return statements
  const named = Object.entries(statements).map(([name, { text }]): [string, Statement] => [
    name,
    { name, text: text.replace(NAMES, (of) => OF_TRIAGES.get(of)!) },
  ])
  return Object.fromEntries(named) as typeof statements
}

const key = z.union([z.string(), z.int()])
const keyRow = z.object({ key })
const nextRow = z.object({ key, installationId: z.int() })
const leasedRow = z.object({
  key,
  claim: z.int(),
  attempts: z.int(),
  dueAt: z.int().nullable(),
  pausesBegun: z.int(),
  crashes: z.int(),
})
const ageRow: z.ZodType<QueueAge> = z.object({ waiting: z.int(), since: z.int().nullable() })
const installationAgeRow: z.ZodType<InstallationAge> = z.object({ installationId: z.int(), since: z.int() })
const atRow = z.object({ at: z.int().nullable() })

/** Work that is claimed, done and given back, by turns of the installations; several processes may work one off. */
export abstract class WorkQueue<Row, Claim, State extends string> {
  protected readonly database: Database
  protected readonly turns: Turns
  readonly #process: string
  readonly #kind: QueueKind<Row, State>
  readonly #statements
  readonly #countRow

  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, turns: Turns, process: string, kind: QueueKind<Row, State>) {
    this.database = database
    this.turns = turns
    this.#process = process
    this.#kind = kind
    this.#statements = queueStatements(kind.queue)
    this.#countRow = z.object({ state: z.enum(kind.states), count: z.int() })
  }

  protected abstract claimOf(row: Row, claimedAt: number): Claim

  /** Due again, or given up after the last attempt. Called within a transaction. */
  protected abstract release(work: Released): Promise<string>

  /**
   * The oldest that is due, leased to the caller, of the installation with the least under way, and among these of the
   * one that was served longest ago; one whose lease ran out is due again. null when there is none.
   */
  async claimNext(now: Time): Promise<Claim | null> {
    const at = milliseconds(now)
    const { claim, claimed, leaseMs } = this.#kind
    const row = await this.inWork(async () => {
      const chosen = await this.#choose(at)
      if (chosen === null) return null
      const lease = { key: chosen.key, now: at, leasedUntil: at + leaseMs, process: this.#process }
      return await this.database.row(claim, claimed, lease)
    })
    return row === null ? null : this.claimOf(row, at)
  }

  /** What a dead process had begun is due at once, unless it was in hand at three ends in a row. Returns how many. */
  async recoverAfterCrash(now: Time): Promise<number> {
    const at = milliseconds(now)
    return await this.database.transaction(async () => {
      const leased = await this.database.rows(this.#statements.leased, leasedRow)
      for (const { dueAt, ...row } of leased) {
        const crashes = row.crashes + 1
        const isFailure = isOfItsOwn(crashes)
        await this.release({
          ...row,
          crashes,
          attempts: row.attempts - (isFailure ? 0 : 1),
          dueAt: at + afterCrash(crashes),
          // A hint during the work is a reason to look again, and none to crash for ever.
          hasNewHint: dueAt !== null && !isFailure,
          error: CRASHED,
          now: at,
        })
      }
      return leased.length
    })
  }

  /** At the end: what this process had in hand and was cut off is due again, and the attempt does not count. */
  async putBack(now: Time): Promise<void> {
    await this.database.run(this.#kind.putBack, { now: milliseconds(now), process: this.#process })
  }

  async counts(): Promise<Readonly<Record<State, number>>> {
    const counts = Object.fromEntries(this.#kind.states.map((state) => [state, 0])) as Record<State, number>
    for (const { state, count } of await this.database.rows(this.#statements.count, this.#countRow))
      counts[state] = count
    return counts
  }

  /** The age of the queue: work whose time has come and is not done, or has not begun. */
  async oldest(now: Time): Promise<QueueAge> {
    return (await this.database.row(this.#statements.oldest, ageRow, this.#aging(now)))!
  }

  /** Since when the oldest work waits of the ten installations that wait longest. */
  async oldestOfInstallations(now: Time): Promise<InstallationAge[]> {
    return await this.database.rows(this.#statements.oldestOfInstallations, installationAgeRow, this.#aging(now))
  }

  /** When there is something to claim next; null when there is nothing. May lie in the past. */
  async nextAt(): Promise<number | null> {
    return (await this.database.row(this.#statements.nextDue, atRow))!.at
  }

  /**
   * What a failed attempt leaves: it counts, and the next one comes later. With an outage everything of the installation
   * waits, and the failure does not count.
   */
  protected async afterFailure(
    work: Pick<Released, 'attempts' | 'pausesBegun'>,
    installationId: number,
    outage: Outage | null,
    now: number,
  ): Promise<Pick<Released, 'attempts' | 'pausesBegun' | 'dueAt'>> {
    if (outage?.isOfThisAlone === true && outage.until !== null) {
      const dueAt = Math.max(outage.until, now + ALONE_MS)
      return { attempts: work.attempts - 1, pausesBegun: work.pausesBegun, dueAt }
    }
    const pausesBegun = outage === null ? null : await this.turns.pause(installationId, outage, work.pausesBegun, now)
    if (pausesBegun !== null) return { attempts: work.attempts - 1, pausesBegun, dueAt: now }
    const { attempts } = work
    return { attempts, pausesBegun: work.pausesBegun, dueAt: now + backoff(this.#kind.retry, attempts) }
  }

  protected isLast({ attempts }: Pick<Released, 'attempts'>): boolean {
    return attempts >= this.#kind.retry.attempts
  }

  /** Without waiting for the disk: work that a crash loses is done again, and only the receipt of a delivery must not be lost. */
  protected async inWork<T>(work: () => Promise<T>, isSerial = true): Promise<T> {
    return await this.database.transaction(work, { isDurable: false, isSerial })
  }

  async #choose(now: number): Promise<z.output<typeof keyRow> | null> {
    const { queue } = this.#kind
    const again = await this.database.row(this.#statements.again, keyRow, { now })
    if (again !== null) return again
    const mayBegin = await this.turns.next(queue, now)
    if (mayBegin === 'nothing') return null
    if (mayBegin === 'alone') return await this.database.row(this.#statements.alone, keyRow, { now })
    const next = await this.database.row(this.#statements.next, nextRow, { now, most: WORK_OF_ONE })
    if (next !== null) await this.turns.take(queue, next.installationId)
    return next
  }

  #aging(now: Time) {
    return { now: milliseconds(now), agesInWork: Number(this.#kind.agesInWork) }
  }
}
