import { ExternalDatabaseUnavailable } from '../external-database.ts'
import type { CopyId, CopyProblem, CopyState, HistoryCopies, Hours } from '../history/history-copies.ts'
import { hourOf, joined, missingOf, type Page, pagesOf } from './hours.ts'
import type { CopiedMetric, SourceTable } from './source-table.ts'

/** One metric of one table for one repository, as it is to be copied. */
export interface HistoryCopy extends CopiedMetric {
  readonly repositoryId: number
  readonly source: SourceTable
  /** How far back; 1 and more. */
  readonly days: number
}

/**
 * Rows come late: a job that began hours ago stores what it measured at its end. The hours of so many days are counted again
 * once an hour, and those that have other rows than when they were copied are copied anew.
 *
 * Copied anew: an hour of yesterday. Not: one of four days ago.
 */
export const RECOUNTED_HOURS = 72

/** The latest hours, which are counted in every round: few jobs take longer. */
const OFTEN_RECOUNTED_HOURS = 12

/** Hours whose rows are counted by one statement, at first and once one took too long. Where they are few, twice as many are next. */
const COUNTED_AT_A_TIME = 7 * 24
const COUNTED_WHEN_SLOW = 24
const MOST_COUNTED_AT_A_TIME = 512 * 24

/** The work of one step of a copy. */
export interface CopyStep {
  /** Hours that are copied now. */
  readonly hours: Hours
  /** Rows that were stored, and those that say nothing. */
  readonly rows: number
  readonly leftOut: number
  /** Hours that are still to be copied. */
  readonly left: number
}

/** The hours that a copy is to have, with the one that goes on. */
export function wantedHours({ days }: HistoryCopy, now: number): Hours {
  const end = hourOf(now) + 1
  return [Math.max(0, end - days * 24), end]
}

export function copyId({ repositoryId, source, metric }: HistoryCopy): CopyId {
  return { repositoryId, copiedFrom: source.copiedFrom, metric }
}

/**
 * Brings a copy up to date, the newest hours first: a step for each page, after which it may be given up and begun again at any
 * time. What a page has is stored before it counts as covered, and storing it again changes nothing.
 *
 * Throws `StoreUnavailable`, and `ExternalDatabaseUnavailable` once that is noted in the state.
 */
export async function* copyHistory(
  copies: Pick<HistoryCopies, 'save' | 'saveRows'>,
  copy: HistoryCopy,
  known: CopyState | null,
  now: () => number,
): AsyncGenerator<CopyStep, void> {
  const begun = now()
  const wanted = wantedHours(copy, begun)
  let state = known ?? nothingCopied(copy)
  const keptFrom = Math.max(wanted[0], wanted[1] - RECOUNTED_HOURS)
  const recent = recountedHours(state, [keptFrom, wanted[1]], begun)
  // Hours without rows are soon counted again, and are saved with the next ones that have some.
  let isSaved = true
  try {
    const counts = await copy.source.rowsOfHours(copy, recent)
    const counted = new Map([...state.counted].filter(([hour]) => hour >= keptFrom))
    state = { ...state, covered: withoutUnchecked(state, keptFrom), counted, trunk: copy.trunk }
    // Hours that have other rows now stay covered by those that were copied, as `counted` tells until they are copied again.
    let upToDate = withoutChanged(state, recent, counts)
    for (const gap of missingOf(wanted, upToDate)) {
      for await (const page of pagesOfGap(copy, gap, { hours: recent, counts })) {
        const stored = await storePage(copies, copy, page)
        state = {
          ...state,
          covered: joined([...state.covered, page.hours]),
          counted: withCounts(state.counted, page.hours, recent, counts),
          problem: null,
        }
        upToDate = joined([...upToDate, page.hours])
        if (missingOf(recent, upToDate).length === 0) state = { ...state, checkedAt: begun }
        isSaved = page.rows > 0
        if (!isSaved) continue
        await copies.save(state)
        yield { hours: page.hours, ...stored, left: hoursOf(missingOf(wanted, upToDate)) }
      }
    }
    if (!isSaved || state.checkedAt !== begun || state.problem !== null) {
      await copies.save({ ...state, checkedAt: begun, problem: null })
    }
  } catch (error) {
    if (error instanceof ExternalDatabaseUnavailable && isNews(error, state.problem)) {
      await copies.save({ ...state, problem: { kind: error.problem, message: error.message } })
    }
    throw error
  }
}

function nothingCopied(copy: HistoryCopy): CopyState {
  return { ...copyId(copy), covered: [], counted: new Map(), checkedAt: 0, trunk: copy.trunk, problem: null }
}

