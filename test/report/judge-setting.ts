import type { Measurement, Run } from '../../src/intake/measurement/run.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { type ClassifiedHead, classifyHead, type HeadInput, runOfResult } from '../../src/report/classify-head.ts'
import { judge } from '../../src/report/judge.ts'
import type { Answers } from '../../src/report/judge-rows.ts'
import type { Shard, TriageReport } from '../../src/report/report.ts'

/** Runs of seven repetitions a side, and the report of them. */

export const STEADY = [0.1, 0.101, 0.102, 0.103, 0.104, 0.105, 0.106]
/** Slower by 6.8%, significantly, and the samples overlap: what noise can excuse. */
export const OVERLAPPING = [0.105, 0.107, 0.109, 0.11, 0.111, 0.112, 0.113]
export const times = (factor: number) => STEADY.map((value) => value * factor)

export function measured(test: string, fresh: readonly number[], overrides: Partial<Measurement> = {}): Measurement {
  return {
    test,
    queryIndex: 0,
    queryName: `SELECT ${test}`,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: STEADY,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...overrides,
  }
}

export function runOf(measurements: readonly Measurement[], overrides: Partial<Run> = {}): Run {
  return {
    measurements,
    oldCommit: null,
    newCommit: null,
    warnings: [],
    repositoryId: 1,
    pullRequestNumber: 7,
    head: 'b'.repeat(40),
    check: 'perf',
    architecture: null,
    shard: null,
    shards: null,
    attempt: 1,
    source: 'artifact 1',
    finishedAt: '2026-11-20T10:00:00.000Z',
    ...overrides,
  }
}

export const shard = (overrides: Partial<Shard> = {}): Shard => ({
  check: 'perf',
  architecture: null,
  shard: null,
  shards: null,
  state: 'measured',
  problem: null,
  url: null,
  conclusion: 'success',
  ...overrides,
})

const REPOSITORY = { id: 1, owner: 'acme', name: 'engine', isPrivate: false, url: 'https://github.test/acme/engine' }

/** A head and the answers of those who were asked about it. */
export type JudgedBy = Partial<HeadInput & Answers>

export function judged(runs: readonly Run[], overrides: JudgedBy = {}): TriageReport {
  return judge(classified(runs, overrides), overrides)
}

export function classified(runs: readonly Run[], overrides: Partial<HeadInput> = {}): ClassifiedHead {
  return classifyHead({
    repository: REPOSITORY,
    pullRequest: { number: 7, baseRef: 'main' },
    head: 'b'.repeat(40),
    mergeBase: null,
    references: [],
    runs,
    shards: [shard()],
    isFinal: false,
    primaryMetric: 'client_time',
    thresholds: DEFAULT_THRESHOLDS,
    failingTests: null,
    mode: 'advisory',
    previous: null,
    degradations: [],
    judgedAt: '2026-11-20T11:00:00.000Z',
    ...overrides,
  })
}

/** The report of one head of a pull request, and which run each of its results is of. */
export function judgedHead(runs: readonly [Run, ...Run[]], overrides: JudgedBy = {}) {
  const [{ repositoryId, pullRequestNumber, head }] = runs
  const input = {
    repository: { ...REPOSITORY, id: repositoryId },
    pullRequest: { number: pullRequestNumber, baseRef: 'main' },
    head,
    ...overrides,
  }
  return { report: judged(runs, input), runOf: runOfResult(classified(runs, input)) }
}

export const amd = (...measurements: Measurement[]) => runOf(measurements, { check: 'perf amd', architecture: 'amd' })
export const arm = (...measurements: Measurement[]) => runOf(measurements, { check: 'perf arm', architecture: 'arm' })
