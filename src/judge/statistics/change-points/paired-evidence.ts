import { averagedMedian } from '../../../intake/measurement/median.ts'
import { mannWhitney } from '../mann-whitney.ts'
import { normalQuantile, normalTwoSided } from '../normal-tail.ts'
import { correlationOf, type EvidenceRow, type History, historyOf, LEAST_NOISE, medianOf } from './paired-history.ts'
import { likeliestPlaces } from './position-interval.ts'

/** A step that the pair of its row, the repetitions of that run and the levels around it show together. */
export interface EvidencedStep {
  /** Position of the row whose new side has the new level, among all rows given. */
  readonly index: number
  /** The row before it that has a value. */
  readonly lastBefore: number
  /** Positions that the first row of the new level may have, with 99%. */
  readonly earliest: number
  readonly latest: number
  /** The levels on the two sides, in the unit of the rows, and `after / before - 1`. */
  readonly before: number
  readonly after: number
  readonly step: number
  readonly pValue: number
  /** Two of the three that `pValue` is of: of the levels, and of the pair. */
  readonly pLevel: number
  readonly pPair: number
}

/**
 * Many places are looked at, so p must be far below the usual 0.05: the same as that of E-divisive. What it lets through is
 * measured in docs/benchmarks.md.
 *
 * A step: 8 rows at 20 ms, 8 at 23 ms, the row between them 11% slower in itself where rows differ by 1.2% (p = 0.00009).
 * None: the same where rows differ by 8% (p = 0.0013).
 */
const MAX_P = 0.001

/** The smallest step, as a logarithm: the smallest change of a query that is reported. A step: 20 to 21 ms. None: 20 to 20.9. */
const SMALLEST_STEP = Math.log(1.05)

/**
 * The share of the step that the pair and the nearest rows must each show: the pair has the noise of one run.
 *
 * The place of a step of 10%: the row itself differs by 6%. Not the place: by 4%.
 */
const SHOWN_SHARE = 0.5

/** Rows that the levels are of: short ones see steps close to each other, long ones small steps. */
const WIDTHS = [4, 8, 16, 32] as const
const WIDEST = 32

/** Rows on each side that must show the step themselves. None: 32 rows at 20 ms of which the last 6 are at 23 ms already. */
const NEAREST_ROWS = 6

/**
 * The smallest p-value of a rank test: rows of a history are alike for reasons that it does not know. With this limit
 * the pair must show something as well.
 *
 * Not enough: 32 rows at 20 ms, 32 at 23 ms, and a row that differs like any other.
 */
const LEAST_LEVEL_P = 0.001

/** A pair that differs by more than this many steps shows no more of it. */
const PAIR_OF_STEP = 1.5

/** Counts of rows that the rank test counts out; a step near the end of a series has few rows on one side. */
const COUNTED_ROWS = 12
const COUNTED_BESIDE_ANY = 4

/**
 * The steps that three independent witnesses show together, each of them weak alone: the pair at the step, where both sides
 * ran on one machine; the repetitions of that run; and the levels before and after. Rows are in the order of the trunk; with
 * `x = ln new`, `y = ln old`, `d = x - y`, a level `l = (x + y) / 2`, or `x` where a row is not close, and
 * `m = max(0.003, median |d|)` of the close rows. For a row `s` that is close:
 *
 * 1. Pair: `r = min(|d|, 1.5 |step|) / m`, `p = 1 - r / sqrt(r² + 3)`, Student's t with two degrees of freedom.
 * 2. Run: `p = max(0.05, erfc(1.8214 |D| / T))`; left out where there is no T.
 * 3. Levels: `p = max(0.001, Mann-Whitney)` of the rows before and after `s`, itself left out, up to 4, 8, 16 or 32 on either
 *    side and none beyond another step. `step` is the difference of their medians.
 * 4. Together by Fisher's method, at most 0.001; of the pairs of widths with all of 5 the one with the smallest p.
 * 5. The step is 5% and more, `d` has its sign and half its size, so have the medians of the six rows on each side, and no
 *    other row of the window is a better place (`fits`).
 * 6. The smallest p is a step first, and ends the windows of others; all are judged once more between their neighbours.
 * 7. From 60 rows on, where neighbouring rows are alike, all of it again with a rank test that is as much weaker.
 *
 * Source of 4: Fisher, Statistical Methods for Research Workers (1932). Rows whose new value is not finite and positive are
 * left out and keep their position. Time grows with rows times steps, and with 4,000
 * logarithms for each row that may be a step.
 */
