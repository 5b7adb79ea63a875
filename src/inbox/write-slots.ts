import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Every write takes a slot of its kind; a comment takes one of its own beforehand. */
export type WriteKind = 'write' | 'comment'

/** A slot further ahead was taken by a process whose clock was wrong, and counts for nothing: nobody waits for as long. */
const LONGEST_WAIT_MS = 5 * 60_000

const slotRow = z.object({ at: z.int() })

/** When an installation may be written to: one slot after the other, whichever process takes them. That of a dead process just passes. */
export class WriteSlots {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('turns.sql', ['takeWriteSlot'])
  }

  /** Takes the next free slot, `pace` milliseconds after the last one: when it is, which is now at the earliest. */
  async take(installationId: number, kind: WriteKind, pace: number, now: Time): Promise<number> {
    const slot = { installationId, kind, pace, now: milliseconds(now), longestWait: LONGEST_WAIT_MS }
    // Where a loss of power takes it the writes are seconds away as well.
    const of = { isDurable: false, isSerial: false }
    const take = () => this.#database.row(this.#statements.takeWriteSlot, slotRow, slot)
    return (await this.#database.transaction(take, of))!.at
  }
}
