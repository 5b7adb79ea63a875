import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { resultKey } from '../../intake/measurement/run.ts'
import { type SteppedHistory, steppedHistory, suiteOf, suiteSteps } from '../../judge/bisect/suite-steps.ts'
import { type TrunkBetween, trunkBetween } from '../../judge/bisect/trunk-shift.ts'
import { stepToName } from '../../judge/bisect/trunk-steps.ts'
import type { QueryHistory } from '../../judge/history/history-facts.ts'
import type { TrunkSeries, TrunkStep } from '../../judge/history/trunk-series.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { takesBack } from '../../judge/verdict/evidence/takes-back.ts'
import { type ClassifiedHead, oldBuildOf } from '../../report/classify-head.ts'
import { isCommitId } from '../../text/commits.ts'
import { withDeadline } from './with-deadline.ts'

/** Whole histories that are read: a month of fifty runs a day is 1,500 points each. */
const MOST_SERIES = 100

/** Further histories that are read, of the suites of those: of a suite with more only these are asked where a neighbour stepped. */
const MOST_NEIGHBOURS = 100

/** Steps that are looked for in an old build, a call each: one change makes many queries slower. */
const MOST_ANCESTORS = 10

export interface StepsAsking {
  /** The histories of these results, in their order; null: nobody answered. */
  readonly seriesOf: (results: readonly ClassifiedQuery[]) => Promise<readonly TrunkSeries[] | null>
  /** The commits of `(base, head]` on the line of first parents, remembered for the next heads. */
  readonly commitLine: (base: string, head: string) => Promise<readonly string[] | null>
  /** How many commits lie between; null: the older one is no ancestor. */
  readonly commitsBetween: (older: string, newer: string) => Promise<number | null>
  /** The time that is left, in milliseconds. */
  readonly left: () => number
  readonly log: Logger
}

type StepsOfResult = Pick<QueryHistory, 'step' | 'points' | 'takenBack'>

/** A history that was read, and where it stepped. */
export interface SteppedSeries {
  readonly series: TrunkSeries
  readonly steps: readonly TrunkStep[]
}

export interface StepsOfHead {
  readonly orderOnTrunk: ReadonlyMap<string, number> | null
  /** The histories that were read, by `resultKey`. */
  readonly series: ReadonlyMap<string, TrunkSeries>
  readonly of: (result: ClassifiedQuery) => StepsOfResult
  /** The history of a result with all its steps; null: it was not read. */
  readonly allOf: (result: ClassifiedQuery) => SteppedSeries | null
}

/** Nobody was asked. */
export const NO_STEPS: StepsOfHead = {
  orderOnTrunk: null,
  series: new Map(),
  of: () => ({ step: null }),
  allOf: () => null,
}

/**
 * The steps of the trunk in the histories of results: those between the old build and the merge base, and those that a result
 * takes back. What nobody answers in time is left out.
 */
export async function stepsOfHead(
  asking: StepsAsking,
  head: ClassifiedHead,
  results: readonly ClassifiedQuery[],
): Promise<StepsOfHead> {
  if (results.length === 0) return NO_STEPS
  const orderOnTrunk = await askOrderOnTrunk(asking, head)
  const betweenOf = (result: ClassifiedQuery) =>
    trunkBetween(orderOnTrunk, oldBuildOf(head, result), head.input.mergeBase)
  const read = resultsToRead(head, results, betweenOf)
  const wanted = [...read, ...neighboursOf(head, read)]
  const series = new Map(
    ((read.length === 0 ? null : await asking.seriesOf(wanted)) ?? []).map((one) => [resultKey(one), one]),
  )
  const steps = await stepsIn(series, orderOnTrunk)
  const takenBack = await stepsTakenBack(read, steps, asking, head)
  const of = (result: ClassifiedQuery): StepsOfResult => {
    const key = resultKey(result)
    const [between, points, back] = [betweenOf(result), series.get(key)?.points, takenBack.get(key)]
    return {
      ...(between === null || points === undefined
        ? { step: null }
        : { step: stepToName(steps.get(key) ?? [], between, result.difference!), points }),
      ...(back !== undefined && { takenBack: back }),
    }
  }
  const allOf = (result: ClassifiedQuery): SteppedSeries | null => {
    const key = resultKey(result)
    const one = series.get(key)
    return one === undefined ? null : { series: one, steps: steps.get(key) ?? [] }
  }
  const ofResults = new Map(
    read.flatMap((result) => {
      const [key, one] = [resultKey(result), series.get(resultKey(result))]
      return one === undefined ? [] : [[key, one] as const]
    }),
  )
  return { orderOnTrunk, series: ofResults, of, allOf }
}

