import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { DigestPeriod } from '../report/digest.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRow } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const KEEP_MS = 60 * 24 * 3600_000

const digestRow = z.object({ day: z.string(), items: jsonText(z.array(z.string())) })
export type LastDigest = z.output<typeof digestRow>

/** The digests that are done: sent to the channel, or found to hold no news. */
export class Digests {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['addDigest', 'lastDigest', 'pruneDigests'])
  }

  /** `items`: the keys of what waited then. `day`: the first one of the period, `2026-11-23`. */
  add(period: DigestPeriod, day: string, items: readonly string[], wasSent: boolean, now: Time): void {
    const row = { period, day, items: JSON.stringify(items), wasSent: Number(wasSent), now: milliseconds(now) }
    this.#statements.addDigest.run(row)
    const before = new Date(Date.parse(day) - KEEP_MS).toISOString().slice(0, 10)
    this.#statements.pruneDigests.run({ period, before })
  }

  /** null: there was none. */
  last(period: DigestPeriod): LastDigest | null {
    return readRow(this.#statements.lastDigest, digestRow, { period })
  }
}