export function pairedEvidence(rows: readonly EvidenceRow[]): EvidencedStep[] {
  const history = historyOf(rows)
  let accepted = acceptedPlaces(history, 1)
  const correlation = correlationOf(
    history,
    accepted.map(({ at }) => at),
  )
  if (correlation > 0) accepted = acceptedPlaces(history, Math.sqrt((1 - correlation) / (1 + correlation)))
  return accepted.map((place) => stepOf(history, place))
}

/** A row as a step, with the widths that show it best. */
interface Place {
  readonly at: number
  /** The window: `[from, at)` before the step, `(at, to)` after it. */
  readonly from: number
  readonly to: number
  /** The medians of the two, as logarithms. */
  readonly before: number
  readonly after: number
  readonly pValue: number
  readonly pLevel: number
  readonly pPair: number
}

/** The accepted places in the order of the rows. `weakening` multiplies the z of the rank test. */
function acceptedPlaces(history: History, weakening: number): Place[] {
  const possible = possiblePlaces(history)
  const best = possible.map((at) => placeAt(history, at, 0, history.levels.length, weakening))
  const bounds = [-1, history.levels.length]
  for (;;) {
    let first: Place | null = null
    for (const place of best) if (place !== null && place.pValue < (first?.pValue ?? 1)) first = place
    if (first === null) break
    bounds.splice(afterIn(bounds, first.at), 0, first.at)
    for (const [i, at] of possible.entries()) {
      if (Math.abs(at - first.at) > WIDEST) continue
      const next = afterIn(bounds, at)
      best[i] = bounds[next - 1] === at ? null : placeAt(history, at, bounds[next - 1]! + 1, bounds[next]!, weakening)
    }
  }
  return bounds
    .slice(1, -1)
    .map((at, i) => placeAt(history, at, bounds[i]! + 1, bounds[i + 2]!, weakening))
    .filter((place) => place !== null)
}

/** The index of the first that is greater. */
function afterIn(sorted: readonly number[], value: number): number {
  let index = 0
  while (sorted[index]! <= value) index += 1
  return index
}

/** Rows whose pair and run may be enough with levels as sure as can be. */
function possiblePlaces({ pairs, runPs, noise }: History): number[] {
  const possible: number[] = []
  for (const [at, pair] of pairs.entries()) {
    // Not a number where the row is not close.
    if (!(Math.abs(pair) >= SHOWN_SHARE * SMALLEST_STEP)) continue
    if (together(LEAST_LEVEL_P, pairP(Math.abs(pair) / noise), runPs[at]!) <= MAX_P) possible.push(at)
  }
  return possible
}

function pairP(size: number): number {
  return 1 - size / Math.sqrt(size * size + 3)
}

/** Fisher's method of two p-values, of three where there is that of the run. */
function together(pLevel: number, pPair: number, pRun: number): number {
  const hasRun = !Number.isNaN(pRun)
  const product = pLevel * pPair * (hasRun ? pRun : 1)
  const log = -Math.log(product)
  return product * (1 + log + (hasRun ? (log * log) / 2 : 0))
}

