import { type RunContents, runKey, unmeasuredBy } from '../intake/measurement/run.ts'
import type { OneSidedHistory } from '../judge/history/one-sided-history.ts'
import type { ThresholdSettings } from '../judge/verdict/thresholds.ts'
import { classifyHead } from './classify-head.ts'
import { judge } from './judge.ts'
import type { TriageReport } from './report.ts'

/** The text in the place of the head where the run does not name its commit. */
const UNKNOWN_HEAD = 'this run'

/**
 * What one run says alone: no pull request, nobody’s decisions, no history but that of a run of the head alone. `counted` is the metric
 * that decides, `source` where the run was read from.
 */
export function reportOfRun(
  contents: RunContents,
  about: {
    readonly counted: string
    readonly source: string
    readonly architecture: string | null
    readonly thresholds: ThresholdSettings
    readonly history?: OneSidedHistory | undefined
  },
): TriageReport {
  const { counted, history, architecture } = about
  const run = {
    ...contents,
    decides: counted,
    measurements: [...contents.measurements, ...unmeasuredBy(counted, contents.measurements)],
    repositoryId: 0,
    pullRequestNumber: 0,
    head: contents.newCommit ?? UNKNOWN_HEAD,
    check: 'local',
    architecture,
    shard: null,
    shards: null,
    attempt: 1,
    source: about.source,
    finishedAt: new Date(0).toISOString(),
  }
  const head = classifyHead({
    repository: { id: 0, owner: 'local', name: 'run', isPrivate: false, url: '' },
    pullRequest: { number: 0, baseRef: '' },
    head: run.head,
    mergeBase: null,
    references:
      run.oldCommit === null
        ? []
        : [{ commit: run.oldCommit, architectures: [architecture], commitsBeforeMergeBase: null }],
    runs: [run],
    ...(history !== undefined && { oneSided: new Map([[runKey(run), history]]) }),
    shards: [
      {
        check: run.check,
        architecture,
        shard: null,
        shards: null,
        state: 'measured',
        problem: null,
        url: null,
        conclusion: null,
      },
    ],
    isFinal: true,
    primaryMetric: counted,
    thresholds: about.thresholds,
    failingTests: null,
    mode: 'advisory',
    previous: null,
    degradations: history === undefined ? ['history-not-available'] : [],
    judgedAt: run.finishedAt,
  })
  return judge(head)
}
