import { median } from '../../intake/measurement/median.ts'
import type { QueryId } from '../../intake/measurement/run.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../history/trunk-series.ts'
import { DEFAULT_INERT_PATHS, InertPaths } from './binary-paths.ts'
import { HISTORY_REPETITIONS, repetitionsToSeparate } from './repetitions.ts'
import { trunkSteps } from './trunk-steps.ts'

/** A commit inside a window. Its texts come from outside. */
export interface WindowCommit {
  readonly sha: string
  /** The first line of its message. */
  readonly title: string
  /** Paths that it changes; null: not known. */
  readonly files: readonly string[] | null
  /** The pull request that brought it; null where none is known. */
  readonly pullRequestNumber: number | null
}

/** The commits of `(last good, first bad]`, oldest first. */
export interface WindowCommits {
  /** How many there are; null: nobody could say. */
  readonly total: number | null
  readonly listed: readonly WindowCommit[]
}

/** A build of a bisection: the commit in the middle, and what it takes to tell which side it is on. */
export interface PlannedMidpoint {
  readonly commit: string
  /**
   * Repetitions a side that separate this step from this noise; null: more than anybody would run, or nothing is known of
   * the noise.
   */
  readonly repetitions: number | null
  /** 1: the first to build; 2: one of the two that may come next. */
  readonly level: 1 | 2
  /** The result of the build before that makes this one the next; null for the first. */
  readonly after: 'good' | 'bad' | null
}

/** `(last good, first bad]` of one step on the trunk: where to look for the commit that brought it. */
export interface BisectWindow extends QueryId {
  readonly architecture: string | null
  readonly metric: string
  readonly unit: string | null
  readonly step: TrunkStep
  /** T that the query's runs have when nothing changes, a fraction: its noise. Null where nothing is known of it. */
  readonly threshold: number | null
  /**
   * Repetitions a side that tell any build of the window good or bad, by the step and the noise alone; null as in
   * `PlannedMidpoint`, left out in reports of earlier versions.
   */
  readonly repetitions?: number | null
  /** Null until somebody has asked the repository. */
  readonly commits: WindowCommits | null
  /** The listed commits that can change the binary. */
  readonly functional: readonly WindowCommit[]
  /** Listed commits that can't: documentation, tests, CI. */
  readonly setAside: number
  /** Builds that a bisection needs; 0 where one commit is left. Null where nobody knows how many commits there are. */
  readonly steps: number | null
  /** The first build and the two that may follow; where one commit is left, the build that would confirm it. */
  readonly plan: readonly PlannedMidpoint[]
  /** A listed commit's pull request in which a person accepted that this query is slower; absent: none is known. */
  readonly acceptedIn?: AcceptedIn
}

/** Its texts come from outside. */
export interface AcceptedIn {
  readonly pullRequestNumber: number
  readonly actor: string
  /** Empty: none was given. */
  readonly reason: string
}

export interface WindowOptions {
  /** Absent: `DEFAULT_INERT_PATHS`. */
  readonly inertPaths?: InertPaths
  /** Repetitions a side of the runs that the history is of. */
  readonly historyRepetitions?: number
}

/**
 * T over the median |difference| of runs with seven repetitions a side in which nothing changed, in normal noise: 1.29 and
 * 0.45 standard deviations of a repetition. Runs that move by more than their own T says have noise between the runs.
 *
 * T of 3% and a median |difference| of 1% go together. With one of 2% the noise is taken to be 5.8%.
 */
const THRESHOLD_OF_DIFFERENCE = 2.9

/** The window of one step, before anybody has asked the repository for its commits. `unit` is the metric's. */
export function bisectWindow(series: TrunkSeries, step: TrunkStep, unit: string | null): BisectWindow {
  const { test, queryIndex, queryName, ordinal, architecture, metric } = series
  const threshold = typicalThreshold(series.points, step)
  return {
    test,
    queryIndex,
    queryName,
    ...(ordinal === undefined ? {} : { ordinal }),
    architecture,
    metric,
    unit,
    step,
    threshold,
    repetitions: repetitionsOf(step, threshold, HISTORY_REPETITIONS),
    commits: null,
    functional: [],
    setAside: 0,
    steps: null,
    plan: [],
  }
}

/** The windows of a query that got slower on the trunk and has not recovered. */
export function slowdownsOf(series: TrunkSeries, unit: string | null = null): BisectWindow[] {
  const lasting = trunkSteps(series).filter(({ step, recovered }) => step > 0 && recovered === null)
  return lasting.map((step) => bisectWindow(series, step, unit))
}

