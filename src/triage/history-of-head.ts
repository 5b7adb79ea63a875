import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type TrunkBetween, trunkBetween } from '../bisect/trunk-shift.ts'
import { trunkSteps } from '../bisect/trunk-steps.ts'
import { type HistoryFacts, historyKey, type QueryHistory } from '../history/history-facts.ts'
import type { HistoryProblem, TrunkPoint, TrunkSeries, TrunkStep } from '../history/trunk-series.ts'
import { queryKey } from '../measurement/run.ts'
import type { TriageReport } from '../report/report.ts'
import { LEARNING_DAYS, LEARNING_GAP_DAYS } from '../store/history/learning.ts'
import { type HistoryOf, HistoryUnavailable, type Learned, type TimeRange } from '../store/history/trunk-history.ts'
import type { Store } from '../store/store.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import type { CopiedHistory } from '../sync/copied-history.ts'
import { isCommitId } from '../text/commit-id.ts'
import { DAY } from '../text/time.ts'
import type { ClassifiedQuery, Direction } from '../verdict/classified-query.ts'
import { type ReferenceBuild, referenceOf } from '../verdict/evidence/stale-reference.ts'
import { takesBack } from '../verdict/evidence/takes-back.ts'
import { CHANGED_FLOOR, type LearnedLookup } from '../verdict/thresholds.ts'
import { moversWanted, trunkMovers } from './trunk-movers.ts'
import { TooLate, withDeadline } from './with-deadline.ts'

/** The whole history of one head: beyond it the report goes out without what is missing. */
const HISTORY_MS = 60_000

/** Results that are looked up, the worst rows first. Where more have changed it is no single query's habit. */
const MOST_RESULTS = 500

/** Whole histories that are read: a month of fifty runs a day is 1,500 points each. */
const MOST_SERIES = 100

/** Steps that are looked for in an old build, a call each: one change makes many queries slower. */
const MOST_ANCESTORS = 10

const DIRECTIONS: readonly Direction[] = ['slower', 'faster']

export interface HistoryAsking {
  readonly store: Pick<Store, 'trunkHistory' | 'flaggedElsewhere'>
  /** The copied history of the repository; null: the CI database holds nothing of it. */
  readonly copied: CopiedHistory | null
  readonly repositoryId: number
  readonly pullRequestNumber: number
  readonly metric: string
  /** When the head was measured, and now; milliseconds. */
  readonly measuredAt: number
  readonly now: number
  readonly lookbackDays: number
  /** The smallest difference that is called a change where nothing is learned, a fraction; absent: `CHANGED_FLOOR`. */
  readonly changedFloor?: number
  readonly references: readonly ReferenceBuild[]
  /** The old build of the run that a result is of; absent or null: its run does not say. */
  readonly oldCommitOf?: (result: ClassifiedQuery) => string | null
  /** Full commit id. */
  readonly mergeBase: string | null
  /** As `CommitRanges.line`. */
  readonly commitLine: (base: string, head: string) => Promise<readonly string[] | null>
  /** As `CommitRanges.between`. */
  readonly commitsBetween: (older: string, newer: string) => Promise<number | null>
  readonly log: Logger
}

export interface HeadHistory {
  readonly learned: LearnedLookup | null
  readonly facts: HistoryFacts
  /** The histories that were read, by `historyKey`. */
  readonly series: ReadonlyMap<string, TrunkSeries>
}

/**
 * The trunk's history as far as a head needs it. Learned thresholds and moves are as of the time of the measurement, so that the same
 * measurements are judged the same later; steps, and whether they last, as of now. Where hours that it needs are not copied yet it
 * says so; nothing is learned then from a month that is copied in part.
 *
 * `look` judges with the learned thresholds alone: which rows have changed says what is to be asked, and how far each has
 * moved. Never fails: a history that is down, slow or empty is a state, and what was learned before stands.
 */
