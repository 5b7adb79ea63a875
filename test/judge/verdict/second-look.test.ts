import { describe, expect, test } from 'vitest'
import type { Measurement } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { inTurns } from '../../../src/judge/verdict/second-look.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { verdictOf } from '../../../src/judge/verdict/verdict.ts'
import { generator, noise } from '../statistics/change-points/noise.ts'

function measurement(
  queryIndex: number,
  old: readonly number[],
  fresh: readonly number[],
  more: Partial<Measurement> = {},
) {
  return {
    test: 'sum',
    queryIndex,
    queryName: null,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...more,
  } satisfies Measurement
}

/** Queries on a host that both of a pair meet: it slows for some turns by up to half. */
function onBusyHost(count: number, slower: number, more: Partial<Measurement> = { clock: true }): Measurement[] {
  const random = generator(53)
  return Array.from({ length: count }, (_, index) => {
    const host = Array.from({ length: 7 }, () => 1 + 0.5 * random())
    const level = index === 0 ? 1 + slower : 1
    const side = (by: number) => noise(random, 7, by, 0.01 * by).map((value, turn) => value * host[turn]!)
    return measurement(index, side(1), side(level), more)
  })
}

const rowOf = (measurements: readonly Measurement[]) =>
  classify(measurements, DEFAULT_THRESHOLDS).find(({ queryIndex }) => queryIndex === 0)!

describe('the second look at what is unstable', () => {
  test('sees a slowdown pair by pair, and only asks for another measurement', () => {
    const row = rowOf(onBusyHost(30, 0.2))
    expect(row).toMatchObject({ outcome: 'unstable', leans: { reason: 'leans-slower' } })
    const { leans } = row
    expect(leans?.reason === 'leans-slower' && leans.difference).toBeCloseTo(0.2, 1)
    expect(verdictOf(row, false, [])).toBe('needs-rerun')
    expect(verdictOf(row, false, [{ kind: 'no-code-changed', files: 1 } as never])).toBeNull()
  })

  test('does not see what is faster, what is small, and what was not measured in turns', () => {
    expect(rowOf(onBusyHost(30, -0.2)).leans).toBeUndefined()
    expect(rowOf(onBusyHost(30, 0.02)).leans).toBeUndefined()
    expect(rowOf(onBusyHost(30, 0.2, {})).leans).toBeUndefined()
    const ofOne = { old: { processes: Array(7).fill(0) }, new: { processes: Array(7).fill(0) } }
    expect(rowOf(onBusyHost(30, 0.2, { clock: true, taken: ofOne })).leans).toBeUndefined()
  })

  test('where nothing changed, hardly any row leans', () => {
    const random = generator(59)
    const side = () => noise(random, 7, 1, 0.15).map(Math.abs)
    const unsteady = Array.from({ length: 400 }, (_, index) => measurement(index, side(), side(), { clock: true }))
    for (const measurements of [onBusyHost(400, 0), unsteady]) {
      const rows = classify(measurements, DEFAULT_THRESHOLDS)
      expect(rows.filter(({ outcome }) => outcome === 'unstable').length).toBeGreaterThan(300)
      expect(rows.filter(({ leans }) => leans?.reason === 'leans-slower').length).toBeLessThan(4)
    }
  })
})

describe('what the second look rules out', () => {
  const ruledOut = (rows: ReturnType<typeof classify>) =>
    rows.filter(({ couldHide: hidden }) => hidden?.ruledOutBy === 'pairs').length

  test('a slowdown of 10%, where pairs agree that there is none', () => {
    expect(rowOf(onBusyHost(30, 0)).couldHide).toMatchObject({ ruledOut: 0.1, ruledOutBy: 'pairs' })
    expect(rowOf(onBusyHost(30, 0.12)).couldHide).toMatchObject({ ruledOut: null })
    expect(rowOf(onBusyHost(30, 0, {})).couldHide).toMatchObject({ ruledOut: null })
  })

  test('of a rate it is the slowdown of what it counts', () => {
    const rates = (slower: number) =>
      onBusyHost(30, slower).map((one) => ({
        ...one,
        old: one.old.map((value) => 1 / value),
        new: one.new.map((value) => 1 / value),
        better: 'higher' as const,
      }))
    expect(rowOf(rates(0)).couldHide).toMatchObject({ ruledOut: 0.1, ruledOutBy: 'pairs' })
    expect(rowOf(rates(0.12)).couldHide).toMatchObject({ ruledOut: null })
    expect(rowOf(rates(-0.1)).couldHide).toMatchObject({ ruledOut: 0.1 })
  })

  test('by its own noise: steady queries beside it make it no surer', () => {
    const random = generator(67)
    const around = (level: number, deviation: number) => noise(random, 7, level, deviation).map(Math.abs)
    let wrong = 0
    for (let run = 0; run < 300; run++) {
      const others = Array.from({ length: 30 }, (_, index) =>
        measurement(index + 1, around(1, 0.03), around(1, 0.03), { clock: true }),
      )
      const noisy = measurement(0, around(1, 0.2), around(1.1, 0.2), { clock: true })
      wrong += Number(rowOf([noisy, ...others]).couldHide?.ruledOutBy === 'pairs')
    }
    expect(wrong).toBeLessThan(30)
  })

  test('nothing of two modes', () => {
    const modes = [1, 1.01, 1.02, 1, 1.5, 1.51, 1.52]
    const pair = measurement(
      0,
      modes,
      modes.map((value, turn) => value * (1 + 0.001 * turn)),
      { clock: true },
    )
    expect(rowOf([pair, ...onBusyHost(30, 0).slice(1)]).couldHide).toMatchObject({ ruledOut: null })
  })

  test('is wrong of one in twenty that are just so much slower, and of none that is twice that', () => {
    const random = generator(61)
    const side = (level: number) => noise(random, 7, level, 0.15).map(Math.abs)
    const of = (level: number) =>
      Array.from({ length: 1000 }, (_, index) => measurement(index, side(1), side(level), { clock: true }))
    const wrong = ruledOut(classify(of(1.1), DEFAULT_THRESHOLDS))
    expect(wrong).toBeGreaterThan(20)
    expect(wrong).toBeLessThan(75)
    expect(ruledOut(classify(of(1.2), DEFAULT_THRESHOLDS))).toBeLessThan(10)
  })
})

