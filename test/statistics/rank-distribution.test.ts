import { expect, test } from 'vitest'
import { hasRankDistribution, rankPValues } from '../../src/statistics/rank-distribution.ts'
import { choose, ratio, relabelings } from './relabelings.ts'

/** How many relabelings give each U: all of them, one by one. */
function byEnumeration(n: number, m: number): number[] {
  const counts = Array<number>(n * m + 1).fill(0)
  const ranks = Array.from({ length: n + m }, (_, rank) => rank)
  for (const [a, b] of relabelings(ranks, n)) {
    const wins = b.flatMap((mine) => a.filter((other) => mine > other)).length
    counts[wins]! += 1
  }
  return counts
}

test('are the p-values of every U over all relabelings', () => {
  for (let n = 1; n <= 5; n++) {
    for (let m = 1; m <= 6; m++) {
      const counts = byEnumeration(n, m)
      const total = counts.reduce((sum, count) => sum + count)
      const expected = Array.from({ length: Math.floor((n * m) / 2) + 1 }, (_, u) => {
        const beyond = counts.filter((_, other) => Math.abs(other - (n * m) / 2) >= Math.abs(u - (n * m) / 2))
        return beyond.reduce((sum, count) => sum + count, 0) / total
      })
      const actual = [...rankPValues(n, m)]
      expect(actual.length).toBe(expected.length)
      actual.forEach((pValue, u) => {
        expect(pValue, `${n} + ${m}, U = ${u}`).toBeCloseTo(expected[u]!, 14)
      })
    }
  }
})

/** The coefficients of the Gaussian binomial in exact integers, by the recurrence over the largest sample. */
function exactCounts(n: number, m: number): bigint[] {
  let rows: bigint[][] = Array.from({ length: m + 1 }, () => [1n])
  for (let i = 1; i <= n; i++) {
    const next: bigint[][] = [[1n]]
    for (let j = 1; j <= m; j++) {
      const [shifted, same] = [rows[j]!, next[j - 1]!]
      next.push(Array.from({ length: i * j + 1 }, (_, u) => (shifted[u - j] ?? 0n) + (same[u] ?? 0n)))
    }
    rows = next
  }
  return rows[m]!
}

test.each([
  [13, 13],
  [28, 28],
  [12, 40],
  [45, 45],
])('%i + %i are right to 14 digits, far out as well', (n, m) => {
  const total = choose(n + m, n)
  const counts = exactCounts(n, m)
  let sum = 0n
  rankPValues(n, m).forEach((pValue, u) => {
    sum += counts[u]!
    expect(pValue / Math.min(1, ratio(2n * sum, total)), `U = ${u}`).toBeCloseTo(1, 13)
  })
})

test('225 + 225: the ends are known exactly', () => {
  const pValues = rankPValues(225, 225)
  const total = choose(450, 225)
  // 1, 1, 2, 3, 5, 7: the partitions of U.
  const partitions = [1n, 2n, 4n, 7n, 12n, 19n]
  partitions.forEach((sum, u) => {
    expect(pValues[u]! / ratio(2n * sum, total)).toBeCloseTo(1, 11)
  })
  expect(pValues.at(-1)).toBe(1)
  expect(pValues.every((pValue, u) => u === 0 || pValue >= pValues[u - 1]!)).toBe(true)
})

test('the sides are interchangeable and share one table', () => {
  expect(rankPValues(4, 9)).toBe(rankPValues(9, 4))
})

test('too many samples are refused', () => {
  expect(hasRankDistribution(400, 400)).toBe(true)
  expect(hasRankDistribution(2, 4_000_000)).toBe(true)
  expect(hasRankDistribution(256, 1024)).toBe(true)
  expect(hasRankDistribution(256, 1025)).toBe(false)
  expect(hasRankDistribution(1025, 256)).toBe(false)
  expect(hasRankDistribution(500, 500)).toBe(false)
  expect(hasRankDistribution(0, 5)).toBe(false)
  expect(hasRankDistribution(5, 0)).toBe(false)
  expect(hasRankDistribution(1, 1)).toBe(true)
  expect(() => rankPValues(1000, 1000)).toThrow('no rank distribution for 1000 and 1000 samples')
})
