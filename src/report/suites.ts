import { geometricMean } from '../judge/statistics/geometric-mean.ts'
import { hypergeometricTail } from '../judge/statistics/hypergeometric-tail.ts'
import type { Direction } from '../judge/verdict/classified-query.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { decisive } from './parts.ts'
import type { ReportRow, TriageReport } from './report.ts'
import { isHabit, type SuiteHabit } from './suite-habits.ts'

/** Changed queries in one direction from which on a suite is spoken of as a whole. */
const LEAST_CHANGED = 3

/** The chance, over all suites of a run and both directions, below which its changed queries are said to have one cause. */
const MOST_CHANCE = 0.01

/** The queries of one test: a file, a package, a benchmark with its cases. */
export interface Suite {
  readonly test: string
  /** Queries with an outcome. */
  readonly compared: number
  readonly slower: readonly ReportRow[]
  readonly faster: readonly ReportRow[]
  /** The geometric mean of new by old over all that were compared, less 1: +0.12 is 12% more time. */
  readonly change: number
  /** The changed queries are here so often that they probably moved together; null: chance may have put them here. */
  readonly cause: SuiteCause | null
  /** They would have a cause, but as many change together on the trunk by themselves; null: that is not known, or not so. */
  readonly habit: SuiteHabit | null
}

export interface SuiteCause {
  readonly direction: Direction
  /** Changed queries of that direction in all suites. */
  readonly ofAll: number
  /** The chance that any suite of the run has so many in either direction, were they spread over it by chance. */
  readonly chance: number
}

/** Each part of a page asks for those of its report. */
const SUITES = new WeakMap<TriageReport, readonly Suite[]>()

/**
 * The suites of a report of which three queries or more changed in one direction, those with a probable cause first, then those with most
 * slower queries. A report of one suite has none: its headline says all of it.
 *
 * Changed queries are those that are said: what the shift of a whole run explains, noise and what is ignored are not among them.
 */
export function suitesOf(report: TriageReport): readonly Suite[] {
  const suites = SUITES.get(report) ?? suitesIn(report)
  SUITES.set(report, suites)
  return suites
}

function suitesIn(report: TriageReport): readonly Suite[] {
  const compared = report.rows.filter((row) => row.outcome !== null && row.verdict !== 'ignored')
  const byTest = Map.groupBy(compared, ({ test }) => test)
  if (byTest.size < 2) return []
  const { slower, faster } = findingsOf(report)
  const changed = { slower, faster }
  const changedOf = {
    slower: Map.groupBy(slower, ({ test }) => test),
    faster: Map.groupBy(faster, ({ test }) => test),
  }
  const suiteOf = ([test, rows]: readonly [string, readonly ReportRow[]]): Suite[] => {
    const here = { slower: changedOf.slower.get(test) ?? [], faster: changedOf.faster.get(test) ?? [] }
    if (Math.max(here.slower.length, here.faster.length) < LEAST_CHANGED) return []
    const causes = (['slower', 'faster'] as const).flatMap((direction): SuiteCause[] => {
      const ofAll = changed[direction].length
      const tail = hypergeometricTail(here[direction].length, rows.length, ofAll, compared.length)
      const chance = Math.min(1, 2 * byTest.size * tail)
      return here[direction].length >= LEAST_CHANGED && chance <= MOST_CHANCE ? [{ direction, ofAll, chance }] : []
    })
    const habits = (report.suiteHabits ?? []).filter((habit) => habit.test === test && isHabit(habit))
    const habitual = (cause: SuiteCause) => habits.find(({ direction }) => direction === cause.direction) ?? null
    const likeliest = causes.toSorted((a, b) => a.chance - b.chance)
    const cause = likeliest.find((one) => habitual(one) === null) ?? null
    const habit = likeliest.flatMap((one) => habitual(one) ?? [])[0] ?? null
    return [{ test, compared: rows.length, ...here, change: changeOf(rows), cause, habit }]
  }
  return [...byTest]
    .flatMap(suiteOf)
    .toSorted(
      (a, b) =>
        Number(b.cause !== null) - Number(a.cause !== null) ||
        b.slower.length - a.slower.length ||
        b.faster.length - a.faster.length ||
        (a.test < b.test ? -1 : 1),
    )
}

function changeOf(rows: readonly ReportRow[]): number {
  const ratios = rows.flatMap((row) => {
    const { difference } = decisive(row)
    return difference === null || difference <= -1 ? [] : [1 + difference]
  })
  return (geometricMean(ratios) ?? 1) - 1
}
