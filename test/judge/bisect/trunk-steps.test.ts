import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import { trunkSteps } from '../../../src/judge/bisect/trunk-steps.ts'
import type { TrunkPoint, TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { measuredHistory } from './measured-history.ts'
import { commitOf, normalNoise, point, seriesOf } from './series-builder.ts'

/** 80 points in 1% of noise whose level is multiplied at the given positions. */
function noisy(seed: number, changes: Readonly<Record<number, number>>, count = 80): TrunkSeries {
  let level = 0.5
  const levels = normalNoise(seed, count, 0.01).map((factor, index) => {
    level *= changes[index] ?? 1
    return level * factor
  })
  return seriesOf(levels)
}

describe('a step in noise', () => {
  test('is between the points on its two sides, and both detectors see it', () => {
    const series = noisy(1, { 45: 1.15 })
    const [step, ...more] = trunkSteps(series)
    expect(more).toEqual([])
    expect(step).toMatchObject({ lastGood: series.points[44], firstBad: series.points[45], seenBy: 'both' })
    expect(step!.step).toBeCloseTo(0.15, 1)
    expect(step!.recovered).toBeNull()
  })

  test('without one there is none', () => {
    for (let seed = 1; seed <= 20; seed += 1) expect(trunkSteps(noisy(seed, {})), `seed ${seed}`).toEqual([])
    expect(trunkSteps(seriesOf([]))).toEqual([])
    expect(trunkSteps(seriesOf([0.5]))).toEqual([])
  })

  test('for any place and size the true place is within the interval, and last good is before first bad', () => {
    let inside = 0
    let found = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 25, max: 60 }),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.nat(),
        (at, size, seed) => {
          const series = noisy(seed, { [at]: 1 + size })
          const steps = trunkSteps(series)
          expect(steps.length).toBeGreaterThanOrEqual(1)
          const big = steps.reduce((a, b) => (Math.abs(b.step) > Math.abs(a.step) ? b : a))
          const [good, bad] = [series.points.indexOf(big.lastGood), series.points.indexOf(big.firstBad)]
          const [earliest, latest] = [series.points.indexOf(big.earliest), series.points.indexOf(big.latest)]
          expect(good).toBe(bad - 1)
          expect(earliest).toBeLessThanOrEqual(bad)
          expect(latest).toBeGreaterThanOrEqual(bad)
          found += 1
          if (earliest <= at && at <= latest) inside += 1
        },
      ),
      { numRuns: 100, seed: 7 },
    )
    expect(inside / found).toBeGreaterThanOrEqual(0.99)
  })
})

describe('what neither of the two older rules sees', () => {
  /** Few runs in much noise: of the two sides of each run, and of the machine between the runs. */
  const short = (seed: number, size: number, at = 12) =>
    seriesOf([]).points.concat(
      normalNoise(seed, 24, 0.02).map((fresh, index) => {
        const machine = normalNoise(seed * 100 + index, 1, 0.03)[0]!
        const old = normalNoise(seed * 1000 + index, 1, 0.02)[0]!
        const level = (run: number) => machine * (run >= at ? 1 + size : 1)
        return point(index, level(index - 1) * old, level(index) * fresh, { threshold: 0.05 })
      }),
    )
  const stepsOf = (points: readonly TrunkPoint[]) => trunkSteps({ ...seriesOf([]), points })

  test('a step of 15% in 24 runs has a window by the pair, the run and the levels together', () => {
    let [found, exact, alone] = [0, 0, 0]
    for (let seed = 1; seed <= 40; seed += 1) {
      const points = short(seed, 0.15)
      for (const { lastGood, firstBad, earliest, latest, step, seenBy } of stepsOf(points)) {
        found += 1
        if (points.indexOf(firstBad) === 12) exact += 1
        if (seenBy === 'paired-evidence') alone += 1
        expect(points.indexOf(lastGood)).toBe(points.indexOf(firstBad) - 1)
        expect(points.indexOf(earliest)).toBeLessThanOrEqual(points.indexOf(firstBad))
        expect(points.indexOf(latest)).toBeGreaterThanOrEqual(points.indexOf(firstBad))
        expect(step).toBeCloseTo(0.15, 0)
      }
    }
    expect([found, alone].every((count) => count >= 30)).toBe(true)
    expect(exact / found).toBeGreaterThan(0.9)
  })

  test('without one there is none', () => {
    const found = Array.from({ length: 40 }, (_, seed) => stepsOf(short(seed + 1, 0)).length)
    // Of 960 runs.
    expect(found.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(1)
  })

  test('runs that were not measured against the run before them show nothing together', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const elsewhere = short(seed, 0.15).map((one) => ({ ...one, referenceCommit: commitOf(900) }))
      expect(stepsOf(elsewhere).filter(({ seenBy }) => seenBy === 'paired-evidence')).toEqual([])
    }
  })
})

