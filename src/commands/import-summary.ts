import type { CheckRow } from '../ledger/check-row.ts'
import { isKnownStatus, testOutcome } from '../ledger/test-status.ts'
import { count, counted, list } from '../text/numbers.ts'
import { plainText } from './terminal-text.ts'

/** Names are counted one by one up to here: those of a hostile file may all be different. */
const MOST_NAMES = 1_000_000

/** Statuses are counted one by one up to here, and told up to there. */
const MOST_STATUSES = 1000
const STATUSES_TOLD = 5

/** Rows of ClickHouse's CI that are no tests: their status is a number. */
const PSEUDO_TESTS: ReadonlySet<string> = new Set(['Usage Storage', 'Usage Compute'])

/** What an import has read, counted while the rows pass. */
export class ImportSummary {
  rows = 0
  /** Rows of failing tests and of checks that failed. */
  failing = 0
  /** Of these so many were not there before; null: nobody has counted. */
  newRows: number | null = null
  readonly #checks = new Set<string>()
  readonly #tests = new Set<string>()
  readonly #unknownStatuses = new Map<string, number>()
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  add(row: CheckRow): void {
    this.rows += 1
    const isTest = row.testName !== ''
    const status = isTest ? row.testStatus : row.checkStatus
    if (testOutcome(status) === 'failing') this.failing += 1
    else if (!isKnownStatus(status) && !PSEUDO_TESTS.has(row.testName)) this.#addUnknown(status)
    if (this.#checks.size < MOST_NAMES) this.#checks.add(row.checkName)
    if (isTest && this.#tests.size < MOST_NAMES) this.#tests.add(row.testName)
    if (row.checkStartTime < this.#first) this.#first = row.checkStartTime
    if (row.checkStartTime > this.#last) this.#last = row.checkStartTime
  }

  #addUnknown(status: string): void {
    const known = this.#unknownStatuses.get(status)
    if (known === undefined && this.#unknownStatuses.size === MOST_STATUSES) return
    this.#unknownStatuses.set(status, (known ?? 0) + 1)
  }

  /** Statuses that say nothing to the ledger, with the number of their rows, the most frequent first. */
  get unknownStatuses(): readonly (readonly [status: string, rows: number])[] {
    return [...this.#unknownStatuses].toSorted((a, b) => b[1] - a[1])
  }

  get checks(): number {
    return this.#checks.size
  }

  /** Distinct names; `MOST_NAMES` stands for as many or more. */
  get tests(): number {
    return this.#tests.size
  }

  /** Milliseconds; null without a row. */
  get from(): number | null {
    return this.rows === 0 ? null : this.#first
  }

  get to(): number | null {
    return this.rows === 0 ? null : this.#last
  }

  /** `imported 1,234,567 rows: 98 checks, 12,345 tests, 4,321 failing, 2026-10-20 to 2026-11-20` */
  line(): string {
    const imported = `imported ${counted(this.rows, 'row', 'rows')}`
    if (this.from === null || this.to === null) return imported
    const [first, last] = [day(this.from), day(this.to)]
    const parts = [
      counted(this.checks, 'check', 'checks'),
      `${this.tests === MOST_NAMES ? 'at least ' : ''}${counted(this.tests, 'test', 'tests')}`,
      `${count(this.failing)} failing`,
      first === last ? first : `${first} to ${last}`,
    ]
    return `${imported}: ${parts.join(', ')}${this.#newWords()}`
  }

  #newWords(): string {
    const { rows, newRows } = this
    if (newRows === null || newRows === rows) return ''
    return newRows === 0 ? '; all were there already' : `; ${count(newRows)} new, the others were there already`
  }

  /** One line for a person: rows that may have been meant as failures; null: there are none. */
  statusWarning(): string | null {
    const all = this.unknownStatuses
    if (all.length === 0) return null
    const rows = all.reduce((sum, [, number]) => sum + number, 0)
    const told = all
      .slice(0, STATUSES_TOLD)
      .map(([status, number]) => `${plainText(status.slice(0, 60))} (${count(number)})`)
    const more = all.length - told.length
    const names = list(more > 0 ? [...told, counted(more, 'other', 'others')] : told)
    const have = counted(rows, 'row has a status', 'rows have a status')
    return `${have} that is known neither as passing nor as failing: ${names}; counted as not executed (docs/ledger.md lists the statuses)`
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
