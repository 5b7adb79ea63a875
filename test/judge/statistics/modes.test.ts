import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MODE_SEPARATION, twoModes } from '../../../src/judge/statistics/modes.ts'
import { RECORDED, recordedRun, SAME_BUILD } from './recorded-run.ts'

describe('two modes', () => {
  test('are seen and described, lower first', () => {
    expect(twoModes([18.1, 13.2, 13.0, 18.3, 13.5, 17.8, 13.1])).toEqual([
      { median: 13.2, samples: 4 },
      { median: 18.1, samples: 3 },
    ])
    expect(twoModes([13, 18, 13, 18, 13, 18])).toEqual([
      { median: 13, samples: 3 },
      { median: 18, samples: 3 },
    ])
  })

  test('need more than twice the spread of the wider one between them', () => {
    expect(twoModes([10, 10.5, 11, 13, 13.5, 14])).toBeNull()
    expect(twoModes([10, 10.5, 11, 13.1, 13.5, 14])).not.toBeNull()
    expect(twoModes([10, 10, 10, 13, 13.5, 14.5])).toBeNull()
    expect(twoModes([10, 10.5, 11.5, 14, 14, 14])).toBeNull()
    expect(twoModes([10, 10.5, 11, 11 + MODE_SEPARATION, 13.5, 14])).toBeNull()
  })

  test('need three samples each: lone outliers are no mode', () => {
    expect(twoModes([10, 10.1, 10, 10.2, 10.1, 18, 18.1])).toBeNull()
    expect(twoModes([10, 10.1, 17.9, 18, 18.2, 18.1, 18.1])).toBeNull()
    expect(twoModes([10, 10.1, 10, 10.2, 18, 18, 18.1])).not.toBeNull()
    expect(twoModes([10, 10, 18, 18, 18])).toBeNull()
    expect(twoModes([10, 10, 10, 18, 18])).toBeNull()
  })

  test('need 5% between them: ticks of a clock are no modes', () => {
    expect(twoModes([13, 13, 13, 13.01, 13.01, 13.01, 13.01])).toBeNull()
    expect(twoModes([100, 100, 100, 104.9, 104.9, 104.9])).toBeNull()
    expect(twoModes([100, 100, 100, 105, 105, 105])).not.toBeNull()
  })

  test('may have a tenth of the samples outside', () => {
    const mixed = [13, 13.1, 13.2, 13.1, 13, 18, 18.1, 18.2, 18]
    expect(twoModes([...mixed, 30])).toEqual([
      { median: 13.1, samples: 5 },
      { median: 18.1, samples: 5 },
    ])
    expect(twoModes([...mixed, 1])).toEqual([
      { median: 13.1, samples: 6 },
      { median: 18.1, samples: 4 },
    ])
    expect(twoModes([...mixed, 30, 31])).toBeNull()
    expect(twoModes([...mixed.slice(1), 30])).toBeNull()
    // One on each side, of twenty.
    expect(twoModes([...mixed, ...mixed, 1, 30])).not.toBeNull()
    expect(twoModes([...mixed, 1, 30])).toBeNull()
  })
})

test('neither order nor unit matters', () => {
  const samples = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 24 })
  fc.assert(
    fc.property(samples, (values) => {
      const found = twoModes(values)
      expect(twoModes(values.toReversed())).toEqual(found)
      const scaled = twoModes(values.map((value) => value * 1024))
      expect(scaled).toEqual(found?.map(({ median, samples }) => ({ median: median * 1024, samples })) ?? null)
      if (found === null) return
      expect(found[0].samples + found[1].samples).toBe(values.length)
      expect(found[0].median).toBeLessThan(found[1].median)
    }),
  )
})

test('nothing, one value and equal values have one mode at most', () => {
  expect(twoModes([])).toBeNull()
  expect(twoModes([1])).toBeNull()
  expect(twoModes(Array(30).fill(7))).toBeNull()
})

describe('how often one mode looks like two', () => {
  /** A fixed sequence of random numbers: the same rates on every machine. */
  function generator(seed: number): () => number {
    let state = seed
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return (state + 0.5) / 2 ** 32
    }
  }

  const random = generator(20261121)
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())

  test.each([
    ['normal', () => 10 + normal(), 7, 0.02],
    ['normal', () => 10 + normal(), 10, 0.01],
    ['normal', () => 10 + normal(), 13, 0.003],
    ['log-normal', () => 10 * Math.exp(0.3 * normal()), 7, 0.02],
    ['log-normal', () => 10 * Math.exp(0.3 * normal()), 13, 0.003],
    ['exponential', () => 10 - 3 * Math.log(random()), 7, 0.025],
  ])('%s samples', (_, sample, repetitions, most) => {
    let seen = 0
    for (let round = 0; round < 5000; round++) {
      if (twoModes(Array.from({ length: repetitions }, sample)) !== null) seen += 1
    }
    expect(seen / 5000).toBeLessThan(most)
  })

  test('in none of the 136 sides of the recorded A/A run, in one of the other', () => {
    const sides = (folder: string) => recordedRun(folder).flatMap((query) => [query.old, query.new])
    expect(sides(SAME_BUILD)).toHaveLength(136)
    expect(sides(SAME_BUILD).filter((samples) => twoModes(samples) !== null)).toHaveLength(0)
    expect(sides(RECORDED).filter((samples) => twoModes(samples) !== null)).toHaveLength(1)
  })
})
