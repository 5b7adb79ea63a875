import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { listHead, type ReportedCheck, type ReportedWorkflowRun } from '../../github/performance-checks.ts'
import type { CheckedCommit, ReportedHead } from './check-rows.ts'
import { type Intake, type IntakeContext, type IntakeProblem, takeInCiResults } from './ci-intake.ts'
import { latestTrunkCommits, PATIENCE_MS } from './latest-trunk-commits.ts'

/** CI results of the trunk, taken in without a CI database. Those of a pull request: `ci-intake.ts`. */

const TRUNK_EVENTS: ReadonlySet<string> = new Set(['push', 'schedule'])

export interface TrunkOfRepository {
  readonly owner: string
  readonly name: string
  /** Its page. */
  readonly url: string
  readonly defaultBranch: string
}

/**
 * Takes in the CI results of the latest commits of the default branch, newest first: what ran for a push to it or by
 * schedule, of the repository itself. A fork that calls its branch like the trunk, and pull requests whose head is a
 * commit of the trunk, give nothing. Cheap when nothing is new: `now` in milliseconds decides which commits are asked for.
 */
export async function takeInTrunk(
  context: IntakeContext,
  repository: TrunkOfRepository,
  now: number,
): Promise<Omit<Intake, 'isWhole'>> {
  const { octokit, ref, repositoryId, taken, log } = context
  const branch = repository.defaultBranch
  const keyOf = (sha: string) => JSON.stringify([repositoryId, 'trunk', branch, sha])
  const commits = await latestTrunkCommits({ octokit, ref, branch, taken, keyOf, log }, now)
  const problems: IntakeProblem[] = []
  let rows = 0
  let isComplete = true
  for (const { sha, committedAt } of commits) {
    const head = ofTrunk(await readReportedHead(octokit, ref, sha), repository)
    const intake = await takeInCiResults(context, trunkCommit(repository, sha), head)
    rows += intake.rows
    problems.push(...intake.problems)
    // A check that nothing has been heard of for so long waits for a runner that never comes.
    const isOver = now - latestOf(head, committedAt) > PATIENCE_MS
    const isSettled = intake.isComplete || isOver
    isComplete &&= isSettled
    // A commit without a check has them before it: they begin some seconds after the push.
    if (isSettled && (head.checks.length > 0 || isOver)) taken.set(keyOf(sha), now)
  }
  return { rows, problems, isComplete }
}

/** When anything last began or ended on the commit, in milliseconds. */
export function latestOf({ checks }: ReportedHead, committedAt: string): number {
  const times = [committedAt, ...checks.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt])]
  return Math.max(0, ...times.map((time) => Date.parse(time ?? '')).filter(Number.isFinite))
}

/** The checks and workflow runs of a commit, of every App. */
export async function readReportedHead(octokit: Octokit, ref: RepositoryRef, sha: string): Promise<ReportedHead> {
  const { checkRuns, statuses, workflowRuns } = await listHead(octokit, ref, sha)
  return { checks: [...checkRuns, ...statuses], workflowRuns }
}

/** Checks that belong to no workflow run are of other Apps, which only the repository's owner can install. */
export function ofTrunk({ checks, workflowRuns }: ReportedHead, repository: TrunkOfRepository): ReportedHead {
  const others = new Set(
    workflowRuns.filter((run) => !isOfTrunk(run, repository)).map(({ checkSuiteId }) => checkSuiteId),
  )
  return {
    checks: checks.filter(({ checkSuiteId }: ReportedCheck) => checkSuiteId === null || !others.has(checkSuiteId)),
    workflowRuns: workflowRuns.filter((run) => isOfTrunk(run, repository)),
  }
}

function isOfTrunk(run: ReportedWorkflowRun, { owner, name, defaultBranch }: TrunkOfRepository): boolean {
  return (
    TRUNK_EVENTS.has(run.event) &&
    run.headBranch === defaultBranch &&
    run.headRepository?.toLowerCase() === `${owner}/${name}`.toLowerCase()
  )
}

function trunkCommit({ owner, name, url, defaultBranch }: TrunkOfRepository, commitSha: string): CheckedCommit {
  return { repository: { owner, name, url }, commitSha, trunk: defaultBranch, pullRequest: null }
}
