import { describe, expect, test } from 'vitest'
import { steppedHistory, suiteSteps } from '../../../src/judge/bisect/suite-steps.ts'
import { trunkSteps } from '../../../src/judge/bisect/trunk-steps.ts'
import type { TrunkSeries, TrunkStep } from '../../../src/judge/history/trunk-series.ts'
import { measuredHistory } from './measured-history.ts'
import { recordedSuite } from './recorded-suite.ts'
import { normalNoise, point, seriesOf } from './series-builder.ts'

const stepsOf = (suite: readonly TrunkSeries[]) => suiteSteps(suite.map((series) => steppedHistory(series)))

interface Planted {
  readonly runs?: number
  readonly at: number
  readonly size: number
  readonly noise: number
  readonly seed: number
  /** The level is back from this run on. */
  readonly until?: number
  /** How slow the machine of a run was. */
  readonly machine?: (run: number) => number
}

/** Each run against the one before it, both sides with noise of their own on one machine; a step of `size` at run `at`. */
function planted({ runs = 40, at, size, noise, seed, until = runs, machine = () => 1 }: Planted): TrunkSeries {
  const [fresh, old] = [normalNoise(2 * seed, runs, noise), normalNoise(2 * seed + 1, runs, noise)]
  const level = (run: number) => 0.05 * (run >= at && run < until ? 1 + size : 1)
  const points = Array.from({ length: runs }, (_, run) =>
    point(run, machine(run) * level(run - 1) * old[run]!, machine(run) * level(run) * fresh[run]!, { threshold: 0.05 }),
  )
  return { ...seriesOf([], { queryIndex: seed }), points }
}

/** Of every series of which one alone stepped surely: which of the others have a step with it. */
const withIt = (others: readonly TrunkSeries[], first = planted({ at: 20, size: 0.25, noise: 0.01, seed: 900 })) => {
  const [own, ...found] = stepsOf([first, ...others])
  expect(own).toEqual(trunkSteps(first))
  expect(own).toHaveLength(1)
  return found
}

/** Series that step by 15% with the neighbour in so much noise that none shows it alone. */
const noisy = (more: Partial<Planted> = {}) =>
  Array.from({ length: 40 }, (_, i) => planted({ at: 20, size: 0.15, noise: 0.08, seed: 30 + i, ...more })).filter(
    (series) => trunkSteps(series).length === 0,
  )
const beside = (found: readonly (readonly TrunkStep[])[]) =>
  found.flat().filter(({ seenBy }) => seenBy === 'neighbour').length

