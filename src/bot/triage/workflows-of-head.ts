import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { CiWorkflow } from '../slash/command.ts'
import { type GatheredChecks, gatherChecks } from './gather.ts'

/** The workflows of GitHub Actions that ran on the head of a pull request, with the jobs that have a check. */
export async function workflowsOfHead(
  octokit: Octokit,
  config: RepositoryConfig,
  { repository, head }: PullRequest,
  ownAppId: number,
): Promise<readonly CiWorkflow[]> {
  const ref = { owner: repository.owner, repo: repository.name }
  return workflowsIn(config, await gatherChecks(octokit, ref, config, head, ownAppId))
}

export function workflowsIn(
  config: RepositoryConfig,
  { all, performance, workflowRuns }: GatheredChecks,
): readonly CiWorkflow[] {
  return workflowRuns.map(({ id, attempt, name, isFinished, conclusion, checkSuiteId }) => {
    const measuring = performance.filter(({ workflowRun }) => workflowRun?.id === id)
    const checks = all.filter(
      (check) => check.kind === 'check-run' && checkSuiteId !== null && check.checkSuiteId === checkSuiteId,
    )
    // Without names in the configuration the checks are artifacts, and which of several jobs uploads one GitHub does not say.
    const isNamed = config.checks.length > 0
    const isSure = (name: string) =>
      isNamed ? measuring.some(({ check }) => check === name) : measuring.length > 0 && checks.length === 1
    const jobs = checks.map(({ id, name }) => ({ id, name, measures: isSure(name) }))
    const hasFailed = conclusion === 'failure' || conclusion === 'timed_out' || conclusion === 'cancelled'
    const isHeldBack = conclusion === 'action_required'
    return { id, attempt, name, isFinished, isHeldBack, hasFailed, jobs, measures: measuring.length > 0 }
  })
}