describe('recovery', () => {
  test('is the first bad point of the step that leads back', () => {
    const series = noisy(2, { 40: 1.3, 60: 1 / 1.3 }, 90)
    const [up, down] = trunkSteps(series)
    expect(up).toMatchObject({ firstBad: series.points[40], recovered: series.points[60] })
    expect(down).toMatchObject({ firstBad: series.points[60], recovered: null })
  })

  test('less than most of it is none; two steps together may be', () => {
    const half = noisy(3, { 40: 1.5, 60: 1.25 / 1.5 }, 90)
    expect(trunkSteps(half)[0]!.recovered).toBeNull()
    const both = noisy(3, { 40: 1.5, 62: 1.25 / 1.5, 84: 1 / 1.25 }, 110)
    expect(trunkSteps(both)[0]!.recovered).toEqual(both.points[84])
  })

  test('is seen however small the fall is, and whatever the step rule makes of it', () => {
    for (const back of [48, 55, 70]) {
      const [steps, missed] = [[] as number[], [] as number[]]
      for (let seed = 1; seed <= 60; seed += 1) {
        const [step] = trunkSteps(noisy(seed, { 40: 1.15, [back]: 1 / 1.15 }, 100))
        if (step === undefined) continue
        steps.push(seed)
        if (step.recovered === null) missed.push(seed)
      }
      expect(steps.length, `back at ${back}`).toBeGreaterThan(50)
      expect(missed, `back at ${back}`).toEqual([])
    }
  })
})

describe('a spike is no step', () => {
  test.each([59, 58, 57, 30])('at the point %d of 60', (at) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { points, ...series } = noisy(seed, {}, 60)
      const spiked = points.map((one, index) => (index === at ? point(index, one.old, one.new * 1.3) : one))
      expect(trunkSteps({ ...series, points: spiked }), `seed ${seed}`).toEqual([])
    }
  })
})

describe('another machine is no step', () => {
  /** From the point 40 on a machine on which everything takes 25% longer; each pair is measured on one machine. */
  const moved = (types?: readonly [string, string]) =>
    seriesOf([]).points.concat(
      normalNoise(1, 60, 0.01).map((fresh, index) => {
        const factor = index >= 40 ? 1.25 : 1
        const old = factor * normalNoise(index + 200, 1, 0.01)[0]!
        return point(
          index,
          old,
          factor * fresh,
          types === undefined ? {} : { instanceType: types[index >= 40 ? 1 : 0] },
        )
      }),
    )

  test('where the runs across it do not show it', () => {
    expect(trunkSteps({ ...seriesOf([]), points: moved() })).toEqual([])
  })

  test('where no run leads across it and the types are known to differ', () => {
    const without = (points: readonly TrunkPoint[]) => points.filter((_, index) => index < 38 || index > 41)
    expect(trunkSteps({ ...seriesOf([]), points: without(moved(['c7g', 'c8g'])) })).toEqual([])
    // Nobody has said that it was another one, and a gap makes the window wider.
    expect(trunkSteps({ ...seriesOf([]), points: without(moved(['c7g', 'c7g'])) })).toHaveLength(1)
    expect(trunkSteps({ ...seriesOf([]), points: without(moved()) })).toHaveLength(1)
  })

  test('is no recovery either', () => {
    const whole = noisy(1, { 40: 1.25 }, 100)
    const points = whole.points.map((one, index) => {
      const factor = index >= 70 ? 0.8 : 1
      return { ...one, old: factor * one.old, new: factor * one.new }
    })
    expect(trunkSteps({ ...whole, points })).toMatchObject([{ recovered: null }])
  })
})

