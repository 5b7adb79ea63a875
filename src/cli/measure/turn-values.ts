import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import type { Build, MeasureFile } from '../../intake/measurement/formats/measure-file.ts'
import { median } from '../../intake/measurement/median.ts'
import { type Measurement, PRIMARY_METRIC, type QueryId } from '../../intake/measurement/run.ts'
import { canRandomize, centredThreshold } from '../../judge/statistics/randomization-test.ts'
import { type BenchmarkSoFar, FEWEST_TURNS } from './plan.ts'

/** The values of all turns: of each benchmark and metric one a turn and build. What a process measured more than once is its median. */

/** What a turn gave of each build. */
export type TurnOutputs = ReadonlyMap<Build, readonly Measurement[]>

interface Series extends QueryId {
  readonly metric: string
  readonly architecture: string | null
  /** By turn. */
  readonly values: Readonly<Record<Build, ReadonlyMap<number, number>>>
}

/** The series of these turns, in the order in which they are first met. */
export function seriesOf(turns: readonly TurnOutputs[]): readonly Series[] {
  const all = new Map<string, Series & { readonly values: Record<Build, Map<number, number>> }>()
  for (const [turn, outputs] of turns.entries()) {
    for (const [build, measurements] of outputs) {
      for (const one of measurements) {
        const value = valueOf(one)
        if (value === null) continue
        const { test, queryIndex, queryName, metric, architecture } = one
        const key = JSON.stringify([test, queryIndex, queryName, metric, architecture])
        const known = all.get(key) ?? {
          test,
          queryIndex,
          queryName,
          metric,
          architecture,
          values: { base: new Map(), head: new Map(), copy: new Map() },
        }
        all.set(key, known)
        known.values[build].set(turn, value)
      }
    }
  }
  return [...all.values()]
}

/** The side that an output is of is the one that has samples. */
function valueOf({ old, new: fresh }: Measurement): number | null {
  const samples = old.length > 0 ? old : fresh
  return samples.length > 0 && samples.every(Number.isFinite) ? median(samples) : null
}

/** The benchmarks that both builds have, by the metric that decides, with their noise so far. */
export function benchmarksIn(series: readonly Series[]): readonly BenchmarkSoFar[] {
  const both = series.filter(({ values: { base, head } }) => base.size > 0 && head.size > 0)
  const decides = decidingMetric(PRIMARY_METRIC, both)
  return both
    .filter(({ metric }) => metric === decides)
    .map(({ test, queryName, values: { base, head } }) => {
      const pairs = [...base].flatMap(([turn, value]) => {
        const other = head.get(turn)
        return other === undefined ? [] : [[value, other] as const]
      })
      return {
        name: queryName ?? test,
        turns: pairs.length,
        noise: noiseOf(pairs),
        calmNoise: noiseOf(calmHalf(pairs)),
      }
    })
}

type Pair = readonly [base: number, head: number]

/** The half of the turns, of five and more, whose sums are closest together. */
function calmHalf(pairs: readonly Pair[]): readonly Pair[] {
  const size = Math.max(FEWEST_TURNS, Math.ceil(pairs.length / 2))
  const sumOf = (pair: Pair | undefined) => (pair === undefined ? Number.NaN : pair[0] + pair[1])
  const sorted = pairs.toSorted((a, b) => sumOf(a) - sumOf(b))
  const width = (from: number) => sumOf(sorted[from + size - 1]) - sumOf(sorted[from])
  const starts = Array.from({ length: Math.max(1, sorted.length - size + 1) }, (_, from) => from)
  const start = starts.reduce((best, from) => (width(from) < width(best) ? from : best))
  return sorted.slice(start, start + size)
}

/** T of both sides, the new ones moved onto the old: a change is no noise. null: nobody can say. */
function noiseOf(pairs: readonly Pair[]): number | null {
  if (pairs.length < FEWEST_TURNS || !canRandomize(pairs.length, pairs.length)) return null
  const noise = centredThreshold(
    pairs.map(([base]) => base),
    pairs.map(([, head]) => head),
  )
  return Number.isFinite(noise) ? noise : null
}

/** What the base and its copy gave in the turns that have both. */
export function equalBuildsIn(series: readonly Series[]): MeasureFile['equalBuilds'] {
  return series.flatMap(({ values: { base, copy }, ...id }) => {
    const turns = [...copy.keys()].filter((turn) => base.has(turn))
    if (turns.length === 0) return []
    return [{ ...id, base: turns.map((turn) => base.get(turn)!), copy: turns.map((turn) => copy.get(turn)!) }]
  })
}
