import { describe, expect, test } from 'vitest'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import {
  equalBuilds,
  equalBuildsDifference,
  equalBuildsOfRun,
} from '../../../../src/judge/verdict/evidence/equal-builds.ts'
import { verdictOf } from '../../../../src/judge/verdict/verdict.ts'
import { classifiedQuery } from '../classified-query-builder.ts'
import { EVIDENCE } from '../evidence-samples.ts'

const measuredWith = (copyBy: number, turns = 5): Measurement => ({
  test: 'a',
  queryIndex: null,
  queryName: 'b',
  metric: 'time',
  unit: 's',
  architecture: null,
  old: [],
  new: [],
  reportThreshold: null,
  rounded: false,
  problems: [],
  equalBuilds: {
    base: Array.from({ length: turns }, (_, turn) => 100 + turn),
    copy: Array.from({ length: turns }, (_, turn) => (100 + turn) * copyBy),
  },
})
const slower = classifiedQuery({ difference: 0.1, direction: 'slower', separated: true })

describe('equal builds', () => {
  test('say how far their medians are apart, whichever is slower', () => {
    expect(equalBuilds(slower, measuredWith(1.03))).toEqual({
      kind: 'equal-builds',
      architecture: null,
      difference: expect.closeTo(0.03, 10),
      turns: 5,
    })
    expect(equalBuildsDifference(measuredWith(0.97))).toBeCloseTo(0.03, 10)
    expect(equalBuildsDifference(measuredWith(1))).toBe(0)
  })

  test('are not measured in fewer than five turns, and say nothing of a row without their own', () => {
    expect(equalBuilds(slower, measuredWith(1.2, 4))).toBeNull()
    expect(equalBuilds(slower, { ...measuredWith(1), equalBuilds: { base: [], copy: [] } })).toBeNull()
    const { equalBuilds: _, ...without } = measuredWith(1.2)
    expect(equalBuilds(slower, without)).toBeNull()
  })

  test('cast doubt where they differ by half as much as the row: a slower one needs a rerun, a faster one is noise', () => {
    expect(equalBuilds(slower, measuredWith(1.049))?.kind).toBe('equal-builds')
    expect(equalBuilds(slower, measuredWith(1.051))?.kind).toBe('equal-builds-differ')
    expect(verdictOf(slower, false, [EVIDENCE.equal])).toBe('regression')
    expect(verdictOf(slower, false, [EVIDENCE.equalDiffer])).toBe('needs-rerun')
    expect(verdictOf(slower, false, [EVIDENCE.equalDiffer, EVIDENCE.confirmed])).toBe('regression')
    const faster = classifiedQuery({ difference: -0.1, direction: 'faster', separated: true })
    expect(verdictOf(faster, false, [EVIDENCE.equalDiffer])).toBe('likely-noise')
  })

  test('of a run are told by what nineteen of twenty stay below', () => {
    const of = (differences: readonly number[]) => equalBuildsOfRun(differences.map((by) => measuredWith(1 + by)))
    const twenty = Array.from({ length: 20 }, (_, at) => at / 100)
    expect(of(twenty)?.difference).toBeCloseTo(0.18, 10)
    expect(of([0.01, 0.05])).toEqual({ queries: 2, difference: expect.closeTo(0.05, 10) })
    expect(of([])).toBeNull()
    expect(equalBuildsOfRun([measuredWith(1.5, 4)])).toBeNull()
  })
})