/** The latest hours whose rows are counted in this round: all of them once an hour, else few. */
function recountedHours({ checkedAt }: CopyState, [first, end]: Hours, now: number): Hours {
  const isOften = hourOf(checkedAt) === hourOf(now)
  return [isOften ? Math.max(first, end - OFTEN_RECOUNTED_HOURS) : first, end]
}

async function storePage(
  copies: Pick<HistoryCopies, 'saveRows'>,
  copy: HistoryCopy,
  page: Page,
): Promise<Pick<CopyStep, 'rows' | 'leftOut'>> {
  let [rows, leftOut] = [0, 0]
  for (let part = 0; page.rows > 0 && part < page.parts; part += 1) {
    const read = await copy.source.read(copy, page, part)
    rows += await copies.saveRows(copyId(copy), read.rows)
    leftOut += read.leftOut
  }
  return { rows, leftOut }
}

/** A server that does not answer, or does not let us in, says nothing about a table that did not exist when it last did. */
function isNews({ problem, message }: ExternalDatabaseUnavailable, known: CopyProblem | null): boolean {
  if (known?.kind === 'missing-table' && (problem === 'unreachable' || problem === 'access-denied')) return false
  return message !== known?.message
}

export function hoursOf(all: readonly Hours[]): number {
  return all.reduce((sum, [first, end]) => sum + end - first, 0)
}

/** The covered hours, but for those that nobody has counted long enough: the bot was away when their rows may have come. */
function withoutUnchecked({ covered, checkedAt }: CopyState, keptFrom: number): Hours[] {
  const unchecked = hourOf(checkedAt) - RECOUNTED_HOURS + 2
  return joined(
    covered.flatMap(([from, until]): Hours[] => [
      [from, Math.min(until, unchecked)],
      [Math.max(from, keptFrom), until],
    ]),
  )
}

/** The covered hours that are up to date: without those that have other rows now than when they were copied. */
function withoutChanged(state: CopyState, [first, end]: Hours, counts: ReadonlyMap<number, number>): Hours[] {
  const changed = new Set<number>()
  for (let hour = first; hour < end; hour += 1) {
    if ((counts.get(hour) ?? 0) !== (state.counted.get(hour) ?? 0)) changed.add(hour)
  }
  if (changed.size === 0) return [...state.covered]
  const kept = state.covered.flatMap(([from, until]): Hours[] => {
    const before: Hours = [from, Math.min(until, first)]
    const after: Hours = [Math.max(from, end), until]
    const between: Hours[] = []
    for (let hour = Math.max(from, first); hour < Math.min(until, end); hour += 1) {
      if (!changed.has(hour)) between.push([hour, hour + 1])
    }
    return [before, ...between, after]
  })
  return joined(kept)
}

/** The numbers of rows that the recent hours of a page had when they were counted: rows that came since then are found by the next round. */
function withCounts(
  counted: ReadonlyMap<number, number>,
  [first, end]: Hours,
  recent: Hours,
  counts: ReadonlyMap<number, number>,
): Map<number, number> {
  const known = new Map(counted)
  for (let hour = Math.max(first, recent[0]); hour < Math.min(end, recent[1]); hour += 1) {
    const rows = counts.get(hour)
    if (rows === undefined) known.delete(hour)
    else known.set(hour, rows)
  }
  return known
}

/** The pages of a gap, the newest first, some days counted at a time. */
async function* pagesOfGap(
  copy: HistoryCopy,
  [first, end]: Hours,
  recent: { readonly hours: Hours; readonly counts: ReadonlyMap<number, number> },
): AsyncGenerator<Page> {
  const { source } = copy
  const newest: Hours = [Math.max(first, recent.hours[0]), end]
  yield* pagesOf(newest, recent.counts, source.most)
  let [atATime, most] = [COUNTED_AT_A_TIME, MOST_COUNTED_AT_A_TIME]
  for (let until = Math.min(end, recent.hours[0]); until > first; ) {
    const stretch: Hours = [Math.max(first, until - atATime), until]
    try {
      const counts = await source.rowsOfHours(copy, stretch)
      const pages = pagesOf(stretch, counts, source.most)
      yield* pages
      until = stretch[0]
      // A page of few rows costs as many statements as a full one.
      const isSparse = pages.length === 1 && 2 * pages[0]!.rows <= source.most
      atATime = isSparse ? Math.min(2 * atATime, most) : Math.min(atATime, COUNTED_AT_A_TIME)
    } catch (error) {
      const isSlow = error instanceof ExternalDatabaseUnavailable && error.problem === 'too-slow'
      if (!isSlow || atATime === COUNTED_WHEN_SLOW) throw error
      most = Math.max(COUNTED_WHEN_SLOW, atATime / 2)
      atATime = COUNTED_WHEN_SLOW
    }
  }
}
