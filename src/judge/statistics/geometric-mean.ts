/**
 * The geometric mean of positive numbers, as of ratios: twice as slow and twice as fast are 1 together. Null where there is none.
 *
 * 0.5, 2 and 8 are 2.
 */
export function geometricMean(values: readonly number[]): number | null {
  if (values.length === 0) return null
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
