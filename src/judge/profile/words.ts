import type { Unit } from '../../intake/measurement/trace-type.ts'
import { count as grouped, MINUS } from '../../text/numbers.ts'
import { type FrameChange, type FrameWeight, frameChanges, largestChanges } from './frame-changes.ts'
import type { StackDifference } from './stack-difference.ts'
import { countsSamples, FEWEST_STACK_SAMPLES } from './thresholds.ts'

/** Functions that are named: as many as are read at a glance, and fit a comment. */
const SHOWN = 5

const NBSP = '\u00a0'

/**
 * Why little can be read from a difference. `no-stacks`: a side has none. `too-few-samples`: a side has fewer than
 * `FEWEST_STACK_SAMPLES`.
 */
type Caution = 'no-stacks' | 'too-few-samples'

/** The words about two profiles. Names are text from outside, for the caller to escape. */
export interface ProfileWords {
  /** The kind of the caution; left out: there is none, or its kind is not known (in reports from before it was stored). */
  readonly caution?: Caution
  /** Sentences that the reader must know before the numbers: an empty side, too few samples. */
  readonly cautions: readonly string[]
  /** The frames whose share changed most, with everything that they call. */
  readonly total: readonly FrameWords[]
  /** The frames whose own share changed most, without what they call. */
  readonly self: readonly FrameWords[]
}

export interface FrameWords {
  readonly name: string
  /** `31% → 44%` */
  readonly change: string
  /** `+13.2 points` */
  readonly points: string
  /** Frames with the same numbers that only call this one; 0 of a frame itself. */
  readonly callers: number
  /** The counts are samples, and these differ by no more than samples of the same build may. */
  readonly withinChance: boolean
}

/**
 * The difference in words: at most five frames each. Empty where a side has no stacks, which is then the caution. `changes`: of the
 * same difference, where they are known.
 */
export function profileWords(
  difference: StackDifference,
  unit: Unit,
  changes: readonly FrameChange[] = frameChanges(difference),
): ProfileWords {
  const cautious = cautionOf(difference, unit)
  if (cautious.caution === 'no-stacks') return { ...cautious, total: [], self: [] }
  const judged = countsSamples(difference, unit)
  const words = (kind: 'self' | 'total') =>
    largestChanges(changes, kind, SHOWN).map((change) => frameWords(change, kind, judged))
  return { ...cautious, total: words('total'), self: words('self') }
}

function cautionOf(difference: StackDifference, unit: Unit): Pick<ProfileWords, 'caution' | 'cautions'> {
  const sides = [
    ['old', difference.old],
    ['new', difference.new],
  ] as const
  const empty = sides.filter(([, { sum }]) => sum === 0).map(([side]) => side)
  if (empty.length === 2) return { caution: 'no-stacks', cautions: ['Neither side has stacks.'] }
  if (empty.length === 1) {
    const words = `The ${empty[0]} side has no stacks, so there is nothing to compare.`
    return { caution: 'no-stacks', cautions: [words] }
  }
  if (!countsSamples(difference, unit)) return { cautions: [] }
  const few = sides.filter(([, { sum }]) => sum < FEWEST_STACK_SAMPLES)
  if (few.length === 0) return { cautions: [] }
  const counts = few.map(([side, { sum }]) => `${grouped(sum)} on the ${side} side`).join(' and ')
  const words = `Too few stack samples to compare shares, ${counts}: with fewer than ${FEWEST_STACK_SAMPLES}, they often differ by chance.`
  return { caution: 'too-few-samples', cautions: [words] }
}

/** Two shares, fractions: `31% → 44%`. */
export function shareChange({ oldShare, newShare }: Pick<FrameWeight, 'oldShare' | 'newShare'>): string {
  const digits = digitsFor({ oldShare, newShare })
  return `${percent(oldShare, digits)} → ${percent(newShare, digits)}`
}

function frameWords(change: FrameChange, kind: 'self' | 'total', judged: boolean): FrameWords {
  const weight = change[kind]
  const digits = digitsFor(weight)
  const points = (weight.newShare - weight.oldShare) * 100
  return {
    name: change.name,
    change: shareChange(weight),
    points: `${points > 0 ? '+' : MINUS}${Math.abs(points).toFixed(digits + 1)}${NBSP}points`,
    callers: kind === 'total' ? change.callers : 0,
    withinChance: judged && !weight.beyondChance,
  }
}

/** Decimals that the change and the smaller share need to be seen: `31% → 44%`, `0.4% → 5.1%`. */
function digitsFor({ oldShare, newShare }: Pick<FrameWeight, 'oldShare' | 'newShare'>): number {
  const parts = [Math.abs(newShare - oldShare), oldShare, newShare].filter((share) => share > 0)
  const smallest = Math.min(...parts)
  return smallest >= 0.01 ? 0 : smallest >= 0.001 ? 1 : 2
}

function percent(share: number, digits: number): string {
  return `${share === 0 ? '0' : (share * 100).toFixed(digits)}%`
}
