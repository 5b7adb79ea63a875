import type { Hours } from '../history/history-copies.ts'

/** Arithmetic of ranges of hours, in which copies are counted. */

const HOUR_MS = 3_600_000

/** The whole hour since 1970 that a time in milliseconds lies in. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS)
}

/** All of them in the order of time, those that touch or overlap as one. */
export function joined(all: readonly Hours[]): Hours[] {
  const found: [number, number][] = []
  for (const [first, end] of all.toSorted((a, b) => a[0] - b[0])) {
    const last = found.at(-1)
    if (last !== undefined && first <= last[1]) last[1] = Math.max(last[1], end)
    else if (first < end) found.push([first, end])
  }
  return found
}

/** The hours of `wanted` that are not covered, the newest first. `covered` as `joined` gives it. */
export function missingOf([first, end]: Hours, covered: readonly Hours[]): Hours[] {
  const found: Hours[] = []
  let from = first
  for (const [coveredFirst, coveredEnd] of covered) {
    if (coveredEnd <= from || coveredFirst >= end) continue
    if (coveredFirst > from) found.push([from, coveredFirst])
    from = Math.max(from, coveredEnd)
  }
  if (from < end) found.push([from, end])
  return found.reverse()
}

/** Whole hours that are read at a time. */
export interface Page {
  readonly hours: Hours
  /** The rows of the source in all of them. */
  readonly rows: number
  /** So many statements read it, each some of the tests: one hour alone may have more rows than are held at a time. */
  readonly parts: number
}

/**
 * Cuts a stretch into pages of at most `most` rows, the newest first; an hour with more is a page of its own in several parts.
 * `rows` has the rows of each hour that has any.
 */
export function pagesOf([first, end]: Hours, rows: ReadonlyMap<number, number>, most: number): Page[] {
  const pages: Page[] = []
  let pageEnd = end
  let sum = 0
  const close = (from: number) => {
    if (from < pageEnd) pages.push({ hours: [from, pageEnd], rows: sum, parts: Math.max(1, Math.ceil(sum / most)) })
    pageEnd = from
    sum = 0
  }
  for (let hour = end - 1; hour >= first; hour -= 1) {
    const more = rows.get(hour) ?? 0
    if (sum > 0 && sum + more > most) close(hour + 1)
    sum += more
  }
  close(first)
  return pages
}
