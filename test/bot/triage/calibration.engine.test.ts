import { beforeAll, describe, expect, test } from 'vitest'
import { type Counts, countsOf } from '../../../bench/calibration/counts.ts'
import { rateOf } from '../../../bench/calibration/intervals.ts'
import { shiftedRates } from '../../../bench/calibration/planted.ts'
import { type RecordedRun, recordedRuns } from '../../../bench/calibration/recorded-runs.ts'
import { type JudgedRun, withoutHistory, withPast } from '../../../bench/calibration/settings.ts'
import { swappedRates } from '../../../bench/calibration/swapped.ts'
import { blockedOneSided, blockedTwoSided, MOST_RUNS } from '../../../bench/calibration/undecided.ts'
import { recordedSuites } from '../../../bench/one-sided/histories.ts'
import { unchangedIn } from '../../../bench/one-sided.ts'
import { isOpen } from '../../../src/judge/verdict/verdict.ts'
import { openStore } from '../../../src/store/store.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'

// The figures of docs/calibration.md, and the limit that they must keep.

/** Of the queries of runs of the same build, at most this share may be called a regression. */
const MOST_FALSE = 0.005

let runs: RecordedRun[]
let bare: JudgedRun[]
let past: JudgedRun[]
beforeAll(async () => {
  runs = await recordedRuns()
  bare = withoutHistory(runs)
  const store = await openStore(await migratedDatabase())
  past = await withPast(store, runs)
  await store.close()
})

const sameBuild = (judged: readonly JudgedRun[]): Counts => countsOf(judged.filter(({ run }) => run.isSameBuild))

test('every recorded run is read, whole', () => {
  expect(runs).toHaveLength(24)
  for (const { measurements, warnings } of runs) {
    expect(warnings).toEqual([])
    expect(measurements).toHaveLength(68)
    expect(measurements.every((one) => one.old.length === 7 && one.new.length === 7)).toBe(true)
  }
  expect(new Set(runs.map(({ measurements }) => JSON.stringify(measurements.map((one) => one.queryName)))).size).toBe(1)
})

/** Of pull requests that change nothing, at most this share may be blocked by rows that no run decides. */
const MOST_BLOCKED = 0.02

test('hardly any pull request that changes nothing is blocked once its reruns are used up', {
  timeout: 120_000,
}, () => {
  const twoSided = blockedTwoSided(runs.slice(0, 12))
  expect(twoSided).toMatchObject({ undecided: 0, regression: 0 })
  expect(twoSided.rerun).toBeGreaterThan(0)
  const suites = recordedSuites(new URL('../../data/', import.meta.url))
  const alone = suites.map((suite) => blockedOneSided(suite, unchangedIn(suite, MOST_RUNS)))
  const sum = (of: (one: (typeof alone)[number]) => number) => alone.reduce((total, one) => total + of(one), 0)
  const [all, undecided, regression] = [
    sum((one) => one.pullRequests),
    sum((one) => one.undecided),
    sum((one) => one.regression),
  ]
  expect([all, undecided, regression]).toEqual([2477, 2, 2])
  expect((undecided + regression) / all).toBeLessThanOrEqual(MOST_BLOCKED)
})

describe('of 1,496 queries of the same build', () => {
  test('none is called a regression without history', () => {
    const { queries, regression, slower, faster, separated } = sameBuild(bare)
    expect(queries).toBe(1496)
    expect(regression.found / queries).toBeLessThanOrEqual(MOST_FALSE)
    expect([slower.found, faster.found, separated, regression.found]).toEqual([6, 11, 4, 0])
  })

  test('what is faster by chance is praised no more than what is slower by chance is blamed', () => {
    const { verdicts, labelled, faster, improvement } = sameBuild(bare)
    expect([faster.found, improvement.found, verdicts['likely-noise']]).toEqual([11, 4, 7])
    expect(labelled).toEqual({ slower: 0, faster: 3 })
    expect(sameBuild(past).labelled).toEqual({ slower: 0, faster: 2 })
  })

  test.each([
    [1.03, 9, 3],
    [1.06, 22, 7],
    [1.1, 22, 12],
  ])('nearly none where the machine makes all of them slower by a factor of %d', (factor, said, regression) => {
    const shifted = shiftedRates(runs, factor)
    expect(shifted).toMatchObject({ runs: 22, queries: 1496, said, regression })
    expect(shifted.regression / shifted.queries).toBeLessThan(0.01)
  })

  test('nor with the trunk’s history, and what it explains is said', () => {
    const { queries, regression, verdicts, evidence } = sameBuild(past)
    expect(regression.found / queries).toBeLessThanOrEqual(MOST_FALSE)
    expect(verdicts).toMatchObject({ regression: 0, 'needs-rerun': 8, 'likely-noise': 10, improvement: 2, none: 1476 })
    expect(evidence).toEqual({ 'floor-threshold': 20, bimodal: 1, 'moves-on-trunk': 4, 'one-process': 5 })
  })

  test('and by chance, whichever side is called old', () => {
    const { ways, regression } = swappedRates(runs.slice(0, 4), 7)
    expect(ways).toBe(128)
    expect(regression.queries).toBe(128 * 4 * 68)
    expect(regression.found / regression.queries).toBeLessThanOrEqual(MOST_FALSE)
  })
})

test('the evidence takes nothing from what a change of the release has made slower beyond doubt', () => {
  for (const judged of [bare, past]) {
    const rows = judged.filter(({ run }) => !run.isSameBuild).flatMap(({ report }) => report.rows)
    const sure = rows.filter(({ results: [result] }) => result!.separated === true && result!.difference! >= 0.1)
    expect(sure).toHaveLength(10)
    expect(sure.every(({ verdict }) => isOpen(verdict))).toBe(true)
  }
})

describe('rateOf', () => {
  const run = (found: number) => ({ found, queries: 68 })

  test('counts runs by how many they have', () => {
    const { found, queries, runsByCount } = rateOf([run(0), run(2), run(0), run(1)])
    expect([found, queries, runsByCount]).toEqual([3, 272, [2, 1, 1]])
  })

  test('is wider where all of them come together than where each is by itself', () => {
    const spread = rateOf([...Array<number>(8).fill(1), ...Array<number>(8).fill(0)].map(run))
    const together = rateOf([8, ...Array<number>(15).fill(0)].map(run))
    expect(together.wilson).toEqual(spread.wilson)
    const width = ({ ofRuns }: typeof spread) => ofRuns!.high - ofRuns!.low
    expect(width(together)).toBeGreaterThan(2 * width(spread))
    // Half of 16 runs with one each: their mean is binomial, 0.25 to 0.75 of the runs.
    expect(spread.ofRuns!.low * 68).toBeCloseTo(0.25, 5)
    expect(spread.ofRuns!.high * 68).toBeCloseTo(0.75, 5)
  })

  test('gives the same numbers every time, and none over one run', () => {
    expect(rateOf([run(3), run(1)])).toEqual(rateOf([run(3), run(1)]))
    expect(rateOf([run(3)]).ofRuns).toBeNull()
  })
})
