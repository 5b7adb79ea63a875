import { assert, constant, integer, nat, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { hypergeometricTail } from '../../../src/judge/statistics/hypergeometric-tail.ts'

/** The same by whole numbers: Pascal's triangle. */
function oracle(marked: number, part: number, drawn: number, all: number): number {
  const choose = (n: number, k: number): bigint => {
    if (k < 0 || k > n) return 0n
    let result = 1n
    for (let i = 1n; i <= BigInt(k); i += 1n) result = (result * (BigInt(n) - i + 1n)) / i
    return result
  }
  let tail = 0n
  for (let k = Math.max(0, marked); k <= Math.min(part, drawn); k += 1) {
    tail += choose(part, k) * choose(all - part, drawn - k)
  }
  return Number((tail * 10n ** 15n) / choose(all, drawn)) / 1e15
}

test('4 of 7 slower queries of 67 are in a suite of 6', () => {
  expect(hypergeometricTail(4, 6, 7, 67)).toBeCloseTo(0.00063346, 8)
})

test('equals the count of all draws', () => {
  const numbers = integer({ min: 1, max: 120 }).chain((all) => tuple(constant(all), nat(all), nat(all), nat(all)))
  assert(
    property(numbers, ([all, part, drawn, marked]) => {
      expect(hypergeometricTail(marked, part, drawn, all)).toBeCloseTo(oracle(marked, part, drawn, all), 9)
    }),
  )
})

test('large runs are chances too', () => {
  expect(hypergeometricTail(300, 3000, 600, 6000)).toBeCloseTo(oracle(300, 3000, 600, 6000), 9)
  expect(hypergeometricTail(40, 40, 40, 5000)).toBeLessThan(1e-80)
  expect(() => hypergeometricTail(1, 7, 3, 6)).toThrow(RangeError)
})
