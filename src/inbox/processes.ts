import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** How often a process says that it lives. */
export const BEAT_MS = 5000

/** One that has said nothing for so long is dead: longer than a full garbage collection, or the restart of a database. */
export const DEAD_AFTER_MS = 20_000

const livingRow = z.object({ living: z.int() })
const firstRow = z.object({ id: z.string() })

/** The processes that work off one inbox. Where it is not shared there is this one alone. */
export class Processes {
  readonly #database: Database
  readonly #id: string
  readonly #isShared: boolean
  readonly #statements

  constructor(database: Database, id: string, isShared: boolean) {
    this.#database = database
    this.#id = id
    this.#isShared = isShared
    this.#statements = statementsOf('processes.sql', ['enter', 'beat', 'leave', 'forgetOthers', 'first', 'living'])
  }

  /** This process begins to work. Of an inbox that is not shared all others are dead. */
  async enter(now: Time): Promise<void> {
    await this.#database.run(this.#statements.enter, { id: this.#id, now: milliseconds(now) })
    if (!this.#isShared) await this.#forgetOthers(Number.MAX_SAFE_INTEGER)
  }

  /** This process lives. False where the others have taken it for dead, and what it had in hand with it. */
  async beat(now: Time): Promise<boolean> {
    return (await this.#database.run(this.#statements.beat, { id: this.#id, now: milliseconds(now) })) > 0
  }

  /** Forgets the others that are dead: what they had in hand is nobody's. */
  async forgetDead(now: Time): Promise<void> {
    await this.#forgetOthers(milliseconds(now) - DEAD_AFTER_MS)
  }

  /** This process ends, and has nothing in hand. */
  async leave(): Promise<void> {
    await this.#database.run(this.#statements.leave, { id: this.#id })
  }

  /** Whether this is the process that does what one alone should do: the one that has worked for longest. */
  async isFirst(now: Time): Promise<boolean> {
    if (!this.#isShared) return true
    const since = milliseconds(now) - DEAD_AFTER_MS
    return (await this.#database.row(this.#statements.first, firstRow, { since }))?.id === this.#id
  }

  /** How many there are that work. */
  async living(now: Time): Promise<number> {
    const since = milliseconds(now) - DEAD_AFTER_MS
    return (await this.#database.row(this.#statements.living, livingRow, { since }))!.living
  }

  async #forgetOthers(before: number): Promise<void> {
    await this.#database.run(this.#statements.forgetOthers, { id: this.#id, before })
  }
}