export async function historyOfHead(
  asking: HistoryAsking,
  look: (learned: LearnedLookup | null) => TriageReport,
): Promise<HeadHistory> {
  const { store, copied, log, metric, measuredAt } = asking
  const questions = new Questions(log)
  const history = store.trunkHistory
  const of: HistoryOf = {
    repositoryId: asking.repositoryId,
    metric,
    now: measuredAt,
    copiedFrom: copied?.copiedFrom ?? [],
  }
  const lookback = { from: measuredAt - asking.lookbackDays * DAY, to: asking.now }
  const learning = {
    from: measuredAt - (LEARNING_GAP_DAYS + LEARNING_DAYS) * DAY,
    to: measuredAt - LEARNING_GAP_DAYS * DAY,
  }
  const missingIn = (range: TimeRange) =>
    questions.ask('copied', async () => (await copied?.missingIn(metric, range)) ?? null)
  const [missingToLearn, missing] = [await missingIn(learning), await missingIn(lookback)]
  const learned =
    missingToLearn?.isHalfCopied === true ? null : await questions.ask('learned', () => history.learnedThresholds(of))
  const isEmpty = learned !== null && learned.newest === null

  const report = look(learned?.lookup ?? null)
  const results = resultsOf(report).slice(0, MOST_RESULTS)
  const wanted = learned === null ? [] : moversWanted(report, learned.lookup, asking.changedFloor ?? CHANGED_FLOOR)
  const moves = isEmpty
    ? null
    : await questions.ask('moves', () => history.moves(of, asking.lookbackDays, [...results.map(wantedOf), ...wanted]))
  const movers = moves === null ? [] : trunkMovers(wanted, moves.slice(results.length))
  const flagged = await questions.ask('flagged-elsewhere', () =>
    store.flaggedElsewhere(asking.repositoryId, asking.pullRequestNumber, lookback.from, [
      ...results.map((result) => ({ ...result, direction: directionOf(result) })),
      ...DIRECTIONS.flatMap((direction) => movers.map((one) => ({ ...one, metric: asking.metric, direction }))),
    ]),
  )
  const flagsOf = (mover: number) =>
    DIRECTIONS.flatMap((_, i) => flagged?.[results.length + i * movers.length + mover] ?? [])
  const order = results.length === 0 || isEmpty ? null : await orderOnTrunk(asking, questions.left)
  const placed = order === null ? [] : results.filter((result) => betweenOf(result, asking, order) !== null)
  const others = results.filter((result) => !placed.includes(result) && mayTakeBack(result, asking))
  const read = isEmpty ? [] : [...placed, ...others].slice(0, MOST_SERIES)
  const series = read.length === 0 ? null : await questions.ask('series', () => history.series(of, read, lookback))

  const byKey = new Map((series ?? []).map((one) => [keyOf(one), one]))
  const steps = new Map<string, readonly TrunkStep[]>()
  for (const [key, one] of byKey) {
    steps.set(key, trunkSteps(one, order))
    // Eight milliseconds for 1,500 points: a hundred of them would hold up every other answer for a second.
    await setImmediate()
  }
  const takenBack = await stepsTakenBack(read, steps, asking, questions.left)
  const queries = new Map(
    results.map((result, index): [string, QueryHistory] => [
      keyOf(result),
      {
        moves: moves?.[index] ?? null,
        flaggedElsewhere: flagged?.[index] ?? [],
        ...stepOf(result, byKey.get(keyOf(result)), steps.get(keyOf(result)) ?? [], asking, order),
        ...(takenBack.has(keyOf(result)) && { takenBack: takenBack.get(keyOf(result))! }),
      },
    ]),
  )
  const notCopied = [missingToLearn, missing].flatMap((one) => one?.problem ?? [])
  // The end of a copy makes the head due again, which what did not answer this once does not.
  const isCopying = notCopied.includes('copying')
  const problem = isCopying ? 'copying' : (questions.problem ?? notCopied[0] ?? (isEmpty ? 'empty' : null))
  return {
    learned: learned?.lookup ?? null,
    facts: {
      queries,
      learned: sourceOf(learned),
      orderOnTrunk: order,
      problem,
      movers: movers.map((mover, i) => ({ ...mover, flaggedElsewhere: flagsOf(i) })),
    },
    series: byKey,
  }
}

/** Asks within the time that is left, and remembers why there was no answer. */
class Questions {
  readonly #log: Logger
  readonly #end = performance.now() + HISTORY_MS
  /** Of the first question that was not answered. */
  problem: HistoryProblem | null = null

  constructor(log: Logger) {
    this.#log = log
  }

  /** Milliseconds. */
  get left(): number {
    return this.#end - performance.now()
  }

  async ask<T>(name: string, question: () => Promise<T>): Promise<T | null> {
    try {
      return await withDeadline(question, this.left)
    } catch (error) {
      this.problem ??= problemOf(error)
      this.#log.warn({ err: error, question: name, problem: problemOf(error) }, 'the history did not answer')
      return null
    }
  }
}

function problemOf(error: unknown): HistoryProblem {
  if (error instanceof HistoryUnavailable) return error.problem
  if (error instanceof TooLate) return 'too-slow'
  return error instanceof StoreUnavailable ? 'unreachable' : 'unexpected-answer'
}

function sourceOf(learned: Learned | null): HistoryFacts['learned'] {
  if (learned === null || learned.newest === null) return null
  const { source, alsoFrom, newest, tooShort } = learned
  return { source, ...(alsoFrom !== undefined && { alsoFrom }), newest, ...(tooShort !== undefined && { tooShort }) }
}

/** Of each row with a verdict the deciding result, and those that changed the same way. */
function resultsOf({ rows }: TriageReport): ClassifiedQuery[] {
  return rows
    .filter(({ verdict }) => verdict !== null)
    .flatMap(({ results, decidedBy }) => {
      const deciding = results[decidedBy]!
      const alike = results.filter(
        (other) => other !== deciding && other.outcome === 'changed' && other.direction === deciding.direction,
      )
      return [deciding, ...alike]
    })
    .filter(({ difference }) => difference !== null && difference !== 0)
}

function wantedOf(result: ClassifiedQuery) {
  return { ...result, atLeast: Math.abs(result.difference!) }
}

