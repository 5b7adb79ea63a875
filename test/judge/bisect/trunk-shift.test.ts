import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { trunkBetween, trunkShift } from '../../../src/judge/bisect/trunk-shift.ts'
import type { TrunkPoint } from '../../../src/judge/history/trunk-series.ts'
import { commitOf, normalNoise, point } from './series-builder.ts'

/** The old build is of commit 45, the merge base 85. */
const [OLD, MERGE_BASE] = [45, 85]
const order = new Map(Array.from({ length: MERGE_BASE - OLD + 1 }, (_, index) => [commitOf(OLD + index), index]))
const between = trunkBetween(order, commitOf(OLD), commitOf(MERGE_BASE))!

interface Trunk {
  /** The level of a commit, and how slow the machine of its run is. */
  readonly level: (commit: number) => number
  readonly machine?: (commit: number) => number
  readonly more?: (commit: number) => Partial<TrunkPoint>
  readonly seed?: number
  readonly noise?: number
}

/** A run of each of the commits 1 to 100 against the one before. */
function runs({ level, machine = () => 1, more = () => ({}), seed = 1, noise = 0.004 }: Trunk): TrunkPoint[] {
  const fresh = normalNoise(2 * seed, 100, noise)
  const old = normalNoise(2 * seed + 1, 100, noise)
  return Array.from({ length: 100 }, (_, index) => {
    const factor = machine(index + 1)
    return point(index, factor * level(index) * old[index]!, factor * level(index + 1) * fresh[index]!, more(index + 1))
  })
}

const shiftOf = (trunk: Trunk, keep: (commit: number) => boolean = () => true) =>
  trunkShift(
    runs(trunk).filter((_, index) => keep(index + 1)),
    between,
  )
const stepAt = (at: number, factor: number) => (commit: number) => (commit >= at ? factor : 1)

function expectShift(found: ReturnType<typeof trunkShift>, shift: number): void {
  expect(found?.byPairs).toBeCloseTo(shift, 1)
  expect(found?.byLevels).toBeCloseTo(shift, 2)
}

describe('between the old build and the merge base', () => {
  test('nothing, one step, two of which the second is small, and one the other way', () => {
    expect(shiftOf({ level: () => 1 })).toMatchObject({ byPairs: 0 })
    expectShift(shiftOf({ level: stepAt(60, 1.2) }), 0.2)
    expectShift(shiftOf({ level: (commit) => stepAt(51, 1.2)(commit) * stepAt(71, 1.08)(commit) }), 0.296)
    expectShift(shiftOf({ level: stepAt(60, 0.8) }), -0.2)
  })

  test('what was taken back is gone', () => {
    for (const back of [62, 70, 80]) {
      const found = shiftOf({ level: (commit) => (commit >= 50 && commit < back ? 1.2 : 1) })
      expect(Math.abs(found?.byLevels ?? 0), `back at ${back}`).toBeLessThan(0.02)
    }
  })

  test('what both builds have, or neither, does not count', () => {
    expect(shiftOf({ level: stepAt(40, 1.2) })).toMatchObject({ byPairs: 0 })
    expect(shiftOf({ level: stepAt(90, 1.2) })).toMatchObject({ byPairs: 0 })
  })

  test('a step of which nobody can say whether the old build has it leaves no answer', () => {
    // The runs of both commits beside the step are missing.
    const missing = (commit: number) => commit < 44 || commit > 47
    expect(shiftOf({ level: stepAt(45, 1.3) }, missing)).toBeNull()
    expect(shiftOf({ level: stepAt(47, 1.3) }, missing)).toBeNull()
  })
})

describe('another machine', () => {
  const level = () => 1
  const machine = stepAt(60, 1.25)

  test('is in the levels and not in the pairs', () => {
    const found = shiftOf({ level, machine })
    expect(Math.abs(found?.byPairs ?? 0)).toBeLessThan(0.03)
  })

  test('whose type is known does not count for the level', () => {
    const isOther = (commit: number) => commit > 72 && commit % 4 !== 0
    const mixed = (commit: number) => (isOther(commit) ? 1.04 : 1)
    const types = (commit: number) => ({ instanceType: isOther(commit) ? 'c8g' : 'c7g' })
    expect(shiftOf({ level: stepAt(70, 1.2), machine: mixed, more: types })?.byLevels).toBeCloseTo(0.2, 2)
    expect(shiftOf({ level: stepAt(70, 1.2), machine: mixed })?.byLevels).toBeCloseTo(0.248, 2)
    // The old build was measured on others than the merge base.
    const all = (commit: number) => ({ instanceType: commit >= 65 ? 'c8g' : 'c7g' })
    expect(shiftOf({ level: stepAt(60, 1.2), more: all }, (commit) => commit < 70)).not.toBeNull()
    expect(shiftOf({ level: stepAt(68, 1.2), more: all })).toBeNull()
  })
})

