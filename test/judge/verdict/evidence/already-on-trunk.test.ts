import { describe, expect, test } from 'vitest'
import { steppedHistory, suiteSteps } from '../../../../src/judge/bisect/suite-steps.ts'
import { trunkBetween } from '../../../../src/judge/bisect/trunk-shift.ts'
import type { TrunkPoint, TrunkStep } from '../../../../src/judge/history/trunk-series.ts'
import { alreadyOnTrunk, stepExplains } from '../../../../src/judge/verdict/evidence/already-on-trunk.ts'
import { recordedSuite } from '../../bisect/recorded-suite.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

type Level = (position: number) => number

const STEPPED: Level = (position) => (position >= 14 ? 1.15 : 1)

/** A little noise, the same at each start. */
const wobble = (index: number) => 1 + (((index * 7919) % 13) - 6) / 4000

/** The run of a commit against the one before. */
function point(position: number, level: Level = STEPPED): TrunkPoint {
  const old = level(position - 1) * wobble(2 * position)
  const fresh = level(position) * wobble(2 * position + 1)
  return {
    time: position * 1000,
    commit: `c${position}`,
    referenceCommit: `c${position - 1}`,
    old,
    new: fresh,
    difference: fresh / old - 1,
    threshold: 0.05,
  }
}

const trunk = (level: Level = STEPPED) => Array.from({ length: 30 }, (_, index) => point(index, level))

const stepAt = (good: number, bad: number, changes: Partial<TrunkStep> = {}): TrunkStep => ({
  lastGood: point(good),
  firstBad: point(bad),
  before: 1,
  after: 1.15,
  step: 0.15,
  earliest: point(bad),
  latest: point(bad),
  seenBy: 'both',
  recovered: null,
  ...changes,
})

// The old build is of c10, the merge base is c20.
const ORDER = new Map(Array.from({ length: 11 }, (_, index) => [`c${10 + index}`, index]))
const BETWEEN = trunkBetween(ORDER, 'c10', 'c20')!
const row = classifiedQuery({ difference: 0.16, architecture: 'arm', changedThreshold: 0.05 })
const found = (step: TrunkStep | null, points: readonly TrunkPoint[] = trunk()) =>
  alreadyOnTrunk(row, { step, points }, BETWEEN)

describe('a step of the trunk', () => {
  test('after the old build and not after the merge base is there already', () => {
    const evidence = found(stepAt(13, 14))
    expect(evidence).toMatchObject({
      kind: 'already-on-trunk',
      architecture: 'arm',
      lastGood: 'c13',
      firstBad: 'c14',
      time: 14_000,
      step: 0.15,
      recovered: null,
    })
    expect(evidence?.shift).toBeCloseTo(0.15, 2)
  })

  test('that was taken back later is said', () => {
    const later = trunk((position) => (position >= 14 && position < 23 ? 1.15 : 1))
    expect(found(stepAt(13, 14, { recovered: point(23) }), later)?.recovered).toBe('c23')
  })

  test('and another one: both are the trunk’s', () => {
    const twice = trunk((position) => (position >= 13 ? 1.09 : 1) * (position >= 17 ? 1.07 : 1))
    expect(found(stepAt(12, 13, { step: 0.09 }), twice)?.shift).toBeCloseTo(0.166, 2)
  })

  test.each([
    ['that may have come before the old build', stepAt(8, 14)],
    ['before the old build', stepAt(5, 6)],
    ['that may have come after the merge base', stepAt(18, 22)],
    ['after the merge base', stepAt(21, 22)],
    ['the other way', stepAt(13, 14, { step: -0.15 })],
    ['that was undone older than the merge base', stepAt(13, 14, { recovered: point(17) })],
    ['that is not there', null],
  ])('%s says nothing', (_name, step) => {
    expect(found(step)).toBeNull()
  })
})

