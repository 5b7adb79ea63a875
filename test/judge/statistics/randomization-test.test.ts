import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canRandomize, centredThreshold, randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { choose, ratio, relabelings, upperMedian } from './relabelings.ts'

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the table of the definition', () => {
  test.each<readonly [number[], number[], number, number, number]>([
    [[1, 2, 3], [4, 5, 6], 1.5, 1.5, 0.2],
    [range(10, 16), range(20, 26), 0.769230769, 0.769230769, 0.011655012],
    [
      [1.0, 1.02, 1.01, 0.99, 1.03, 1.0, 1.05],
      [1.04, 1.06, 1.01, 1.03, 1.07, 1.02, 1.09],
      0.02970297,
      0.03960396,
      0.149184149,
    ],
    [[1, 9, 2, 8, 3, 7, 4], [2, 8, 3, 7, 4, 6, 5], 0.25, 1, 1],
    [
      [0.0234, 0.0229, 0.0241, 0.023, 0.0238],
      [0.0262, 0.0259, 0.0268, 0.0251, 0.027, 0.0264],
      0.128205128,
      0.128205128,
      0.021645022,
    ],
    [[5, 5, 5, 5], [5, 5, 5, 5], 0, 0, 1],
  ])('%j and %j', (old, fresh, difference, threshold, pValue) => {
    const test = randomizationTest(old, fresh)
    expect(test.difference).toBeCloseTo(difference, 9)
    expect(test.threshold).toBeCloseTo(threshold, 9)
    expect(test.pValue).toBeCloseTo(pValue, 9)
  })
})

/** All relabelings one by one; the quantile and the p-value in integers. */
function byEnumeration(old: readonly number[], fresh: readonly number[], tolerance: number) {
  const distances: number[] = []
  for (const [a, b] of relabelings([...old, ...fresh], old.length)) {
    distances.push(Math.abs(upperMedian(b) - upperMedian(a)))
  }
  distances.sort((a, b) => a - b)
  const measured = Math.abs(upperMedian(fresh) - upperMedian(old))
  const total = distances.length
  const quantile = distances.find((candidate, index) => {
    let upTo = index + 1
    while (upTo < total && distances[upTo]! <= candidate + tolerance) upTo += 1
    return upTo * 100 >= total * 99
  })!
  const beyond = distances.filter((distance) => distance >= measured - tolerance).length
  return { quantile, pValue: beyond / total }
}

/** Counts with at most a thousand relabelings; some of them have tails of exactly 1%. */
const counts = fc.constantFrom<readonly [number, number]>(
  ...[
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
    [3, 2],
    [2, 5],
    [3, 3],
    [3, 8],
    [8, 3],
    [4, 4],
    [5, 4],
    [5, 5],
    [5, 6],
    [6, 5],
    [6, 6],
    [2, 23],
    [1, 49],
    [1, 99],
    [2, 23],
    [23, 2],
  ].map(([n, m]) => [n!, m!] as const),
)

function samplesOf(value: fc.Arbitrary<number>): fc.Arbitrary<readonly [number[], number[]]> {
  return counts.chain(([n, m]) =>
    fc.tuple(fc.array(value, { minLength: n, maxLength: n }), fc.array(value, { minLength: m, maxLength: m })),
  )
}

describe('is what enumerating all relabelings gives', () => {
  test.each([
    ['integers with many ties', fc.integer({ min: 1, max: 12 })],
    ['negative ones and zeros', fc.integer({ min: -4, max: 4 })],
    ['times to the nanosecond', fc.integer({ min: 1, max: 1_000_000_000 }).map((nanoseconds) => nanoseconds / 1e9)],
    ['ticks of a clock', fc.integer({ min: 1, max: 40 }).map((milliseconds) => milliseconds / 1000)],
    ['any numbers', fc.double({ min: -1e6, max: 1e6, noNaN: true })],
  ])('%s', (_, value) => {
    fc.assert(
      fc.property(samplesOf(value), ([old, fresh]) => {
        const largest = Math.max(...[...old, ...fresh].map(Math.abs))
        const expected = byEnumeration(old, fresh, 1e-12 * largest)
        const actual = randomizationTest(old, fresh)
        const oldMedian = upperMedian(old)
        expect(actual.oldMedian === oldMedian && actual.newMedian === upperMedian(fresh)).toBe(true)
        expect(Math.abs(actual.pValue - expected.pValue)).toBeLessThan(1e-12)
        if (oldMedian === 0 || Math.abs(oldMedian) < 1e-9 * largest) return
        const threshold = expected.quantile / Math.abs(oldMedian)
        expect(Math.abs(actual.threshold - threshold)).toBeLessThanOrEqual(2e-12 * (largest / Math.abs(oldMedian)))
        const difference = (upperMedian(fresh) - oldMedian) / oldMedian
        expect(Math.abs(actual.difference - difference)).toBeLessThanOrEqual(2e-12 * (largest / Math.abs(oldMedian)))
      }),
      { numRuns: 80 },
    )
  })
})

