import { hasRankDistribution, rankPValues } from './mann-whitney.ts'

/** A query as the budget needs it: the p-value of its rank test, null where it was not compared. */
export interface RankedQuery {
  readonly rankPValue: number | null
  /** Only of a query that was not compared the repetitions may be unknown. */
  readonly old: { readonly repetitions: number | null }
  readonly new: { readonly repetitions: number | null }
}

export interface Discoveries {
  readonly tested: number
  readonly level: number
  /** How many of `tested` reach a p of at most `level` if nothing changed. */
  readonly expectedByChance: number
  readonly passed: number
}

/**
 * How many queries pass the rank test at `level`, and how many would by chance: the sum over all of them of the
 * probability that their own repetition counts give (`chanceToPass`), which is at most `level` and often much less. At
 * 7 + 7 and 0.01 it is 0.0070, at 3 + 3 it is 0.
 */
export function discoveryBudget(rows: readonly RankedQuery[], level: number): Discoveries {
  const tested = rows.filter(({ rankPValue }) => rankPValue !== null)
  return {
    tested: tested.length,
    level,
    expectedByChance: tested.reduce(
      (sum, row) => sum + chanceToPass(row.old.repetitions ?? 0, row.new.repetitions ?? 0, level),
      0,
    ),
    passed: tested.filter(({ rankPValue }) => rankPValue! <= level).length,
  }
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
