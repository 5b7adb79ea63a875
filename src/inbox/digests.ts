import { z } from 'zod'
import type { DigestPeriod } from '../report/digest.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** When each digest was last done, so that a restart sends none twice. */

const KEEP_MS = 60 * 24 * 3600_000

const digestRow = z.object({ day: z.string(), items: jsonText(z.array(z.string())) })
export type LastDigest = z.output<typeof digestRow>

/** The digests that are done: sent to the channel, or found to hold no news. */
export class Digests {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['addDigest', 'lastDigest', 'pruneDigests'])
  }

  /** `items`: the keys of what waited then. `day`: the first one of the period, `2026-11-23`. */
  async add(period: DigestPeriod, day: string, items: readonly string[], wasSent: boolean, now: Time): Promise<void> {
    const row = { period, day, items: JSON.stringify(items), wasSent: Number(wasSent), now: milliseconds(now) }
    await this.#database.run(this.#statements.addDigest, row)
    const before = new Date(Date.parse(day) - KEEP_MS).toISOString().slice(0, 10)
    await this.#database.run(this.#statements.pruneDigests, { period, before })
  }

  /** null: there was none. */
  async last(period: DigestPeriod): Promise<LastDigest | null> {
    return await this.#database.row(this.#statements.lastDigest, digestRow, { period })
  }
}