describe('where a neighbour stepped', () => {
  test('the demo’s `orders_sort #0` goes from 48 to 55 ms where `#1` steps, and has its window; `#2` has none', () => {
    const suite = recordedSuite('orders_sort')
    expect(suite.map((series) => trunkSteps(series).length)).toEqual([0, 1, 0])
    const [beside, own, none] = stepsOf(suite)
    expect(none).toEqual([])
    expect(own).toEqual(trunkSteps(suite[1]!))
    expect(beside).toHaveLength(1)
    const [step, [neighbour]] = [beside![0]!, own!]
    expect(step.seenBy).toBe('neighbour')
    for (const end of ['lastGood', 'firstBad', 'earliest', 'latest'] as const)
      expect(step[end].commit).toBe(neighbour![end].commit)
    expect([step.before, step.after]).toEqual([expect.closeTo(0.0482, 4), expect.closeTo(0.0549, 4)])
    // Of the four runs that may be the neighbour's, the two together leave these: the step came with run 25.
    const { points } = suite[0]!
    expect(step.place).toEqual({ earliest: points[23], latest: points[24] })
  })

  test('without the neighbour nothing is asked', () => {
    const [first, , third] = recordedSuite('orders_sort')
    expect(stepsOf([first!, third!])).toEqual([[], []])
    expect(
      recordedSuite('orders_join')
        .concat(recordedSuite('orders_group_by'))
        .flatMap((one) => stepsOf([one]).flat()),
    ).toEqual([])
  })

  test('the level is 1% by the number of series that are asked, and 0.1% at least', () => {
    // Six runs and six that do not overlap: p is 0.0022.
    const few = planted({ runs: 12, at: 6, size: 0.08, noise: 0.015, seed: 6 })
    const first = planted({ runs: 12, at: 6, size: 1, noise: 0.005, seed: 901 })
    const steady = Array.from({ length: 9 }, (_, i) => planted({ runs: 12, at: 6, size: 0, noise: 0.01, seed: 20 + i }))
    expect(trunkSteps(few)).toEqual([])
    expect(trunkSteps(first)).toHaveLength(1)
    const foundBeside = (count: number) => stepsOf([first, few, ...steady.slice(0, count)])[1]!.length
    expect([0, 1, 3, 4, 9].map(foundBeside)).toEqual([1, 1, 1, 0, 0])
  })

  test('of many series one is asked at 0.1%, which 1% shared among them is below', () => {
    // Seven runs and seven that do not overlap: p is 0.0006, and 1% of 41 series 0.0002.
    const all = Array.from({ length: 60 }, (_, i) =>
      planted({ runs: 14, at: 7, size: 0.09, noise: 0.02, seed: 150 + i }),
    )
    const few = all.filter((series) => trunkSteps(series).length === 0)
    const first = planted({ runs: 14, at: 7, size: 1, noise: 0.005, seed: 901 })
    const steady = Array.from({ length: 40 }, (_, i) =>
      planted({ runs: 14, at: 7, size: 0, noise: 0.01, seed: 50 + i }),
    )
    expect(few.filter((one) => stepsOf([first, one, ...steady])[1]!.length > 0)).toHaveLength(2)
  })

  test('a step is 5% and more', () => {
    const of = (size: number, seed: number) => planted({ runs: 14, at: 7, size, noise: 0.005, seed })
    const found = (size: number) => stepsOf([of(1, 902), of(size, 11)])[1]!.length
    expect([0.035, 0.065].map(found)).toEqual([0, 1])
  })

  test('what stepped elsewhere, what only the machine did, and what was not measured there has no step with it', () => {
    const one = (series: TrunkSeries) => beside(withIt([series]))
    const sum = (all: readonly TrunkSeries[]) => all.reduce((count, series) => count + one(series), 0)
    expect(sum(noisy())).toBeGreaterThanOrEqual(4)
    expect(sum(noisy({ at: 27 }))).toBe(0)
    // Slower from run 20 on, and in no run slower than the build before it.
    expect(sum(noisy({ size: 0, noise: 0.02, machine: (run) => (run >= 20 ? 1.15 : 1) }))).toBe(0)
    const without = noisy().map((series) => ({ ...series, points: series.points.filter((_, run) => run !== 20) }))
    expect(sum(without)).toBe(0)
  })

  test('what most series did in a run was the machine, though a pair seems to show it', () => {
    const machine = (run: number) => (run >= 20 ? 1.15 : 1)
    const others = Array.from({ length: 60 }, (_, i) =>
      planted({ at: 20, size: 0, noise: 0.08, seed: 300 + i, machine }),
    )
    expect(beside(withIt(others))).toBe(0)
    // Some of them have it alone, where nobody sees what the others did.
    expect(others.filter((series) => beside(withIt([series])) > 0).length).toBeGreaterThan(0)
  })

  test('runs that are like their neighbours are fewer than they seem', () => {
    const host = (run: number) => [1, 1.12, 0.97, 1.14][Math.floor((run + 10) / 10) % 4]!
    const series = Array.from({ length: 30 }, (_, i) =>
      planted({ at: 20, size: 0, noise: 0.05, seed: 500 + i, machine: host }),
    )
    expect(series.filter((one) => beside(withIt([one])) > 0)).toEqual([])
    // Hosts of ten runs that differ as much as the step does: of 40 histories a plain rank test takes six for one.
    const hosts = (i: number) => {
      const speeds = normalNoise(7000 + i, 4, 0.1)
      return (run: number) => speeds[Math.floor(run / 10)]!
    }
    const stepped = Array.from({ length: 40 }, (_, i) =>
      planted({ at: 20, size: 0.08, noise: 0.02, seed: 600 + i, machine: hosts(i) }),
    )
    expect(stepped.filter((one) => beside(withIt([one])) > 0).length).toBeLessThanOrEqual(2)
  })

  test('what the neighbour lost again is taken for lost here too', () => {
    const first = planted({ runs: 60, at: 20, until: 45, size: 0.25, noise: 0.01, seed: 910 })
    const [own] = trunkSteps(first)
    const found = noisy({ runs: 60 }).flatMap((series) =>
      stepsOf([first, series])[1]!.filter(({ seenBy, step }) => seenBy === 'neighbour' && step > 0),
    )
    expect(found.length).toBeGreaterThan(0)
    expect(own!.recovered).not.toBeNull()
    for (const { recovered } of found) expect(recovered?.commit).toBe(own!.recovered!.commit)
  })

  test('two neighbours that stepped at one commit are one cause: it is asked once, and has one window', () => {
    const both = [0.25, 0.3].map((size, i) => planted({ at: 20, size, noise: 0.01, seed: 920 + i }))
    for (const series of noisy()) expect(stepsOf([...both, series])[2]!.length).toBeLessThanOrEqual(1)
    expect(beside(noisy().flatMap((series) => stepsOf([...both, series])))).toBeGreaterThanOrEqual(4)
  })

  test('one planted step among 100 series brings at most 0.1 further ones on average', () => {
    const suites = 60
    let further = 0
    for (let suite = 1; suite <= suites; suite += 1) {
      // A third of them without machines, a third with another one each run, a third with another one every ten runs.
      const machines = normalNoise(5000 + suite, 40, 0.05)
      const machine = (run: number) => [1, machines[run]!, machines[Math.floor(run / 10)]!][suite % 3]!
      const others = Array.from({ length: 99 }, (_, i) =>
        planted({ at: 20, size: 0, noise: 0.05, seed: 1000 * suite + i, machine }),
      )
      const first = planted({ at: 20, size: 0.3, noise: 0.01, seed: 1000 * suite + 999, machine })
      further += beside(stepsOf([first, ...others]))
    }
    expect(further / suites).toBeLessThanOrEqual(0.1)
  })
})

test('in the measured history a neighbour brings nothing where the engine was the same', () => {
  const found = [...Map.groupBy(measuredHistory(), ({ test: name }) => name).values()].flatMap((suite) =>
    stepsOf(suite).map((steps, i) => ({ steps, series: suite[i]! })),
  )
  const elsewhere = found.flatMap(({ steps, series }) =>
    steps.filter(
      ({ firstBad, seenBy }) => seenBy === 'neighbour' && ![7, 15].includes(series.points.indexOf(firstBad)),
    ),
  )
  expect(elsewhere).toEqual([])
  for (const { steps, series } of found)
    expect(steps.filter(({ seenBy }) => seenBy !== 'neighbour')).toEqual(trunkSteps(series))
})
