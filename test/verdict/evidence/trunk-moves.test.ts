import { expect, test } from 'vitest'
import { queryKey } from '../../../src/measurement/run.ts'
import {
  MOST_MOVERS,
  MOVES_MINIMUM,
  moversWanted,
  movesOrStillOnTrunk,
  STILL_MINIMUM_RUNS,
  trunkMovers,
} from '../../../src/verdict/evidence/trunk-moves.ts'
import type { LearnedLookup } from '../../../src/verdict/thresholds.ts'
import { arm, classified, measured, times } from '../../report/judge-setting.ts'
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
