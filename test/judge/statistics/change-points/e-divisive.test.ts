import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changePoints } from '../../../../src/judge/statistics/change-points/change-points.ts'
import {
  bestSplit,
  DIVISIVE_DEFAULTS,
  eDivisive,
  WINDOW_LENGTH_MOST,
} from '../../../../src/judge/statistics/change-points/e-divisive.ts'
import { computed } from '../../../computing-time.ts'
import { generator, noise } from './noise.ts'
import { otavaCases } from './otava-cases.ts'

const indexes = (values: readonly number[], options = DIVISIVE_DEFAULTS) =>
  eDivisive(values, options).map(({ index }) => index)

describe('what Apache Otava asserts', () => {
  test('fourteen cases', () => expect(otavaCases()).toHaveLength(14))

  test.each(otavaCases().map((one) => [one.test, one] as const))('%s', (_, { series, expected, ...options }) => {
    expect(indexes(series, options)).toEqual(expected)
    expect(changePoints(series, options).map(({ index }) => index)).toEqual(expected)
  })

  test('TigerBeetle at its window length and p, with the default step', () => {
    const { series } = otavaCases()[0]!
    expect(indexes(series, { ...DIVISIVE_DEFAULTS, windowLength: 30, maxP: 0.01 })).toEqual([15, 71])
  })
})

describe('spikes are no steps', () => {
  const random = generator(1)
  const calm = noise(random, 60, 100, 1)
  const spiked = (...positions: readonly number[]) => calm.map((v, i) => (positions.includes(i) ? 3 * v : v))

  test.each([[[30]], [[0]], [[59]], [[30, 31]], [[58, 59]], [[10, 45]], [[20, 21, 50]]])('at %j', (positions) => {
    expect(indexes(calm)).toEqual([])
    expect(indexes(spiked(...positions))).toEqual([])
  })

  test('three in a row at the end are a level, at the usual p', () => {
    expect(indexes(spiked(57, 58, 59))).toEqual([57])
    expect(indexes(spiked(57, 58, 59), { ...DIVISIVE_DEFAULTS, maxP: 0.0001 })).toEqual([])
    expect(indexes(spiked(56, 57, 58, 59), { ...DIVISIVE_DEFAULTS, maxP: 0.0001 })).toEqual([56])
  })

  test('a piece that one point lifts', () => {
    const lifted = [...calm.slice(0, 30), 300, ...calm.slice(30, 36).map((value) => value + 1.5)]
    expect(indexes(lifted)).toEqual([])
  })

  test('a step is found beside one', () => {
    const stepped = spiked(20, 43).map((value, i) => (i >= 35 ? value * 1.3 : value))
    expect(indexes(stepped, { ...DIVISIVE_DEFAULTS, maxP: 0.01 })).toEqual([35])
  })
})

describe('spikes hide no step: what Otava 0.8.0 finds of three times the level for 53 points, without its spikes', () => {
  const tripled = (...spikes: readonly (readonly [at: number, size: number])[]) =>
    noise(generator(1), 200, 100, 3).map((value, at) => {
      const size = spikes.find(([position]) => position === at)?.[1] ?? 1
      return value * (at >= 82 && at < 135 ? 3 : 1) * size
    })

  test.each([
    ['one spike', [[47, 51]], [47, 48, 82, 135], [82, 135]],
    [
      'two spikes',
      [
        [3, 10],
        [47, 51],
      ],
      [47, 48, 82, 135],
      [82, 135],
    ],
    [
      'two of them in a row',
      [
        [3, 10],
        [47, 51],
        [48, 30],
      ],
      [47, 49, 82, 135],
      [82, 135],
    ],
    [
      'one just after the step',
      [
        [36, 3.6],
        [83, 13],
        [164, 6.5],
      ],
      [82, 84, 135],
      [82, 135],
    ],
    [
      'one just after the way back',
      [
        [20, 13],
        [135, 10],
      ],
      [82, 135, 136],
      [82, 136],
    ],
  ] as const)('%s', (_, spikes, otava, expected) => {
    expect(indexes(tripled(...spikes))).toEqual(expected)
    // At a p at which one point may be a step, they are points of their own.
    expect(indexes(tripled(...spikes), { ...DIVISIVE_DEFAULTS, maxP: 0.06 })).toEqual(
      expect.arrayContaining([...otava]),
    )
    for (const { from, to } of eDivisive(tripled(...spikes))) expect(to - from).toBeGreaterThan(100)
  })
})

