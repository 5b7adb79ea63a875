import { type Annotation, type CheckRun, type CheckSuite, listedPulls, type State, type Status } from '../state.ts'
import { accountJson } from './account.ts'
import { appJson } from './app.ts'
import { simpleCommitJson } from './commit.ts'
import { type JsonObject, nodeId, time, timeOrNull } from './json.ts'
import { minimalPullJson } from './pull-request.ts'
import { repositoryJson, repositoryPage, repositoryUrl, simpleRepositoryJson } from './repository.ts'

function pullsJson(state: State, suite: CheckSuite): JsonObject[] {
  return listedPulls(suite.repo, suite.headSha).map((pull) => minimalPullJson(state, pull))
}

/** `check-run`. */
export function checkRunJson(state: State, run: CheckRun): JsonObject {
  const { suite } = run
  const url = `${repositoryUrl(state, suite.repo)}/check-runs/${run.id}`
  const page = `${repositoryPage(state, suite.repo)}/runs/${run.id}`
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: suite.headSha,
    external_id: run.externalId,
    url,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: time(run.startedAt),
    completed_at: timeOrNull(run.completedAt),
    output: {
      ...run.output,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: suite.id },
    app: appJson(state, suite.app),
    pull_requests: pullsJson(state, suite),
  }
}

/** The check run inside its own webhooks names its suite in more words. */
export function checkRunEventJson(state: State, run: CheckRun): JsonObject {
  const { suite } = run
  return {
    ...checkRunJson(state, run),
    check_suite: {
      id: suite.id,
      node_id: nodeId('CS', suite.id),
      head_branch: suite.headBranch,
      head_sha: suite.headSha,
      status: suite.status,
      conclusion: suite.conclusion,
      url: `${repositoryUrl(state, suite.repo)}/check-suites/${suite.id}`,
      before: suite.before,
      after: suite.headSha,
      pull_requests: pullsJson(state, suite),
      app: appJson(state, suite.app),
      created_at: time(suite.createdAt),
      updated_at: time(suite.updatedAt),
    },
  }
}

export function annotationJson(state: State, run: CheckRun, annotation: Annotation): JsonObject {
  const { repo, headSha } = run.suite
  return {
    path: annotation.path,
    blob_href: `${repositoryPage(state, repo)}/blob/${headSha}/${annotation.path}`,
    start_line: annotation.start_line,
    start_column: annotation.start_column ?? null,
    end_line: annotation.end_line,
    end_column: annotation.end_column ?? null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  }
}

function suiteJson(state: State, suite: CheckSuite): JsonObject {
  const url = `${repositoryUrl(state, suite.repo)}/check-suites/${suite.id}`
  const commit = suite.repo.graph.get(suite.headSha)
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion,
    url,
    before: suite.before,
    after: suite.headSha,
    pull_requests: pullsJson(state, suite),
    app: appJson(state, suite.app),
    created_at: time(suite.createdAt),
    updated_at: time(suite.updatedAt),
    rerequestable: true,
    runs_rerequestable: suite.app.slug !== 'github-actions',
    latest_check_runs_count: suite.repo.checkRuns.filter((run) => run.suite === suite).length,
    check_runs_url: `${url}/check-runs`,
    head_commit: commit === undefined ? null : simpleCommitJson(commit),
  }
}

/** `check-suite`. */
export function checkSuiteJson(state: State, suite: CheckSuite): JsonObject {
  return { ...suiteJson(state, suite), repository: repositoryJson(state, suite.repo) }
}

/** The check suite inside its own webhooks. */
export function checkSuiteEventJson(state: State, suite: CheckSuite): JsonObject {
  return suiteJson(state, suite)
}

/** `status`. */
export function statusJson(state: State, repo: CheckSuite['repo'], status: Status): JsonObject {
  return {
    ...contextJson(state, repo, status),
    creator: accountJson(state, status.creator),
  }
}

function contextJson(state: State, repo: CheckSuite['repo'], status: Status): JsonObject {
  return {
    url: `${repositoryUrl(state, repo)}/statuses/${status.sha}`,
    avatar_url: `${state.origin}/avatars/${status.creator.id}`,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: time(status.createdAt),
    updated_at: time(status.createdAt),
  }
}

/** `combined-commit-status` of the newest status of each context; `page` is the part that is listed. */
export function combinedStatusJson(
  state: State,
  repo: CheckSuite['repo'],
  sha: string,
  newest: readonly Status[],
  page: readonly Status[],
): JsonObject {
  const failed = newest.some((status) => status.state === 'failure' || status.state === 'error')
  const pending = newest.length === 0 || newest.some((status) => status.state === 'pending')
  return {
    state: failed ? 'failure' : pending ? 'pending' : 'success',
    statuses: page.map((status) => contextJson(state, repo, status)),
    sha,
    total_count: newest.length,
    repository: simpleRepositoryJson(state, repo),
    commit_url: `${repositoryUrl(state, repo)}/commits/${sha}`,
    url: `${repositoryUrl(state, repo)}/commits/${sha}/status`,
  }
}