test('looks at rows too that are as far off as a change, and steady', () => {
  const old = [1, 1.021, 1.042, 1.063, 1.084, 1.105, 1.126]
  const slower = (by: number) => old.map((value, turn) => value * (by + 0.004 * (turn % 2)))
  const row = (by: number, more: Partial<Measurement> = { clock: true }) =>
    rowOf([measurement(0, old, slower(by), more), ...onBusyHost(30, 0).slice(1)])
  expect(row(1.055)).toMatchObject({ outcome: 'not-significant', leans: { reason: 'leans-slower' } })
  expect(row(1.055).rankPValue).toBeGreaterThan(0.02)
  expect(row(1.055, {}).leans).toBeUndefined()
  // 3% are no change, whatever the pairs say
  expect(row(1.03).leans).toBeUndefined()
})

describe('in turns', () => {
  const one = (more: Partial<Measurement>) => measurement(0, [1, 2, 3], [4, 5, 6], more)
  const places = (old: number[], fresh: number[]) =>
    one({ clock: true, taken: { old: { places: old }, new: { places: fresh } } })

  test('by places on one clock, or as the source has it', () => {
    expect(inTurns(one({ clock: true }))).toEqual({ old: [1, 2, 3], new: [4, 5, 6] })
    expect(inTurns(places([0, 2, 4], [1, 3, 5]))).toEqual({ old: [1, 2, 3], new: [4, 5, 6] })
    // the second round began with the new side, and the file has its samples in another order
    expect(inTurns(places([4, 0, 3], [5, 2, 1]))).toEqual({ old: [2, 3, 1], new: [6, 5, 4] })
  })

  test('not one side after the other, without a clock, or with places of one side alone', () => {
    expect(inTurns(places([0, 1, 2], [3, 4, 5]))).toBeNull()
    expect(inTurns(one({}))).toBeNull()
    expect(inTurns(one({ clock: true, taken: { old: { places: [0, 1, 2] } } }))).toBeNull()
    expect(inTurns(measurement(0, [1, 2, 3], [4, 5], { clock: true }))).toBeNull()
  })
})

describe('unstable is decided by what the sides vary by themselves', () => {
  // one slow old repetition is in the way: the medians could be a little farther apart
  const old = [1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.245]
  const fresh = [1.2, 1.21, 1.22, 1.23, 1.24, 1.25, 1.26]

  test('one repetition overlaps', () => {
    const [row] = classify([measurement(0, old, fresh)], DEFAULT_THRESHOLDS)
    expect(row!.threshold).toBeGreaterThan(0.1)
    expect(row!.centredThreshold).toBeLessThan(0.1)
    expect(row).toMatchObject({ outcome: 'not-significant', leans: { reason: 'one-repetition-overlaps' } })
    expect(row!.couldHide).toBeDefined()
    expect(verdictOf(row!, false, [])).toBe('needs-rerun')
  })

  test('a faster one asks for nothing, and one that chance may give hides something', () => {
    const [faster] = classify([measurement(0, fresh, old)], DEFAULT_THRESHOLDS)
    expect(faster!.leans).toBeUndefined()
    expect(verdictOf(faster!, false, [])).toBeNull()
    const mixed = [1.0, 1.01, 1.02, 1.03, 1.235, 1.245, 1.255]
    const [chance] = classify([measurement(0, mixed, fresh)], DEFAULT_THRESHOLDS)
    expect(chance!.leans).toBeUndefined()
  })

  test('a threshold of the test is held against T of the pooled samples', () => {
    const [row] = classify([measurement(0, old, fresh, { reportThreshold: 0.06 })], DEFAULT_THRESHOLDS)
    expect(row!.threshold).toBeGreaterThan(0.16)
    expect(row).toMatchObject({ unstableThresholdSource: 'test', outcome: 'unstable' })
  })
})
