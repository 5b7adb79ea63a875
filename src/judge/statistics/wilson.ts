export interface Interval {
  readonly low: number
  readonly high: number
}

/**
 * Wilson's score interval of a share: between which true shares `failed` of `runs` lies within `z` standard deviations.
 * Unlike the simple interval it stays inside 0 and 1 and says something where nothing or everything failed. `z` 1.96 is
 * 95%. Without runs it is 0 to 1.
 *
 * 8 of 400: 1.0 to 3.9%. 0 of 59: 0 to 6.1%.
 *
 * Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
 * Statistical Association 22 (1927), 209-212. Throws a RangeError where `failed` is not between 0 and `runs`.
 */
export function wilsonInterval(failed: number, runs: number, z = 1.96): Interval {
  if (!(failed >= 0 && failed <= runs)) throw new RangeError(`${failed} of ${runs} is not a share`)
  if (runs === 0) return { low: 0, high: 1 }
  const share = failed / runs
  const weight = (z * z) / runs
  const middle = (share + weight / 2) / (1 + weight)
  const half = (z * Math.sqrt((share * (1 - share)) / runs + weight / (4 * runs))) / (1 + weight)
  // A limit at an end is exact; rounding would leave it beside 0 or 1.
  return { low: failed === 0 ? 0 : middle - half, high: failed === runs ? 1 : middle + half }
}
