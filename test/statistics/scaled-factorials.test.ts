import { expect, test } from 'vitest'
import { scaledFactorials } from '../../src/statistics/scaled-factorials.ts'
import { ratio } from './relabelings.ts'

test('gives small factorials exactly', () => {
  const { mantissa, exponent } = scaledFactorials(18)
  const values = Array.from(mantissa, (value, k) => value * 2 ** exponent[k]!)
  expect(values.slice(0, 8)).toEqual([1, 1, 2, 6, 24, 120, 720, 5040])
  expect(values[18]).toBe(6402373705728000)
})

test('keeps every mantissa in [1, 2) and the factorial of 1,000 to 13 digits', () => {
  const { mantissa, exponent } = scaledFactorials(1000)
  expect(mantissa).toHaveLength(1001)
  expect(Math.min(...mantissa)).toBe(1)
  expect(Math.max(...mantissa)).toBeLessThan(2)
  let factorial = 1n
  for (let k = 2n; k <= 1000n; k++) factorial *= k
  const power = BigInt(exponent[1000]!)
  expect(mantissa[1000]! / ratio(factorial, 2n ** power)).toBeCloseTo(1, 12)
})
