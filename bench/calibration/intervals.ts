import { type Interval, wilsonInterval } from '../../src/judge/statistics/wilson.ts'
import { seeded } from './seeded.ts'

/** How many of the queries of one run were called something. */
export interface RunShare {
  readonly found: number
  readonly queries: number
}

export interface Rate extends RunShare {
  /** Runs with none, with one, with two … */
  readonly runsByCount: readonly number[]
  /** Wilson's 95% interval, as if every query of every run were by itself. */
  readonly wilson: Interval
  /** 95% interval over whole runs: null with fewer than two. */
  readonly ofRuns: Interval | null
}

const RESAMPLES = 10_000
const SEED = 20_261_121

/**
 * The share over all runs with two intervals. The queries of one run share a machine and its moments, so that they may be
 * flagged together: Wilson's interval takes them for independent of each other and may be too narrow. The other one draws
 * whole runs with replacement, 10,000 times, and takes the 0.025 and 0.975 quantiles of their shares (the percentile
 * bootstrap over clusters; Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8). It says
 * nothing where no run has any.
 */
export function rateOf(runs: readonly RunShare[]): Rate {
  const found = sum(runs.map((run) => run.found))
  const queries = sum(runs.map((run) => run.queries))
  const most = runs.reduce((largest, run) => Math.max(largest, run.found), 0)
  return {
    found,
    queries,
    runsByCount: Array.from({ length: most + 1 }, (_, times) => runs.filter((run) => run.found === times).length),
    wilson: wilsonInterval(found, queries),
    ofRuns: runs.length < 2 ? null : bootstrap(runs),
  }
}

function bootstrap(runs: readonly RunShare[]): Interval {
  const random = seeded(SEED)
  const shares = Float64Array.from({ length: RESAMPLES }, () => {
    let [found, queries] = [0, 0]
    for (let i = 0; i < runs.length; i += 1) {
      const run = runs[Math.floor(random() * runs.length)]!
      found += run.found
      queries += run.queries
    }
    return found / queries
  }).sort()
  return { low: shares[Math.floor(0.025 * RESAMPLES)]!, high: shares[Math.ceil(0.975 * RESAMPLES) - 1]! }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
