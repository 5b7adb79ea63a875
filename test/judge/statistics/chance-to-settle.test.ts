import { expect, test } from 'vitest'
import { normals, seeded } from '../../../bench/calibration/seeded.ts'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { chanceToSettle } from '../../../src/judge/statistics/chance-to-settle.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { CHANCE_P } from '../../../src/judge/verdict/facts.ts'
import { joinAttempts } from '../../../src/judge/verdict/join-attempts.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { verdictOf } from '../../../src/judge/verdict/verdict.ts'

const WANTED = { level: CHANCE_P, wanted: Math.log(1.05) }

test.each([
  [1.08, 1.09, 0.485],
  [1.08, 1.06, 0.936],
])('of %d with a threshold of %d it is %d', (ratio, threshold, expected) => {
  expect(chanceToSettle(Math.log(ratio), Math.log(threshold), 1, WANTED)).toBeCloseTo(expected, 2)
})

test('more was found, or less varies: the chance is larger', () => {
  const chances = [0.06, 0.08, 0.1, 0.14].map((found) => chanceToSettle(found, 0.1, 1, WANTED))
  expect(chances).toEqual(chances.toSorted((a, b) => a - b))
  expect(chanceToSettle(-0.08, 0.1, 1, WANTED)).toBe(chances[1])
  expect(chanceToSettle(0.08, 0.05, 1, WANTED)).toBeGreaterThan(chanceToSettle(0.08, 0.1, 1, WANTED))
  expect(chanceToSettle(0.04, 0, 1, WANTED)).toBe(0)
})

test('is about how often a second attempt does it, whatever the slow-down is', () => {
  const normal = normals(seeded(20261128))
  const attempt = (slowdown: number): Measurement => ({
    test: 'a',
    queryIndex: 0,
    queryName: null,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: Array.from({ length: 13 }, () => Math.exp(0.06 * normal())),
    new: Array.from({ length: 13 }, () => slowdown * Math.exp(0.06 * normal())),
    reportThreshold: null,
    rounded: false,
    problems: [],
  })
  let predicted = 0
  let settled = 0
  let rows = 0
  // slow-downs of every size alike: what was found says what there is, and nothing else does
  for (let trial = 0; trial < 3000; trial++) {
    const slowdown = Math.exp(-0.3 + 0.6 * ((trial % 600) / 600))
    const first = attempt(slowdown)
    const [alone] = classify([first], DEFAULT_THRESHOLDS)
    const mayBeLess = alone!.outcome !== 'changed' || alone!.rankPValue! > CHANCE_P
    if (alone!.direction !== 'slower' || !mayBeLess || alone!.difference! < 0.05) continue
    rows += 1
    predicted += chanceToSettle(Math.log1p(alone!.difference!), Math.log1p(alone!.threshold!), 1, WANTED)
    const second = attempt(slowdown)
    const [next] = classify([second], DEFAULT_THRESHOLDS)
    const together = joinAttempts(next!, second, [first])
    // one that both show each by itself is confirmed, as `report/earlier-attempts.ts` has it
    const isConfirmed = alone!.outcome === 'changed' && next!.outcome === 'changed' && next!.direction === 'slower'
    if (isConfirmed || verdictOf(together, false, []) === 'regression') settled += 1
  }
  expect(rows).toBeGreaterThan(150)
  expect(Math.abs(predicted - settled) / rows).toBeLessThan(0.12)
})