describe('what is short', () => {
  const calm = noise(generator(3), 40, 100, 1)
  const levels = (level: (k: number) => number) => indexes(calm.map((value, k) => value * level(k)))

  test('two points before a step suffice, one does not', () => {
    expect(levels((k) => (k < 2 ? 1 : 1.5))).toEqual([2])
    expect(levels((k) => (k < 1 ? 1 : 1.5))).toEqual([])
  })

  test('two points at the end have not lasted', () => {
    expect(levels((k) => (k < 38 ? 1 : 1.5))).toEqual([])
    expect(levels((k) => (k < 37 ? 1 : 1.5))).toEqual([37])
  })

  test('two points between a level and the next are one, a spike between them is not', () => {
    expect(levels((k) => (k < 20 ? 1 : k < 22 ? 1.5 : 2))).toEqual([20, 22])
    expect(levels((k) => (k < 20 ? 1 : k < 22 ? 9 : 2))).toEqual([20])
    expect(levels((k) => (k < 20 ? 1 : k < 21 ? 1.5 : 2))).toHaveLength(1)
  })
})

describe('a step in noise', () => {
  const stepped = (size: number, seed: number) => [
    ...noise(generator(seed), 40, 100, 2),
    ...noise(generator(seed + 1), 40, 100 * (1 + size), 2),
  ]

  test.each([0.1, 0.2, 0.5, -0.1, -0.3])('of %d is found where it is, forwards and backwards', (size) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const series = stepped(size, seed * 100)
      const [index, ...more] = indexes(series)
      const [reversed, ...moreReversed] = indexes(series.toReversed())
      expect([more, moreReversed]).toEqual([[], []])
      expect(Math.abs(index! - 40)).toBeLessThanOrEqual(1)
      expect(Math.abs(reversed! - 40)).toBeLessThanOrEqual(1)
    }
  })

  test('below the smallest step there is none', () => {
    for (let seed = 1; seed <= 10; seed += 1) expect(indexes(stepped(0.03, seed * 100))).toEqual([])
    expect(indexes(stepped(0.03, 100), { ...DIVISIVE_DEFAULTS, minStep: 0.01 })).toEqual([41])
  })

  test('the same series gives the same points', () => {
    const series = stepped(0.2, 7)
    expect(eDivisive(series)).toEqual(eDivisive(series))
  })

  test('neither unit nor, without a smallest step, level matters', () => {
    const all = { ...DIVISIVE_DEFAULTS, minStep: 0 }
    for (let seed = 1; seed <= 20; seed += 1) {
      const series = stepped(0.1, seed * 10).map(Math.round)
      const found = eDivisive(series, all)
      expect(found.length).toBeGreaterThan(0)
      expect(
        eDivisive(
          series.map((value) => value * 1024),
          all,
        ),
      ).toEqual(found)
      const shifted = series.map((value) => value + 4096)
      expect(indexes(shifted, all)).toEqual(found.map(({ index }) => index))
    }
  })
})

test('levels end at the neighbouring points, at those below the smallest step too', () => {
  const random = generator(21)
  const series = [...noise(random, 30, 100, 0.5), ...noise(random, 30, 110, 0.5), ...noise(random, 30, 113, 0.5)]
  expect(eDivisive(series)).toMatchObject([{ index: 30, from: 0, to: 60 }])
  expect(eDivisive(series, { ...DIVISIVE_DEFAULTS, minStep: 0.01 })).toMatchObject([
    { index: 30, from: 0, to: 60 },
    { index: 60, from: 30, to: 90 },
  ])
})

test('how often pure noise has a step', () => {
  const random = generator(11)
  let points = 0
  for (let round = 0; round < 300; round += 1) points += indexes(noise(random, 100, 100, 10)).length
  // 30,000 points
  expect(points).toBeLessThan(30)
})

test('series without a place to split', () => {
  for (const values of [[], [1], [1, 2], [5, 5, 5, 5, 5, 5], Array<number>(200).fill(0)]) {
    expect(eDivisive(values)).toEqual([])
  }
  expect(indexes([...Array<number>(20).fill(1), ...Array<number>(20).fill(2)])).toEqual([20])
})

test('options out of range', () => {
  for (const windowLength of [1, 0, -5, Number.NaN, WINDOW_LENGTH_MOST + 1]) {
    expect(() => eDivisive([1, 2, 3], { ...DIVISIVE_DEFAULTS, windowLength })).toThrow(RangeError)
  }
  for (const maxP of [0, -1, 1.5, Number.NaN]) {
    expect(() => eDivisive([1, 2, 3], { ...DIVISIVE_DEFAULTS, maxP })).toThrow(RangeError)
  }
})

