import type { ReportedCheck, ReportedWorkflowRun } from '../../github/performance-checks.ts'
import type { CheckRow } from '../../intake/imports/checks/check-row.ts'
import { CHECK_ENDINGS } from '../../judge/ledger/lines-without-reason.ts'
import { isRed } from '../events/check-colour.ts'

/** The commit that a row's check ran on. */
export interface CheckedCommit {
  readonly repository: {
    readonly owner: string
    readonly name: string
    /** Its page. */
    readonly url: string
  }
  readonly commitSha: string
  /** The default branch. */
  readonly trunk: string
  /** null: the commit is one of the trunk. */
  readonly pullRequest: {
    readonly number: number
    readonly baseRef: string
    /** `owner/name`; empty where it is gone. */
    readonly headRepo: string
    readonly headRef: string
  } | null
}

export interface ReportedHead {
  /** Check runs and statuses; without our own, and without those whose failures are told elsewhere. */
  readonly checks: readonly ReportedCheck[]
  readonly workflowRuns: readonly ReportedWorkflowRun[]
}

/** The columns that are the same in all rows of one job, its tests included. */
export type JobOfRow = Omit<CheckRow, 'testName' | 'testStatus' | 'testDurationMs' | 'testContextRaw' | 'attributes'>

/** Characters of what a runner said that are kept: enough for a title, the start of a summary and some annotations. */
const LONGEST_SAID = 4000

/**
 * The rows of a head without a CI database: one for each check that has ended, as its own row (`testName` empty). What
 * was skipped on purpose is none. `annotations`: by the id of a check run what it says in annotations.
 */
export function checkRowsOfHead(
  commit: CheckedCommit,
  { checks, workflowRuns }: ReportedHead,
  annotations: ReadonlyMap<number, readonly string[]> = new Map(),
): CheckRow[] {
  return checks.filter(isTold).map((check) => ({
    ...jobOfCheck(commit, check, workflowRunOf(check, workflowRuns)),
    testName: '',
    testStatus: '',
    testDurationMs: 0,
    testContextRaw: check.conclusion === 'success' ? '' : saidOf(check, annotations.get(check.id) ?? []),
    attributes: '',
  }))
}

/** Ended, and not by being left out. */
export function isTold({ isFinished, conclusion }: ReportedCheck): boolean {
  return isFinished && conclusion !== null && conclusion !== 'skipped' && conclusion !== 'neutral'
}

function workflowRunOf(
  { checkSuiteId }: ReportedCheck,
  workflowRuns: readonly ReportedWorkflowRun[],
): ReportedWorkflowRun | null {
  return checkSuiteId === null ? null : (workflowRuns.find((run) => run.checkSuiteId === checkSuiteId) ?? null)
}

export function jobOfCheck(
  commit: CheckedCommit,
  check: ReportedCheck,
  workflowRun: ReportedWorkflowRun | null,
): JobOfRow {
  return {
    ...jobOfCommit(commit),
    ...times(check.startedAt, check.finishedAt),
    checkName: check.name,
    checkStatus: checkStatusOf(check.conclusion ?? ''),
    reportUrl: check.url ?? '',
    taskUrl: workflowRun?.url ?? '',
    workflowName: workflowRun?.name ?? '',
  }
}

/** A workflow run as the job of results whose own job nobody can name. */
export function jobOfWorkflowRun(commit: CheckedCommit, run: ReportedWorkflowRun): JobOfRow {
  return {
    ...jobOfCommit(commit),
    ...times(run.startedAt, run.finishedAt),
    checkName: run.name,
    checkStatus: checkStatusOf(run.conclusion ?? ''),
    reportUrl: run.url,
    taskUrl: run.url,
    workflowName: run.name,
  }
}

function jobOfCommit({ repository, commitSha, trunk, pullRequest }: CheckedCommit) {
  return {
    pullRequestNumber: pullRequest?.number ?? 0,
    commitSha,
    pullRequestUrl: pullRequest === null ? '' : `${repository.url}/pull/${pullRequest.number}`,
    commitUrl: `${repository.url}/commit/${commitSha}`,
    baseRef: pullRequest?.baseRef ?? trunk,
    // The rows are kept by the repository's number. Its name may change, and names are compared.
    baseRepo: '',
    headRef: pullRequest?.headRef ?? trunk,
    headRepo: pullRequest?.headRepo ?? '',
    instanceType: '',
    instanceId: '',
  }
}

function times(startedAt: string | null, finishedAt: string | null) {
  const finished = Date.parse(finishedAt ?? '')
  const started = Date.parse(startedAt ?? finishedAt ?? '')
  const start = Number.isNaN(started) ? 0 : Math.floor(started / 1000) * 1000
  return { checkStartTime: start, checkDurationMs: Number.isNaN(finished) ? 0 : Math.max(0, finished - start) }
}

/**
 * `failure`: something in it failed, or it wants something done. `error`: it did not come to its end. What was stopped
 * (`cancelled`, `stale`) says nothing of the code and keeps its word, which counts as neither failing nor passing.
 */
function checkStatusOf(conclusion: string): string {
  if (conclusion === 'failure' || conclusion === 'action_required') return 'failure'
  return isRed(conclusion) ? 'error' : conclusion
}

function saidOf({ conclusion, title, summary }: ReportedCheck, annotations: readonly string[]): string {
  const lines = [CHECK_ENDINGS[conclusion ?? ''] ?? '', title, ...annotations, summary].filter(
    (text) => text.trim() !== '',
  )
  return lines.join('\n').slice(0, LONGEST_SAID).toWellFormed()
}