/** The other compared queries of the suites: where one of them stepped, a result is asked at that place. */
function neighboursOf(head: ClassifiedHead, read: readonly ClassifiedQuery[]): ClassifiedQuery[] {
  const suites = new Set(read.map(suiteOf))
  const known = new Set(read)
  return head.results
    .filter((result) => result.outcome !== null && suites.has(suiteOf(result)) && !known.has(result))
    .slice(0, MOST_NEIGHBOURS)
}

/** Results that the trunk may have moved before the merge base, then those that may take a step of it back. */
function resultsToRead(
  head: ClassifiedHead,
  results: readonly ClassifiedQuery[],
  betweenOf: (result: ClassifiedQuery) => TrunkBetween | null,
): ClassifiedQuery[] {
  const placed = results.filter((result) => betweenOf(result) !== null)
  const mayTakeBack = results.filter(
    (result) => !placed.includes(result) && result.outcome === 'changed' && oldBuildOf(head, result) !== null,
  )
  return [...placed, ...mayTakeBack].slice(0, MOST_SERIES)
}

/**
 * The positions of the commits from the oldest reference to the merge base. A short id of a reference stands for its
 * commit. Null where nobody could say, or every reference is the merge base: then nothing lies between.
 */
async function askOrderOnTrunk(
  { commitLine, left, log }: StepsAsking,
  { input }: ClassifiedHead,
): Promise<ReadonlyMap<string, number> | null> {
  const { references, mergeBase } = input
  const known = references.filter(({ commitsBeforeMergeBase }) => (commitsBeforeMergeBase ?? 0) > 0)
  const [oldest] = known.toSorted((a, b) => b.commitsBeforeMergeBase! - a.commitsBeforeMergeBase!)
  if (mergeBase === null || oldest === undefined) return null
  try {
    const line = await withDeadline(() => commitLine(oldest.commit, mergeBase), left())
    if (line === null) return null
    const order = new Map(line.map((commit, position) => [commit, position]))
    for (const { commit } of known) {
      const full = line.filter((id) => id.startsWith(commit))
      if (full.length === 1) order.set(commit, order.get(full[0]!)!)
    }
    return order
  } catch (error) {
    log.warn({ err: error }, 'the order of the commits on the main branch could not be read')
    return null
  }
}

async function stepsIn(
  series: ReadonlyMap<string, TrunkSeries>,
  order: ReadonlyMap<string, number> | null,
): Promise<ReadonlyMap<string, readonly TrunkStep[]>> {
  const histories = new Map<string, SteppedHistory>()
  for (const [key, one] of series) {
    histories.set(key, steppedHistory(one, order))
    // Eight milliseconds for 1,500 points: a hundred of them would hold up every other answer for a second.
    await setImmediate()
  }
  const steps = new Map<string, readonly TrunkStep[]>()
  for (const suite of Map.groupBy(series, ([, one]) => suiteOf(one)).values()) {
    const found = suiteSteps(suite.map(([key]) => histories.get(key)!))
    for (const [i, [key]] of suite.entries()) steps.set(key, found[i]!)
    await setImmediate()
  }
  return steps
}

/**
 * By `resultKey` the newest step that a result takes back and that its old build has. Whether it has, the commits say: the first
 * bad one is the old build or before it. What nobody can say is left out.
 */
async function stepsTakenBack(
  results: readonly ClassifiedQuery[],
  steps: ReadonlyMap<string, readonly TrunkStep[]>,
  { commitsBetween, left, log }: StepsAsking,
  head: ClassifiedHead,
): Promise<ReadonlyMap<string, TrunkStep>> {
  const end = performance.now() + left()
  const asked = new Map<string, boolean>()
  const found = new Map<string, TrunkStep>()
  const isIn = async (commit: string, oldBuild: string) => {
    if (!isCommitId(commit)) return false
    const key = `${commit} ${oldBuild}`
    if (!asked.has(key) && asked.size < MOST_ANCESTORS) {
      const between = await withDeadline(() => commitsBetween(commit, oldBuild), end - performance.now())
      asked.set(key, between !== null)
    }
    return asked.get(key) === true
  }
  try {
    for (const result of results) {
      const oldBuild = oldBuildOf(head, result)
      if (oldBuild === null) continue
      for (const step of (steps.get(resultKey(result)) ?? []).toReversed()) {
        if (takesBack(result, step) === null || !(await isIn(step.firstBad.commit, oldBuild))) continue
        found.set(resultKey(result), step)
        break
      }
    }
  } catch (error) {
    log.warn({ err: error }, 'whether the old build has a step of the main branch could not be read')
  }
  return found
}
