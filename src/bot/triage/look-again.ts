import type { FailingTests } from '../../judge/ledger/failure.ts'
import type { Shard, TriageReport } from '../../report/report.ts'
import type { PerformanceCheck } from './performance-checks.ts'

/** How often outstanding shards are looked for although no event comes. */
export const LOOK_AGAIN_MS = 10 * 60_000

/** How soon a download that failed is tried again at first. */
const LOOK_SOON_MS = 30_000

/** How often a CI database that does not answer is asked when nothing else is waited for. */
export const LOOK_RARELY_MS = 3600_000

/**
 * How long after the last run the metrics are left that no report is made of: whoever waits for the comment on the next shard does not wait
 * for them.
 */
export const OTHERS_AFTER_MS = 10_000

/** When they are looked for again where those of another pull request are being read, which takes a minute or two. */
export const OTHERS_AGAIN_MS = 2 * 60_000

/**
 * How long after the last result shards that never came are waited for. A performance job has a time-out of two hours; a
 * shard that is still not there after six never started.
 */
export const PATIENCE_MS = 6 * 3600_000

/** When a pull request is looked at again although no event comes, in milliseconds; null: only when something happens. */
export function lookAgainAt(
  report: TriageReport,
  checks: readonly PerformanceCheck[],
  gaveUp: boolean,
  now: number,
): number | null {
  const { shards, failingTests, history, complete } = report
  const mayStillCome =
    checks.length > 0 && !gaveUp && (!complete || shards.some(isPassing) || isOutstanding(failingTests))
  if (mayStillCome) return now + lookAgainIn(shards, checks, now)
  if (history?.problem === 'copying') return now + (gaveUp ? LOOK_RARELY_MS : LOOK_AGAIN_MS)
  // A CI database comes back one day, and the comment has promised to be completed then.
  const isDown = (failingTests !== null && failingTests.problem !== null) || (!gaveUp && isHistoryDown(report))
  return isDown ? now + LOOK_RARELY_MS : null
}

/** Checks are not waited for any longer when none has begun or ended for this long. */
export function hasWaitedLongEnough(checks: readonly PerformanceCheck[], now: number): boolean {
  const last = lastTimeOf(checks)
  return last > 0 && now - last > PATIENCE_MS
}

/** When something last began or ended, in milliseconds; 0 where nobody knows. */
export function lastTimeOf(checks: readonly PerformanceCheck[]): number {
  const times = checks.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]).filter((time) => time !== null)
  return Math.max(0, ...times.map((time) => Date.parse(time)))
}

/** The history may answer at the next look. What it does not hold or does not let us read, it will not then. */
function isHistoryDown({ history }: TriageReport): boolean {
  const problem = history?.problem
  return problem === 'unreachable' || problem === 'too-slow' || problem === 'unexpected-answer'
}

/**
 * A download that failed is tried again soon after the results came, and less and less often as time goes by: half of the
 * time that has gone by since, from 30 s to ten minutes. A host that restarts costs a minute, one that is down for a day a few requests.
 */
function lookAgainIn(shards: readonly Shard[], checks: readonly PerformanceCheck[], now: number): number {
  if (!shards.some(({ problem }) => problem === 'download-failed')) return LOOK_AGAIN_MS
  return Math.min(Math.max((now - lastTimeOf(checks)) / 2, LOOK_SOON_MS), LOOK_AGAIN_MS)
}

/** A problem that may be gone at the next look: a server that did not answer, a file that is published after the check ends. */
function isPassing({ problem, awaited }: Shard): boolean {
  return awaited === true || problem === 'download-failed' || problem === 'no-results'
}

/** A CI database could not be asked, or a red check is not in the CI results yet. */
function isOutstanding(failingTests: FailingTests | null): boolean {
  return (
    failingTests !== null &&
    (failingTests.problem !== null || failingTests.redChecks.some(({ state }) => state === 'not-known'))
  )
}
