import { expect, test } from 'vitest'
import { type ShiftAfterMerge, shiftAfterMerge } from '../../../src/judge/bisect/after-merge.ts'
import { commitOf, normalNoise, point } from './series-builder.ts'

/** The merge is commit 21: twenty runs before it. */
const isAfter = (commit: string) => Number.parseInt(commit, 16) >= 21
const pointsOf = (levels: readonly number[]) => levels.map((level, index) => point(index, level, level))

interface Trunk {
  readonly shift: number
  readonly runsAfter: number
  readonly noise?: number
  readonly seed?: number
  /** The part of the noise of one run that is in the next one's. */
  readonly memory?: number
}

function trunk({ shift, runsAfter, noise = 0.03, seed = 1, memory = 0 }: Trunk) {
  const white = normalNoise(seed, 20 + runsAfter, noise)
  let last = 0
  return pointsOf(
    Array.from(white, (factor, index) => {
      last = memory * last + Math.sqrt(1 - memory ** 2) * Math.log(factor)
      return 0.1 * Math.exp(last) * (index < 20 ? 1 : 1 + shift)
    }),
  )
}

/** The outcome for 12% as a run after the other comes in. */
function settled(of: Omit<Trunk, 'runsAfter'>): ShiftAfterMerge['outcome'] {
  return shiftAfterMerge(trunk({ ...of, runsAfter: 20 }), isAfter, 0.12)!.outcome
}

test('waits for five runs, then says that it is there or is not', () => {
  expect(shiftAfterMerge(trunk({ shift: 0.12, runsAfter: 4 }), isAfter, 0.12)).toBeNull()
  const confirmed = shiftAfterMerge(trunk({ shift: 0.12, runsAfter: 5, noise: 0.01 }), isAfter, 0.12)!
  expect(confirmed).toMatchObject({ outcome: 'confirmed', runsBefore: 20, runsAfter: 5 })
  expect(confirmed.shift).toBeCloseTo(0.12, 1)
  expect(confirmed.low).toBeLessThan(confirmed.shift)
  const absent = shiftAfterMerge(trunk({ shift: 0, runsAfter: 6, noise: 0.01 }), isAfter, 0.12)!
  expect(absent).toMatchObject({ outcome: 'did-not-appear', runsAfter: 5 })
  expect(absent.high).toBeLessThan(0.06)
})

test('what a later run adds does not change what was told', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const points = trunk({ shift: 0.12, runsAfter: 20, seed })
    const told = [25, 30, 40].map((length) => shiftAfterMerge(points.slice(0, length), isAfter, 0.12))
    const first = told.findIndex((one) => one !== null)
    if (first !== -1) for (const one of told.slice(first)) expect(one).toEqual(told[first])
  }
})

test('another type of machine, unmeasured runs and too few before the merge are not compared', () => {
  const points = trunk({ shift: 0, runsAfter: 5, noise: 0.01 })
  const moved = points.map((one, index) => ({
    ...one,
    new: index < 20 ? one.new / 2 : one.new,
    instanceType: index < 20 ? 'old' : 'new',
  }))
  expect(shiftAfterMerge(moved, isAfter, 0.12)).toBeNull()
  expect(shiftAfterMerge(points.slice(16), isAfter, 0.12)).toBeNull()
  const failed = points.map((one, index) => (index === 24 ? { ...one, new: Number.NaN } : one))
  expect(shiftAfterMerge(failed, isAfter, 0.12)).toBeNull()
})

test.each([
  // noise of a run, its memory, the most of 300 that are told wrongly, the least of 300 that are confirmed
  [0.01, 0, 3, 300],
  [0.03, 0, 3, 290],
  [0.03, 0.3, 9, 285],
])('with %d of noise and a memory of %d few are told wrongly, and 12%% is confirmed', (noise, memory, most, least) => {
  const count = (shift: number, outcome: ShiftAfterMerge['outcome']) =>
    Array.from({ length: 300 }, (_, seed) => settled({ shift, noise, memory, seed: seed + 1 })).filter(
      (one) => one === outcome,
    ).length
  const [falseAlarm, missed, found] = [count(0, 'confirmed'), count(0.12, 'did-not-appear'), count(0.12, 'confirmed')]
  expect(falseAlarm).toBeLessThanOrEqual(most)
  expect(missed).toBeLessThanOrEqual(most)
  expect(found).toBeGreaterThanOrEqual(least)
})

test('of commits that nobody can place nothing is told', () => {
  expect(shiftAfterMerge(trunk({ shift: 0.12, runsAfter: 20 }), () => false, 0.12)).toBeNull()
  expect(shiftAfterMerge([], (commit) => commit === commitOf(1), 0.12)).toBeNull()
})
