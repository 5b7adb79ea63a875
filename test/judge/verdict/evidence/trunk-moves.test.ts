import { describe, expect, test } from 'vitest'
import { queryKey } from '../../../../src/intake/measurement/run.ts'
import type { LearnedLookup } from '../../../../src/judge/history/learned-thresholds.ts'
import type { TrunkPoint, TrunkStep } from '../../../../src/judge/history/trunk-series.ts'
import {
  MOST_MOVERS,
  MOVES_MINIMUM,
  type MovesAsked,
  moversBesideSteps,
  moversWanted,
  movesBesideSteps,
  movesOrStillOnTrunk,
  STILL_MINIMUM_RUNS,
  trunkMovers,
} from '../../../../src/judge/verdict/evidence/trunk-moves.ts'
import { arm, classified, measured, times } from '../../../report/judge-setting.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const row = classifiedQuery({ architecture: 'arm' })
const kindOf = (times: number, runs: number) =>
  movesOrStillOnTrunk(row, { runs, times, lowest: -0.12, highest: 0.15 })?.kind ?? null

test('what a query does on the trunk is said with its numbers', () => {
  expect(movesOrStillOnTrunk(row, { runs: 214, times: 14, lowest: -0.12, highest: 0.15 })).toEqual({
    kind: 'moves-on-trunk',
    architecture: 'arm',
    times: 14,
    runs: 214,
    lowest: -0.12,
    highest: 0.15,
  })
  expect(movesOrStillOnTrunk(row, { runs: 214, times: 0, lowest: -0.02, highest: 0.03 })).toEqual({
    kind: 'still-on-trunk',
    architecture: 'arm',
    runs: 214,
    lowest: -0.02,
    highest: 0.03,
  })
})

test.each([
  [14, 214, 'moves-on-trunk'],
  [3, 30, 'moves-on-trunk'],
  [MOVES_MINIMUM - 1, 30, null],
  [2, 20, null],
  [3, 400, null],
  [1, 400, null],
  [0, 214, 'still-on-trunk'],
  [0, STILL_MINIMUM_RUNS, 'still-on-trunk'],
  [0, STILL_MINIMUM_RUNS - 1, null],
  [0, 40, null],
  [0, 0, null],
] as const)('%i of %i runs: %s', (times, runs, expected) => {
  expect(kindOf(times, runs)).toBe(expected)
})

test('without history there is neither', () => {
  expect(movesOrStillOnTrunk(row, null)).toBeNull()
})

