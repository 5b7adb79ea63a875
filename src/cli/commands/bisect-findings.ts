import { queryLabel } from '../../intake/measurement/run.ts'
import type { BisectWindow } from '../../judge/bisect/bisect-window.ts'
import { type LevelChange, levelChanges } from '../../judge/bisect/level-changes.ts'
import { inTrunkOrder } from '../../judge/bisect/trunk-order.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../../judge/history/trunk-series.ts'
import { MIN_STEP } from '../../judge/statistics/change-points/e-divisive.ts'

/** A window with the history that it was found in. */
export interface FoundWindow {
  readonly series: TrunkSeries
  readonly window: BisectWindow
  /** Why there are no commits, where a clone was given; null where there are. */
  readonly problem: string | null
}

/** The findings of `bisect`. */
export interface BisectFindings {
  readonly windows: readonly FoundWindow[]
  /** Changes that are not sure enough, of the queries that were asked for by their test. */
  readonly unsure: readonly UnsureStep[]
  /** Histories that were looked at. */
  readonly histories: number
}

/** Windows with the same ends have the same commits. */
export function endsOf({ step }: BisectWindow): string {
  return `${step.lastGood.commit} ${step.firstBad.commit}`
}

/** A change of the level that is not sure enough for a bisect window. */
export interface UnsureStep extends Pick<TrunkStep, 'firstBad' | 'before' | 'after' | 'step'> {
  readonly series: TrunkSeries
}

/**
 * The changes that only the change points see in a history: too small for one of the two detectors by itself. In order.
 */
export function unsureSteps(series: TrunkSeries): UnsureStep[] {
  const points = inTrunkOrder(series.points, null)
  return levelChanges(points)
    .filter(({ isSure }) => !isSure)
    .map((change) => stepOf(series, points, change))
    .filter(({ step }) => Math.abs(step) >= MIN_STEP)
}

function stepOf(series: TrunkSeries, points: readonly TrunkPoint[], { index, before, after }: LevelChange): UnsureStep {
  return { series, firstBad: points[index]!, before, after, step: (after - before) / before }
}

/** The document of `bisect --json`: a window has the fields of a point of `change-points --json` and those of its plan. */
export function bisectJson(
  found: readonly FoundWindow[],
  histories: number,
  { metric, days }: { readonly metric: string; readonly days: number },
) {
  return { metric, days, histories, windows: found.map(windowJson) }
}

function windowJson({ series, window, problem }: FoundWindow) {
  const { step, commits } = window
  const { points, source, alsoFrom = [] } = series
  const functional = new Set(window.functional.map(({ sha }) => sha))
  return {
    series: window.architecture === null ? queryLabel(window) : `${queryLabel(window)} ${window.architecture}`,
    index: points.indexOf(step.firstBad),
    lastGood: pointJson(step.lastGood),
    firstBad: pointJson(step.firstBad),
    before: step.before,
    after: step.after,
    step: step.step,
    direction: step.step === 0 ? null : step.step > 0 ? 'slower' : 'faster',
    earliest: points.indexOf(step.earliest),
    latest: points.indexOf(step.latest),
    test: window.test,
    queryIndex: window.queryIndex,
    queryName: window.queryName,
    metric: window.metric,
    unit: window.unit,
    architecture: window.architecture,
    source,
    alsoFrom,
    seenBy: step.seenBy,
    recovered: step.recovered === null ? null : pointJson(step.recovered),
    threshold: window.threshold,
    repetitions: window.repetitions ?? null,
    commitCount: commits?.total ?? null,
    commits: commits?.listed.map((commit) => ({ ...commit, functional: functional.has(commit.sha) })) ?? null,
    setAside: commits === null ? null : window.setAside,
    problem,
    steps: window.steps,
    plan: window.plan,
  }
}

function pointJson({ commit, time, new: value }: TrunkPoint) {
  const date = new Date(time)
  return { commit, time: Number.isFinite(date.getTime()) ? date.toISOString() : null, value }
}
