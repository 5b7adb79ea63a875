/**
 * Values of a query log are whole numbers from 0 to 2^53. A bin is one number below 2,048, and above it a 1,024th of the way
 * from one power of two to the next, so that two bytes hold any of them: 1,500 is itself, 3,000,001 is 2,998,272.
 */

const EXACT = 2048
const EXACT_BITS = 11
/** Bits behind the leading one that are kept: a relative width of at most 2^-10. */
const KEPT_BITS = 10
const LARGEST = 2 ** 53

/** A bin for each exact value, then the logarithmic ones, then that of 2^53. */
export const BINS = EXACT + (53 - EXACT_BITS) * 2 ** KEPT_BITS + 1

/** In the place of the bin of a value that is none: NaN, negative, above 2^53. */
export const BAD = 0xffff

const double = new Float64Array(1)
/** The same eight bytes; the upper half, with the exponent, stands second on machines that are little-endian, as all are. */
const halves = new Uint32Array(double.buffer)

export function binOf(value: number): number {
  // NaN is not at least 0
  if (!(value >= 0) || value > LARGEST) return BAD
  if (value < EXACT) return Math.floor(value)
  double[0] = value
  const upper = halves[1]!
  const exponent = (upper >>> 20) - 1023
  const mantissa = (upper >>> (20 - KEPT_BITS)) & (2 ** KEPT_BITS - 1)
  return EXACT + (exponent - EXACT_BITS) * 2 ** KEPT_BITS + mantissa
}

/** The smallest value in a bin. */
export function lowerEdge(bin: number): number {
  if (bin < EXACT) return bin
  return (2 ** KEPT_BITS + ((bin - EXACT) & (2 ** KEPT_BITS - 1))) * binWidth(bin)
}

export function binWidth(bin: number): number {
  return bin < EXACT ? 1 : 2 ** (((bin - EXACT) >>> KEPT_BITS) + EXACT_BITS - KEPT_BITS)
}
