import { expect, test } from 'vitest'
import { MOVES_MINIMUM, movesOrStillOnTrunk, STILL_MINIMUM_RUNS } from '../../../src/verdict/evidence/trunk-moves.ts'
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