describe('a step that a neighbour’s brought to light', () => {
  // The demo's fourth pull request: its old build is run 20's, its merge base is run 40's.
  const [noisy, neighbour] = recordedSuite('orders_sort')
  const { points } = noisy!
  const between = trunkBetween(
    new Map(points.slice(19).map(({ commit }, run) => [commit, run])),
    points[19]!.commit,
    points[39]!.commit,
  )!
  const [[step]] = suiteSteps([noisy!, neighbour!].map((series) => steppedHistory(series))) as [[TrunkStep]]
  const slower = classifiedQuery({ difference: 0.17, changedThreshold: 0.05 })
  const evidenceOf = (one: TrunkStep) => alreadyOnTrunk(slower, { step: one, points }, between)

  test('explains the row where the runs across its place and the levels agree', () => {
    const evidence = evidenceOf(step)
    expect(evidence).toMatchObject({ lastGood: points[21]!.commit, firstBad: points[24]!.commit })
    expect(evidence!.shift).toBeCloseTo(0.13, 2)
    expect(stepExplains(evidence!, slower)).toBe(true)
    expect(stepExplains(evidence!, classifiedQuery({ difference: 0.2, changedThreshold: 0.05 }))).toBe(false)
  })

  test('explains nothing without its place, at another one, nor at one that is not on the trunk', () => {
    const { place, ...without } = step
    expect(evidenceOf(without)).toBeNull()
    expect(evidenceOf({ ...step, place: { earliest: points[28]!, latest: points[30]! } })).toBeNull()
    expect(evidenceOf({ ...step, place: { ...place!, latest: { ...place!.latest, commit: 'gone' } } })).toBeNull()
  })
})

describe('the trunk’s own shift decides', () => {
  const step = stepAt(13, 14)

  test('a recovery that the step does not know of', () => {
    expect(
      found(
        step,
        trunk((position) => (position >= 14 && position < 17 ? 1.15 : 1)),
      ),
    ).toBeNull()
  })

  test('a step that the old build has, or that came after the merge base', () => {
    expect(
      found(
        step,
        trunk((position) => (position >= 10 ? 1.15 : 1)),
      ),
    ).toBeNull()
    expect(
      found(
        step,
        trunk((position) => (position >= 21 ? 1.15 : 1)),
      ),
    ).toBeNull()
  })

  test('another machine: the levels have it, the pairs do not', () => {
    const moved = trunk(() => 1).map((one, index) => {
      const factor = index >= 14 ? 1.15 : 1
      return { ...one, old: factor * one.old, new: factor * one.new }
    })
    expect(found(step, moved)).toBeNull()
  })

  test('pairs and levels that differ by the threshold and more', () => {
    // The run across measured twice what the levels show.
    const spiked = trunk().map((one, index) => (index === 14 ? { ...one, old: one.old / 1.12 } : one))
    expect(found(step, spiked)).toBeNull()
    const calmer = trunk().map((one, index) => (index === 14 ? { ...one, old: one.old / 1.02 } : one))
    expect(found(step, calmer)).not.toBeNull()
  })

  test('the one of the two that explains less counts', () => {
    const calmer = trunk().map((one, index) => (index === 14 ? { ...one, old: one.old / 1.02 } : one))
    expect(found(step, calmer)?.shift).toBeCloseTo(0.15, 2)
  })

  test('a side with fewer than three runs, runs that are not there', () => {
    expect(found(step, trunk().slice(11))).toBeNull()
    expect(
      found(
        step,
        trunk().filter((_, index) => index !== 13 && index !== 14),
      ),
    ).toBeNull()
    expect(found(step, [])).toBeNull()
  })

  test('a shift that is much smaller than the row', () => {
    const half = classifiedQuery({ difference: 0.4, architecture: 'arm', changedThreshold: 0.05 })
    expect(alreadyOnTrunk(half, { step, points: trunk() }, BETWEEN)).toBeNull()
  })

  test('nothing where the order of the commits, the old build or the merge base is not known', () => {
    const unknown = [
      trunkBetween(null, 'c10', 'c20'),
      trunkBetween(ORDER, null, 'c20'),
      trunkBetween(ORDER, 'c9', 'c20'),
      trunkBetween(ORDER, 'c10', null),
      trunkBetween(ORDER, 'c10', 'c21'),
      trunkBetween(ORDER, 'c20', 'c20'),
    ]
    for (const between of unknown) expect(alreadyOnTrunk(row, { step, points: trunk() }, between)).toBeNull()
  })
})

test.each([
  [0.2, 0.15, true],
  [0.4, 0.25, false],
  [0.1, 0.3, true],
  [-0.3, -0.28, true],
  [-0.5, -0.3, false],
])('%d here and %d there: explained %s', (difference, shift, explained) => {
  const result = classifiedQuery({ difference, changedThreshold: 0.05 })
  const evidence = found(stepAt(13, 14))!
  expect(stepExplains({ ...evidence, shift }, result)).toBe(explained)
  // As a report of an earlier version has it.
  const { shift: _, ...earlier } = evidence
  expect(stepExplains({ ...earlier, step: shift }, result)).toBe(explained)
})
