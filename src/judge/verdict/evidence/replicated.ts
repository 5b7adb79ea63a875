import type { ClassifiedQuery } from '../classified-query.ts'

/** The query moves the same way on other architectures. Speaks for the pull request as the cause. */
export interface Replicated {
  readonly kind: 'replicated'
  readonly architectures: readonly (string | null)[]
}

/** The query moves on one architecture only; narrows the claim. */
export interface OneArchitecture {
  readonly kind: 'one-architecture'
  readonly architecture: string | null
  readonly others: readonly (string | null)[]
}

/**
 * How much of the difference another architecture must show: two processes of the same build differ a little on every
 * machine, and with few repetitions each difference looks certain.
 *
 * Triggers: +18% here, +9% there. Does not: +18% here, +4% there.
 */
export const REPLICATED_SIZE = 0.5

/**
 * Does the query move the same way on the other architectures? Two machines with different processors, each with its own
 * pair of servers, share nothing but the two builds: a move seen on both is very unlikely to be the machine's.
 *
 * `replicated` triggers: slower by 18% on arm (changed) and by 9% on amd with |D| >= T. It does not: by 9% on amd with
 * |D| < T, nor faster there, nor slower by 4%, which is another move or a part of one; nor where all of amd's run is slower by
 * 8%: that says nothing of this query (`isOfItsRun`).
 *
 * `one-architecture` triggers: changed on arm, compared on amd and not significant there.
 * It does not: changed on arm and unstable on amd, where a change could not have been seen; nor changed on the only one.
 */
export function replicatedOrNot(
  decisive: ClassifiedQuery,
  results: readonly ClassifiedQuery[],
  isOfItsRun: (result: ClassifiedQuery) => boolean = () => false,
): Replicated | OneArchitecture | null {
  const others = results.filter((result) => result !== decisive && result.status === 'compared')
  if (others.length === 0) return null

  const least = REPLICATED_SIZE * Math.abs(decisive.difference ?? Number.POSITIVE_INFINITY)
  const same = others.filter(
    (other) =>
      isSignificant(other) &&
      other.direction === decisive.direction &&
      Math.abs(other.difference!) >= least &&
      !isOfItsRun(other),
  )
  if (same.length > 0) return { kind: 'replicated', architectures: same.map((other) => other.architecture) }

  // A move hidden in noise or a move the other way is not "no move": it narrows nothing.
  const still = others.filter((other) => other.outcome === 'not-significant')
  if (still.length < others.length) return null
  return {
    kind: 'one-architecture',
    architecture: decisive.architecture,
    others: others.map((other) => other.architecture),
  }
}

/** The definition of `outcome.ts`, read back from a classified row. */
function isSignificant(result: ClassifiedQuery): boolean {
  const { difference, threshold, separated } = result
  if (difference === null || threshold === null || difference === 0) return false
  return Math.abs(difference) >= threshold || separated === true
}