function directionOf({ difference }: ClassifiedQuery): Direction {
  return difference! > 0 ? 'slower' : 'faster'
}

function keyOf(query: Parameters<typeof queryKey>[0] & { readonly architecture: string | null }): string {
  return historyKey(queryKey(query), query.architecture)
}

/**
 * The positions of the commits from the oldest reference to the merge base. A short id of a reference stands for its
 * commit. Null where nobody could say, or every reference is the merge base: then nothing lies between.
 */
async function orderOnTrunk(asking: HistoryAsking, left: number): Promise<ReadonlyMap<string, number> | null> {
  const { references, mergeBase, commitLine, log } = asking
  const known = references.filter(({ commitsBeforeMergeBase }) => (commitsBeforeMergeBase ?? 0) > 0)
  const [oldest] = known.toSorted((a, b) => b.commitsBeforeMergeBase! - a.commitsBeforeMergeBase!)
  if (mergeBase === null || oldest === undefined) return null
  try {
    const line = await withDeadline(() => commitLine(oldest.commit, mergeBase), left)
    if (line === null) return null
    const order = new Map(line.map((commit, position) => [commit, position]))
    for (const { commit } of known) {
      const full = line.filter((id) => id.startsWith(commit))
      if (full.length === 1) order.set(commit, order.get(full[0]!)!)
    }
    return order
  } catch (error) {
    log.warn({ err: error }, 'the order of the commits on the trunk is not known')
    return null
  }
}

function oldBuildOf(result: ClassifiedQuery, { references, oldCommitOf }: HistoryAsking): string | null {
  return referenceOf(result.architecture, references, oldCommitOf?.(result) ?? null)?.commit ?? null
}

/** Between the old build of a result and the merge base, where there is anything. */
function betweenOf(
  result: ClassifiedQuery,
  asking: HistoryAsking,
  order: ReadonlyMap<string, number>,
): TrunkBetween | null {
  return trunkBetween(order, oldBuildOf(result, asking), asking.mergeBase)
}

function mayTakeBack(result: ClassifiedQuery, asking: HistoryAsking): boolean {
  return result.outcome === 'changed' && oldBuildOf(result, asking) !== null
}

/**
 * By `keyOf` the newest step that a result takes back and that its old build has. Whether it has, the commits say: the first
 * bad one is the old build or before it. What nobody can say is left out.
 */
async function stepsTakenBack(
  results: readonly ClassifiedQuery[],
  steps: ReadonlyMap<string, readonly TrunkStep[]>,
  asking: HistoryAsking,
  left: number,
): Promise<ReadonlyMap<string, TrunkStep>> {
  const end = performance.now() + left
  const asked = new Map<string, boolean>()
  const found = new Map<string, TrunkStep>()
  const isIn = async (commit: string, oldBuild: string) => {
    if (!isCommitId(commit)) return false
    const key = `${commit} ${oldBuild}`
    if (!asked.has(key) && asked.size < MOST_ANCESTORS) {
      const between = await withDeadline(() => asking.commitsBetween(commit, oldBuild), end - performance.now())
      asked.set(key, between !== null)
    }
    return asked.get(key) === true
  }
  try {
    for (const result of results) {
      const oldBuild = oldBuildOf(result, asking)
      if (oldBuild === null) continue
      for (const step of (steps.get(keyOf(result)) ?? []).toReversed()) {
        if (takesBack(result, step) === null || !(await isIn(step.firstBad.commit, oldBuild))) continue
        found.set(keyOf(result), step)
        break
      }
    }
  } catch (error) {
    asking.log.warn({ err: error }, 'whether the old build has a step of the trunk is not known')
  }
  return found
}

/**
 * The step in the direction of the result that is to be named, and the runs that it was found in: the largest whose window
 * lies between the old build and the merge base and that was not taken back there, else the newest of which one end does.
 */
function stepOf(
  result: ClassifiedQuery,
  series: TrunkSeries | undefined,
  steps: readonly TrunkStep[],
  asking: HistoryAsking,
  order: ReadonlyMap<string, number> | null,
): Pick<QueryHistory, 'step' | 'points'> {
  const between = order === null ? null : betweenOf(result, asking, order)
  if (series === undefined || order === null || between === null) return { step: null }
  const { from, to } = between
  const alike = steps.filter(({ step }) => Math.sign(step) === Math.sign(result.difference!))
  const isWithin = (point: TrunkPoint | null, first: number, last: number) => {
    const position = order.get(point?.commit ?? '')
    return position !== undefined && position >= first && position <= last
  }
  const [largest] = alike
    .filter(({ lastGood, firstBad }) => isWithin(lastGood, from, to) && isWithin(firstBad, from, to))
    .filter(({ recovered }) => !isWithin(recovered, from, to))
    .toSorted((a, b) => Math.abs(b.step) - Math.abs(a.step))
  const step =
    largest ??
    alike.findLast(({ firstBad }) => isWithin(firstBad, from + 1, to)) ??
    alike.findLast(({ lastGood }) => isWithin(lastGood, from, to - 1)) ??
    null
  return { step, points: series.points }
}
