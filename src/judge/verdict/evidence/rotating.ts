import { resultKey } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../classified-query.ts'

/** The set of flagged queries has little in common with that of the previous push. Speaks for noise. */
export interface Rotating {
  readonly kind: 'rotating'
  readonly before: number
  readonly now: number
  readonly inBoth: number
}

/**
 * Flagged results on each of the two heads before their overlap says anything: of two or three a push may well have
 * mended all and broken others.
 *
 * Triggers: 5 before and 6 now. Does not: 4 before and 30 now.
 */
export const ROTATING_MINIMUM = 5

/**
 * The largest overlap that is little: the flagged in both, of those flagged in either (Jaccard's index). What a change
 * really slowed is mostly found again by the next push: of five, three found again and two more each time are 43%.
 *
 * Triggers: 5 before and 6 now, 1 of them the same (10%). Does not: 5 before and 5 now, 2 of them the same (25%).
 */
export const ROTATING_OVERLAP = 0.1

/** The two sets of flagged queries, and those that are in both. */
export interface Rotation {
  readonly evidence: Rotating
  /** Flagged results by `resultKey` and direction. */
  readonly inBoth: ReadonlySet<string>
  /** The results that were compared on the previous head, by `resultKey`. */
  readonly comparedBefore: ReadonlySet<string>
}

/**
 * How far the flagged results of this head are others than those of the previous one: the same query on the same
 * architecture in the same direction is the same. Only what was compared on both heads counts. Null where it is enough
 * of the same, or too few.
 */
export function rotation(before: readonly ClassifiedQuery[], now: readonly ClassifiedQuery[]): Rotation | null {
  const comparedNow = keysOf(now)
  const comparedBefore = keysOf(before)
  const flaggedBefore = flaggedIn(before, comparedNow)
  const flaggedNow = flaggedIn(now, comparedBefore)
  if (flaggedBefore.size < ROTATING_MINIMUM || flaggedNow.size < ROTATING_MINIMUM) return null
  const inBoth = new Set([...flaggedNow].filter((flag) => flaggedBefore.has(flag)))
  const inEither = flaggedBefore.size + flaggedNow.size - inBoth.size
  if (inBoth.size / inEither > ROTATING_OVERLAP) return null
  return {
    evidence: { kind: 'rotating', before: flaggedBefore.size, now: flaggedNow.size, inBoth: inBoth.size },
    inBoth,
    comparedBefore,
  }
}

/**
 * The set rotates, and this row does not stay in it.
 *
 * Triggers: flagged now for the first time, with a set as above. Does not: flagged on both heads, whatever the others do;
 * not compared on the previous head.
 */
export function rotating(result: ClassifiedQuery, rotated: Rotation | null): Rotating | null {
  if (rotated === null || rotated.inBoth.has(flagKey(result))) return null
  return rotated.comparedBefore.has(resultKey(result)) ? rotated.evidence : null
}

function keysOf(results: readonly ClassifiedQuery[]): ReadonlySet<string> {
  return new Set(results.filter(({ outcome }) => outcome !== null).map(resultKey))
}

function flaggedIn(results: readonly ClassifiedQuery[], comparedToo: ReadonlySet<string>): Set<string> {
  return new Set(
    results.filter((result) => result.outcome === 'changed' && comparedToo.has(resultKey(result))).map(flagKey),
  )
}

function flagKey(result: ClassifiedQuery): string {
  return `${result.direction} ${resultKey(result)}`
}
