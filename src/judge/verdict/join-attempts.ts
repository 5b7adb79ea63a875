import { median } from '../../intake/measurement/median.ts'
import { type Measurement, resultKey } from '../../intake/measurement/run.ts'
import { testStrata } from '../statistics/strata.ts'
import type { ClassifiedQuery } from './classified-query.ts'
import { canCompare } from './classify.ts'
import { directionOf } from './direction.ts'
import { mayBeChance } from './facts.ts'
import { outcomeOf, reaches } from './outcome.ts'
import { processCounts } from './processes.ts'
import { closeCall, ONE_OVERLAPS } from './second-look.ts'
import { isOwnThreshold } from './thresholds.ts'

/**
 * What may come by chance alone after `k` attempts. Whoever looks after each attempt looks `k` times, and of three looks at 1% each
 * chance passes about 2%.
 *
 * Counts: p = 0.004 after the second attempt. Does not: p = 0.006.
 */
const LEVEL = 0.01

/** The measurements of attempts by the results that they are of. `unnamed`: the architecture of those that state none. */
export function attemptsByResult(
  attempts: readonly (readonly Measurement[])[],
  unnamed: string | null = null,
): (result: ClassifiedQuery) => readonly Measurement[] {
  const keyOf = (one: Measurement | ClassifiedQuery) =>
    JSON.stringify([resultKey({ ...one, architecture: one.architecture ?? unnamed }), one.metric])
  const found = Map.groupBy(attempts.flat(), keyOf)
  return (result) => found.get(keyOf(result)) ?? []
}

/**
 * The newest attempt of a query tested together with those before it: different machines, never pooled (`judge/statistics/strata.ts`).
 * It settles what no attempt has changed, and what changed in the newest and may be chance. What an earlier attempt alone
 * called changed stays with that one, as `report/earlier-attempts.ts` has it.
 *
 * Repetitions of one process are not joined: the test takes two processes for equal, which a second job does not make them.
 */
export function joinAttempts(
  result: ClassifiedQuery,
  newest: Measurement,
  earlier: readonly Measurement[],
): ClassifiedQuery {
  const { changedThreshold, unstableThreshold } = result
  const attempts = [...earlier, newest]
  if (earlier.length === 0 || result.outcome === null || changedThreshold === null || unstableThreshold === null)
    return result
  const isDoubtful = result.outcome === 'changed' && mayBeChance(result)
  if ((result.outcome === 'changed' && !isDoubtful) || !attempts.every(isJoinable)) return result
  // a mean is no further off than the furthest of them
  const mayShow = attempts.some(({ old, new: fresh }) => {
    return reaches(Math.abs(median(fresh) / median(old) - 1), changedThreshold)
  })
  if (result.outcome !== 'unstable' && !mayShow) return result
  const { test, used } = testStrata(attempts)
  const last = used.at(-1)
  if (test === 'none' || test === 'disagree' || used.length < 2 || last?.index !== attempts.length - 1) return result
  const changedAlone = used.filter(
    ({ isSignificant, logRatio }) => isSignificant && reaches(Math.abs(Math.expm1(logRatio)), changedThreshold),
  )
  const isOpen = isDoubtful ? changedAlone.every((one) => one === last) : changedAlone.length === 0
  if (!isOpen) return result

  const isRare = test.separated || test.pValue <= LEVEL / used.length
  const difference = isRare ? test.difference : 0
  const noise = isOwnThreshold(result.unstableThresholdSource ?? 'floor')
    ? test.threshold
    : noiseOf(
        used.map(({ index }) => attempts[index]!),
        test.threshold,
        unstableThreshold,
      )
  const joined = { difference, threshold: test.threshold, separated: test.separated, noise }
  const outcome = outcomeOf(joined, changedThreshold, unstableThreshold)
  // the newest stays as it is where the others do not show what it has changed
  if (isDoubtful && outcome !== 'changed') return result
  const { couldHide, leans: _leans, centredThreshold: _ofNewest, ...settled } = result
  const together: ClassifiedQuery = {
    ...settled,
    // said of the newest alone it is too much rather than too little
    ...(outcome === 'unstable' && couldHide !== undefined && { couldHide }),
    outcome,
    difference: test.difference,
    threshold: test.threshold,
    pValue: test.pValue,
    rankPValue: test.rankPValue,
    qValue: null,
    separated: test.separated,
    direction: directionOf(test.difference, newest.better),
    attempts: used.length,
  }
  // what asked for another attempt asks on where the joined ranks do
  return closeCall(together)?.leans === true ? { ...together, leans: ONE_OVERLAPS } : together
}

/** T of the attempts without their differences, which swell it; it is asked for only where T itself would be too much. */
function noiseOf(attempts: readonly Measurement[], threshold: number, unstableThreshold: number): number {
  if (!reaches(threshold, unstableThreshold)) return threshold
  const centred = attempts.map(({ old, new: fresh }) => {
    const ratio = median(old) / median(fresh)
    return { old, new: fresh.map((value) => value * ratio) }
  })
  const { test } = testStrata(centred)
  return typeof test === 'string' ? threshold : test.threshold
}

function isJoinable(measurement: Measurement): boolean {
  const { given, comparison, notes = [] } = measurement
  if (given !== undefined || comparison !== undefined || notes.includes('counted')) return false
  return canCompare(measurement) && processCounts(measurement) === null
}
