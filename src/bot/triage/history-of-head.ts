import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type QueryId, resultKey, runKey } from '../../intake/measurement/run.ts'
import { type SteppedHistory, steppedHistory } from '../../judge/bisect/suite-steps.ts'
import type { HistoryFacts, QueryHistory, TrunkMover } from '../../judge/history/history-facts.ts'
import { type Learned, learningRange } from '../../judge/history/learned-thresholds.ts'
import { isMeasuredAlone } from '../../judge/history/one-sided-history.ts'
import type { TrunkHistory } from '../../judge/history/trunk-history.ts'
import { type HistoryOf, HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import type {
  FlaggedElsewhere,
  FlagWitness,
  HistoryProblem,
  TimeRange,
  TrunkMoves,
  TrunkSeries,
} from '../../judge/history/trunk-series.ts'
import type { ClassifiedQuery, Direction } from '../../judge/verdict/classified-query.ts'
import {
  moversBesideSteps,
  moversWanted,
  movesBesideSteps,
  trunkMovers,
} from '../../judge/verdict/evidence/trunk-moves.ts'
import { CHANGED_FLOOR } from '../../judge/verdict/thresholds.ts'
import { type ClassifiedHead, classifyHead, type HeadInput, measuredAt } from '../../report/classify-head.ts'
import { changedAlike, rowsToAskAbout } from '../../report/judge-rows.ts'
import { decisive } from '../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import { habitOf, type SuiteHabit } from '../../report/suite-habits.ts'
import { suitesOf } from '../../report/suites.ts'
import type { Store } from '../../store/store.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import type { CopiedHistory } from '../../store/sync/copied-history.ts'
import { DAY } from '../../text/time.ts'
import { NO_STEPS, type StepsAsking, stepsOfHead } from './steps-of-head.ts'
import { TooLate, withDeadline } from './with-deadline.ts'

/** The whole history of one head: beyond it the report goes out without what is missing. */
const HISTORY_MS = 60_000

/** Results that are looked up, the worst rows first. Where more have changed it is no single query's habit. */
const MOST_RESULTS = 500

/** Suites that are looked up: a run has one or two that seem to have a cause. */
const MOST_SUITES = 5

const DIRECTIONS: readonly Direction[] = ['slower', 'faster']

export interface HistoryAsking extends Pick<StepsAsking, 'commitLine' | 'commitsBetween' | 'log'> {
  readonly store: {
    readonly runs: Pick<Store['runs'], 'oneSidedHistories' | 'everyOf'>
    /** Null: nobody knows the reports of other pull requests. */
    readonly reports: Pick<Store['reports'], 'flaggedElsewhere'> | null
    readonly trunkHistory: TrunkHistory
  }
  /** The copied history of the repository; null: the CI database holds nothing of it. */
  readonly copied: CopiedHistory | null
  /** Left out: each pull request is a witness of its own. */
  readonly witnessesOf?: (pullRequests: readonly number[]) => Promise<WitnessOfFlag>
  /** Milliseconds. */
  readonly now: number
  readonly lookbackDays: number
}

/** Whose word the flag of a query in a pull request is; null: nobody's that counts. */
export type WitnessOfFlag = (query: QueryId & { readonly metric: string }, pullRequest: number) => FlagWitness | null

const EACH_ITS_OWN: WitnessOfFlag = (_query, number) => ({ name: String(number), isStranger: false })

/** What the trunk has taught of the queries of a head, before any of them is classified. */
export interface LearnedOfHead {
  /** Null: nothing may be learned now, or nobody answered. */
  readonly learned: Learned | null
  readonly of: HistoryOf
  readonly lookback: TimeRange
  /** The hours that it needs and that are not copied. */
  readonly notCopied: readonly HistoryProblem[]
  /** The time that is left for the rest of the history. */
  readonly questions: Questions
}

export interface HeadHistory {
  readonly facts: HistoryFacts
  /** The histories that were read, by `resultKey`. */
  readonly series: ReadonlyMap<string, TrunkSeries>
}

/**
 * The trunk's history as far as a head needs it: first what was learned, by which it is classified (`learnedOfHead`), then what
 * its changed rows need (`historyOfHead`). Learned thresholds and moves are as of the time of the measurement, `measuredAt`,
 * so that the same measurements are judged the same later; steps, and whether they last, as of now. Where hours that it needs
 * are not copied yet it says so; nothing is learned then from a month that is copied in part.
 *
 * Never fails: a history that is down, slow or empty is a state, and what was learned before stands.
 */
export async function learnedOfHead(
  { store, copied, now, lookbackDays, log }: HistoryAsking,
  { repository, primaryMetric: metric }: Pick<HeadInput, 'repository' | 'primaryMetric'>,
  measuredAt: number,
): Promise<LearnedOfHead> {
  const questions = new Questions(log)
  const of: HistoryOf = { repositoryId: repository.id, metric, now: measuredAt, copiedFrom: copied?.copiedFrom ?? [] }
  const lookback = { from: measuredAt - lookbackDays * DAY, to: now }
  const learning = learningRange(measuredAt)
  const missingIn = (range: TimeRange) =>
    questions.ask('copied', async () => (await copied?.missingIn(metric, range)) ?? null)
  const [missingToLearn, missing] = [await missingIn(learning), await missingIn(lookback)]
  const learned =
    missingToLearn?.isHalfCopied === true
      ? null
      : await questions.ask('learned', () => store.trunkHistory.learnedThresholds(of))
  const notCopied = [missingToLearn, missing].flatMap((one) => one?.problem ?? [])
  return { learned, of, lookback, notCopied, questions }
}

/** A head as it is classified by what the trunk has taught, with its rows to ask about and the history of these. */
export async function headByHistory(asking: HistoryAsking, input: HeadInput, at: number) {
  const known = await learnedOfHead(asking, input, at)
  const oneSided = await oneSidedOf(asking, known, input)
  const thresholds = { ...input.thresholds, learned: known.learned?.lookup ?? null }
  const earlierRuns = await earlierRunsOf(asking, known, input)
  const head = classifyHead({ ...input, thresholds, earlierRuns, ...(oneSided !== null && { oneSided }) })
  const rows = rowsToAskAbout(head)
  const history = await historyOfHead(asking, known, head, rows)
  const { facts } = history
  // the trunk's runs of one side teach no threshold, and are a history
  const isThere = facts.problem === 'empty' && [...(oneSided?.values() ?? [])].some(({ trunkRuns }) => trunkRuns > 0)
  return {
    head,
    rows,
    history: isThere ? { ...history, facts: { ...facts, problem: null } } : history,
    habitsOf: (report: TriageReport) => habitsOf(asking, known, report),
  }
}

/** How often the suites of a report that seem to have a cause change as much on the trunk; what nobody could say is left out. */
async function habitsOf(
  { store }: HistoryAsking,
  known: LearnedOfHead,
  report: TriageReport,
): Promise<readonly SuiteHabit[]> {
  const { of, lookback, questions } = known
  if (isEmptyOf(known)) return []
  const suites = suitesOf(report).flatMap(({ test, cause }) =>
    cause === null ? [] : [{ test, direction: cause.direction }],
  )
  const habits: SuiteHabit[] = []
  for (const suite of suites.slice(0, MOST_SUITES)) {
    const results = report.rows
      .filter((row) => row.test === suite.test && row.outcome !== null)
      .flatMap((row) => row.results)
      .slice(0, MOST_RESULTS)
    const series = await questions.ask('habits', () => store.trunkHistory.series(of, results, lookback))
    if (series !== null) habits.push(habitOf(suite, results, series))
  }
  return habits
}

/** What the trunk and the other jobs of the head measured, of runs that have one side; null: no run has, or nobody answered. */
async function oneSidedOf({ store }: HistoryAsking, { questions }: LearnedOfHead, input: HeadInput) {
  const alone = input.runs.filter((run) => isMeasuredAlone(run, input.primaryMetric))
  const before = measuredAt(alone)
  if (before === null) return null
  const { repository, pullRequest, primaryMetric: metric, head } = input
  return await questions.ask('one-sided', () =>
    store.runs.oneSidedHistories(alone, {
      repositoryId: repository.id,
      metric,
      before,
      head: { sha: head, pullRequestNumber: pullRequest.number },
    }),
  )
}

/** What attempts before the newest measured; nothing where nobody answered. */
async function earlierRunsOf({ store }: HistoryAsking, { questions }: LearnedOfHead, input: HeadInput) {
  const { repository, head, primaryMetric, runs } = input
  const found = await questions.ask('attempts', () => store.runs.everyOf(repository.id, head, primaryMetric))
  const now = new Set(runs.map(runKey))
  return (found ?? []).filter((run) => !now.has(runKey(run)))
}

/** The history of these rows of a head, and of what moves by itself on the trunk. */
export async function historyOfHead(
  asking: HistoryAsking,
  known: LearnedOfHead,
  head: ClassifiedHead,
  rows: readonly ReportRow[],
): Promise<HeadHistory> {
  const { of, lookback, questions } = known
  const results = resultsOf(rows).slice(0, MOST_RESULTS)
  const { moves, movers: found } = await askedMoves(asking, known, head, results)
  const movers = await withoutTheirSteps(asking, known, found)
  const flags = await flagsOf(asking, known, head, results, movers)
  const seriesOf = (wanted: readonly ClassifiedQuery[]) =>
    questions.ask('series', () => asking.store.trunkHistory.series(of, wanted, lookback))
  const steps = isEmptyOf(known)
    ? NO_STEPS
    : await stepsOfHead({ ...asking, seriesOf, left: () => questions.left }, head, results)
  // A step is no movement of the query by itself, and what it did on the other side of one says nothing.
  const movesOf = (result: ClassifiedQuery, moves: TrunkMoves | null): TrunkMoves | null => {
    const { series: one, steps: its } = steps.allOf(result) ?? { series: null, steps: [] }
    if (moves === null || one === null || its.length === 0) return moves
    const { mergeBase } = head.input
    const atLeast = Math.abs(result.difference!)
    return movesBesideSteps(one.points, its, { atLeast, until: of.now, mergeBase, order: steps.orderOnTrunk })
  }
  const queries = results.map((result, index): [string, QueryHistory] => [
    resultKey(result),
    {
      moves: movesOf(result, moves?.[index] ?? null),
      flaggedElsewhere: flags?.ofResults[index] ?? [],
      ...steps.of(result),
    },
  ])
  const facts: HistoryFacts = {
    queries: new Map(queries),
    learned: sourceOf(known.learned),
    orderOnTrunk: steps.orderOnTrunk,
    problem: problemOfAll(known),
    movers: movers.map((mover, i) => ({ ...mover, flaggedElsewhere: flags?.ofMovers[i] ?? [] })),
  }
  return { facts, series: steps.series }
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

/** The end of a copy makes the head due again, which what did not answer this once does not. */
function problemOfAll({ notCopied, questions, ...known }: LearnedOfHead): HistoryProblem | null {
  if (notCopied.includes('copying')) return 'copying'
  return questions.problem ?? notCopied[0] ?? (isEmptyOf(known) ? 'empty' : null)
}

function isEmptyOf({ learned }: Pick<LearnedOfHead, 'learned'>): boolean {
  return learned !== null && learned.newest === null
}

function sourceOf(learned: Learned | null): HistoryFacts['learned'] {
  if (learned === null || learned.newest === null) return null
  const { source, alsoFrom, newest, tooShort } = learned
  return { source, ...(alsoFrom !== undefined && { alsoFrom }), newest, ...(tooShort !== undefined && { tooShort }) }
}

/** Of each row the deciding result, and those that changed the same way. */
function resultsOf(rows: readonly ReportRow[]): ClassifiedQuery[] {
  return rows
    .flatMap((row) => [decisive(row), ...changedAlike(decisive(row), row.results)])
    .filter(({ difference }) => difference !== null && difference !== 0)
}

/** How far the results have moved on the trunk, and the queries that move by themselves there. */
async function askedMoves(
  { store, lookbackDays }: HistoryAsking,
  { learned, of, questions }: LearnedOfHead,
  { input, results: all }: ClassifiedHead,
  results: readonly ClassifiedQuery[],
) {
  if (isEmptyOf({ learned })) return { moves: null, movers: [] }
  const floor = input.thresholds.configured.changed ?? CHANGED_FLOOR
  const wanted = learned === null ? [] : moversWanted(all, learned.lookup, floor)
  const asked = results.map((result) => ({ ...result, atLeast: Math.abs(result.difference!) }))
  const moves = await questions.ask('moves', () => store.trunkHistory.moves(of, lookbackDays, [...asked, ...wanted]))
  return { moves, movers: moves === null ? [] : trunkMovers(wanted, moves.slice(results.length)) }
}

/** Movers whose histories are read, those that moved least often first: of the others a step's own run decides nothing. */
const MOST_DOUBTED = 50

async function withoutTheirSteps(
  { store }: HistoryAsking,
  { of, lookback, questions }: LearnedOfHead,
  movers: readonly TrunkMover[],
): Promise<readonly TrunkMover[]> {
  if (movers.length === 0) return movers
  const doubted = movers.toSorted((a, b) => a.moves.times - b.moves.times).slice(0, MOST_DOUBTED)
  const series = await questions.ask('series of movers', () => store.trunkHistory.series(of, doubted, lookback))
  const byKey = new Map((series ?? []).map((one) => [resultKey(one), one]))
  const histories = new Map<TrunkMover, SteppedHistory>()
  for (const mover of doubted) {
    const one = byKey.get(resultKey(mover))
    if (one !== undefined) histories.set(mover, steppedHistory(one))
    // Some milliseconds for each.
    await setImmediate()
  }
  return moversBesideSteps(movers, (mover) => histories.get(mover) ?? null, of.now)
}

/** Flags in other pull requests: of the results in their direction, of the movers in either. */
async function flagsOf(
  { store, witnessesOf }: HistoryAsking,
  { of, lookback, questions }: LearnedOfHead,
  { input }: ClassifiedHead,
  results: readonly ClassifiedQuery[],
  movers: HistoryFacts['movers'] & {},
) {
  const { reports } = store
  if (reports === null) return null
  const { repository, pullRequest, primaryMetric: metric } = input
  const ofMovers = DIRECTIONS.flatMap((direction) => movers.map((one) => ({ ...one, metric, direction })))
  const wanted = [...results.map((result) => ({ ...result, direction: directionOf(result) })), ...ofMovers]
  const flags = await questions.ask('flagged-elsewhere', async () => {
    const range = { ...lookback, to: Math.max(lookback.to, of.now) }
    const found = await reports.flaggedElsewhere(repository.id, pullRequest.number, range, wanted)
    const numbers = new Set(found.flat().map(({ pullRequestNumber }) => pullRequestNumber))
    const witnessOf = (await witnessesOf?.([...numbers])) ?? EACH_ITS_OWN
    return found.map((ofOne, index) =>
      ofOne.map((flag): FlaggedElsewhere => ({ ...flag, witness: witnessOf(wanted[index]!, flag.pullRequestNumber) })),
    )
  })
  if (flags === null) return null
  const inDirection = (mover: number, direction: number): readonly FlaggedElsewhere[] =>
    flags[results.length + direction * movers.length + mover] ?? []
  return {
    ofResults: flags.slice(0, results.length),
    ofMovers: movers.map((_, mover) => DIRECTIONS.flatMap((_direction, i) => inDirection(mover, i))),
  }
}

function directionOf({ direction, difference }: ClassifiedQuery): Direction {
  return direction ?? (difference! > 0 ? 'slower' : 'faster')
}
