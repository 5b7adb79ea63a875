import { isTimeMemoryOrWork } from '../clickhouse/run-rows.ts'
import type { Store } from '../clickhouse/store.ts'
import type { Repository } from '../github/repository.ts'
import { listLatestCommits } from '../github/trunk-commits.ts'
import { trunkRowsOfRun } from '../history/trunk-rows-of-run.ts'
import type { TakenIn } from './ci-intake-memory.ts'
import { LATEST_COMMITS, latestOf, ofTrunk, PATIENCE_MS, readReportedHead, SETTLED_FOR_MS } from './ci-intake-trunk.ts'
import { gatherPerformance } from './gather.ts'
import { type IngestContext, ingest } from './ingest.ts'
import type { PerformanceCheck } from './performance-checks.ts'

export interface TrunkRunsContext extends Omit<IngestContext, 'subject' | 'beforeStored'> {
  readonly store: Pick<Store, 'hasRun' | 'saveRun' | 'saveTrunkRows'>
  readonly taken: TakenIn
  readonly ownAppId: number
}

export interface TrunkRuns {
  /** Rows of the history that were stored now; 0 when there was nothing new. */
  readonly rows: number
  /** False: something is measured still, or another try may get it. */
  readonly isComplete: boolean
}

/**
 * Takes the performance runs of the latest commits of the default branch into the trunk's history: what ran for a push to
 * it or by schedule, of the repository itself, and never a fork's. Cheap when nothing is new: `now` in milliseconds decides
 * which commits are asked for, and a run that is stored is not read again. Throws `StoreUnavailable` and what GitHub
 * answers; what was stored before that stands.
 */
export async function takeInTrunkRuns(
  context: TrunkRunsContext,
  repository: Repository,
  now: number,
): Promise<TrunkRuns> {
  const { octokit, ref, taken } = context
  let rows = 0
  let isComplete = true
  for (const { sha, committedAt } of await listLatestCommits(octokit, ref, repository.defaultBranch, LATEST_COMMITS)) {
    const settled = JSON.stringify([repository.id, 'trunk-runs', repository.defaultBranch, sha])
    const at = taken.at(settled)
    if (at !== null && now - at < SETTLED_FOR_MS) continue
    const head = ofTrunk(await readReportedHead(octokit, ref, sha), repository)
    const others = head.checks.filter(({ appId }) => appId !== context.ownAppId)
    const checks = await gatherPerformance(
      octokit,
      ref,
      context.config,
      others.filter(({ kind }) => kind === 'check-run'),
      others.filter(({ kind }) => kind === 'status'),
      head.workflowRuns,
    )
    const found = await takeInCommit(context, repository, sha, checks)
    rows += found.rows
    const isRunning = head.workflowRuns.some(({ isFinished }) => !isFinished)
    // Nothing has been heard of it for so long that what has not come never will.
    const isOver = now - latestOf(head, committedAt) > PATIENCE_MS
    const isSettled = isOver || (found.isComplete && !isRunning)
    isComplete &&= isSettled
    // A commit on which nothing has run has it before it: it begins some seconds after the push.
    if (isSettled && (checks.length > 0 || head.workflowRuns.length > 0)) taken.add(settled, now)
  }
  return { rows, isComplete }
}

async function takeInCommit(
  context: TrunkRunsContext,
  { id, defaultBranch }: Repository,
  sha: string,
  checks: readonly PerformanceCheck[],
): Promise<TrunkRuns> {
  const { store, config } = context
  let rows = 0
  let isComplete = true
  for (const check of checks) {
    if (check.state !== 'finished') {
      isComplete = false
      continue
    }
    const problem = await ingest(
      {
        ...context,
        subject: { repositoryId: id, pullRequestNumber: 0, head: sha },
        beforeStored: async (run, results) => {
          // Of a run for a push the measured commit is the pushed one; a source may state it as a short id.
          const kept = results.filter((result) => result.metric === config.metric || isTimeMemoryOrWork(result))
          const place = { baseBranch: defaultBranch, reportUrl: check.url ?? '' }
          rows += await store.saveTrunkRows(id, trunkRowsOfRun({ ...run, newCommit: null }, kept, place))
        },
      },
      check,
    )
    // A server that did not answer, or a file that is published after the check ends.
    if (problem === 'download-failed') isComplete = false
  }
  return { rows, isComplete }
}
