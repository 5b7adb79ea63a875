import { type Artifact, type CheckRun, listedPulls, type State, type WorkflowRun } from '../state.ts'
import { accountJson } from './account.ts'
import { simpleCommitJson } from './commit.ts'
import { type JsonObject, nodeId, time, timeOrNull } from './json.ts'
import { minimalPullJson } from './pull-request.ts'
import { repositoryPage, repositoryUrl, simpleRepositoryJson } from './repository.ts'

/** `workflow-run`. */
export function workflowRunJson(state: State, run: WorkflowRun): JsonObject {
  const { repo } = run
  const base = repositoryUrl(state, repo)
  const url = `${base}/actions/runs/${run.id}`
  const commit = repo.graph.get(run.headSha)
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', run.id),
    check_suite_id: run.suite.id,
    check_suite_node_id: nodeId('CS', run.suite.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    run_number: run.number,
    run_attempt: run.attempt,
    referenced_workflows: [],
    event: run.event,
    display_title: commit?.message.split('\n')[0] ?? run.name,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    url,
    html_url: `${repositoryPage(state, repo)}/actions/runs/${run.id}`,
    pull_requests: listedPulls(repo, run.headSha).map((pull) => minimalPullJson(state, pull)),
    created_at: time(run.createdAt),
    updated_at: time(run.updatedAt),
    run_started_at: time(run.startedAt),
    actor: accountJson(state, run.actor),
    triggering_actor: accountJson(state, run.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${base}/check-suites/${run.suite.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt === 1 ? null : `${url}/attempts/${run.attempt - 1}`,
    workflow_url: `${base}/actions/workflows/${run.workflowId}`,
    head_commit: commit === undefined ? null : simpleCommitJson(commit),
    repository: simpleRepositoryJson(state, repo),
    head_repository: simpleRepositoryJson(state, run.headRepo),
  }
}

/** `job`: the check run of the same number. A run that has none is one job of its name. */
export function jobsJson(state: State, run: WorkflowRun): JsonObject[] {
  const jobs = run.repo.checkRuns.filter(({ suite }) => suite === run.suite)
  const { id, name, status, conclusion, startedAt, updatedAt } = run
  const whole = { id, name, status, conclusion, startedAt, completedAt: status === 'completed' ? updatedAt : null }
  return (jobs.length === 0 ? [{ ...whole, job: null }] : jobs).map((job) => jobJson(state, run, job))
}

type Job = Pick<CheckRun, 'id' | 'name' | 'status' | 'conclusion' | 'startedAt' | 'completedAt' | 'job'>

function jobJson(state: State, run: WorkflowRun, job: Job): JsonObject {
  const base = repositoryUrl(state, run.repo)
  const page = `${repositoryPage(state, run.repo)}/actions/runs/${run.id}/job/${job.id}`
  return {
    id: job.id,
    node_id: nodeId('J', job.id),
    run_id: run.id,
    run_url: `${base}/actions/runs/${run.id}`,
    run_attempt: run.attempt,
    head_sha: run.headSha,
    head_branch: run.headBranch,
    workflow_name: run.name,
    name: job.name,
    url: `${base}/actions/jobs/${job.id}`,
    html_url: page,
    check_run_url: `${base}/check-runs/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: time(job.startedAt),
    started_at: time(job.startedAt),
    completed_at: timeOrNull(job.completedAt),
    labels: [...run.runsOn],
    runner_id: 1,
    runner_name: 'GitHub Actions 1',
    runner_group_id: 0,
    runner_group_name: 'GitHub Actions',
    steps: (job.job?.steps ?? []).map((step, index) => ({
      name: step.name,
      number: index + 1,
      status: step.conclusion === null ? 'in_progress' : 'completed',
      conclusion: step.conclusion,
      started_at: time(step.startedAt),
      completed_at: timeOrNull(step.completedAt),
    })),
  }
}

/** The workflow beside the run in webhooks. */
export function workflowJson(state: State, run: WorkflowRun): JsonObject {
  const page = repositoryPage(state, run.repo)
  return {
    id: run.workflowId,
    node_id: nodeId('W', run.workflowId),
    name: run.name,
    path: run.path,
    state: 'active',
    created_at: time(run.repo.createdAt),
    updated_at: time(run.repo.createdAt),
    url: `${repositoryUrl(state, run.repo)}/actions/workflows/${run.workflowId}`,
    html_url: `${page}/blob/${run.repo.defaultBranch}/${run.path}`,
    badge_url: `${page}/workflows/${encodeURIComponent(run.name)}/badge.svg`,
  }
}

/** `artifact`. */
export function artifactJson(state: State, artifact: Artifact): JsonObject {
  const { run } = artifact
  const url = `${repositoryUrl(state, run.repo)}/actions/artifacts/${artifact.id}`
  return {
    id: artifact.id,
    node_id: nodeId('ART', artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.bytes,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expiresAt <= state.now(),
    created_at: time(artifact.createdAt),
    updated_at: time(artifact.createdAt),
    expires_at: time(artifact.expiresAt),
    digest: `sha256:${artifact.digest}`,
    workflow_run: {
      id: run.id,
      repository_id: run.repo.id,
      head_repository_id: run.headRepo.id,
      head_branch: run.headBranch,
      head_sha: run.headSha,
    },
  }
}
