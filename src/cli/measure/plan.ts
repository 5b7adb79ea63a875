import type { Build, MeasureEnd } from '../../intake/measurement/formats/measure-file.ts'

/**
 * The plan says what comes next: a turn with its builds in order, or the end. A measurement ends by precision, never by
 * significance: it looks at the noise of each benchmark and the time left, so that no outcome makes a run longer or shorter.
 */

/** Fewer turns show no noise. */
export const FEWEST_TURNS = 5
export const MOST_TURNS = 100

/** Turns with the copy of the base, from which on what equal builds differ by counts as measured. */
const FEWEST_COPIES = 5

/** So many failed turns in a row end the measurement. */
export const FAILURES_THAT_END = 3

/** Noise of fewer turns is too uncertain to give a benchmark up for. */
const TURNS_TO_GIVE_UP = 10

export interface PlanSettings {
  /** Milliseconds of measuring. */
  readonly budget: number
  /** The noise that is wanted, a fraction. */
  readonly show: number
  /** A copy of the base is measured in some turns. */
  readonly copies: boolean
  /** Both builds are the same files: the fewest turns do. */
  readonly areEqual: boolean
  readonly seed: number
  /** The tool can run some of its benchmarks alone. */
  readonly canFilter: boolean
}

/** A benchmark that both builds have. */
export interface BenchmarkSoFar {
  readonly name: string
  /** Turns that have both builds of it. */
  readonly turns: number
  /** T of its values, moved onto each other, a fraction; null: nobody can say yet. */
  readonly noise: number | null
  /** The same of that half of the turns which is closest together: what a machine may give that is quiet from now on. */
  readonly calmNoise: number | null
}

export interface Measured {
  /** Milliseconds since the first turn began. */
  readonly elapsed: number
  /** How long each turn took, the failed ones too, in their order. Milliseconds. */
  readonly durations: readonly number[]
  /** Turns that did not fail. */
  readonly turns: number
  readonly turnsWithCopy: number
  /** Failed turns after the last that did not. */
  readonly failuresInARow: number
  readonly benchmarks: readonly BenchmarkSoFar[]
  readonly isInterrupted: boolean
}

export type Step =
  | {
      readonly kind: 'turn'
      readonly turn: number
      readonly order: readonly Build[]
      /** Names of the benchmarks to measure alone; null: all. */
      readonly only: readonly string[] | null
    }
  | { readonly kind: 'end'; readonly end: MeasureEnd }

/** The next step. Equal arguments give equal steps. */
export function nextStep(measured: Measured, settings: PlanSettings): Step {
  const end = endOf(measured, settings)
  if (end !== null) return { kind: 'end', end }
  const turn = measured.durations.length + 1
  const hasCopy = settings.copies && (measured.turnsWithCopy < FEWEST_COPIES || turn % 2 === 0)
  const open = openBenchmarks(measured, settings)
  const isPart = open.length > 0 && open.length < measured.benchmarks.length
  return {
    kind: 'turn',
    turn,
    order: shuffled(hasCopy ? ['base', 'head', 'copy'] : ['base', 'head'], settings.seed, turn),
    only: settings.canFilter && isPart && measured.turns >= FEWEST_TURNS ? open.map(({ name }) => name) : null,
  }
}

function endOf(measured: Measured, settings: PlanSettings): MeasureEnd | null {
  const { turns, turnsWithCopy, failuresInARow, durations, elapsed, benchmarks } = measured
  if (measured.isInterrupted) return 'interrupted'
  if (failuresInARow >= FAILURES_THAT_END) return 'failed'
  const hasCopies = !settings.copies || turnsWithCopy >= FEWEST_COPIES
  const mayEnd = turns >= FEWEST_TURNS && hasCopies && openBenchmarks(measured, settings).length === 0
  if (mayEnd && benchmarks.every((one) => isExact(one, settings))) return 'precise'
  if (durations.length >= mostTurns(measured, settings)) return 'turns'
  if (durations.length > 0 && elapsed + nextDuration(durations) > settings.budget) return 'budget'
  return mayEnd ? 'out-of-reach' : null
}

