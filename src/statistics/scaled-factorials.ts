/**
 * Factorials that do not overflow: `k! = mantissa[k] * 2 ** exponent[k]` with a mantissa in [1, 2). Scaling by powers of
 * two is exact, so the relative error grows by at most one rounding a factor: 2e-13 at 1,000!.
 */
export interface ScaledFactorials {
  readonly mantissa: Float64Array
  readonly exponent: Int32Array
}

/** The factorials of 0 to `largest`. */
export function scaledFactorials(largest: number): ScaledFactorials {
  const mantissa = new Float64Array(largest + 1)
  const exponent = new Int32Array(largest + 1)
  mantissa[0] = 1
  for (let k = 1; k <= largest; k++) {
    let value = mantissa[k - 1]! * k
    let power = exponent[k - 1]!
    while (value >= 2) {
      value /= 2
      power += 1
    }
    mantissa[k] = value
    exponent[k] = power
  }
  return { mantissa, exponent }
}
