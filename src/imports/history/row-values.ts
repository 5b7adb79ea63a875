import { parseTime } from '../parse-time.ts'
import { type ColumnValue, cut, RowError } from '../table-row.ts'
import { withoutIndex } from './display-name.ts'

/** The values of a row of the trunk's history as a file has them: numbers may be texts, times are UTC. All throw `RowError`. */

/** Texts beyond it are cut. Characters; perf.py writes 1,000. */
const LONGEST_QUERY = 8000
const LONGEST_TEXT = 4000
const LARGEST_INDEX = 0xffff_fffe

/** Whose a row is: of the trunk, with the branch that it names, or null for another. `trunk` has the trunk's names. */
export function trunkBranch(value: ColumnValue, trunk: readonly string[]): string | null {
  const pullRequest = value('pr_number') ?? 0
  if (pullRequest !== 0 && pullRequest !== '0' && pullRequest !== '') return null
  const baseBranch = optional(value, 'base_branch')
  if (baseBranch !== '' && !trunk.includes(baseBranch)) return null
  const baseline = optional(value, 'baseline_kind')
  return baseline === '' || baseline === 'master_head' ? baseBranch : null
}

export interface QueryColumns {
  readonly test: string
  readonly queryIndex: number
  /** Without the index behind a text that was cut; null: there is none. */
  readonly queryName: string | null
}

export function queryColumns(value: ColumnValue): QueryColumns {
  const queryIndex = wholeNumber(value, 'query_index')
  const name = withoutIndex(text(value, 'query_display_name', LONGEST_QUERY), queryIndex)
  return { test: required(value, 'test'), queryIndex, queryName: name === '' ? null : name }
}

function text(value: ColumnValue, column: string, longest: number): string {
  const found = value(column)
  if (found === undefined || found === null) throw new RowError(`${column} is missing`)
  if (typeof found !== 'string') throw new RowError(`${column} is no text`)
  return cut(found, longest)
}

export function required(value: ColumnValue, column: string): string {
  const found = text(value, column, LONGEST_TEXT)
  if (found === '') throw new RowError(`${column} is empty`)
  return found
}

/** Empty where the column is not there or NULL. */
export function optional(value: ColumnValue, column: string): string {
  const found = value(column)
  return found === undefined || found === null ? '' : text(value, column, LONGEST_TEXT)
}

function wholeNumber(value: ColumnValue, column: string): number {
  const found = number(value(column))
  if (found === null || !Number.isInteger(found) || found < 0 || found > LARGEST_INDEX) {
    throw new RowError(`${column} is no whole number from 0`)
  }
  return found
}

export function measured(value: ColumnValue, column: string): number {
  const found = number(value(column))
  if (found === null || found < 0) throw new RowError(`${column} is no number from 0`)
  return found
}

/** Null for what is not finite, too. */
export function number(found: unknown): number | null {
  const parsed = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : null
}

let lastText = ''
let lastTime = 0

/** Milliseconds since 1970. */
export function time(value: ColumnValue, column: string): number {
  const found = value(column)
  if (found === undefined || found === null || found === '') throw new RowError(`${column} is missing`)
  const written = typeof found === 'number' ? String(found) : found
  // all rows of a run have the same one
  if (written === lastText) return lastTime
  const parsed = typeof written === 'string' ? parseTime(written) : null
  if (parsed === null) {
    throw new RowError(`${column} is no time like 2026-10-20 08:15:00 (UTC), ISO 8601 or seconds since 1970`)
  }
  lastText = written as string
  lastTime = parsed
  return parsed
}
