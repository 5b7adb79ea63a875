import { describe, expect, test } from 'vitest'
import { errorPrior, pairedDifference, pairedPValue } from '../../../src/judge/statistics/paired-difference.ts'
import { generator, noise } from './change-points/noise.ts'

/** Thirty queries of 7 or 9 pairs; `spread` says how much their noise differs from query to query. */
function queries(spread: number) {
  const random = generator(17)
  return Array.from({ length: 30 }, (_, index) => {
    const count = index % 3 === 0 ? 9 : 7
    const deviation = 0.05 * Math.exp(spread * (random() - 0.5) * 4)
    return {
      old: noise(random, count, 0, deviation).map(Math.exp),
      new: noise(random, count, 0.05 * (index % 4), deviation).map(Math.exp),
    }
  })
}

/** Computed with SciPy 1.17: `trim_mean`, `winsorize`, `digamma`, `polygamma`, `brentq` and `t.sf`. */
test.each<readonly [number, number, number, number[]]>([
  [0, 60, 0.0008691337435717592, [0.3896986367427618, 0.7077614919302591, 0.003570446674903005, 8.797894417373322e-5]],
  [
    0.4,
    2.949065593957946,
    0.0005435623665583571,
    [0.38078731577773767, 0.21453428434755514, 0.03068739899756595, 8.747989045654401e-6],
  ],
  [
    1,
    0.6771606426008746,
    8.674275040505312e-5,
    [0.30577996965086207, 0.004611214284607007, 0.1552730618735554, 1.0747292513011228e-8],
  ],
])('is what SciPy gives, with noise that differs by %d', (spread, degrees, squaredError, pValues) => {
  const differences = queries(spread).map((query) => pairedDifference(query.old, query.new)!)
  const prior = errorPrior(differences)
  expect(Math.abs(prior.degrees / degrees - 1)).toBeLessThan(1e-9)
  expect(Math.abs(prior.squaredError / squaredError - 1)).toBeLessThan(1e-9)
  for (const [index, pValue] of pValues.entries()) {
    expect(Math.abs(pairedPValue(differences[index]!, prior)! / pValue - 1)).toBeLessThan(1e-6)
  }
})

describe('what says nothing', () => {
  const few = queries(0).map((query) => pairedDifference(query.old, query.new)!)

  test('fewer than twenty queries, or such without an error', () => {
    const none = { degrees: 0, squaredError: 0 }
    expect(errorPrior(few.slice(0, 19))).toEqual(none)
    const still = few.slice(0, 19).concat(Array.from({ length: 5 }, () => ({ ...few[0]!, squaredError: 0 })))
    expect(errorPrior(still)).toEqual(none)
    expect(errorPrior(few.slice(0, 20)).degrees).toBeGreaterThan(0)
    expect(pairedPValue({ ...few[0]!, squaredError: 0 }, errorPrior(few))).toBeNull()
  })

  test('unequal or few samples, and such that have no logarithm', () => {
    expect(pairedDifference([1, 2, 3, 4], [1, 2, 3, 4])).toBeNull()
    expect(pairedDifference([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6])).toBeNull()
    expect(pairedDifference([1, 2, 3, 4, 0], [1, 2, 3, 4, 5])).toBeNull()
  })
})

test('what both of a pair share is in no difference', () => {
  const host = [1, 1, 1, 2, 2, 1, 1]
  const old = host.map((factor, place) => factor * (1 + 0.001 * place))
  const fresh = host.map((factor, place) => 1.1 * factor * (1 + 0.001 * (6 - place)))
  const { logRatio, squaredError } = pairedDifference(old, fresh)!
  expect(Math.expm1(logRatio)).toBeCloseTo(0.1, 3)
  expect(Math.sqrt(squaredError)).toBeLessThan(0.003)
})

test('where nothing changed, p is at most 1% in about one of a hundred queries', () => {
  const random = generator(23)
  const differences = Array.from({ length: 4000 }, () =>
    pairedDifference(noise(random, 7, 0, 0.1).map(Math.exp), noise(random, 7, 0, 0.1).map(Math.exp)),
  )
  const prior = errorPrior(differences.map((difference) => difference!))
  const found = differences.filter((difference) => pairedPValue(difference!, prior)! <= 0.01).length
  expect(found / 4000).toBeGreaterThan(0.005)
  expect(found / 4000).toBeLessThan(0.02)
})
