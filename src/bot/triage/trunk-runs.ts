import type { Repository } from '../../github/repository.ts'
import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { keptOfTrunkRun, trunkRowsOfRun } from '../../judge/verdict/trunk-run.ts'
import type { Store } from '../../store/store.ts'
import type { ResultsTakenIn } from './ci-intake.ts'
import { latestOf, ofTrunk, readReportedHead } from './ci-intake-trunk.ts'
import { earlierCommit } from './earlier-commit.ts'
import { gatherPerformance } from './gather.ts'
import { type IngestContext, ingest } from './ingest.ts'
import { latestTrunkCommits, PATIENCE_MS } from './latest-trunk-commits.ts'
import type { PerformanceCheck } from './performance-checks.ts'

/** Takes the performance runs of the trunk’s commits into its history; no report is made of them. */

export interface TrunkRunsContext extends Omit<IngestContext, 'subject' | 'beforeStored'> {
  readonly trunkHistory: Pick<Store['trunkHistory'], 'save'>
  readonly taken: ResultsTakenIn
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
 * it or by schedule, of the repository itself, and never a fork's, against a commit of the trunk shortly before. Cheap when nothing is new: `now` in milliseconds decides
 * which commits are asked for, and a run that is stored is not read again. Throws `StoreUnavailable` and what GitHub
 * answers; what was stored before that stands.
 */
export async function takeInTrunkRuns(
  context: TrunkRunsContext,
  repository: Repository,
  now: number,
): Promise<TrunkRuns> {
  const { octokit, ref, taken, log } = context
  const branch = repository.defaultBranch
  const keyOf = (sha: string) => JSON.stringify([repository.id, 'trunk-runs', branch, sha])
  let rows = 0
  let isComplete = true
  for (const { sha, committedAt } of await latestTrunkCommits({ octokit, ref, branch, taken, keyOf, log }, now)) {
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
    // A commit of which nothing was heard for so long gets no further results.
    const isOver = now - latestOf(head, committedAt) > PATIENCE_MS
    const isSettled = isOver || (found.isComplete && !isRunning)
    isComplete &&= isSettled
    // A commit on which nothing has run has it before it: it begins some seconds after the push.
    if (isSettled && (checks.length > 0 || head.workflowRuns.length > 0 || isOver)) taken.set(keyOf(sha), now)
  }
  return { rows, isComplete }
}

async function takeInCommit(
  context: TrunkRunsContext,
  { id, defaultBranch }: Repository,
  sha: string,
  checks: readonly PerformanceCheck[],
): Promise<TrunkRuns> {
  const { trunkHistory, config } = context
  const earlier = new Map<string | null, string | null>()
  let rows = 0
  let isComplete = true
  for (const check of checks) {
    if (check.state !== 'finished') {
      isComplete = false
      continue
    }
    const lost = await ingest(
      {
        ...context,
        subject: { repositoryId: id, pullRequestNumber: 0, head: sha },
        beforeStored: async (run, results) => {
          // The measured commit of a run for a push is the pushed one; a source may state it as a short id.
          const kept = keptOfTrunkRun(results, decidingMetric(config.metric, results))
          const place = { baseBranch: defaultBranch, reportUrl: check.url ?? '' }
          const known = earlier.get(run.oldCommit)
          const oldCommit = known === undefined ? await earlierCommit(context, run.oldCommit, sha) : known
          earlier.set(run.oldCommit, oldCommit)
          if (run.oldCommit === null && kept.some(({ status }) => status === 'compared'))
            context.log.info(
              { sha, check: run.check },
              `a run of the main branch that does not name its old build is left out of the history: put that build’s commit into ${config.reference.file} in the results`,
            )
          rows += await trunkHistory.save(id, trunkRowsOfRun({ ...run, oldCommit, newCommit: null }, kept, place))
        },
      },
      check,
    )
    // A server that did not answer, or a file that is published after the check ends.
    if (lost?.problem === 'download-failed') isComplete = false
  }
  return { rows, isComplete }
}
