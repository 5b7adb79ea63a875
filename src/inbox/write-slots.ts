import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Every write takes a slot of its kind; a comment takes one of its own beforehand. */
export type WriteKind = 'write' | 'comment'

/** What a write is for: the answer to a person, a report, or the check run of a repository that gates. */
export type WriteUse = 'answer' | 'report' | 'gate'

/** Writes that GitHub takes of one installation in an hour. */
export const WRITES_OF_HOUR = 500

/** The writes of the hour up to which each use may go: people rely on a red check, and nothing waits for an answer but one person. */
const MOST_OF_HOUR: Readonly<Record<WriteUse, number>> = { answer: 300, report: 450, gate: WRITES_OF_HOUR }

/** A repository that gates, and has had no check for so long, waits like the others. */
const GATES_KEPT_MS = 7 * 24 * 3600_000

/** An hour, and the seconds by which clocks differ and a call is late. */
const HOUR_MS = 3600_000 + 10_000

/** So long a write waits for the hour with its work in hand, as for the comments of the others in hand; longer, and all of the installation is put off. */
const LONGEST_IN_HAND_MS = 12_000

/** A slot further ahead was taken by a process whose clock was wrong, and counts for nothing: nobody waits for as long. */
const LONGEST_WAIT_MS = 5 * 60_000

/** The installation has used up the hour's writes for this use. The message names what waits; other installations go on. */
export class HourUsedUp extends Error {
  override readonly name = 'HourUsedUp'
  /** When the next write may be made, in milliseconds. */
  readonly until: number
  /** Only what failed waits: answers, and reports where others of the installation have writes kept for their checks. */
  readonly isOfThisAlone: boolean

  constructor(installationId: number, until: number, use: WriteUse, hasGates: boolean) {
    const time = new Date(until).toISOString()
    const isOfThisAlone = use === 'answer' || (use === 'report' && hasGates)
    const alone = use === 'answer' ? 'its answers to those who may not act wait' : 'its reports wait'
    const waits = isOfThisAlone ? alone : 'its work waits'
    super(`installation ${installationId} has made ${MOST_OF_HOUR[use]} writes within an hour: ${waits} until ${time}`)
    this.until = until
    this.isOfThisAlone = isOfThisAlone
  }
}

/** Writes of an installation within the last hour. */
export interface WritesMade {
  readonly installationId: number
  readonly made: number
}

const slotRow = z.object({ at: z.int() })
const madeRow: z.ZodType<WritesMade> = z.object({ installationId: z.int(), made: z.int() })

/** When an installation may be written to: one slot after the other, whichever process takes them. That of a dead process just passes. */
export class WriteSlots {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('turns.sql', [
      'takeWriteSlot',
      'writeThatMustPass',
      'addWrite',
      'addGate',
      'gates',
      'mostWrites',
      'pruneWrites',
    ])
  }

  /**
   * Takes the next free slot, `pace` milliseconds after the last one: when it is, which is now at the earliest. Rejects with
   * `HourUsedUp` where it is too far away, and has taken none.
   */
  async take(
    installationId: number,
    kind: WriteKind,
    pace: number,
    now: Time,
    use: WriteUse = 'report',
  ): Promise<number> {
    const asked = milliseconds(now)
    const latest = asked + LONGEST_WAIT_MS
    const take = async (after: number) => {
      const slot = { installationId, kind, pace: after, now: asked, longestWait: LONGEST_WAIT_MS }
      return (await this.#database.row(this.#statements.takeWriteSlot, slotRow, slot))!.at
    }
    const ofHour = async () => {
      // First of all: whoever else takes one of this installation waits for this row from here on.
      const next = await take(pace)
      if (kind === 'comment') return next
      const before = { installationId, latest, newer: MOST_OF_HOUR[use] - 1 }
      const full = await this.#database.row(this.#statements.writeThatMustPass, slotRow, before)
      const free = full === null ? next : Math.max(next, full.at + HOUR_MS)
      if (free > next && free - asked > LONGEST_IN_HAND_MS)
        throw new HourUsedUp(installationId, free, use, await this.#gates(installationId, asked))
      const at = free > next ? await take(free - next) : next
      await this.#database.run(this.#statements.addWrite, { installationId, at })
      if (use === 'gate') await this.#database.run(this.#statements.addGate, { installationId, at })
      return at
    }
    // Where a loss of power takes it the writes are seconds away as well.
    return await this.#database.transaction(ofHour, { isDurable: false, isSerial: false })
  }

  /** Whether writes of the installation are kept for its gates. */
  async #gates(installationId: number, now: number): Promise<boolean> {
    const since = now - GATES_KEPT_MS
    return (await this.#database.row(this.#statements.gates, slotRow, { installationId, since })) !== null
  }

  /** The ten installations with the most writes within the last hour. */
  async most(now: Time): Promise<WritesMade[]> {
    const at = milliseconds(now)
    return await this.#database.rows(this.#statements.mostWrites, madeRow, {
      since: at - HOUR_MS,
      latest: at + LONGEST_WAIT_MS,
    })
  }

  /** Drops the writes that count no more. */
  async prune(now: Time): Promise<void> {
    await this.#database.run(this.#statements.pruneWrites, { before: milliseconds(now) - HOUR_MS })
  }
}
