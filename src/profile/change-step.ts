import { countsDiffer, sharesDiffer } from './chance.ts'
import { oldScale, type StackDifference } from './stack-difference.ts'

/** How much more or less a frame has on the new side, in steps that a legend can name: below 0 less, above 0 more. */
export type ChangeStep = -3 | -2 | -1 | 0 | 1 | 2 | 3

/**
 * Ratios at which a step begins, and the inverse ones for less. The first is the smallest change that the measurements of
 * queries are flagged for by default, the last one is double or half; between them is the geometric middle, rounded.
 * Triggers the first: 1,000 samples against 1,050. Doesn't: 1,000 against 1,049.
 */
export const STEP_RATIOS = [1.05, 1.25, 2] as const

/**
 * Gives the step of each node: of its counts, or normalised of its shares. `judged`: the counts are samples, and what
 * may be chance is 0.
 */
export function changeSteps(
  difference: StackDifference,
  normalize: boolean,
  judged: boolean,
): (node: number) => ChangeStep {
  const { old, new: fresh } = difference
  const scale = oldScale(difference, normalize)
  return (node) => {
    const before = old.total[node]!
    const after = fresh.total[node]!
    const differs = normalize ? sharesDiffer(before, old.sum, after, fresh.sum) : countsDiffer(before, after)
    return judged && !differs ? 0 : stepOf(before * scale, after)
  }
}

function stepOf(before: number, after: number): ChangeStep {
  if (before === after) return 0
  const more = after > before
  const ratio = more ? after / before : before / after
  const size = STEP_RATIOS.filter((start) => ratio >= start).length as 0 | 1 | 2 | 3
  return (more ? size : size === 0 ? 0 : -size) as ChangeStep
}
