import { describe, expect, test } from 'vitest'
import {
  explainedByShift,
  type ShardShift,
  shardShift,
  wholeRunShift,
} from '../../../../src/judge/verdict/evidence/shard-shift.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

/** `count` queries whose new/old ratios are spread evenly around `ratio`, +-1%. */
const shard = (count: number, ratio: number) =>
  Array.from({ length: count }, (_, index) =>
    classifiedQuery({
      queryIndex: index,
      old: { median: 0.2, repetitions: 7 },
      new: { median: 0.2 * ratio * (0.99 + (0.02 * index) / count), repetitions: 7 },
    }),
  )

test('the median of log(new/old) of everything on the machine', () => {
  const shift = shardShift('arm', 3, shard(300, 1.04))
  expect(shift).toMatchObject({ architecture: 'arm', shard: 3, queries: 300, notable: true })
  expect(shift.shift).toBeCloseTo(0.04, 3)
})

test('half the operations a second are twice as slow, beside times that doubled', () => {
  const rates = shard(150, 0.5).map((row) => ({ ...row, better: 'higher' as const }))
  const shift = shardShift('arm', 3, [...rates, ...shard(150, 2)])
  expect(shift.shift).toBeCloseTo(1, 1)
  const row = classifiedQuery({ better: 'higher', difference: -0.5, direction: 'slower' })
  expect(explainedByShift(row, shift, [shift])).toMatchObject({ kind: 'shard-shift' })
  expect(explainedByShift({ ...row, better: 'lower' }, shift, [shift])).toBeNull()
})

test('a third of the queries that really changed do not look like a shift', () => {
  const shift = shardShift('arm', 3, [...shard(200, 1), ...shard(100, 1.5)])
  expect(Math.abs(shift.shift)).toBeLessThan(0.01)
  expect(shift.notable).toBe(false)
})

test('few queries, a small shift, or one that could be zero are not notable', () => {
  expect(shardShift('arm', 1, shard(19, 1.1)).notable).toBe(false)
  expect(shardShift('arm', 1, shard(3000, 1.01)).notable).toBe(false)
  const undecided = [...shard(11, 0.9), ...shard(13, 1.1)]
  expect(shardShift('arm', 1, undecided).notable).toBe(false)
  expect(shardShift('arm', 1, []).shift).toBe(0)
})

test('of a hundred queries 63 make a shift certain, 62 do not', () => {
  const moved = (slower: number) => shardShift('arm', 1, [...shard(slower, 1.05), ...shard(100 - slower, 0.95)])
  expect(moved(63)).toMatchObject({ queries: 100, notable: true })
  expect(moved(62)).toMatchObject({ queries: 100, notable: false })
  expect(moved(62).shift).toBeGreaterThan(0.03)
})

test('queries without two positive medians do not count', () => {
  const without = classifiedQuery({ status: 'failed', old: { median: 0, repetitions: 7 } })
  expect(shardShift(null, null, [...shard(30, 1.04), without]).queries).toBe(30)
})

const notable = { architecture: 'arm', shard: 3, queries: 300, shift: 0.04, notable: true }
const still = { architecture: 'arm', shard: 4, queries: 300, shift: 0.003, notable: false }
const slightly = classifiedQuery({ difference: 0.07 })

test('a shift that no other shard shows explains what it leaves below the threshold', () => {
  expect(explainedByShift(slightly, notable, [notable, still])).toEqual({
    kind: 'shard-shift',
    architecture: 'arm',
    shard: 3,
    shift: 0.04,
    elsewhere: 0.003,
    queries: 300,
  })
})

test('a shift that all shards show is the build, and explains nothing', () => {
  const alike = { ...still, shift: 0.035, notable: true }
  expect(explainedByShift(slightly, notable, [notable, alike])).toBeNull()
})

test('without another shard of the architecture nobody can tell', () => {
  const elsewhere = [
    { ...still, architecture: 'amd' },
    { ...still, queries: 19 },
  ]
  expect(explainedByShift(slightly, notable, [notable, ...elsewhere])).toMatchObject({ elsewhere: null })
})

test('a shift explains neither more than it moved, nor a move the other way, nor anything when it is not notable', () => {
  expect(explainedByShift(classifiedQuery({ difference: 0.3 }), notable, [])).toBeNull()
  const wide = classifiedQuery({ difference: 0.3, changedThreshold: 0.29 })
  expect(explainedByShift(wide, notable, [notable, still])).toBeNull()
  expect(explainedByShift(slightly, { ...notable, shift: -0.04 }, [])).toBeNull()
  expect(explainedByShift(slightly, { ...notable, notable: false }, [])).toBeNull()
  expect(explainedByShift(slightly, undefined, [])).toBeNull()
})

test('where nothing stands beside it, whatever it leaves below the threshold may be the machine', () => {
  const wide = classifiedQuery({ difference: 0.33, changedThreshold: 0.3 })
  expect(explainedByShift(wide, notable, [notable])).toMatchObject({ elsewhere: null, shift: 0.04 })
  expect(explainedByShift(classifiedQuery({ difference: 0.3 }), notable, [notable])).toBeNull()
})

describe('a shift of everything', () => {
  const alone = (shift: number): ShardShift => ({ ...notable, shift })
  const shifted = (shift: number, ...earlier: ShardShift[]) => {
    const here = alone(shift)
    return wholeRunShift(here, [here], earlier)
  }

  test('asks for a rerun where it is slower', () => {
    expect(shifted(0.06)).toEqual({
      architecture: 'arm',
      shard: 3,
      shift: 0.06,
      queries: 300,
      again: null,
      verdict: 'needs-rerun',
    })
    expect(shifted(-0.06)).toMatchObject({ again: null, verdict: null })
  })

  test('is none where another shard is there to compare with, or it is not notable', () => {
    expect(wholeRunShift(notable, [notable, still], [])).toBeNull()
    expect(
      wholeRunShift(notable, [notable, { ...still, architecture: 'amd' }, { ...still, queries: 19 }], []),
    ).not.toBeNull()
    expect(wholeRunShift({ ...notable, notable: false }, [], [])).toBeNull()
  })

  test.each([
    [0.06, 'regression'],
    [0.04, 'regression'],
    [0.08, 'regression'],
    [0.0399, 'needs-rerun'],
    [0.0801, 'needs-rerun'],
  ] as const)('of 6%% and then of %s: %s', (now, verdict) => {
    expect(shifted(now, alone(0.06))).toMatchObject({ again: verdict === 'regression' ? 0.06 : null, verdict })
  })

  test('is not seen again in a run that shifted the other way, or that was not notable', () => {
    expect(shifted(0.06, alone(-0.06))).toMatchObject({ again: null })
    expect(shifted(0.06, { ...alone(0.06), notable: false })).toMatchObject({ again: null })
    expect(shifted(-0.06, alone(-0.06))).toMatchObject({ again: -0.06, verdict: null })
    expect(shifted(0.06, alone(0.02), alone(0.055))).toMatchObject({ again: 0.055, verdict: 'regression' })
  })
})