/** How long the next turn takes: one of two has the copy of the base. */
function nextDuration(durations: readonly number[]): number {
  return Math.max(...durations.slice(-2))
}

/** Whether its noise is as low as was asked for. */
export function isExact({ noise, turns }: BenchmarkSoFar, { show }: Pick<PlanSettings, 'show'>): boolean {
  return noise !== null && noise <= show * luck(turns)
}

/**
 * The part of the true noise that so many turns show in one of ten cases: of those that end once the noise is low, many would be lucky.
 *
 * 0.68 of 5 turns, 0.79 of 10, 0.94 of 100.
 */
function luck(turns: number): number {
  return 1 - NINE_OF_TEN / Math.sqrt(4 * (turns - 1))
}

/** In standard deviations; that of a spread of `d` degrees of freedom is its `sqrt(2 d)`th part, and two sides of n have 2 (n - 1). */
const NINE_OF_TEN = 1.2816

/** Benchmarks that are worth another turn: not exact enough yet, and the rest of the budget may make them so. */
export function openBenchmarks(measured: Measured, settings: PlanSettings): readonly BenchmarkSoFar[] {
  const left = turnsLeft(measured, settings)
  return measured.benchmarks.filter((one) => {
    if (one.turns < FEWEST_TURNS) return true
    return !isExact(one, settings) && one.noise !== null && isInReach(one, left, settings)
  })
}

/**
 * Whether a benchmark may become exact in so many turns. Noise falls with the root of the turns; a machine that was busy for a while may be
 * quiet for the rest, so that the calm half of the turns tells how much there will be.
 *
 * In reach: 12 turns of 30 %, 6 of them within 4 %. Not: 12 turns of 30 %, of which no 6 are within 20 %, and 12 more.
 */
function isInReach({ turns, calmNoise }: BenchmarkSoFar, left: number, { show }: PlanSettings): boolean {
  if (turns < TURNS_TO_GIVE_UP || calmNoise === null) return true
  const calm = turns / 2
  return calmNoise * Math.sqrt(calm / (calm + left)) <= show
}

function turnsLeft(measured: Measured, settings: PlanSettings): number {
  const { durations, elapsed } = measured
  const byTime = Math.floor((settings.budget - elapsed) / Math.max(1, nextDuration(durations)))
  return Math.max(0, Math.min(mostTurns(measured, settings) - durations.length, byTime))
}

/** Failed turns are among them: of equal builds each is made up for. */
function mostTurns({ durations, turns }: Measured, { areEqual }: PlanSettings): number {
  return areEqual ? Math.min(MOST_TURNS, FEWEST_TURNS + durations.length - turns) : MOST_TURNS
}

/** Milliseconds until the end, as far as anybody can say: noise falls with the root of the turns. */
export function timeLeft(measured: Measured, settings: PlanSettings): number {
  const most = Math.max(0, settings.budget - measured.elapsed)
  if (measured.durations.length === 0) return most
  const needed = openBenchmarks(measured, settings).map(({ noise, turns }) =>
    noise === null ? FEWEST_TURNS - turns : Math.max(1, Math.ceil(turns * ((noise / settings.show) ** 2 - 1))),
  )
  const turns = Math.min(turnsLeft(measured, settings), Math.max(0, ...needed, FEWEST_TURNS - measured.turns))
  return Math.min(most, turns * nextDuration(measured.durations))
}

/** Fisher and Yates, with a generator of the seed and the turn alone. */
function shuffled(builds: readonly Build[], seed: number, turn: number): readonly Build[] {
  const random = generator(seed + Math.imul(turn, 0x9e37_79b9))
  const order = [...builds]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1))
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}

/** Numbers from 0 to below 1: Mulberry32, by Tommy Ettinger (2017, public domain). */
function generator(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
