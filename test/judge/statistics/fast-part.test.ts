import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fastPartRulesOut } from '../../../src/judge/statistics/fast-part.ts'
import { generator, noise } from './change-points/noise.ts'
import { relabelings } from './relabelings.ts'

/** As the definition says it. */
function byEnumeration(old: readonly number[], fresh: readonly number[], slowdown: number): boolean {
  const without = fresh.map((value) => value / (1 + slowdown))
  const fast = (samples: readonly number[]) => {
    const count = Math.max(2, Math.floor(0.4 * samples.length))
    const lowest = samples.toSorted((a, b) => a - b).slice(0, count)
    return lowest.reduce((sum, value) => sum + value, 0) / count
  }
  const measured = fast(old) - fast(without)
  const all = [...relabelings([...old, ...without], old.length)].map(([a, b]) => Math.abs(fast(a) - fast(b)))
  const beyond = all.filter((distance) => distance >= measured - 1e-12).length
  return measured > 1e-12 && beyond / all.length <= 0.01
}

test('is what all relabelings give', () => {
  const value = fc.integer({ min: 900, max: 1100 }).map((milliseconds) => milliseconds / 1000)
  const side = (count: number) => fc.array(value, { minLength: count, maxLength: count })
  const pairs = fc
    .constantFrom<readonly [number, number]>([5, 5], [6, 7], [7, 6], [7, 7])
    .chain(([n, m]) => fc.tuple(side(n), side(m)))
  let said = 0
  fc.assert(
    fc.property(pairs, fc.constantFrom(0.05, 0.1, 0.3), ([old, fresh], slowdown) => {
      const found = fastPartRulesOut(old, fresh, slowdown)
      if (found) said += 1
      expect(found).toBe(byEnumeration(old, fresh, slowdown))
    }),
    { numRuns: 100 },
  )
  expect(said).toBeGreaterThan(5)
})

/** A quiet program, a third of whose repetitions the machine disturbs. */
function disturbed(random: () => number, count: number, level: number): number[] {
  return noise(random, count, level, 0.01 * level).map((value) => (random() < 0.3 ? value * (1 + random()) : value))
}

test.each([7, 13])(
  'of %d disturbed repetitions it bounds what the median does not, and rarely hides a planted slowdown',
  (count) => {
    const random = generator(29)
    const share = (level: number) => {
      const runs = Array.from({ length: 300 }, () =>
        fastPartRulesOut(disturbed(random, count, 1), disturbed(random, count, level), 0.1),
      )
      return runs.filter((ruled) => ruled).length / runs.length
    }
    expect(share(1)).toBeGreaterThan(0.35)
    expect(share(1.2)).toBeLessThan(0.01)
  },
)

test('of many samples relabelings are drawn, the same ones each time', () => {
  const random = generator(31)
  const [old, fresh] = [disturbed(random, 40, 1), disturbed(random, 40, 1)]
  const answers = Array.from({ length: 3 }, () => fastPartRulesOut(old, fresh, 0.1))
  expect(new Set(answers)).toEqual(new Set([true]))
  expect(fastPartRulesOut(old, fresh, 0.0001)).toBe(false)
})

test('too few samples rule nothing out', () => {
  expect(fastPartRulesOut([1], [1], 0.1)).toBe(false)
  expect(fastPartRulesOut([1, 1, 1], [1, 1, 1], 0.1)).toBe(false)
})