describe('time', () => {
  const elapsed = (work: () => unknown): number => {
    const start = computed()
    work()
    return computed() - start
  }

  test('5,000 points in well under a second, whatever they are', () => {
    const random = generator(3)
    const ramp = Array.from({ length: 5000 }, (_, i) => i)
    const stairs = Array.from({ length: 5000 }, (_, i) => Math.floor(i / 4) * 100 + random())
    for (const series of [noise(random, 5000, 100, 10), ramp, stairs]) {
      expect(elapsed(() => eDivisive(series))).toBeLessThan(1000)
      expect(elapsed(() => eDivisive(series, { windowLength: 50, maxP: 0.2, minStep: 0 }))).toBeLessThan(1000)
    }
  })

  test('as many candidates as there can be, all of them weak', () => {
    const series = noise(generator(4), 50_000, 100, 10)
    expect(elapsed(() => eDivisive(series, { windowLength: 50, maxP: 1, minStep: 1 }))).toBeLessThan(10_000)
  })
})

describe('best split', () => {
  /** The statistic as it is defined, with three loops. */
  function statistic(x: readonly number[], y: readonly number[]): number {
    const [n, m] = [x.length, y.length]
    const between = x.flatMap((a) => y.map((b) => Math.abs(a - b))).reduce((sum, d) => sum + d, 0)
    const within = (z: readonly number[]) =>
      z.flatMap((a, i) => z.slice(i + 1).map((b) => Math.abs(a - b))).reduce((sum, d) => sum + d, 0)
    const left = n > 1 ? ((2 * m) / ((m + n) * (n - 1))) * within(x) : 0
    const right = m > 1 ? ((2 * n) / ((m + n) * (m - 1))) * within(y) : 0
    return (2 / (m + n)) * between - left - right
  }

  /** All splits tried: the largest statistic and every place that has it. */
  function byBruteForce(values: readonly number[], from: number, to: number) {
    let largest = Number.NEGATIVE_INFINITY
    const places = new Map<number, number>()
    for (let t = from + 1; t < to; t += 1) {
      for (let k = t + 1; k <= to; k += 1) {
        const q = statistic(values.slice(from, t), values.slice(t, k))
        places.set(t, Math.max(places.get(t) ?? Number.NEGATIVE_INFINITY, q))
        largest = Math.max(largest, q)
      }
    }
    return { largest, places }
  }

  test('the largest statistic of all splits, by brute force', () => {
    const series = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 16 })
    fc.assert(
      fc.property(series, fc.nat(5), (values, before) => {
        const padded = [...Array<number>(before).fill(7), ...values, 1, 2]
        const [from, to] = [before, before + values.length]
        const split = bestSplit(padded, from, to)!
        const { largest, places } = byBruteForce(padded, from, to)
        expect(split.statistic).toBeCloseTo(largest, 8)
        expect(places.get(split.index)).toBeCloseTo(largest, 8)
      }),
      { numRuns: 300 },
    )
  })

  test('fractions too', () => {
    const series = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(series, (values) => {
        const { largest } = byBruteForce(values, 0, values.length)
        expect(bestSplit(values, 0, values.length)!.statistic).toBeCloseTo(largest, 10)
      }),
    )
  })

  describe('place', () => {
    test('of a step', () => {
      expect(bestSplit([1, 1, 1, 5, 5, 5], 0, 6)).toEqual({ index: 3, statistic: 12 })
      expect(bestSplit([9, 9, 1, 1, 1, 5, 5, 5, 0], 2, 8)!.index).toBe(5)
    })

    test('the right piece may end before the part', () => {
      expect(bestSplit([0, 0, 0, 0, 9, 9, 9, 0, 0], 0, 9)!.index).toBe(4)
    })

    test('of equal ones the first', () => {
      expect(bestSplit([3, 3, 3, 3], 0, 4)).toEqual({ index: 1, statistic: 0 })
      expect(bestSplit([0, 1, 0], 0, 3)!.index).toBe(1)
    })

    test('none in fewer than two points', () => {
      expect(bestSplit([], 0, 0)).toBeNull()
      expect(bestSplit([1, 2, 3], 1, 2)).toBeNull()
    })
  })

  test('a short part after a long one: nothing is left of the long one', () => {
    const long = Array.from({ length: 200 }, (_, i) => (i * 7919) % 101)
    const short = [1, 1, 1, 5, 5, 5]
    const alone = bestSplit(short, 0, 6)
    bestSplit(long, 0, long.length)
    expect(bestSplit(short, 0, 6)).toEqual(alone)
  })
})
