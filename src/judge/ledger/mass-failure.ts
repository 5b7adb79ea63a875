import { HOUR } from '../../text/time.ts'
import type { MassFailure } from './failure.ts'
import { comparedName } from './test-name.ts'

/** A failing row as a mass failure is asked about it. `testName` is empty of a check without a failing test. */
interface FailingRow {
  readonly testName: string
  readonly checkName: string
  readonly time: number
}

/**
 * `mass-failures.sql` decides what a mass failure is, by the thresholds `mass…` of `thresholds.ts`: the one rule of the
 * ledger in SQL, since it counts the failures of every check. Here a row is looked up in what it found.
 *
 * The mass failures that a row is part of: at its time, and of its own test. Windows overlap, so that none is cut in two.
 *
 * Is: 10:40, and its test is one of those that failed in 3 pull requests from 10:00 or from 10:30 on. Is not: 11:00, of
 * the hour from 10:00; nor a test that failed at 10:40 in one pull request alone.
 */
export function massFailuresHolding(row: FailingRow, massFailures: readonly MassFailure[]): readonly MassFailure[] {
  const atThatTime = massFailures.filter(
    (mass) =>
      mass.start <= row.time && row.time < endOf(mass) && (mass.checkName === null || mass.checkName === row.checkName),
  )
  if (atThatTime.length === 0) return []
  const name = comparedName(row.testName)
  return atThatTime.filter((mass) => (name === '' ? mass.checkNames.has(row.checkName) : mass.testNames.has(name)))
}

/** How many hours the fewest windows have that hold all the rows: what lies in two overlapping ones is told as one. */
export function hoursHolding(rows: readonly FailingRow[], massFailures: readonly MassFailure[]): number {
  let hours = 0
  let end = Number.NEGATIVE_INFINITY
  for (const row of rows.toSorted((a, b) => a.time - b.time)) {
    if (row.time < end) continue
    const [latest] = massFailuresHolding(row, massFailures).toSorted((a, b) => endOf(b) - endOf(a))
    if (latest === undefined) continue
    hours += latest.hours
    end = endOf(latest)
  }
  return hours
}

function endOf({ start, hours }: MassFailure): number {
  return start + hours * HOUR
}
