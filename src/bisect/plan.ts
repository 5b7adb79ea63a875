import type { PlannedMidpoint, WindowCommit } from './window.ts'

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
