import { expect, test } from 'vitest'
import type { Measurement, Run } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { trunkRowsOfRun } from '../../../src/judge/verdict/trunk-run.ts'

function measurement(changes: Partial<Measurement> = {}): Measurement {
  return {
    test: 'join',
    queryIndex: 3,
    queryName: 'SELECT 1',
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: [1, 2, 3, 4, 5, 6, 7],
    new: [2, 3, 4, 5, 6, 7, 8],
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...changes,
  }
}

function run(measurements: readonly Measurement[], changes: Partial<Run> = {}): Run {
  return {
    repositoryId: 1,
    pullRequestNumber: 0,
    head: 'head',
    check: 'Performance (amd)',
    architecture: 'amd',
    shard: null,
    shards: null,
    attempt: 1,
    source: 'artifact 1',
    finishedAt: '2026-06-01T12:00:00.000Z',
    measurements,
    oldCommit: 'reference',
    newCommit: null,
    warnings: [],
    ...changes,
  }
}

const rowsOf = (one: Run) => trunkRowsOfRun(one, classify(one.measurements, DEFAULT_THRESHOLDS), { baseBranch: 'main' })

test('one row for each query and metric that was compared', () => {
  const measurements = [
    measurement(),
    measurement({ metric: 'memory', architecture: 'arm' }),
    measurement({ queryName: 'only old', new: [] }),
    measurement({ queryName: 'zero', old: [0, 0, 0, 0, 0] }),
  ]
  const [first, second, ...others] = rowsOf(run(measurements))
  expect(others).toEqual([])
  expect(first).toEqual({
    source: 'own',
    time: Date.UTC(2026, 5, 1, 12),
    oldCommit: 'reference',
    newCommit: 'head',
    test: 'join',
    queryIndex: 3,
    queryName: 'SELECT 1',
    metric: 'client_time',
    architecture: 'amd',
    old: 4,
    new: 5,
    difference: 0.25,
    threshold: 0.75,
    workflowName: 'Performance (amd)',
    baseBranch: 'main',
    reportUrl: '',
    instanceType: '',
    instanceId: '',
  })
  expect(second).toMatchObject({ metric: 'memory', architecture: 'arm' })
})

test('none of a pull request, of an unknown reference or of an unknown time', () => {
  expect(rowsOf(run([measurement()], { pullRequestNumber: 7 }))).toEqual([])
  expect(rowsOf(run([measurement()], { oldCommit: null }))).toEqual([])
  expect(rowsOf(run([measurement()], { finishedAt: 'soon' }))).toEqual([])
})

test('equal texts without indexes have their ordinals in the place of them', () => {
  const measurements = [measurement({ queryIndex: null }), measurement({ queryIndex: null, ordinal: 1 })]
  expect(rowsOf(run(measurements)).map(({ queryIndex }) => queryIndex)).toEqual([null, 1])
})
