import type { CountedHistory } from './counted-history.ts'

/**
 * The oldest trunk commit that failed after the last pass on the trunk. Null where no pass is known (then it may have
 * begun before the lookback), where older failures were not read, and where fewer than `brokenTrunkRuns` commits failed
 * since: a flake of yesterday is nobody's commit. A job in which the test did not appear is no pass here: a name that
 * exists only when it fails would point at a new commit with every gap between two of its failures.
 */
export function firstBadTrunkCommit(
  { trunkHits, history }: Pick<CountedHistory, 'trunkHits' | 'history'>,
  brokenTrunkRuns: number,
): string | null {
  const lastPass = history.lastTrunkPass
  const oldestRead = history.failing.reduce((oldest, { time }) => Math.min(oldest, time), Number.POSITIVE_INFINITY)
  if (lastPass === null || (history.failingNotRead > 0 && oldestRead > lastPass.time)) return null
  const since = trunkHits.filter(({ time }) => time > lastPass.time)
  if (new Set(since.map(({ commitSha }) => commitSha)).size < brokenTrunkRuns) return null
  return since.at(-1)?.commitSha ?? null
}
