import { expect, test, vi } from 'vitest'
import { BoundedCache } from '../../src/statistics/bounded-cache.ts'

const length = (value: string) => value.length

test('computes a value once', () => {
  const cache = new BoundedCache<string>(10)
  const compute = vi.fn(() => 'abc')
  expect(cache.get(1, compute, length)).toBe('abc')
  expect(cache.get(1, compute, length)).toBe('abc')
  expect(compute).toHaveBeenCalledTimes(1)
  expect(cache.size).toBe(3)
})

test('drops the oldest until the new one fits, and no more', () => {
  const cache = new BoundedCache<string>(10)
  cache.get(1, () => 'aaaa', length)
  cache.get(2, () => 'bbb', length)
  cache.get(3, () => 'ccc', length)
  expect(cache.size).toBe(10)
  cache.get(4, () => 'dddd', length)
  expect(cache.size).toBe(10)

  const again = vi.fn(() => 'x')
  expect(cache.get(2, again, length)).toBe('bbb')
  expect(cache.get(3, again, length)).toBe('ccc')
  expect(cache.get(4, again, length)).toBe('dddd')
  expect(cache.get(1, again, length)).toBe('x')
  expect(again).toHaveBeenCalledTimes(1)
})

test('does not keep what is larger than all it may hold', () => {
  const cache = new BoundedCache<string>(3)
  cache.get(1, () => 'abc', length)
  expect(cache.get(2, () => 'abcd', length)).toBe('abcd')
  expect(cache.size).toBe(3)
  expect(cache.get(1, () => 'computed again', length)).toBe('abc')
})
