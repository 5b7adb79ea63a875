/**
 * `P(|Z| >= z)` of the standard normal distribution for `z >= 0`, with a relative error below 1.2e-7 everywhere. Source:
 * Press et al., Numerical Recipes (2007), section 6.2.2, the Chebyshev fit `erfcc` for the complementary error function.
 */
export function normalTwoSided(z: number): number {
  const x = z / Math.SQRT2
  const t = 2 / (2 + x)
  const fit = COEFFICIENTS.reduceRight((sum, coefficient) => coefficient + t * sum, 0)
  return t * Math.exp(-x * x + fit)
}

const COEFFICIENTS = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
  0.17087277,
]
