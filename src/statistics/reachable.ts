import { hasRankDistribution, rankPValues } from './rank-distribution.ts'
import { relabelingWeights } from './relabeling-weights.ts'

/**
 * The smallest p-value that the randomization test can give for `n` old and `m` new samples, whatever they are: 0.2 at
 * 3 + 3, 0.0117 at 7 + 7. Throws a RangeError for counts that the test does not take.
 */
export function smallestPValue(n: number, m: number): number {
  return relabelingWeights(n, m).smallestPValue
}

/**
 * The fewest repetitions a side at which the randomization test can reach a p-value of at most `level` at all: 5 for
 * 0.05, 8 for 0.01. `level` is between 0 and 1 and not 0.
 */
export function repetitionsToReach(level: number): number {
  let repetitions = 1
  while (smallestPValue(repetitions, repetitions) > level) repetitions += 1
  return repetitions
}

/**
 * How likely the rank test gives a p-value of at most `level` if nothing changed: the largest p-value up to `level` that
 * it can give, as its distribution is discrete; 0 where it can give none. For samples without ties; where the exact
 * distribution is not computed, `level` itself.
 */
export function chanceToPass(n: number, m: number, level: number): number {
  if (!hasRankDistribution(n, m)) return level
  const pValues = rankPValues(n, m)
  let chance = 0
  for (const pValue of pValues) {
    if (pValue > level) break
    chance = pValue
  }
  return chance
}
