import type { OneSidedBenchmark } from '../../../src/judge/verdict/one-sided.ts'

/** What `judgeOneSided` has to find, once more from the definition, run by run and without a thought for speed. */
export interface ByDefinition {
  readonly D: number
  readonly T: number
  readonly reach: number
  readonly k: number
  readonly N: number
}

export interface SuiteByDefinition {
  readonly results: readonly (ByDefinition | null)[]
  readonly shift: number
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(upper)]! : (sorted[upper - 1]! + sorted[upper]!) / 2
}

function q90(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = 0.9 * (sorted.length - 1)
  const below = Math.floor(place)
  return sorted[below]! * (1 - (place - below)) + (sorted[below + 1] ?? 0) * (place - below)
}

function stateAt(x: readonly number[]): { readonly d: readonly number[]; readonly window: readonly number[] } {
  const d: number[] = []
  const far: number[] = []
  let since: number[] = []
  let waiting: { readonly at: number; readonly above: boolean }[] = []
  for (const [at, value] of x.entries()) {
    d.push(Number.NaN)
    if (Number.isNaN(value)) continue
    if (since.length < 3) {
      since.push(value)
      continue
    }
    const off = value - middle(since.slice(-20))
    const noise = far.length < 5 ? 0.03 : 1.4826 * middle(far.slice(-50))
    far.push(Math.abs(off))
    d[at] = off
    if (Math.abs(off) <= Math.max(2.5 * noise, Math.log(1.02)) + 1e-12) {
      since.push(value)
      waiting = []
      continue
    }
    waiting = [...waiting.filter(({ above }) => above === off > 0), { at, above: off > 0 }]
    if (waiting.length < 3) continue
    since = waiting.map((one) => x[one.at]!)
    for (const one of waiting) d[one.at] = Number.NaN
    waiting = []
  }
  return { d, window: since.slice(-20) }
}

function common(values: readonly number[]): number {
  const isOneSided = values.every((value) => value > 0) || values.every((value) => value < 0)
  return isOneSided && values.length > 0 ? values.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]! : 0
}

/** `jobs` of three at most, each with every benchmark. */
export function judgedByDefinition(suite: readonly OneSidedBenchmark[]): SuiteByDefinition {
  const x = (value: number, { better }: OneSidedBenchmark) =>
    value > 0 ? (better === 'higher' ? -Math.log(value) : Math.log(value)) : Number.NaN
  const walks = suite.map((one) => stateAt(one.trunk.map((value) => x(value, one))))
  const suiteShift = (values: readonly number[]) => {
    const there = values.filter((value) => !Number.isNaN(value))
    return there.length >= 8 ? middle(there) : 0
  }
  const S = suite[0]!.trunk.map((_, run) => suiteShift(walks.map(({ d }) => d[run]!)))
  const ofJobs = suite.map((one, index) => {
    const { window } = walks[index]!
    return one.jobs.map((value) => (window.length < 3 ? Number.NaN : x(value, one) - middle(window)))
  })
  const jobShifts = suite[0]!.jobs.map((_, job) => suiteShift(ofJobs.map((d) => d[job]!)))
  const e = walks.map(({ d }) => d.map((off, run) => Math.abs(off - S[run]!)).filter((off) => !Number.isNaN(off)))
  const all = e.flat()
  const usual = all.length < 20 ? 0.05 : 2 * middle(all)
  const results = suite.map((_, index) => {
    const { window } = walks[index]!
    const own = e[index]!
    const N = own.length
    if (window.length < 3 || N < 2) return null
    const v = N < 3 ? 0 : Math.max(1.4826 * middle(own), (0.7 * q90(own)) / 1.645)
    const weight = N < 3 ? 0 : N
    const s = Math.max(0.0025, Math.sqrt((weight * v * v + 5 * usual * usual) / (weight + 5)))
    const D = common(ofJobs[index]!.map((d, job) => common([d, d - jobShifts[job]!])))
    const doubt = Math.max(...jobShifts.map(Math.abs)) / 3
    const se = Math.sqrt(s * s + doubt * doubt) * Math.sqrt((1 + 1.57 / window.length) / (1 + 1.57 / 12))
    const K = { 1: 8, 2: 4, 3: 3 }[jobShifts.length]!
    const k = own.filter((off) => off >= Math.abs(D) - 1e-12).length
    return { D, T: K * se, reach: Math.min(K, 4) * se, k, N }
  })
  const least = Math.max(Math.log(1.03), 4 * 1.4826 * middle(S.map(Math.abs)))
  const shift = common(jobShifts)
  return { results, shift: Math.abs(shift) > least ? shift : 0 }
}
