import type { TrunkRow } from '../history/trunk-row.ts'
import { counted } from '../render/numbers.ts'
import { isoTime } from './import-files.ts'

/** `history import --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/** Queries and runs are counted one by one up to here: those of a hostile file may all be different. */
const MOST_COUNTED = 1_000_000

/** What an import of the trunk's history has read, counted while the rows pass. */
export class HistoryImportSummary {
  rows = 0
  /** Rows that are not the trunk's. */
  skipped = 0
  readonly #queries = new Set<string>()
  readonly #runs = new Set<string>()
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  add(row: TrunkRow): void {
    this.rows += 1
    if (this.#queries.size < MOST_COUNTED) this.#queries.add(`${row.test}\0${row.queryName ?? row.queryIndex}`)
    if (this.#runs.size < MOST_COUNTED) this.#runs.add(`${row.newCommit} ${row.time} ${row.architecture}`)
    if (row.time < this.#first) this.#first = row.time
    if (row.time > this.#last) this.#last = row.time
  }

  /** `imported 1,234,567 rows: 1,893 queries, 652 runs, 2026-10-20 to 2026-11-20; 12 rows are not the trunk’s` */
  line(): string {
    const parts = [`imported ${counted(this.rows, 'row', 'rows')}`]
    if (this.rows > 0) {
      const [first, last] = [day(this.#first), day(this.#last)]
      const queries = counted(this.#queries.size, 'query', 'queries')
      const runs = counted(this.#runs.size, 'run', 'runs')
      parts[0] += `: ${queries}, ${runs}, ${first === last ? first : `${first} to ${last}`}`
    }
    if (this.skipped > 0) parts.push(`${counted(this.skipped, 'row is', 'rows are')} not the trunk’s`)
    return parts.join('; ')
  }

  /** Of the JSON document. */
  fields(): Readonly<Record<string, unknown>> {
    const any = this.rows > 0
    return {
      schemaVersion: JSON_SCHEMA_VERSION,
      rows: this.rows,
      skipped: this.skipped,
      queries: this.#queries.size,
      runs: this.#runs.size,
      from: isoTime(any ? this.#first : null),
      to: isoTime(any ? this.#last : null),
    }
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
