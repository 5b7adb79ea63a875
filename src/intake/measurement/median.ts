/**
 * The element at index floor(count/2) of the sorted values, as ClickHouse's `medianExact` takes it: always a measured
 * value, the upper middle one where the count is even. In the unit of the values, which must be finite.
 *
 * Throws a RangeError without values.
 */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the median of no values is not defined')
  // a published median stands alone, and a run may have 360,000 of them
  if (values.length === 1) return values[0]!
  return Float64Array.from(values).sort()[Math.floor(values.length / 2)]!
}

/**
 * The usual median: of an even count the mean of the middle two. In the unit of the values, which must be finite and are
 * sorted in place.
 *
 * NaN without values.
 */
export function averagedMedian(values: Float64Array): number {
  values.sort()
  const upper = values.length >>> 1
  return values.length % 2 === 1 ? values[upper]! : (values[upper - 1]! + values[upper]!) / 2
}
