import type { Octokit, RepositoryRef } from './octokit.ts'
import { isRefused } from './octokit.ts'

/** A check of a commit, whichever of GitHub's two kinds it is. */
export interface CommitCheck {
  readonly name: string
  readonly isFinished: boolean
  /** `success`, `failure`, `timed_out`, …; null while it runs. */
  readonly conclusion: string | null
  readonly url: string | null
  /** ISO 8601; null while it is only queued. */
  readonly startedAt: string | null
  /** ISO 8601; null while it runs. */
  readonly finishedAt: string | null
  /** Leads to the workflow run of a GitHub Actions check. */
  readonly checkSuiteId: number | null
  /** Its title, of a status its description; absent where nobody asked for it. */
  readonly title?: string
}

export interface WorkflowRun {
  readonly id: number
  readonly name: string
  /** `.github/workflows/performance.yml`. */
  readonly path: string
  readonly attempt: number
  readonly isFinished: boolean
  readonly conclusion: string | null
  readonly url: string
  readonly checkSuiteId: number | null
  /** The start of the latest attempt, ISO 8601. */
  readonly startedAt: string
  readonly finishedAt: string | null
}

/** A check with what its runner said of it. */
export interface ReportedCheck extends CommitCheck {
  readonly kind: 'check-run' | 'status'
  /** An id that is unique among those of its kind. */
  readonly id: number
  /** null: nobody knows, as of a status. */
  readonly appId: number | null
  /** Its title, of a status its description. At most `LONGEST_SAID` characters, like the next. */
  readonly title: string
  readonly summary: string
  readonly annotations: number
}

/** A workflow run with what says whose it is: a fork's branch may have any name. */
export interface ReportedWorkflowRun extends WorkflowRun {
  /** `push`, `schedule`, `pull_request`, … */
  readonly event: string
  readonly headBranch: string | null
  /** `owner/name`; null where the repository is gone. */
  readonly headRepository: string | null
}

/** A summary may have 65,535 characters, of which the first are enough to tell what went wrong. */
const LONGEST_SAID = 4000

function said(text: string | null | undefined): string {
  return (text ?? '').slice(0, LONGEST_SAID).toWellFormed()
}

/**
 * The newest check run of each name on a commit, or `all` with those of earlier attempts, other Apps' and ours; ours is told
 * apart by the caller.
 */
export async function listCheckRuns(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  filter: 'latest' | 'all' = 'latest',
): Promise<ReportedCheck[]> {
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, {
    ...ref,
    ref: head,
    filter,
    per_page: 100,
  })
  return runs.map((run) => ({
    kind: 'check-run',
    id: run.id,
    name: run.name,
    isFinished: run.status === 'completed',
    conclusion: run.conclusion,
    url: run.html_url ?? run.details_url,
    startedAt: run.started_at,
    finishedAt: run.completed_at,
    checkSuiteId: run.check_suite?.id ?? null,
    appId: run.app?.id ?? null,
    title: said(run.output.title),
    summary: said(run.output.summary),
    annotations: run.output.annotations_count,
  }))
}

/** The newest commit status of each context; none where the owner has not agreed yet that the App reads them. */
export async function listStatuses(octokit: Octokit, ref: RepositoryRef, head: string): Promise<ReportedCheck[]> {
  const statuses = await octokit
    .paginate(octokit.rest.repos.listCommitStatusesForRef, { ...ref, ref: head, per_page: 100 })
    .catch((error: unknown) => {
      if (isRefused(error)) return []
      throw error
    })
  const newest = new Map<string, ReportedCheck>()
  // Newest first, as GitHub lists them.
  for (const status of statuses) {
    if (newest.has(status.context)) continue
    const isFinished = status.state !== 'pending'
    newest.set(status.context, {
      kind: 'status',
      id: status.id,
      name: status.context,
      isFinished,
      conclusion: isFinished ? status.state : null,
      url: status.target_url || null,
      startedAt: status.created_at,
      finishedAt: isFinished ? status.updated_at : null,
      checkSuiteId: null,
      appId: null,
      title: said(status.description),
      summary: '',
      annotations: 0,
    })
  }
  return [...newest.values()]
}

