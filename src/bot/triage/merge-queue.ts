import pLimit from 'p-limit'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { createCheckRun, findOwnCheckRun } from '../../github/own-check-run.ts'
import { listWorkflowRuns } from '../../github/performance-checks.ts'
import { CHECK_NAME } from './publish.ts'

/**
 * The pull request that a branch of GitHub's merge queue is of, as in `acme:gh-readonly-queue/master/pr-7-1a2b…`; null for
 * every other one, a fork's too.
 */
export function queuedPullRequest(owner: string, headLabel: string | null): number | null {
  const [, of, number] =
    /^([^:]+):gh-readonly-queue\/.+\/pr-([1-9]\d{0,9})-[0-9a-f]{40,64}$/.exec(headLabel ?? '') ?? []
  return of === undefined || of.toLowerCase() !== owner.toLowerCase() ? null : Number(number)
}

/**
 * Nothing is judged in the merge queue: the pull request was, before it came there. Where our check is required the queue waits for it on
 * its own commit too. A branch may be called as those of the queue are: that a workflow runs for the queue only GitHub can say.
 */
export function passInQueue(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  pullRequestNumber: number,
  appId: number,
): Promise<void> {
  return oneByOne(async () => await pass(octokit, ref, head, pullRequestNumber, appId))
}

/** Several events tell of one commit at the same time. */
const oneByOne = pLimit(1)

async function pass(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  pullRequestNumber: number,
  appId: number,
): Promise<void> {
  const runs = await listWorkflowRuns(octokit, ref, head)
  if (!runs.some(({ event }) => event === 'merge_group')) return
  if ((await findOwnCheckRun(octokit, ref, head, CHECK_NAME, pullRequestNumber, appId)) !== null) return
  const content = {
    status: 'completed',
    conclusion: 'neutral',
    title: `Judged on #${pullRequestNumber}`,
    summary: `Nothing is judged in the merge queue: see #${pullRequestNumber} for what was measured.`,
    text: '',
    annotations: [],
    buttons: [],
  } as const
  // The merge waits for it.
  await createCheckRun(octokit, ref, head, CHECK_NAME, pullRequestNumber, content, null, 'gate')
}