/** T when nothing changes: that of most runs, or what their differences show where that is more. */
function typicalThreshold(points: readonly TrunkPoint[], { firstBad }: TrunkStep): number | null {
  // A run across the step has the step in its pooled samples.
  const others = points.filter((point) => point !== firstBad)
  const thresholds = others.map(({ threshold }) => threshold).filter((threshold) => threshold !== null)
  const sizes = others.map(({ difference }) => Math.abs(difference))
  const typical = [medianOf(thresholds), medianOf(sizes.map((size) => size * THRESHOLD_OF_DIFFERENCE))]
  const known = typical.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

function medianOf(values: readonly number[]): number | null {
  const finite = values.filter((value) => Number.isFinite(value))
  return finite.length === 0 ? null : median(finite)
}

/**
 * The window with the commits of `(last good, first bad]`, oldest first: which of them can change the binary, how many
 * builds find the one that brought the step, which to build first and with how many repetitions a side. `commits` null:
 * nobody could say; the window then stays without.
 *
 * A commit whose files nobody knows counts as one that can change the binary. So do those that are in the total and not
 * listed, for the number of builds; without a full list there is no middle to build.
 */
export function withCommits(
  window: BisectWindow,
  commits: WindowCommits | null,
  { inertPaths = new InertPaths(DEFAULT_INERT_PATHS), historyRepetitions = HISTORY_REPETITIONS }: WindowOptions = {},
): BisectWindow {
  const { step, threshold } = window
  const repetitions = repetitionsOf(step, threshold, historyRepetitions)
  const known = { ...window, repetitions, commits }
  if (commits === null) return { ...known, functional: [], setAside: 0, steps: null, plan: [] }
  const { total, listed } = commits
  const functional = listed.filter((commit) => isFunctional(commit, inertPaths))
  const setAside = listed.length - functional.length
  const notListed = total === null ? null : Math.max(0, total - listed.length)
  const candidates = notListed === null ? null : functional.length + notListed
  return {
    ...known,
    functional,
    setAside,
    steps: candidates === null || candidates === 0 ? null : bisectionSteps(candidates),
    plan: notListed === 0 ? planMidpoints(functional, repetitions) : [],
  }
}

function repetitionsOf({ step }: TrunkStep, threshold: number | null, historyRepetitions: number): number | null {
  return threshold === null ? null : repetitionsToSeparate(step, threshold, historyRepetitions)
}

/** Whether one of its files can reach the binary, or nobody knows its files. */
function isFunctional({ files }: WindowCommit, inertPaths: InertPaths): boolean {
  return files === null || files.some((path) => inertPaths.canReachBinary(path))
}

/** Builds that find one among `candidates` commits, each halving what is left: 0 for one, 4 for 13. */
export function bisectionSteps(candidates: number): number {
  return candidates <= 1 ? 0 : Math.ceil(Math.log2(candidates))
}

/**
 * The builds to make: the middle of the candidates, then the middle of either half. `candidates` are the commits of which
 * one brought the step, oldest first, the last of them at the first bad point. A single one is the build to confirm.
 */
export function planMidpoints(candidates: readonly WindowCommit[], repetitions: number | null): PlannedMidpoint[] {
  if (candidates.length === 0) return []
  if (candidates.length === 1) return [{ commit: candidates[0]!.sha, repetitions, level: 1, after: null }]
  const first = middle(candidates)
  const plan: PlannedMidpoint[] = [{ commit: candidates[first]!.sha, repetitions, level: 1, after: null }]
  // Good: it came after the middle. Bad: the middle itself, or before.
  const halves = [
    ['good', candidates.slice(first + 1)],
    ['bad', candidates.slice(0, first + 1)],
  ] as const
  for (const [after, half] of halves) {
    if (half.length > 1) plan.push({ commit: half[middle(half)]!.sha, repetitions, level: 2, after })
  }
  return plan
}

/** The last one of the older half: a bad build leaves that half, a good one the other. Of two or more. */
function middle(candidates: readonly WindowCommit[]): number {
  return Math.floor(candidates.length / 2) - 1
}

/** Where in a pull request of several commits to look for the one that made a query slower. */
export interface PullRequestWindow {
  /**
   * The commits of the pull request, oldest first: the slowdown came with one of them, if the pull request brought it.
   */
  readonly commits: readonly WindowCommit[]
  /** The commits that can change the binary. */
  readonly functional: readonly WindowCommit[]
  readonly setAside: number
  /** Builds that find the commit among the functional ones. */
  readonly steps: number
  /** The commit to build first; null where one or none is left. */
  readonly middle: string | null
  /**
   * Functional commits that touch a file on the query's path; null: the query's files are not known, which says nothing of
   * any commit. A commit whose own files are not known is not among them: see `filesUnknown`.
   */
  readonly onPath: readonly WindowCommit[] | null
  /** Commits of which nobody knows the files. */
  readonly filesUnknown: number
}

/**
 * The window inside a pull request. `commits`: all of them, oldest first. `pathsOfQuery`: files of the repository in which
 * the functions of the query's profile are, as the repository names them; null where there is no profile.
 */
export function pullRequestWindow(
  commits: readonly WindowCommit[],
  pathsOfQuery: readonly string[] | null,
  inertPaths: InertPaths = new InertPaths(DEFAULT_INERT_PATHS),
): PullRequestWindow {
  const functional = commits.filter((commit) => isFunctional(commit, inertPaths))
  const paths = pathsOfQuery === null ? null : new Set(pathsOfQuery)
  const half = Math.floor(functional.length / 2) - 1
  return {
    commits,
    functional,
    setAside: commits.length - functional.length,
    steps: bisectionSteps(functional.length),
    middle: functional[half]?.sha ?? null,
    onPath: paths === null ? null : functional.filter(({ files }) => files?.some((path) => paths.has(path)) ?? false),
    filesUnknown: commits.filter(({ files }) => files === null).length,
  }
}
