import type { Run } from '../../src/intake/measurement/run.ts'
import { PRIMARY_METRIC } from '../../src/intake/measurement/run.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { classifyHead, type HeadInput } from '../../src/report/classify-head.ts'
import { judge } from '../../src/report/judge.ts'
import type { TriageReport } from '../../src/report/report.ts'
import type { RecordedRun } from './recorded-runs.ts'

export const BRANCH = 'main'

/** The recorded run as that of a pull request, or with number 0 as one of the trunk itself. */
export function runOf(recorded: RecordedRun, repositoryId: number, pullRequestNumber: number): Run {
  const { measurements, warnings, oldCommit, newCommit, time } = recorded
  return {
    measurements,
    oldCommit,
    newCommit,
    warnings,
    repositoryId,
    pullRequestNumber,
    head: newCommit,
    check: 'performance',
    architecture: null,
    shard: null,
    shards: null,
    attempt: 1,
    source: recorded.name,
    finishedAt: new Date(time).toISOString(),
  }
}

/** The report of one head that this run is all of, measured against its merge base, by the default thresholds. */
export function judgeRun(run: Run): TriageReport {
  return judge(classifyHead(headOf(run)))
}

export function headOf(run: Run): HeadInput {
  return {
    repository: {
      id: run.repositoryId,
      owner: 'calibration',
      name: 'calibration',
      isPrivate: false,
      url: 'https://github.com/calibration/calibration',
    },
    pullRequest: { number: run.pullRequestNumber, baseRef: BRANCH },
    head: run.head,
    mergeBase: run.oldCommit,
    references:
      run.oldCommit === null ? [] : [{ commit: run.oldCommit, architectures: [null], commitsBeforeMergeBase: 0 }],
    runs: [run],
    shards: [],
    isFinal: true,
    primaryMetric: PRIMARY_METRIC,
    thresholds: DEFAULT_THRESHOLDS,
    failingTests: null,
    mode: 'advisory',
    previous: null,
    degradations: [],
    judgedAt: run.finishedAt,
  }
}
