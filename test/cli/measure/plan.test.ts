import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BenchmarkSoFar,
  FEWEST_TURNS,
  isExact,
  type Measured,
  MOST_TURNS,
  nextStep,
  openBenchmarks,
  type PlanSettings,
  timeLeft,
} from '../../../src/cli/measure/plan.ts'

const SETTINGS: PlanSettings = {
  budget: 600_000,
  show: 0.05,
  copies: true,
  areEqual: false,
  seed: 7,
  canFilter: true,
}
const NOTHING: Measured = {
  elapsed: 0,
  durations: [],
  turns: 0,
  turnsWithCopy: 0,
  failuresInARow: 0,
  benchmarks: [],
  isInterrupted: false,
}

const benchmark = (noise: number | null, { name = 'a', turns = 12, calmNoise = noise } = {}): BenchmarkSoFar => ({
  name,
  turns,
  noise,
  calmNoise,
})
/** So many turns of a second. */
const after = (turns: number, benchmarks: readonly BenchmarkSoFar[], more: Partial<Measured> = {}): Measured => ({
  ...NOTHING,
  elapsed: 1000 * turns,
  durations: Array.from({ length: turns }, () => 1000),
  turns,
  turnsWithCopy: turns,
  benchmarks,
  ...more,
})
const ended = (measured: Measured, settings: Partial<PlanSettings> = {}) => {
  const step = nextStep(measured, { ...SETTINGS, ...settings })
  return step.kind === 'end' ? step.end : null
}

const benchmarks = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    turns: fc.integer({ min: 0, max: 100 }),
    noise: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    calmNoise: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
  }),
  { maxLength: 5 },
)
const measured = fc.record({
  elapsed: fc.integer({ min: 0, max: 1_000_000 }),
  durations: fc.array(fc.integer({ min: 1, max: 60_000 }), { maxLength: 100 }),
  turns: fc.integer({ min: 0, max: 100 }),
  turnsWithCopy: fc.integer({ min: 0, max: 100 }),
  failuresInARow: fc.integer({ min: 0, max: 4 }),
  benchmarks,
  isInterrupted: fc.boolean(),
})
const settings = fc.record({
  budget: fc.integer({ min: 1000, max: 1_000_000 }),
  show: fc.double({ min: 0.001, max: 1, noNaN: true }),
  copies: fc.boolean(),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  areEqual: fc.boolean(),
  canFilter: fc.boolean(),
})

describe('the next turn', () => {
  test('has base and head once each, and the copy in each of five turns and in every second one', () => {
    fc.assert(
      fc.property(measured, settings, (so, by) => {
        const step = nextStep(so, by)
        if (step.kind === 'end') return
        const hasCopy = by.copies && (so.turnsWithCopy < 5 || step.turn % 2 === 0)
        expect(step.order.toSorted()).toEqual(hasCopy ? ['base', 'copy', 'head'] : ['base', 'head'])
        expect(step.turn).toBe(so.durations.length + 1)
      }),
    )
  })

  test('is ordered by its seed and number alone, and each order comes about as often', () => {
    const orders = Array.from({ length: 6000 }, (_, seed) => {
      const step = nextStep(after(seed % 90, [], { turnsWithCopy: 0 }), { ...SETTINGS, seed })
      expect(nextStep(after(seed % 90, [benchmark(0.5)], { turnsWithCopy: 0 }), { ...SETTINGS, seed })).toMatchObject({
        order: step.kind === 'turn' ? step.order : null,
      })
      return step.kind === 'turn' ? step.order.join() : ''
    })
    const counts = [...Map.groupBy(orders, (order) => order).values()].map((alike) => alike.length)
    expect(counts).toHaveLength(6)
    expect(Math.min(...counts)).toBeGreaterThan(850)
  })

  test('of equal builds is one of five that end well, however noisy they are', () => {
    const settings = { areEqual: true, copies: false }
    const noisy = [benchmark(0.3, { turns: 5 })]
    expect(nextStep(after(4, noisy), { ...SETTINGS, ...settings })).toMatchObject({ kind: 'turn', turn: 5 })
    expect(ended(after(5, noisy), settings)).toBe('turns')
    expect(ended(after(5, noisy, { turns: 4 }), settings)).toBeNull()
    expect(ended(after(5, [benchmark(0.01, { turns: 5 })]), settings)).toBe('precise')
    expect(timeLeft(after(3, noisy), { ...SETTINGS, ...settings })).toBe(2000)
  })

  test('measures alone what is not exact yet, where the tool can and something is', () => {
    const some = [benchmark(0.2, { name: 'noisy', calmNoise: 0.1 }), benchmark(0.01, { name: 'exact' })]
    expect(nextStep(after(12, some), SETTINGS)).toMatchObject({ only: ['noisy'] })
    expect(nextStep(after(12, some), { ...SETTINGS, canFilter: false })).toMatchObject({ only: null })
    expect(nextStep(after(12, some.slice(0, 1)), SETTINGS)).toMatchObject({ only: null })
  })
})

