import type { Logger } from 'pino'
import { resultKey } from '../../intake/measurement/run.ts'
import type { InertPaths } from '../../judge/bisect/binary-paths.ts'
import {
  type BisectWindow,
  bisectWindow,
  type PullRequestWindow,
  pullRequestWindow,
  type WindowCommits,
  withCommits,
} from '../../judge/bisect/bisect-window.ts'
import { isSameFile } from '../../judge/profile/source-path.ts'
import { STEP_SHARE } from '../../judge/verdict/evidence/already-on-trunk.ts'
import { isOpen } from '../../judge/verdict/verdict.ts'
import type { Answers } from '../../report/judge-rows.ts'
import { decisive } from '../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import type { HeadHistory } from './history-of-head.ts'
import { withDeadline } from './with-deadline.ts'

/** Pairs of ends whose commits are asked for: up to forty calls each, and the comment shows as many windows. */
const MOST_PAIRS = 5

/** The time for the commits of all windows together; a window whose commits are not there by then goes without. */
const COMMITS_MS = 60_000

/** The time for the commits of the pull request: a comparison and a call for each of up to thirty. */
const PULL_REQUEST_MS = 30_000

/** The commits between the ends of a window; null: GitHub does not know them. */
export type AskCommits = (lastGood: string, firstBad: string) => Promise<WindowCommits | null>

/**
 * The bisect windows of a report, in the order of its rows: of rows that have a step of the trunk as evidence, and of open
 * rows with one at least half as large that may lie between the old build and the merge base. Windows that nobody could
 * list the commits of stay without. Commits that change only `inertPaths` are set aside.
 */
export async function windowsOfHead(
  report: TriageReport,
  history: Pick<HeadHistory, 'facts' | 'series'>,
  askCommits: AskCommits,
  inertPaths: InertPaths,
  log: Logger,
): Promise<BisectWindow[]> {
  const windows = report.rows.flatMap((row) => windowsOf(row, history))
  const pairs = new Map(windows.map((window) => [endsOf(window), window.step]))
  const commits = new Map<string, WindowCommits>()
  const end = performance.now() + COMMITS_MS
  for (const [ends, { lastGood, firstBad }] of [...pairs].slice(0, MOST_PAIRS)) {
    const ask = () => askCommits(lastGood.commit, firstBad.commit)
    const found = await knownCommits(
      ask,
      end - performance.now(),
      'the commits of a bisect window could not be read',
      log,
    )
    if (found !== null) commits.set(ends, found)
  }
  return windows.map((window) => withCommits(window, commits.get(endsOf(window)) ?? null, { inertPaths }))
}

function windowsOf(row: ReportRow, { facts, series }: Pick<HeadHistory, 'facts' | 'series'>): BisectWindow[] {
  const said = new Set(row.evidence.flatMap((item) => (item.kind === 'already-on-trunk' ? [item.architecture] : [])))
  return row.results.flatMap((result, index) => {
    const key = resultKey(result)
    const step = facts.queries.get(key)?.step ?? null
    const history = series.get(key)
    if (step === null || history === undefined) return []
    const isNear =
      index === row.decidedBy &&
      isOpen(row.verdict) &&
      Math.abs(step.step) >= STEP_SHARE * Math.abs(result.difference ?? Number.POSITIVE_INFINITY)
    return said.has(result.architecture) || isNear ? [bisectWindow(history, step, result.unit)] : []
  })
}

function endsOf({ step: { lastGood, firstBad } }: BisectWindow): string {
  return `${lastGood.commit} ${firstBad.commit}`
}

/**
 * Where to look inside a pull request of which a row says that it is slower because of it, or may be (`regression`). Null
 * where there is no such row, its commits are not known, or fewer than two of them can change the binary.
 */
export async function pullRequestWindowOfHead(
  report: TriageReport,
  known: Pick<Answers, 'profiles' | 'changedFunctions'>,
  askCommits: AskCommits,
  inertPaths: InertPaths,
  log: Logger,
): Promise<PullRequestWindow | null> {
  const { mergeBase, head, rows } = report
  if (mergeBase === null || mergeBase === head || !rows.some(({ verdict }) => verdict === 'regression')) return null
  const ask = () => askCommits(mergeBase, head)
  const commits = await knownCommits(ask, PULL_REQUEST_MS, 'the commits of the pull request could not be read', log)
  // Commits beyond those that GitHub lists are not known.
  if (commits === null || commits.listed.length < 2 || commits.total !== commits.listed.length) return null
  const window = pullRequestWindow(commits.listed, pathsOfQueries(report, known), inertPaths)
  return window.functional.length < 2 ? null : window
}

/** Null where nobody could say, or not in time. */
async function knownCommits(
  ask: () => Promise<WindowCommits | null>,
  milliseconds: number,
  otherwise: string,
  log: Logger,
): Promise<WindowCommits | null> {
  try {
    return await withDeadline(ask, milliseconds)
  } catch (error) {
    log.warn({ err: error }, otherwise)
    return null
  }
}

/**
 * The changed files that the queries of regressions go through, as far as their profiles say: those that hold a changed
 * function which grew, and those that frames name. Null where no profile says anything of files.
 */
function pathsOfQueries(
  { rows }: TriageReport,
  { profiles, changedFunctions }: Pick<Answers, 'profiles' | 'changedFunctions'>,
): readonly string[] | null {
  const regressions = rows.filter(({ verdict }) => verdict === 'regression')
  const ofFunctions = regressions.flatMap(({ evidence }) =>
    evidence.flatMap((item) => (item.kind === 'on-path' ? item.functions.map(({ file }) => file) : [])),
  )
  const frames = regressions.flatMap((row) => {
    const near = profiles?.get(resultKey(decisive(row)))?.grown.near ?? []
    return near.flatMap(({ files }) => files)
  })
  const ofFrames = (changedFunctions?.files ?? []).filter((file) => frames.some((frame) => isSameFile(frame, file)))
  if (ofFunctions.length === 0 && frames.length === 0) return null
  return [...new Set([...ofFunctions, ...ofFrames])]
}