test('a tail of exactly 1% may lie above the threshold, and rounding does not decide it', () => {
  // 100 relabelings, of which only the one that takes the outlier out is farther apart than 50.
  const pooled = [...range(0, 98), 1000]
  const { threshold } = randomizationTest([pooled[1]!], [pooled[0]!, ...pooled.slice(2)])
  expect(threshold).toBe(50)
})

test('with few repetitions the threshold is the largest distance that can be', () => {
  const { difference, threshold, pValue, smallestPValue } = randomizationTest([10, 11, 12, 13], [20, 21, 22, 23])
  expect(difference).toBe(threshold)
  expect(pValue).toBe(smallestPValue)
})

test('with unequal counts a separated pair can miss the threshold on one side', () => {
  const slower = randomizationTest(range(10, 15), range(20, 26))
  const faster = randomizationTest(range(20, 25), range(10, 16))
  expect([slower.threshold * 13 - 10, faster.threshold * 23 - 10].some((beyond) => beyond > 1e-9)).toBe(true)
})

describe('differences that differ by rounding only are equal', () => {
  test('multiples of a clock tick: |D| is T to the last bit', () => {
    // 0.3 - 0.2 and 0.2 - 0.1 are not the same number.
    const ticks = (values: readonly number[]) => values.map((value) => value * 0.1)
    const coarse = randomizationTest(ticks([1, 1, 1, 2, 2]), ticks([3, 3, 2, 3, 2]))
    const whole = randomizationTest([1, 1, 1, 2, 2], [3, 3, 2, 3, 2])
    expect(coarse.pValue).toBe(whole.pValue)
    expect(Math.abs(coarse.difference) >= coarse.threshold).toBe(Math.abs(whole.difference) >= whole.threshold)

    // The measured difference over 0.3 is 1.75, the same of two other samples 1.7500000000000004.
    const snapped = randomizationTest(ticks([5, 4, 2, 3, 4, 10, 12, 11, 3]), ticks([8, 13, 10, 8, 12, 13, 11, 10, 12]))
    expect(snapped.difference).toBe(1.75)
    expect(snapped.difference).toBe(snapped.threshold)
  })

  test('whatever the unit', () => {
    const samples = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 9, maxLength: 9 })
    fc.assert(
      fc.property(samples, samples, fc.constantFrom(0.1, 1e-3, 1e-9, 3e5), (old, fresh, unit) => {
        const whole = randomizationTest(old, fresh)
        const scaled = randomizationTest(
          old.map((value) => value * unit),
          fresh.map((value) => value * unit),
        )
        expect(scaled.pValue).toBe(whole.pValue)
        expect(scaled.threshold).toBeCloseTo(whole.threshold, 12)
        const reaches = (test: typeof whole) => Math.abs(test.difference) >= test.threshold
        expect(reaches(scaled)).toBe(reaches(whole))
        expect(scaled.difference === 0).toBe(whole.difference === 0)
      }),
    )
  })

  test('a difference of a part in 1e13 is none, one in 1e11 is one', () => {
    expect(randomizationTest([1, 1, 1], [1 + 1e-13, 1 + 1e-13, 1 + 1e-13]).difference).toBe(0)
    expect(randomizationTest([1, 1, 1], [1 + 1e-11, 1 + 1e-11, 1 + 1e-11]).difference).toBeCloseTo(1e-11, 14)
  })

  test('the largest sample counts, whatever its sign and its side', () => {
    const small = [1e-13, 1e-13, 1e-13]
    expect(randomizationTest([...small, 1, 1e-13], [2e-13, 2e-13, 2e-13]).difference).toBe(0)
    expect(randomizationTest([...small, -1, 1e-13], [2e-13, 2e-13, 2e-13]).difference).toBe(0)
    expect(randomizationTest(small, [2e-13, 2e-13, 2e-13]).difference).toBe(1)
  })
})

test('the sides exchanged give the same distance and p-value where the counts are equal', () => {
  const samples = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 9, maxLength: 9 })
  fc.assert(
    fc.property(samples, samples, (old, fresh) => {
      const [there, back] = [randomizationTest(old, fresh), randomizationTest(fresh, old)]
      expect(back.pValue).toBe(there.pValue)
      expect(back.threshold * back.oldMedian).toBeCloseTo(there.threshold * there.oldMedian, 9)
      expect(Math.sign(back.difference)).toBe(-Math.sign(there.difference) + 0)
    }),
  )
})