/**
 * The workflow runs, check runs and statuses of a commit. Workflow runs are read first: of one that had ended by then, the check runs hold
 * every job, with its end.
 */
export async function listHead(octokit: Octokit, ref: RepositoryRef, head: string) {
  const workflowRuns = await listWorkflowRuns(octokit, ref, head)
  const [checkRuns, statuses] = await Promise.all([listCheckRuns(octokit, ref, head), listStatuses(octokit, ref, head)])
  return { workflowRuns, checkRuns, statuses }
}

/** The workflow runs of a commit, newest first. */
export async function listWorkflowRuns(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
): Promise<ReportedWorkflowRun[]> {
  const runs = await octokit.paginate(octokit.rest.actions.listWorkflowRunsForRepo, {
    ...ref,
    head_sha: head,
    per_page: 100,
  })
  return runs.map((run) => ({
    id: run.id,
    name: run.name ?? run.path,
    path: run.path,
    attempt: run.run_attempt ?? 1,
    isFinished: run.status === 'completed',
    conclusion: run.conclusion,
    url: run.html_url,
    checkSuiteId: run.check_suite_id ?? null,
    startedAt: run.run_started_at ?? run.created_at,
    finishedAt: run.status === 'completed' ? run.updated_at : null,
    event: run.event,
    headBranch: run.head_branch,
    // GitHub says null for a fork that was deleted, whatever its types say.
    headRepository: (run.head_repository as typeof run.head_repository | null)?.full_name ?? null,
  }))
}

/** A job of any attempt of a workflow run. */
export interface WorkflowJob {
  readonly name: string
  /** The labels of the runner that it asked for: `ubuntu-24.04`, or `self-hosted` and what else its owner calls it. */
  readonly labels: readonly string[]
  /** ISO 8601; null while it runs. */
  readonly startedAt: string
  readonly finishedAt: string | null
}

/** The jobs of all attempts of a workflow run; none where it is gone or the owner does not let the App read them. */
export async function listJobs(octokit: Octokit, ref: RepositoryRef, workflowRunId: number): Promise<WorkflowJob[]> {
  const jobs = await octokit
    .paginate(octokit.rest.actions.listJobsForWorkflowRun, {
      ...ref,
      run_id: workflowRunId,
      filter: 'all',
      per_page: 100,
    })
    .catch((error: unknown) => {
      if (isRefused(error)) return []
      throw error
    })
  return jobs.map(({ name, labels, started_at, completed_at }) => ({
    name,
    labels,
    startedAt: started_at,
    finishedAt: completed_at,
  }))
}

/** Annotations that are read: a linter may leave thousands, which no person reads. */
const MOST_ANNOTATIONS = 20
const LONGEST_MESSAGE = 1000

/**
 * The messages of a check run's annotations of the level "failure", the first 20; none where it is gone. GitHub Actions writes
 * there, and nowhere else, that a runner was lost or a job ran out of time.
 */
export async function listFailureAnnotations(
  octokit: Octokit,
  ref: RepositoryRef,
  checkRunId: number,
): Promise<string[]> {
  const { data } = await octokit.rest.checks
    .listAnnotations({ ...ref, check_run_id: checkRunId, per_page: 100 })
    .catch(nothingIfGone)
  return data
    .filter(({ annotation_level }) => annotation_level === 'failure')
    .slice(0, MOST_ANNOTATIONS)
    .map(({ message }) => (message ?? '').slice(0, LONGEST_MESSAGE).toWellFormed())
    .filter((message) => message !== '')
}

/** Check runs are deleted with their workflow run. */
function nothingIfGone(error: unknown): { data: never[] } {
  if ((error as { status?: number }).status === 404) return { data: [] }
  throw error
}
