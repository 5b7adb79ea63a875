/**
 * The chance of `times` or more in `runs` independent runs that have it with `share` each.
 *
 * 2 or more of 23 at 1%: 0.0222.
 *
 * Throws a RangeError where the numbers can't be of runs.
 */
export function binomialTail(times: number, runs: number, share: number): number {
  if (!(times >= 0 && times <= runs && share >= 0 && share < 1)) {
    throw new RangeError(`${times} of ${runs} runs at ${share} is no draw`)
  }
  let chance = (1 - share) ** runs
  let fewer = 0
  for (let k = 0; k < times; k += 1) {
    fewer += chance
    chance *= ((runs - k) * share) / ((k + 1) * (1 - share))
  }
  return Math.max(0, 1 - fewer)
}