describe('the runs that are there', () => {
  const level = stepAt(60, 1.2)

  test('a gap across the step leaves no answer, one elsewhere does not matter', () => {
    expect(shiftOf({ level }, (commit) => commit < 58 || commit > 62)).toBeNull()
    expectShift(
      shiftOf({ level }, (commit) => commit < 65 || commit > 75),
      0.2,
    )
  })

  test('against a lagging old build are multiplied once', () => {
    const lagging = (commit: number) => {
      const reference = commit - 1 - ((commit - 1) % 4)
      return {
        old: level(reference),
        difference: level(commit) / level(reference) - 1,
        referenceCommit: commitOf(reference),
      }
    }
    expectShift(shiftOf({ level, more: lagging }), 0.2)
  })

  test('three are needed on either side of it', () => {
    // The run after the merge base measures it as its old side.
    expectShift(shiftOf({ level: stepAt(84, 1.2) }), 0.2)
    expect(shiftOf({ level: stepAt(84, 1.2) }, (commit) => commit !== 86)).toBeNull()
    expect(shiftOf({ level: stepAt(83, 1.2) }, (commit) => commit !== 86)).not.toBeNull()
    expect(shiftOf({ level }, (commit) => commit >= 45)).toBeNull()
    expectShift(
      shiftOf({ level }, (commit) => commit >= 44),
      0.2,
    )
  })

  test('short ids of the reference stand for their commits', () => {
    const long = (commit: number) => `${commit.toString(16).padStart(12, 'a')}${'0'.repeat(28)}`
    const ids = runs({ level }).map((one, index) => ({
      ...one,
      commit: long(index + 1),
      referenceCommit: long(index).slice(0, 12),
    }))
    const longOrder = new Map(Array.from({ length: 41 }, (_, index) => [long(OLD + index), index]))
    expectShift(trunkShift(ids, { order: longOrder, from: 0, to: 40 }), 0.2)
  })

  test('out of order are put in order', () => {
    const shuffled = runs({ level })
    for (let i = 40; i + 3 < 90; i += 3) {
      const [first, second, third] = [shuffled[i]!, shuffled[i + 1]!, shuffled[i + 2]!]
      shuffled.splice(i, 3, third, first, second)
    }
    expectShift(trunkShift(shuffled, between), 0.2)
  })
})

test('no step and one that was taken back are never said to be there by both, in noise', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    for (const level of [() => 1, (commit: number) => (commit >= 50 && commit < 65 ? 1.15 : 1)]) {
      const found = shiftOf({ level, seed, noise: 0.02 })
      if (found === null) continue
      expect(Math.min(found.byPairs, found.byLevels), `seed ${seed}`).toBeLessThan(0.075)
    }
  }
})

test('anything in the history: no error, and finite numbers or null', () => {
  const value = fc.oneof(
    fc.double(),
    fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY),
    fc.double({ min: 0.1, max: 2, noNaN: true }),
  )
  const one = fc.record({ old: value, new: value, commit: fc.nat({ max: 30 }), reference: fc.nat({ max: 30 }) })
  const small = new Map(Array.from({ length: 11 }, (_, index) => [commitOf(10 + index), index]))
  // The ratio of these levels overflows.
  const tiny = { old: 0, new: 5e-324, commit: 0, reference: 0 }
  const overflow = [tiny, tiny, { old: 0.1, new: 0.1, commit: 11, reference: 0 }]
  fc.assert(
    fc.property(fc.array(one, { maxLength: 60 }), (all) => {
      const points = all.map(({ commit, reference, ...rest }, index) =>
        point(index, 1, 1, { ...rest, commit: commitOf(commit), referenceCommit: commitOf(reference) }),
      )
      const found = trunkShift(points, trunkBetween(small, commitOf(10), commitOf(20))!)
      if (found !== null) expect([found.byPairs, found.byLevels].every(Number.isFinite)).toBe(true)
    }),
    { numRuns: 300, examples: [[overflow]] },
  )
})

test('nothing lies between a build and itself, nor where a place is not known', () => {
  expect(trunkBetween(order, commitOf(OLD), commitOf(OLD))).toBeNull()
  expect(trunkBetween(order, commitOf(MERGE_BASE), commitOf(OLD))).toBeNull()
  expect(trunkBetween(order, null, commitOf(OLD))).toBeNull()
  expect(trunkBetween(order, commitOf(OLD), commitOf(99))).toBeNull()
  expect(trunkBetween(null, commitOf(OLD), commitOf(MERGE_BASE))).toBeNull()
})
