import type { TrunkRow } from '../history/trunk-row.ts'
import { queryKey } from '../measurement/run.ts'
import { count, counted } from '../text/numbers.ts'
import { isoTime } from './import-files.ts'
import { plainText } from './terminal-text.ts'

/** `history import --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/** Queries and runs are counted one by one up to here: those of a hostile file may all be different. */
const MOST_COUNTED = 1_000_000

/** Whole or not: ids of commits are hexadecimal. */
const COMMIT = /^[0-9a-f]+$/i

/** What an import of the trunk's history has read, counted while the rows pass. */
export class HistoryImportSummary {
  rows = 0
  /** Rows that are not the trunk's. */
  skipped = 0
  /** Rows that could not be read; each was told in a warning, as far as there is room for them. */
  unread = 0
  /** Of the rows so many were not there before; null: nobody has counted. */
  newRows: number | null = null
  #notCommits = 0
  #notCommit = ''
  readonly #queries = new Set<string>()
  readonly #runs = new Set<string>()
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  add(row: TrunkRow): void {
    this.rows += 1
    if (!COMMIT.test(row.newCommit)) {
      if (this.#notCommits === 0) this.#notCommit = row.newCommit
      this.#notCommits += 1
    }
    if (this.#queries.size < MOST_COUNTED) this.#queries.add(queryKey(row))
    if (this.#runs.size < MOST_COUNTED) this.#runs.add(`${row.newCommit} ${row.time} ${row.architecture}`)
    if (row.time < this.#first) this.#first = row.time
    if (row.time > this.#last) this.#last = row.time
  }

  /**
   * `imported 1,234,567 rows: 1,893 queries, 652 runs, 2026-10-20 to 2026-11-20; 1,564 new, the others were there already;
   * 12 rows are not the trunk’s; 8 rows were not read`
   */
  line(): string {
    const parts = [`imported ${counted(this.rows, 'row', 'rows')}`]
    if (this.rows > 0) {
      const [first, last] = [day(this.#first), day(this.#last)]
      const queries = counted(this.#queries.size, 'query', 'queries')
      const runs = counted(this.#runs.size, 'run', 'runs')
      parts[0] += `: ${queries}, ${runs}, ${first === last ? first : `${first} to ${last}`}`
    }
    const { rows, newRows } = this
    if (newRows !== null && newRows < rows) {
      parts.push(newRows === 0 ? 'all were there already' : `${count(newRows)} new, the others were there already`)
    }
    if (this.skipped > 0) parts.push(`${counted(this.skipped, 'row is', 'rows are')} not the trunk’s`)
    if (this.unread > 0) parts.push(`${counted(this.unread, 'row was', 'rows were')} not read`)
    return parts.join('; ')
  }

  /** A step between such runs is found, but its commits can't be listed. */
  warning(): string | null {
    if (this.#notCommits === 0) return null
    const names = counted(this.#notCommits, 'row names', 'rows name')
    return `${names} what is no commit id as new_sha (${plainText(this.#notCommit).slice(0, 60)}): of these nobody can list the commits of a step`
  }

  /** Of the JSON document. */
  fields(): Readonly<Record<string, unknown>> {
    const any = this.rows > 0
    return {
      schemaVersion: JSON_SCHEMA_VERSION,
      rows: this.rows,
      newRows: this.newRows,
      skipped: this.skipped,
      unread: this.unread,
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
