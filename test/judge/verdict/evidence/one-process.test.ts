import { describe, expect, test } from 'vitest'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import type { Evidence } from '../../../../src/judge/verdict/evidence/evidence.ts'
import { isOfTooFewProcesses, oneProcess } from '../../../../src/judge/verdict/evidence/one-process.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { verdictOf } from '../../../../src/judge/verdict/verdict.ts'

const NOISE = [1, 1.002, 0.998, 1.004, 0.996, 1.001, 0.999]

/** Seven values of each process, at these levels. */
function measured(old: readonly number[], fresh: readonly number[]): Measurement {
  const values = (levels: readonly number[]) => levels.flatMap((level) => NOISE.map((factor) => factor * level))
  const processes = (levels: readonly number[]) => levels.flatMap((_, process) => NOISE.map(() => process))
  return {
    test: 'a',
    queryIndex: 0,
    queryName: null,
    metric: 'time',
    unit: 's',
    architecture: null,
    old: values(old),
    new: values(fresh),
    reportThreshold: null,
    rounded: false,
    problems: [],
    taken: { old: { processes: processes(old) }, new: { processes: processes(fresh) } },
  }
}

const moves = (runs: number, median: number, third = median) => {
  return { runs, times: 0, lowest: -0.8, highest: 0.1, median, third }
}

function evidenceOf(measurement: Measurement, ofTrunk: ReturnType<typeof moves> | null = null) {
  const [result] = classify([measurement], DEFAULT_THRESHOLDS)
  const found = oneProcess(result!, measurement, ofTrunk)
  const others: Evidence[] = found === null ? [] : [found]
  return { found, verdict: verdictOf(result!, false, others) }
}

describe('one process a side', () => {
  test('shows no change below three times what processes are assumed to differ by', () => {
    const { found, verdict } = evidenceOf(measured([1], [1.14]))
    expect(found).toMatchObject({ old: 1, new: 1, agreeing: 1, runs: 0 })
    expect(found!.bound).toBeCloseTo(0.15, 12)
    expect(verdict).toBe('needs-rerun')
    expect(evidenceOf(measured([1.14], [1])).verdict).toBe('likely-noise')
  })

  test('shows one of that size and above', () => {
    expect(evidenceOf(measured([1], [1.15]))).toEqual({ found: null, verdict: 'regression' })
    expect(evidenceOf(measured([1.2], [1])).verdict).toBe('improvement')
  })

  test('is held against what ten runs of the trunk differ by', () => {
    expect(evidenceOf(measured([1], [1.08]), moves(10, 0.02)).verdict).toBe('regression')
    expect(evidenceOf(measured([1], [1.2]), moves(10, 0.08)).found).toMatchObject({ runs: 10 })
    expect(evidenceOf(measured([1], [1.08]), moves(9, 0.02)).found).toMatchObject({ runs: 0 })
  })

  test('is held against the third largest move of fewer than 101 runs too, as a learned threshold is', () => {
    expect(evidenceOf(measured([1], [1.14]), moves(100, 0.02, 0.1)).found!.bound).toBeCloseTo(0.15, 12)
    expect(evidenceOf(measured([1], [1.16]), moves(100, 0.02, 0.1)).verdict).toBe('regression')
    expect(evidenceOf(measured([1], [1.14]), moves(101, 0.02, 0.1)).verdict).toBe('regression')
  })
})

test('three pairs of processes that show it each by itself are enough', () => {
  expect(evidenceOf(measured([1, 1, 1], [1.1, 1.09, 1.12])).verdict).toBe('regression')
  expect(evidenceOf(measured([1, 1, 1], [1.1, 1.12, 1.04])).verdict).toBe('needs-rerun')
  expect(evidenceOf(measured([1, 1, 1], [1.12, 1.14, 0.9])).verdict).toBe('needs-rerun')
  expect(evidenceOf(measured([1, 1], [1.1, 1.1])).verdict).toBe('needs-rerun')
})

test('where the processes of both builds overlap, no difference is large enough', () => {
  expect(evidenceOf(measured([1, 1.1, 1.5], [1.45, 1.6, 1.9])).found).toMatchObject({ overlaps: true })
  expect(evidenceOf(measured([1, 1.1, 1.5], [1.45, 1.6, 1.9])).verdict).toBe('needs-rerun')
  expect(evidenceOf(measured([1, 1.1, 1.4], [1.45, 1.6, 1.9]))).toEqual({ found: null, verdict: 'regression' })
  expect(evidenceOf(measured([1, 1.5], [1.49])).found).toMatchObject({ overlaps: true })
  // which of them are a pair is chance then
  expect(evidenceOf(measured([1, 1.2, 1.4], [1.3, 1.5, 1.8])).found).toMatchObject({ agreeing: 0 })
})

test('five processes a side are tested themselves, so that nothing is doubted', () => {
  expect(evidenceOf(measured([1, 1, 1, 1, 1], [1.1, 1.1, 1.1, 1.1, 1.1])).found).toBeNull()
})

test('servers in turns are doubted where the trunk says how far they differ, and nothing is learned', () => {
  const { taken: _, ...turns } = measured([1], [1.08])
  const servers = { ...turns, clock: true as const }
  expect(evidenceOf(servers).found).toBeNull()
  expect(evidenceOf(servers, moves(20, 0.04)).verdict).toBe('needs-rerun')
  expect(evidenceOf(turns, moves(20, 0.04)).found).toBeNull()
  const learned = classify([servers], {
    ...DEFAULT_THRESHOLDS,
    learned: () => ({ changed: 0.06, unstable: 0.2 }),
  })
  expect(oneProcess(learned[0]!, servers, moves(120, 0.04))).toBeNull()
})

describe('jobs and machines that agree', () => {
  const few: Evidence = { kind: 'one-process', architecture: null, old: 1, new: 1, bound: 0.15, agreeing: 1, runs: 0 }
  const earlier = (runs?: number): Evidence => ({
    kind: 'confirmed',
    architecture: null,
    difference: 0.1,
    by: 'earlier-run',
    ...(runs !== undefined && { runs }),
  })
  const replicated = (...architectures: string[]): Evidence => ({ kind: 'replicated', architectures })

  test.each([
    [true, []],
    [true, [earlier()]],
    [false, [earlier(2)]],
    [true, [replicated('arm')]],
    [false, [replicated('arm'), earlier()]],
    [false, [replicated('arm', 'ppc')]],
  ] satisfies [boolean, Evidence[]][])('doubt is %s with %j', (expected, evidence) => {
    expect(isOfTooFewProcesses([few, ...evidence])).toBe(expected)
  })
})
