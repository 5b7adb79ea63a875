import { parseArgs } from 'node:util'
import { changePoints } from '../src/judge/statistics/change-points/change-points.ts'
import { wilsonInterval } from '../src/judge/statistics/wilson.ts'
import { judgeOneSided, type OneSidedBenchmark } from '../src/judge/verdict/one-sided.ts'
import { recordedSuites, type Suite } from './one-sided/histories.ts'
import { exceedsRatio, exceedsTTest } from './one-sided/other-rules.ts'

/**
 * How often a run of the head alone is called slower where nothing changed, and how often a planted slowdown is found, beside
 * other tools: the figures of docs/benchmarks.md. Repeat with `node bench/one-sided.ts --data FOLDER`.
 */

/** Runs of the trunk before a head is judged. */
const LEAST_TRUNK = 20
const MOST_TRUNK = 100
const PLANTED = [1, 1.1, 1.2, 1.5, 2] as const

/** Runs this near to a lasting step of the series are no unchanged ones. */
const NEAR_STEP = 2

export interface Rates {
  readonly name: string
  /** Heads times benchmarks. */
  readonly judged: number
  /** By the planted factor: called slower by two jobs; of factor 1 these are false. */
  readonly slower: Readonly<Record<string, number>>
  /** After one job: a rerun is asked for. */
  readonly reruns: number
  /** One value by other rules, of factor 1. */
  readonly ratio200: number
  readonly ratio110: number
  readonly tTest: number
}

/** Whether so many runs of a series from one on are near none of its lasting steps. */
export function unchangedIn({ series, changes }: Suite, jobs: number): (which: number, run: number) => boolean {
  const steps = series.map(({ values }) => changes ?? changePoints(values).map(({ index }) => index))
  return (which, run) => steps[which]!.every((step) => run + jobs - 1 < step - NEAR_STEP || run > step + NEAR_STEP)
}

/** Each two runs in a row are two jobs of a head that changes nothing, those before them its trunk. */
export function ratesOf(suite: Suite): Rates {
  const { name, series } = suite
  const runs = Math.max(...series.map(({ values }) => values.length))
  const isUnchanged = unchangedIn(suite, 2)
  let [judged, reruns, ratio200, ratio110, tTest] = [0, 0, 0, 0, 0]
  const slower: Record<string, number> = Object.fromEntries(PLANTED.map((factor) => [factor, 0]))
  for (let run = LEAST_TRUNK; run + 1 < runs; run += 1) {
    const benchmarks = series.map(({ values, better }): OneSidedBenchmark => {
      return {
        trunk: values.slice(Math.max(0, run - MOST_TRUNK), run),
        jobs: values.slice(run, run + 2),
        better,
        isCount: false,
      }
    })
    const counted = benchmarks.flatMap(({ trunk, jobs }, which) => {
      const isMeasured = trunk.filter(Number.isFinite).length >= LEAST_TRUNK && jobs.every(Number.isFinite)
      return isMeasured && isUnchanged(which, run) ? [which] : []
    })
    judged += counted.length
    const first = judgeOneSided(benchmarks.map((one) => ({ ...one, jobs: one.jobs.slice(0, 1) }))).results
    for (const which of counted) {
      const { outcome } = first[which]!
      if (outcome === 'slower' || outcome === 'rerun') reruns += 1
      const { better } = benchmarks[which]!
      const worse = (value: number) => (better === 'higher' ? 1 / value : value)
      const trunk = benchmarks[which]!.trunk.filter(Number.isFinite).map(worse)
      const value = worse(benchmarks[which]!.jobs[0]!)
      if (exceedsRatio(trunk.at(-1)!, value, 2)) ratio200 += 1
      if (exceedsRatio(trunk.at(-1)!, value, 1.1)) ratio110 += 1
      if (exceedsTTest(trunk, value)) tTest += 1
    }
    for (const factor of PLANTED) {
      // one benchmark at a time: a slowdown of many at once is the suite's
      for (const which of factor === 1 ? [null] : counted) {
        const slowed = benchmarks.map((one, at) =>
          at === which
            ? { ...one, jobs: one.jobs.map((value) => (one.better === 'higher' ? value / factor : value * factor)) }
            : one,
        )
        const { results } = judgeOneSided(slowed)
        const found = which === null ? counted : [which]
        slower[factor]! += found.filter((at) => results[at]!.outcome === 'slower').length
      }
    }
  }
  return { name, judged, slower, reruns, ratio200, ratio110, tTest }
}

/** Benchmarks of one level each with normal noise between jobs, the same at each start. */
export function simulatedSuite(name: string, noise: number, benchmarks: number, runs: number, seed: number): Suite {
  let state = seed
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  const series = Array.from({ length: benchmarks }, () => ({
    values: Array.from({ length: runs }, () => 100 * Math.exp(noise * normal())),
    better: 'lower' as const,
  }))
  return { name, series, changes: [] }
}

export function pooled(name: string, rates: readonly Rates[]): Rates {
  const sum = (of: (rate: Rates) => number) => rates.reduce((total, rate) => total + of(rate), 0)
  return {
    name,
    judged: sum(({ judged }) => judged),
    slower: Object.fromEntries(PLANTED.map((factor) => [factor, sum(({ slower }) => slower[factor]!)])),
    reruns: sum(({ reruns }) => reruns),
    ratio200: sum(({ ratio200 }) => ratio200),
    ratio110: sum(({ ratio110 }) => ratio110),
    tTest: sum(({ tTest }) => tTest),
  }
}

function percent(part: number, of: number): string {
  return of === 0 ? '–' : `${((100 * part) / of).toFixed(2)}%`
}

function line({ name, judged, slower, reruns, ratio200, ratio110, tTest }: Rates): string {
  const found = PLANTED.slice(1).map((factor) =>
    judged === 0 ? '–' : `${Math.round((100 * slower[factor]!) / judged)}%`,
  )
  const others = [reruns, ratio200, ratio110, tTest].map((count) => percent(count, judged))
  return `| ${[name, judged, percent(slower[1]!, judged), ...found, ...others].join(' | ')} |`
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { data: { type: 'string', default: '' } } })
  const data = values.data === '' ? new URL('../test/data/', import.meta.url) : new URL(`file://${values.data}/`)
  const recorded = recordedSuites(data).map(ratesOf)
  const simulated = [0.01, 0.03, 0.1].map((noise) =>
    ratesOf(simulatedSuite(`simulated, ${noise * 100}%`, noise, 60, 40, 1 + noise * 1000)),
  )
  console.log(
    '| history | heads × benchmarks | false | +10% | +20% | +50% | +100% | rerun after one job | ratio 200% | ratio 110% | t-test |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
  for (const rate of recorded) console.log(line(rate))
  const all = pooled('all recorded', recorded)
  console.log(line(all))
  for (const rate of simulated) console.log(line(rate))
  const { low, high } = wilsonInterval(all.slower[1]!, all.judged)
  console.log(
    `\nfalse of all recorded: ${all.slower[1]!} of ${all.judged}, 95% interval ${percent(low, 1)} to ${percent(high, 1)}`,
  )
}
