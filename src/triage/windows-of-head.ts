import type { Logger } from 'pino'
import type { InertPaths } from '../bisect/binary-paths.ts'
import { bisectWindow, withCommits } from '../bisect/bisect-window.ts'
import type { BisectWindow, WindowCommits } from '../bisect/window.ts'
import { historyKey } from '../history/history-facts.ts'
import { queryKey } from '../measurement/run.ts'
import type { ReportRow, TriageReport } from '../report/report.ts'
import { STEP_SIZE } from '../verdict/evidence/already-on-trunk.ts'
import { isOpen } from '../verdict/verdict.ts'
import type { HeadHistory } from './history-of-head.ts'
import { withDeadline } from './with-deadline.ts'

/** Pairs of ends whose commits are asked for: up to forty calls each, and the comment shows as many windows. */
const MOST_PAIRS = 5

/** The time for the commits of all windows together; a window whose commits are not there by then goes without. */
const COMMITS_MS = 60_000

/** As `CommitRanges.range`. */
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
    try {
      const found = await withDeadline(() => askCommits(lastGood.commit, firstBad.commit), end - performance.now())
      if (found !== null) commits.set(ends, found)
    } catch (error) {
      log.warn({ err: error }, 'the commits of a bisect window are not known')
    }
  }
  return windows.map((window) => withCommits(window, commits.get(endsOf(window)) ?? null, { inertPaths }))
}

function windowsOf(row: ReportRow, { facts, series }: Pick<HeadHistory, 'facts' | 'series'>): BisectWindow[] {
  const said = new Set(row.evidence.flatMap((item) => (item.kind === 'already-on-trunk' ? [item.architecture] : [])))
  return row.results.flatMap((result, index) => {
    const key = historyKey(queryKey(result), result.architecture)
    const step = facts.queries.get(key)?.step ?? null
    const history = series.get(key)
    if (step === null || history === undefined) return []
    const isNear =
      index === row.decidedBy &&
      isOpen(row.verdict) &&
      Math.abs(step.step) >= STEP_SIZE * Math.abs(result.difference ?? Number.POSITIVE_INFINITY)
    return said.has(result.architecture) || isNear ? [bisectWindow(history, step, result.unit)] : []
  })
}

function endsOf({ step: { lastGood, firstBad } }: BisectWindow): string {
  return `${lastGood.commit} ${firstBad.commit}`
}