describe('the order of the trunk', () => {
  test('a run that ended before that of its reference stands after it', () => {
    const { points, ...series } = noisy(1, { 40: 1.25 }, 60)
    const early = points.map((one, index) => {
      const at = index === 40 ? 41 : index === 41 ? 40 : index
      return { ...points[at]!, time: one.time }
    })
    const [step] = trunkSteps({ ...series, points: early })
    expect([step?.lastGood.commit, step?.firstBad.commit]).toEqual([points[39]!.commit, points[40]!.commit])
  })

  test('where it is given it decides', () => {
    const { points, ...series } = noisy(1, { 40: 1.25 }, 60)
    // Nothing says which of them was measured against which.
    const early = points.map((one, index) => {
      const at = index === 40 ? 42 : index === 42 ? 40 : index
      return { ...points[at]!, time: one.time, referenceCommit: '' }
    })
    const order = new Map(points.slice(35, 50).map(({ commit }, index) => [commit, index]))
    const [step] = trunkSteps({ ...series, points: early }, order)
    expect([step?.lastGood.commit, step?.firstBad.commit]).toEqual([points[39]!.commit, points[40]!.commit])
  })

  test('where nobody says it the last good point is before the whole interval', () => {
    let wide = 0
    for (let seed = 1; seed <= 30; seed += 1) {
      const { points, ...series } = noisy(seed, { 40: 1.25 }, 60)
      const noisier = points.map((one, index) => {
        const factor = normalNoise(seed * 100 + index, 1, 0.06)[0]!
        return { ...one, referenceCommit: '', old: one.old * factor, new: one.new * factor }
      })
      for (const { lastGood, earliest, firstBad } of trunkSteps({ ...series, points: noisier })) {
        expect(noisier.indexOf(lastGood)).toBeLessThan(noisier.indexOf(earliest))
        if (earliest !== firstBad) wide += 1
      }
    }
    expect(wide).toBeGreaterThan(5)
  })
})

test.each([1.25, 0.78])('runs against the same old build show one step of %d once, and where it is', (factor) => {
  let several = 0
  for (let seed = 0; seed < 100; seed += 1) {
    const fresh = normalNoise(seed * 7 + 1, 80, 0.03)
    const old = normalNoise(seed * 31 + 5, 80, 0.03)
    const level = (index: number) => (index >= 61 ? factor : 1)
    const points = fresh.map((noise, index) => {
      const reference = index >= 60 && index < 63 ? 60 : index
      const before = level(reference) * old[index]!
      return point(index, before, level(index + 1) * noise, { referenceCommit: commitOf(reference) })
    })
    const alike = trunkSteps({ ...seriesOf([]), points }).filter(({ step }) => step > 0 === factor > 1)
    if (alike.length > 1) several += 1
    for (const { lastGood } of alike) expect(points.indexOf(lastGood), `seed ${seed}`).toBeLessThan(60)
  }
  expect(several).toBeLessThanOrEqual(3)
})

