import type { Measurement, Side } from '../../intake/measurement/run.ts'
import {
  type ErrorPrior,
  errorPrior,
  type PairedDifference,
  pairedDifference,
  pairedPValue,
} from '../statistics/paired-difference.ts'
import type { ClassifiedQuery, Leaning } from './classified-query.ts'
import { hasOneLevel, RULED_OUT } from './could-hide.ts'
import { directionOf } from './direction.ts'
import { reaches } from './outcome.ts'
import { byProcess } from './processes.ts'

/**
 * The rank p up to which a row that misses T asks for another measurement.
 *
 * Asks: 7 + 7 of which one pair is in the other order and T is missed (0.0012). Does not: 7 + 7 with 12 pairs in the other order (0.13).
 */
export const OVERLAP_P = 0.02

export const ONE_OVERLAPS = { reason: 'one-repetition-overlaps' } as const

/**
 * The p of the paired look up to which an unstable row asks for another measurement. Of 2,380 pairs of 7 + 7 of one build that
 * gives 0.3% more rows that ask, and it finds 72% of planted slowdowns of 20%, where 55% were found without.
 */
export const LEANING_P = 0.002

/**
 * The row is as far off as a change, in neither way significant, and steady by itself. `leans`: it is slower, and its ranks say that
 * this is no chance.
 *
 * Close: +20%, T 24%, and 6% centred. Not: +4%; +20% of samples that vary by 30%, which is unstable.
 */
export function closeCall({
  outcome,
  difference,
  direction,
  rankPValue,
  changedThreshold,
}: ClassifiedQuery): { readonly leans: boolean } | null {
  if (outcome !== 'not-significant' || !reaches(Math.abs(difference!), changedThreshold!)) return null
  return { leans: direction === 'slower' && rankPValue !== null && rankPValue <= OVERLAP_P }
}

/** Of an interval of 90%, as tests of equivalence have it: a slowdown of just so much is ruled out in one of twenty cases. */
const INTERVAL_P = 0.1

/** Rows that are asked are noisier than the others: what those vary by would make these too sure. */
const ITS_OWN: ErrorPrior = { degrees: 0, squaredError: 0 }

/**
 * Looks once more at rows that show no change and leave one open, where they were measured in turns: pair by pair, which takes out what
 * both samples of a pair share. Of a row that is slower, also by the noise that the run's other rows of that metric and architecture
 * have, it asks for another measurement; of one that is not it may rule a slowdown out, by its own noise alone. It never accuses: servers
 * in turns are one process a side, and what makes those differ is in all pairs.
 *
 * `rows` are those of `measurements`, in their order.
 */
export function withSecondLooks(
  measurements: readonly Measurement[],
  rows: readonly ClassifiedQuery[],
): readonly ClassifiedQuery[] {
  if (!rows.some(isAsked)) return rows
  const looks = rows.map((row, index) => ({ row, paired: pairedIn(row, measurements[index]!) }))
  const families = Map.groupBy(looks, ({ row }) => familyOf(row))
  const priors = new Map(
    [...families].map(([family, ofFamily]) => [family, errorPrior(ofFamily.flatMap(({ paired }) => paired ?? []))]),
  )
  return looks.map(({ row, paired }, index) => {
    if (paired === null || !isAsked(row)) return row
    const prior = priors.get(familyOf(row))!
    const leans = leaningOf(row, paired, prior)
    if (leans !== null) return { ...row, leans }
    return isRuledOut(row, measurements[index]!, paired)
      ? { ...row, couldHide: { ...row.couldHide!, ruledOut: RULED_OUT, ruledOutBy: 'pairs' } }
      : row
  })
}

function leaningOf(row: ClassifiedQuery, paired: PairedDifference, prior: ErrorPrior): Leaning | null {
  const pValue = pairedPValue(paired, prior)
  const difference = Math.expm1(paired.logRatio)
  if (pValue === null || pValue > LEANING_P || directionOf(difference, row.better) !== 'slower') return null
  return reaches(Math.abs(difference), row.changedThreshold!) ? { reason: 'leans-slower', difference, pValue } : null
}

/** Half of the throughput is twice the time: a slowdown of a rate lies below its logarithm of 0. */
function isRuledOut({ better, couldHide }: ClassifiedQuery, measured: Measurement, paired: PairedDifference): boolean {
  if (couldHide === undefined || !hasOneLevel(byProcess(measured))) return false
  const slowed = (better === 'higher' ? -1 : 1) * Math.log1p(RULED_OUT)
  const isBelow = better === 'higher' ? paired.logRatio > slowed : paired.logRatio < slowed
  const pValue = pairedPValue(paired, ITS_OWN, slowed)
  return isBelow && pValue !== null && pValue <= INTERVAL_P
}

function familyOf({ architecture, metric }: ClassifiedQuery): string {
  return JSON.stringify([architecture, metric])
}

function isAsked(row: ClassifiedQuery): boolean {
  return row.outcome === 'unstable' || (row.leans === undefined && closeCall(row) !== null)
}

function pairedIn(row: ClassifiedQuery, measured: Measurement): PairedDifference | null {
  if (row.pValue === null || row.notes.includes('one-process')) return null
  const sides = inTurns(byProcess(measured))
  return sides === null ? null : pairedDifference(sides.old, sides.new)
}

/**
 * The samples of both sides in the order of time, where they were measured in turns: between two of one side stands one of the
 * other. Null: they were not, or nobody knows.
 */
export function inTurns({ clock, taken, ...measurement }: Measurement): Record<Side, readonly number[]> | null {
  const { old, new: fresh } = measurement
  if (clock !== true || old.length !== fresh.length) return null
  const [ofOld, ofNew] = [taken?.old?.places, taken?.new?.places]
  // the source has measured them by turns, as they stand
  if (ofOld === undefined && ofNew === undefined) return { old, new: fresh }
  if (ofOld === undefined || ofNew === undefined) return null
  const placed = (['old', 'new'] as const)
    .flatMap((side) =>
      measurement[side].map((value, index) => ({ side, value, place: (side === 'old' ? ofOld : ofNew)[index]! })),
    )
    .sort((a, b) => a.place - b.place)
  // two of a round may come in either order, so that two of one side may stand together, and never three
  const isInTurns = placed.every(({ side }, index) => index % 2 === 0 || placed[index - 1]!.side !== side)
  if (!isInTurns) return null
  const of = (wanted: Side) => placed.flatMap(({ side, value }) => (side === wanted ? [value] : []))
  return { old: of('old'), new: of('new') }
}
