import type { ClassifiedQuery, Outcome, Status } from './classified-query.ts'
import { slowdownOf } from './direction.ts'

/**
 * The order of rows wherever they are listed, and which architecture of a query decides, worst first:
 *
 * 1. slower, the largest difference first;
 * 2. failed, and what the new build did not run: whatever it is, it may be worse than slow;
 * 3. faster, the largest difference first, and what changed in a direction of which nobody knows whether it is better;
 * 4. unstable, the largest threshold first: what could hide a change stands before what is known to be small;
 * 5. measured once, the most slower first;
 * 6. measured on the old server only, on the new one only, not measured, not comparable;
 * 7. too small, then not significant, the most slower first.
 *
 * Then by test, position, text, metric and architecture; texts by code unit, what is not known last. The order is total:
 * it does not depend on the order in which the rows came, unless two rows are of the same query, metric and architecture.
 */
export function compareWorstFirst(a: ClassifiedQuery, b: ClassifiedQuery): number {
  return compareRanked(ranked(a), ranked(b))
}

/** The rows by `compareWorstFirst`, with the rank of each taken once: a run may have 180,000. */
export function worstFirst<Row extends ClassifiedQuery>(rows: readonly Row[]): Row[] {
  return rows
    .map(ranked)
    .sort(compareRanked)
    .map(({ row }) => row)
}

interface Ranked<Row extends ClassifiedQuery> {
  readonly row: Row
  readonly rank: number
  readonly severity: number
}

function ranked<Row extends ClassifiedQuery>(row: Row): Ranked<Row> {
  return { row, rank: rankOf(row), severity: severityOf(row) }
}

function compareRanked(a: Ranked<ClassifiedQuery>, b: Ranked<ClassifiedQuery>): number {
  return a.rank - b.rank || compareNumbers(b.severity, a.severity) || compareNames(a.row, b.row)
}

function compareNames(a: ClassifiedQuery, b: ClassifiedQuery): number {
  return (
    compareTexts(a.test, b.test) ||
    compareNumbers(a.queryIndex ?? Number.POSITIVE_INFINITY, b.queryIndex ?? Number.POSITIVE_INFINITY) ||
    compareTexts(a.queryName, b.queryName) ||
    compareTexts(a.metric, b.metric) ||
    compareTexts(a.architecture, b.architecture)
  )
}

type Rank = 'slower' | 'faster' | Exclude<Outcome, 'changed'> | Exclude<Status, 'compared'>

const ORDER: readonly Rank[] = [
  'slower',
  'failed',
  'faster',
  'unstable',
  'measured-once',
  'only-old',
  'only-new',
  'not-measured',
  'not-comparable',
  'too-small',
  'not-significant',
]

function rankOf({ status, outcome, direction, failedIn }: ClassifiedQuery): number {
  if (failedIn === 'new') return ORDER.indexOf('failed')
  if (outcome === 'changed') return ORDER.indexOf(direction === 'slower' ? 'slower' : 'faster')
  return ORDER.indexOf(outcome ?? (status as Exclude<Status, 'compared'>))
}

/** Within its rank: the larger, the further up. What was not compared has neither and is all alike. */
function severityOf(row: ClassifiedQuery): number {
  const { outcome, direction, threshold } = row
  if (outcome === 'unstable') return threshold ?? Number.POSITIVE_INFINITY
  if (row.better === null) return Math.abs(row.difference ?? 0)
  const slowdown = slowdownOf(row) ?? 0
  return outcome === 'changed' && direction === 'faster' ? -slowdown : slowdown
}

/** Infinity minus Infinity is not a number. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareTexts(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}
