import type { Measurement } from '../../src/intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../src/judge/verdict/classified-query.ts'
import { classify } from '../../src/judge/verdict/classify.ts'
import { attemptsByResult, joinAttempts } from '../../src/judge/verdict/join-attempts.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'

interface Counted {
  readonly unstable: number
  readonly slower: number
  readonly faster: number
}

/** Pairs of runs of the same queries: what each says alone, and what the second one says with the first. */
export interface Attempts {
  readonly factor: number
  readonly pairs: number
  readonly queries: number
  readonly first: Counted
  readonly second: Counted
  readonly together: Counted
}

/** All new samples times `factor`: a row is classified and joined by itself, whatever the others do. */
export function joinedOf(
  pairs: readonly (readonly [readonly Measurement[], readonly Measurement[]])[],
  factor: number,
): Attempts {
  const slowed = (run: readonly Measurement[]) =>
    run.map((one) => ({ ...one, new: one.new.map((value) => value * factor) }))
  const judged = pairs.map(([one, other]) => {
    const [earlier, newest] = [slowed(one), slowed(other)]
    const [first, second] = [classify(earlier, DEFAULT_THRESHOLDS), classify(newest, DEFAULT_THRESHOLDS)]
    const [earlierOf, newestOf] = [attemptsByResult([earlier]), attemptsByResult([newest])]
    const together = second.map((row) => joinAttempts(row, newestOf(row)[0]!, earlierOf(row)))
    return { first, second, together }
  })
  return {
    factor,
    pairs: pairs.length,
    queries: judged.flatMap(({ together }) => together).length,
    first: counted(judged.flatMap(({ first }) => first)),
    second: counted(judged.flatMap(({ second }) => second)),
    together: counted(judged.flatMap(({ together }) => together)),
  }
}

function counted(rows: readonly ClassifiedQuery[]): Counted {
  const changed = rows.filter(({ outcome }) => outcome === 'changed')
  return {
    unstable: rows.filter(({ outcome }) => outcome === 'unstable').length,
    slower: changed.filter(({ direction }) => direction === 'slower').length,
    faster: changed.filter(({ direction }) => direction === 'faster').length,
  }
}