/** The place with the widths that show it best, between rows `first` (included) and `end` (excluded); null: it is no step. */
function placeAt(history: History, at: number, first: number, end: number, weakening: number): Place | null {
  const { levels, pairs, runPs, noise } = history
  if (at <= first || at >= end - 1) return null
  const pair = pairs[at]!
  const direction = Math.sign(pair)
  const near =
    medianOf(levels, at + 1, Math.min(end, at + 1 + NEAREST_ROWS)) -
    medianOf(levels, Math.max(first, at - NEAREST_ROWS), at)
  if (near * direction < SHOWN_SHARE * SMALLEST_STEP) return null
  const most = Math.min(Math.abs(pair), near * direction) / SHOWN_SHARE
  const rights = widthsOf(end - 1 - at).map((width) => ({
    to: at + 1 + width,
    after: medianOf(levels, at + 1, at + 1 + width),
  }))

  let best: Place | null = null
  for (const width of widthsOf(at - first)) {
    const from = at - width
    const before = medianOf(levels, from, at)
    for (const { to, after } of rights) {
      const size = (after - before) * direction
      if (size < SMALLEST_STEP || size > most) continue
      const pPair = pairP(Math.min(Math.abs(pair), PAIR_OF_STEP * size) / noise)
      const pLevel = levelP(levels, from, at, to, weakening)
      const pValue = together(pLevel, pPair, runPs[at]!)
      if (pValue > MAX_P || (best !== null && pValue >= best.pValue)) continue
      const place = { at, from, to, before, after, pValue, pLevel, pPair }
      if (fitsBest(history, place)) best = place
    }
  }
  return best
}

/** The widths of a level, each once: several are the same where fewer rows are left. */
function widthsOf(rows: number): number[] {
  return [...new Set(WIDTHS.map((width) => Math.min(width, rows)))]
}

function levelP(levels: Float64Array, from: number, at: number, to: number, weakening: number): number {
  const { pValue } = mannWhitney(levels.subarray(from, at), levels.subarray(at + 1, to), isCounted)
  const weakened = weakening === 1 ? pValue : normalTwoSided(weakening * -normalQuantile(pValue / 2))
  return Math.max(LEAST_LEVEL_P, weakened)
}

/** Few enough that a rank test that is asked for often counts them out. */
export function isCounted(n: number, m: number): boolean {
  return (n <= COUNTED_ROWS && m <= COUNTED_ROWS) || Math.min(n, m) <= COUNTED_BESIDE_ANY
}

function fitsBest(history: History, place: Place): boolean {
  const fit = fits(history, place)
  const own = fit[place.at - place.from]!
  return fit.every((other) => other >= own)
}

/**
 * How badly each row of the window fits as the place of this step: the sum of what the levels before it are from the
 * level before, those after it from the level after and its own from the middle, and what its pair is from the step
 * rather than from none. A negative log likelihood of Student's t with two degrees of freedom in the place of normal
 * noise: one spike decides nothing.
 */
function fits({ levels, pairs, noise }: History, { at, from, to, before, after }: Place): Float64Array {
  const residuals = levels.slice(from, to)
  for (let i = 0; i < residuals.length; i += 1)
    residuals[i] = Math.abs(residuals[i]! - (from + i < at ? before : after))
  residuals.copyWithin(at - from, at - from + 1)
  const scale = Math.max(LEAST_NOISE, averagedMedian(residuals.subarray(0, -1)))
  const fit = new Float64Array(to - from)
  let sum = 0
  for (let i = 0; i < fit.length; i += 1) {
    fit[i] = sum + misfit(levels[from + i]! - (before + after) / 2, scale)
    sum += misfit(levels[from + i]! - before, scale)
  }
  sum = 0
  for (let i = fit.length - 1; i >= 0; i -= 1) {
    fit[i]! += sum
    sum += misfit(levels[from + i]! - after, scale)
    const pair = pairs[from + i]!
    if (!Number.isNaN(pair)) fit[i]! += misfit(pair - (after - before), noise) - misfit(pair, noise)
  }
  return fit
}

function misfit(distance: number, scale: number): number {
  return 1.5 * Math.log1p((distance / scale) ** 2 / 3)
}

function stepOf(history: History, place: Place): EvidencedStep {
  const { positions } = history
  const { at, from, before, after, pValue, pLevel, pPair } = place
  const likelihoods = fits(history, place).map((misfits) => -misfits)
  const { earliest, latest } = likeliestPlaces(likelihoods, from, at)
  return {
    index: positions[at]!,
    lastBefore: positions[at - 1]!,
    // A row without a value before the earliest one may be where it happened.
    earliest: (positions[earliest - 1] ?? positions[earliest]! - 1) + 1,
    latest: positions[latest]!,
    before: Math.exp(before),
    after: Math.exp(after),
    step: Math.expm1(after - before),
    pValue,
    pLevel,
    pPair,
  }
}
