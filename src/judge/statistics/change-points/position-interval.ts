/** Where a step may be: positions of the first point after it, both included. */
export interface PositionInterval {
  readonly earliest: number
  readonly latest: number
}

/**
 * How much of the posterior probability the interval holds. Real noise has spikes and drifts, which the model below has
 * not, so an interval of 0.99 holds the true place less often than that: see the measured share in docs/benchmarks.md.
 */
export const POSITION_LEVEL = 0.99

/** Sums of squares below this part of all squares are 0: they are what rounding leaves of a perfect step. */
const ROUNDING = 1e-12

/**
 * Where in `values[from..to)` the one step is that `index` is the estimate for: the shortest set of places that holds
 * `POSITION_LEVEL` of the posterior probability, closed to an interval that contains `index`.
 *
 * The model: one level before and one after, the same normal noise around both, every place equally likely beforehand and
 * nothing known about levels and noise. Then a place that leaves k points before and m - k after it, with S squares around
 * the two means, has a probability proportional to `(k (m - k))^(-1/2) S^(-(m - 2)/2)`. Source: Smith, A Bayesian Approach
 * to Inference about a Change-Point in a Sequence of Random Variables, Biometrika 62 (1975).
 *
 * With fewer than four points nothing can be told from noise, and every place is possible. `from < index < to`, values
 * finite. Time `m log m`.
 */
export function positionInterval(values: ArrayLike<number>, from: number, to: number, index: number): PositionInterval {
  const count = to - from
  if (count < 4) return { earliest: from + 1, latest: to - 1 }
  return likeliestPlaces(logProbabilities(values, from, count), from + 1, index)
}

/**
 * Where one step is that several series have in common, by the model of `positionInterval`: each series says by itself how
 * likely a place is, and together they are as likely as the product. Places from `first` to `last`, both included, are
 * asked for, and none else. All series have the same length, and `0 < first <= last < length`.
 */
export function commonInterval(series: readonly Float64Array[], first: number, last: number): PositionInterval {
  const count = series[0]!.length
  if (count < 4) return { earliest: first, latest: last }
  const logs = new Float64Array(last - first + 1)
  for (const values of series) {
    const own = logProbabilities(values, 0, count).subarray(first - 1, last)
    for (const [place, log] of own.entries()) logs[place]! += log
  }
  return likeliestPlaces(logs, first, first + logs.indexOf(Math.max(...logs)))
}

/**
 * The likeliest places that hold `POSITION_LEVEL` together, closed to an interval that contains `index`. `logs` are the
 * logarithms of their probabilities, up to a constant, the first that of the position `first`.
 */
export function likeliestPlaces(logs: Float64Array, first: number, index: number): PositionInterval {
  const order = Uint32Array.from(logs, (_, i) => i).sort((a, b) => logs[b]! - logs[a]!)
  const largest = logs[order[0]!]!
  const weights = logs.map((log) => Math.exp(log - largest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let [earliest, latest, held] = [index, index, 0]
  for (const place of order) {
    if (held >= POSITION_LEVEL * total) break
    held += weights[place]!
    earliest = Math.min(earliest, first + place)
    latest = Math.max(latest, first + place)
  }
  return { earliest, latest }
}

/** The logarithm of each place's probability, up to a constant; the first place leaves one point before it. */
function logProbabilities(values: ArrayLike<number>, from: number, count: number): Float64Array {
  let mean = 0
  for (let i = 0; i < count; i += 1) mean += (values[from + i]! - mean) / (i + 1)
  let squares = 0
  for (let i = 0; i < count; i += 1) squares += (values[from + i]! - mean) ** 2
  const logs = new Float64Array(count - 1)
  // The distances from the mean sum to 0, so the sum of those before gives both levels.
  let before = 0
  for (let k = 1; k < count; k += 1) {
    before += values[from + k - 1]! - mean
    const pairs = k * (count - k)
    const around = Math.max(squares - (before * before * count) / pairs, ROUNDING * squares)
    logs[k - 1] = -0.5 * Math.log(pairs) - (squares === 0 ? 0 : ((count - 2) / 2) * Math.log(around / squares))
  }
  return logs
}