const keyOf = (name: string) => queryKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}` })
const learning =
  (known: Readonly<Record<string, number>>): LearnedLookup =>
  (key, architecture) => {
    const [, changed] = Object.entries(known).find(([name]) => keyOf(name) === key) ?? []
    return changed === undefined || architecture !== 'arm' ? null : { changed, unstable: 0.1 }
  }

test('asked of what has learned a threshold well above the floor, the largest first, whether flagged or not', () => {
  const { results } = classified([
    arm(measured('sum', times(1)), measured('uniq', times(1.3)), measured('calm', times(1))),
  ])
  const wanted = moversWanted(results, learning({ sum: 0.12, uniq: 0.3, calm: 0.06 }), 0.05)
  expect(wanted.map(({ test: name, architecture, atLeast }) => [name, architecture, atLeast])).toEqual([
    ['uniq', 'arm', 0.05],
    ['sum', 'arm', 0.05],
  ])
  expect(moversWanted(results, learning({ sum: 0.12 }), 0.1)).toEqual([])
})

test('no more than the largest two hundred', () => {
  const names = Array.from({ length: MOST_MOVERS + 5 }, (_, i) => `t${i}`)
  const { results } = classified([arm(...names.map((name) => measured(name, times(1))))])
  const known = learning(Object.fromEntries(names.map((name, i) => [name, 0.1 + i / 1000])))
  const wanted = moversWanted(results, known, 0.05)
  expect(wanted).toHaveLength(MOST_MOVERS)
  expect(wanted.at(-1)!.test).toBe('t5')
})

test('a mover by the rule of the evidence', () => {
  const query = { test: 'sum', queryIndex: 0, queryName: 'SELECT sum', architecture: 'arm', atLeast: 0.05 }
  const moves = (runs: number, moved: number) => ({ runs, times: moved, lowest: -0.1, highest: 0.1, lastTime: 1 })
  const all = [moves(300, 30), moves(400, 3), moves(30, 2), null]
  expect(trunkMovers([query, query, query, query], all)).toEqual([{ ...query, moves: all[0], flaggedElsewhere: [] }])
})

describe('a query whose trunk stepped', () => {
  /** 40 runs, each of a commit against the one before it, with differences of their own; a step of 20% at run 25. */
  const trunk = (moved: Readonly<Record<number, number>>, references: Readonly<Record<number, number>> = {}) =>
    Array.from({ length: 40 }, (_, run): TrunkPoint => {
      const level = (commit: number) => (commit >= 25 ? 1.2 : 1)
      const reference = references[run] ?? run - 1
      const old = level(reference)
      const fresh = level(run) * (1 + (moved[run] ?? 0.001))
      const difference = fresh / old - 1
      return {
        time: run,
        commit: `c${run}`,
        referenceCommit: `c${reference}`,
        old,
        new: fresh,
        difference,
        threshold: 0.02,
      }
    })
  const movesOf = (
    points: readonly TrunkPoint[],
    more: Partial<MovesAsked> = {},
    stepMore: Partial<TrunkStep> = {},
  ) => {
    const [lastGood, firstBad] = [points[24]!, points[25]!]
    const ends = { lastGood, firstBad, earliest: firstBad, latest: firstBad }
    const step: TrunkStep = { ...ends, before: 1, after: 1.2, step: 0.2, seenBy: 'both', recovered: null, ...stepMore }
    return movesBesideSteps(points, [step], { atLeast: 0.15, until: 40, mergeBase: 'c39', order: null, ...more })
  }
  /** Two moves before the step, one after it. */
  const points = trunk({ 10: 0.4, 21: -0.25, 30: 0.2 })

  test('is counted on the side of the step on which its merge base is', () => {
    expect(movesOf(points)).toMatchObject({ runs: 14, times: 1, lastTime: 30, lowest: expect.closeTo(0.001, 4) })
    expect(movesOf(points, { mergeBase: 'c12' })).toMatchObject({ runs: 25, times: 2, lastTime: 21 })
    // By the order of the trunk, where no run has the merge base itself.
    const order = new Map(
      points.flatMap(({ commit }, run) => (run === 12 ? [] : [[commit, run]])).concat([['m', 12]]) as [
        string,
        number,
      ][],
    )
    const without = points.filter((_, run) => run !== 12)
    expect(movesOf(without, { mergeBase: 'm', order }, { lastGood: points[24]!, firstBad: points[25]! })?.times).toBe(2)
    // A run that was measured against it stands after it.
    expect(movesOf(trunk({ 10: 0.4, 30: 0.2 }, { 13: -5 }), { mergeBase: 'c-5' })?.times).toBe(1)
  })

  test('is counted on both sides where nobody knows the side, or where none moved as far', () => {
    expect(movesOf(points, { mergeBase: null })).toMatchObject({ runs: 39, times: 3 })
    expect(movesOf(points, { mergeBase: 'unknown' })).toMatchObject({ runs: 39, times: 3 })
    expect(movesOf(trunk({}))).toMatchObject({ runs: 39, times: 0, lastTime: null })
  })

  test('counts a commit once that was measured again', () => {
    const again = points.flatMap((point) => (point.time === 30 ? [point, point, point] : [point]))
    expect(movesOf(again)).toMatchObject({ runs: 14, times: 1 })
  })

  test('never counts the run across the step, nor later ones against a build before it', () => {
    const all = (more: readonly TrunkPoint[]) => movesOf(more, { mergeBase: null })
    expect(trunk({})[25]!.difference).toBeCloseTo(0.2, 2)
    expect(all(trunk({}))?.times).toBe(0)
    expect(all(trunk({}, { 26: 23, 27: 24, 28: 20 }))).toMatchObject({ runs: 36, times: 0 })
    // Nobody knows of these which build is old: its level is that of before.
    expect(all(trunk({}, { 33: -7, 34: -8 }))).toMatchObject({ runs: 37, times: 0 })
    expect(all(trunk({ 26: 0.2 }, { 26: 25 }))?.times).toBe(1)
  })

  test('counts no run at which the step may be', () => {
    const wide = { earliest: points[22]!, latest: points[30]!, lastGood: points[21]! }
    expect(movesOf(points, { mergeBase: null }, wide)).toMatchObject({ runs: 31, times: 2 })
    // The merge base is one of these: both sides count.
    expect(movesOf(points, { mergeBase: 'c27' }, wide)).toMatchObject({ runs: 31, times: 2 })
  })

  test('is a mover by its other runs alone', () => {
    const [lastGood, firstBad] = [trunk({})[24]!, trunk({})[25]!]
    const ends = { lastGood, firstBad, earliest: firstBad, latest: firstBad }
    const step: TrunkStep = { ...ends, before: 1, after: 1.2, step: 0.2, seenBy: 'both', recovered: null }
    const moves = (moved: number) => ({ runs: 40, times: moved, lowest: -0.3, highest: 0.4, lastTime: 30 })
    const query = { test: 'sum', queryIndex: 0, queryName: 'SELECT sum', architecture: 'arm', atLeast: 0.15 }
    const mover = { ...query, moves: moves(3), flaggedElsewhere: [] }
    const besides = (moved: Readonly<Record<number, number>>, steps: readonly TrunkStep[] = [step]) =>
      moversBesideSteps([mover], () => ({ points: trunk(moved), steps }), 40)
    // Two moves and the step's own run; then three and the step's.
    expect(besides({ 10: 0.4, 30: 0.2 })).toEqual([])
    expect(besides({ 10: 0.4, 21: -0.25, 30: 0.2 })).toMatchObject([{ test: 'sum', moves: { runs: 39, times: 3 } }])
    expect(besides({ 10: 0.4, 30: 0.2 }, [])).toEqual([mover])
    expect(moversBesideSteps([mover], () => null, 40)).toEqual([mover])
  })

  test('and runs after the measurement do not count', () => {
    expect(movesOf(points, { until: 29, mergeBase: null })).toMatchObject({ runs: 29, times: 2 })
    expect(movesOf(points, { until: -1 })).toBeNull()
  })
})