describe('gaps widen the window', () => {
  test('points without a value are never the last good or the first bad one', () => {
    for (const missing of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1]) {
      const whole = noisy(1, { 45: 1.25 })
      const points = whole.points.map((one, index) => (index >= 42 && index <= 44 ? { ...one, new: missing } : one))
      const [step] = trunkSteps({ ...whole, points })
      expect(step).toMatchObject({ lastGood: points[41], firstBad: points[45] })
      // It may have happened at any of those that were not measured.
      expect(points.indexOf(step!.earliest)).toBeLessThanOrEqual(42)
    }
  })

  test('missing days: the window is from the last point before to the first after them', () => {
    const whole = noisy(1, { 45: 1.25 })
    const points = whole.points.filter((_, index) => index < 40 || index > 50)
    const [step] = trunkSteps({ ...whole, points })
    expect(step).toMatchObject({ lastGood: whole.points[39], firstBad: whole.points[51] })
  })

  test('runs of one commit are no window', () => {
    const whole = noisy(1, { 45: 1.25 })
    const again = whole.points.map((one, index) => (index === 44 ? { ...one, commit: whole.points[45]!.commit } : one))
    expect(trunkSteps({ ...whole, points: again })[0]).toMatchObject({ lastGood: again[43], firstBad: again[45] })
    const same = whole.points.map((one) => ({ ...one, commit: whole.points[0]!.commit }))
    expect(trunkSteps({ ...whole, points: same })).toEqual([])
  })
})

test('anything in the history: no error, and every step is between measured points of two commits', () => {
  const value = fc.oneof(
    fc.double(),
    fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 5e-324, 1e308),
    fc.double({ min: 0.1, max: 2, noNaN: true }),
  )
  const one = fc.record({
    old: value,
    new: value,
    difference: value,
    threshold: fc.option(value),
    commit: fc.nat({ max: 9 }),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (all) => {
      const points = all.map(({ commit, ...rest }, index) => point(index, 1, 1, { ...rest, commit: `${commit}` }))
      for (const { lastGood, firstBad } of trunkSteps({ ...seriesOf([]), points })) {
        expect(lastGood.new).toBeGreaterThan(0)
        expect(firstBad.new).toBeGreaterThan(0)
        expect(lastGood.commit).not.toBe(firstBad.commit)
        expect(points.indexOf(lastGood)).toBeLessThan(points.indexOf(firstBad))
      }
    }),
    { numRuns: 300 },
  )
})

describe('the measured history: the engine’s release changes at the points 8 and 16', () => {
  const BOUNDARIES = [7, 15]
  const typicalThreshold = ({ points }: TrunkSeries) => median(points.map(({ threshold }) => threshold!))
  const found = measuredHistory().map((series) => ({ series, steps: trunkSteps(series) }))

  test('every query that clearly moved by a fifth and more at a boundary has a step there', () => {
    let moved = 0
    for (const { series, steps } of found) {
      for (const boundary of BOUNDARIES) {
        const { difference } = series.points[boundary]!
        const before = series.points[boundary - 1]!
        // In the noise of most of the others nobody could tell a fifth.
        if (Math.abs(difference) < 0.2 || typicalThreshold(series) > 0.1) continue
        moved += 1
        const at = steps.find(({ firstBad }) => firstBad === series.points[boundary])
        expect(at, `${series.test} #${series.queryIndex} at ${boundary}`).toBeDefined()
        expect(at!.lastGood).toBe(before)
        expect(Math.sign(at!.step)).toBe(Math.sign(difference))
      }
    }
    expect(moved).toBe(7)
  })

  test('both boundaries are found', () => {
    const [first, second] = BOUNDARIES.map((boundary) =>
      found.filter(({ series, steps }) => steps.some(({ firstBad }) => firstBad === series.points[boundary])),
    )
    expect(first!.length).toBeGreaterThanOrEqual(10)
    // At the second one the levels show more, which the runs across it do not: another machine.
    expect(second!.length).toBeGreaterThanOrEqual(1)
  })

  test('few steps are anywhere else', () => {
    const elsewhere = found.flatMap(({ series, steps }) =>
      steps.filter(({ firstBad }) => !BOUNDARIES.includes(series.points.indexOf(firstBad))),
    )
    // Of 68 queries with 21 runs each in which nothing changed.
    expect(elsewhere.length).toBeLessThanOrEqual(3)
  })
})