test('no p-value is below the smallest that the counts allow, and separated samples can reach it', () => {
  fc.assert(
    fc.property(samplesOf(fc.integer({ min: 1, max: 50 })), ([old, fresh]) => {
      const { pValue, smallestPValue } = randomizationTest(old, fresh)
      expect(pValue).toBeGreaterThanOrEqual(smallestPValue * (1 - 1e-12))
    }),
  )
})

describe('zero medians', () => {
  test('old and new 0: no difference, and no variation', () => {
    expect(randomizationTest([0, 0, 0], [0, 0, 0])).toMatchObject({ difference: 0, threshold: 0, pValue: 1 })
  })

  test('old and new 0 with samples that are not: the threshold is infinite', () => {
    expect(randomizationTest([0, 0, 5], [0, 0, 5])).toMatchObject({ difference: 0, threshold: Infinity })
  })

  test('old 0 and new not: the difference is infinite', () => {
    expect(randomizationTest([0, 0, 0], [1, 1, 1]).difference).toBe(Infinity)
  })
})

describe('many samples', () => {
  const wave = (count: number, shift: number) => range(1, count).map((k) => 10 + shift + Math.sin(k * 7.3))

  /** From the exact number of relabelings of every pair of ranks, all pairs sorted. */
  function thresholdByCounting(old: readonly number[], fresh: readonly number[]): number {
    const [n, m] = [old.length, fresh.length]
    const pooled = [...old, ...fresh].toSorted((a, b) => a - b)
    const pairs: { distance: number; share: number }[] = []
    for (const [mine, other] of [
      [n, m],
      [m, n],
    ] as const) {
      const [a, b] = [Math.floor(mine / 2), Math.floor(other / 2)]
      for (let low = a; low <= a + b; low++) {
        for (let high = a + b + 1; high <= mine + b; high++) {
          const ways = choose(low, a) * choose(high - low - 1, b - low + a) * choose(n + m - 1 - high, other - 1 - b)
          pairs.push({ distance: pooled[high]! - pooled[low]!, share: ratio(ways, choose(n + m, n)) })
        }
      }
    }
    pairs.sort((a, b) => b.distance - a.distance)
    let above = 0
    const first = pairs.find(({ share }) => {
      above += share
      return above > 0.01
    })
    return first!.distance / upperMedian(old)
  }

  test.each([
    [41, 46],
    [60, 33],
  ])('%i + %i: T is the quantile of the exact distribution', (n, m) => {
    const [old, fresh] = [wave(n, 0), wave(m, 0.3)]
    expect(randomizationTest(old, fresh).threshold).toBeCloseTo(thresholdByCounting(old, fresh), 12)
  })

  test.each([
    [45, 45],
    [225, 225],
    [500, 500],
    [3, 400],
    [400, 3],
  ])('%i + %i: nothing moved and everything moved', (n, m) => {
    const still = randomizationTest(wave(n, 0), wave(m, 0))
    expect(still.pValue).toBeGreaterThan(0.15)
    expect(still.pValue).toBeLessThanOrEqual(1)
    const moved = randomizationTest(wave(n, 0), wave(m, 30))
    expect(moved.difference).toBeGreaterThan(2)
    expect(moved.pValue).toBeLessThan(1e-3)
    expect(moved.pValue).toBeGreaterThan(0)
  })

  test('the threshold shrinks with the root of the count', () => {
    const [few, many] = [wave(50, 0), wave(450, 0)]
    const ratio = randomizationTest(few, few).threshold / randomizationTest(many, many).threshold
    expect(ratio).toBeGreaterThan(2)
    expect(ratio).toBeLessThan(4.5)
  })
})

test('no samples, or too many, are refused', () => {
  expect(canRandomize(7, 7)).toBe(true)
  expect(canRandomize(0, 7)).toBe(false)
  expect(() => randomizationTest([], [1])).toThrow(RangeError)
  expect(() => randomizationTest([1], [])).toThrow(RangeError)
})

test('centred, the threshold does not swell with the difference', () => {
  const [old, fresh] = [range(10, 14), range(20, 24)]
  expect(randomizationTest(old, fresh).threshold).toBeCloseTo(10 / 12, 12)
  expect(centredThreshold(old, fresh)).toBeCloseTo(2 / 12, 12)
  for (const shift of [-5, 0, 3, 1000]) {
    const moved = fresh.map((value) => value + shift)
    expect(centredThreshold(old, moved)).toBeCloseTo(centredThreshold(old, fresh), 12)
  }
})