describe('the end', () => {
  test('comes by precision: after five turns, and five with a copy', () => {
    const exact = [benchmark(0.04), benchmark(0.01)]
    expect(ended(after(5, exact))).toBe('precise')
    expect(ended(after(4, exact))).toBeNull()
    expect(ended(after(9, exact, { turnsWithCopy: 4 }))).toBeNull()
    expect(ended(after(9, exact, { turnsWithCopy: 0 }), { copies: false })).toBe('precise')
    expect(ended(after(9, [...exact, benchmark(0.041)]))).toBeNull()
  })

  test('takes a noise for low only as far as it is no luck of few turns', () => {
    const limit = (turns: number) =>
      Array.from({ length: 60 }, (_, at) => at / 1000).findLast((noise) =>
        isExact(benchmark(noise, { turns }), SETTINGS),
      )
    expect([5, 10, 30, 100].map(limit)).toEqual([0.033, 0.039, 0.044, 0.046])
  })

  test('never comes by precision where a benchmark in reach is not exact', () => {
    fc.assert(
      fc.property(measured, settings, (so, by) => {
        const step = nextStep(so, by)
        if (step.kind === 'turn' || (step.end !== 'precise' && step.end !== 'out-of-reach')) return
        expect(openBenchmarks(so, by)).toEqual([])
        expect(so.turns).toBeGreaterThanOrEqual(FEWEST_TURNS)
        if (step.end === 'precise')
          expect(so.benchmarks.every(({ noise }) => noise !== null && noise <= by.show)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('comes where the rest of the budget can make nothing exact, even if the machine is calm from now on', () => {
    const busy = [benchmark(0.3, { calmNoise: 0.2 })]
    expect(ended(after(12, busy), { budget: 24_000 })).toBe('out-of-reach')
    expect(ended(after(9, [benchmark(0.3, { calmNoise: 0.2, turns: 9 })]), { budget: 18_000 })).toBeNull()
    expect(ended(after(12, [benchmark(0.3, { calmNoise: 0.04 })]), { budget: 24_000 })).toBeNull()
    expect(ended(after(12, busy))).toBe('out-of-reach')
    expect(ended(after(12, [benchmark(0.3, { calmNoise: 0.1 })]))).toBeNull()
  })

  test('comes where another turn would not fit into the budget, and after a hundred turns', () => {
    const near = [benchmark(0.06, { calmNoise: 0.05 })]
    expect(ended(after(12, near), { budget: 13_000 })).toBeNull()
    expect(ended(after(12, near), { budget: 12_999 })).toBe('budget')
    expect(ended(NOTHING, { budget: 1 })).toBeNull()
    expect(ended(after(MOST_TURNS, [benchmark(0.06, { turns: 100 })]))).toBe('turns')
  })

  test('comes after three failed turns in a row, and where somebody says so', () => {
    expect(ended(after(12, [benchmark(0.1)], { failuresInARow: 2 }))).toBeNull()
    expect(ended(after(12, [], { failuresInARow: 3 }))).toBe('failed')
    expect(ended(after(12, [], { failuresInARow: 3, isInterrupted: true }))).toBe('interrupted')
  })

  test('comes after so many turns as fit, whatever they give', () => {
    fc.assert(
      fc.property(
        settings,
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 110, maxLength: 110 }),
        (by, took) => {
          let so = NOTHING
          let last = 0
          for (const duration of took) {
            if (nextStep(so, by).kind === 'end') break
            last = duration
            so = { ...so, elapsed: so.elapsed + duration, durations: [...so.durations, duration], turns: so.turns + 1 }
          }
          expect(nextStep(so, by)).toMatchObject({ kind: 'end' })
          expect(so.elapsed).toBeLessThanOrEqual(by.budget + last)
        },
      ),
    )
  })
})

test('the time that is left is never more than the budget has, and none where all is exact', () => {
  fc.assert(
    fc.property(measured, settings, (so, by) => {
      expect(timeLeft(so, by)).toBeLessThanOrEqual(Math.max(0, by.budget - so.elapsed))
      expect(timeLeft(so, by)).toBeGreaterThanOrEqual(0)
    }),
  )
  expect(timeLeft(after(12, [benchmark(0.04)]), SETTINGS)).toBe(0)
  expect(timeLeft(after(12, [benchmark(0.1)]), SETTINGS)).toBe(36_000)
})
