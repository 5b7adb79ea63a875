import { parse } from 'yaml'
import { z } from 'zod'
import { workflowFile } from '../../config/watched.ts'
import type { ReportedWorkflowRun } from '../../github/performance-checks.ts'
import type { OpenPull } from '../../github/pull-requests.ts'

/**
 * The border between strangers and the judging job. It lets in a run of the workflow that the default branch has under the name that the
 * judging workflow waits for: of the one open pull request whose head was measured, or of the trunk. It refuses everything else, with a reason.
 */

/** Why nothing of a run is judged, in the order in which it is asked. */
export const REFUSALS = [
  'no-run',
  'unreadable-event',
  'other-repository',
  'not-completed',
  'other-event',
  'not-a-workflow-file',
  'no-named-workflow',
  'other-workflow',
  'head-repository-gone',
  'no-branch',
  'not-the-trunk',
  'no-pull-request',
  'several-pull-requests',
] as const
export type Refusal = (typeof REFUSALS)[number]

/** The sentence of the summary. Nothing of the event stands in it. */
export const REFUSAL_WORDS: Readonly<Record<Refusal, string>> = {
  'no-run': 'No run for the pull request’s head has finished.',
  'unreadable-event': 'The event could not be read.',
  'other-repository': 'The event is of another repository.',
  'not-completed': 'The run has not completed.',
  'other-event': 'The run is not for a pull request or a push.',
  'not-a-workflow-file': 'The run does not name a file of `.github/workflows`.',
  'no-named-workflow':
    'The judging workflow on the default branch does not name a workflow under `on.workflow_run.workflows`.',
  'other-workflow':
    'The default branch has no workflow in that file with a name that the judging workflow waits for under `on.workflow_run.workflows`. It may have been renamed, there or in the pull request.',
  'head-repository-gone': 'The repository of the measured commit is gone.',
  'no-branch': 'The run names no branch.',
  'not-the-trunk': 'The run is for a push, but not of a commit of the default branch.',
  'no-pull-request': 'No open pull request has the measured commit as its head; it may have been closed or pushed to.',
  'several-pull-requests':
    'Several open pull requests have the measured commit as their head, so it is not clear which one it is for.',
}

const commitId = z.string().regex(/^[0-9a-f]{40}$/)
const repositoryOfEvent = z.object({ id: z.int(), full_name: z.string() })

/** The fields of the payload of `workflow_run` that the border reads. */
export const workflowRunEvent = z.object({
  action: z.string(),
  repository: repositoryOfEvent,
  workflow_run: z.object({
    id: z.int().positive(),
    run_attempt: z.int().positive(),
    event: z.string(),
    path: z.string(),
    head_branch: z.string().min(1).nullable(),
    head_sha: commitId,
    head_repository: repositoryOfEvent.nullable(),
  }),
})
export type WorkflowRunEvent = z.output<typeof workflowRunEvent>

/** Questions that GitHub answers now; the event is not believed. */
export interface BorderQuestions {
  /** The text of a file of the default branch; null: there is none. */
  readonly fileOfTrunk: (path: string) => Promise<string | null>
  /** Whether a commit is on the default branch. */
  readonly isOnTrunk: (commit: string) => Promise<boolean>
  /** The open pull requests from a branch: `owner:branch`. */
  readonly openPulls: (headLabel: string) => Promise<readonly OpenPull[]>
}

/** The events whose runs measure something that is judged. */
const MEASURED_FOR = ['pull_request', 'push'] as const

/** The job that asks, as its runner and GitHub say. */
export interface JudgingJob {
  readonly repositoryId: number
  readonly defaultBranch: string
  /** The path of the workflow that it is of. */
  readonly workflow: string
}

/** A run whose samples are judged. */
export interface Admitted {
  readonly runId: number
  readonly attempt: number
  /** The path of its workflow, which the default branch has. */
  readonly workflow: string
  /** Full commit id. */
  readonly head: string
  readonly event: (typeof MEASURED_FOR)[number]
  /** `owner/name` of the repository that the commit was pushed to, and the branch. */
  readonly headRepository: string
  readonly branch: string
  /** The commit is in another repository: its author need not have any rights in this one. */
  readonly isFork: boolean
  /** Null: a push of the trunk. */
  readonly pullRequestNumber: number | null
}

/** A run that is judged, or why it is not. Throws what the questions throw. */
export async function admit(payload: unknown, job: JudgingJob, ask: BorderQuestions): Promise<Admitted | Refusal> {
  const read = workflowRunEvent.safeParse(payload)
  if (!read.success) return 'unreadable-event'
  const { action, repository, workflow_run: run } = read.data
  if (repository.id !== job.repositoryId) return 'other-repository'
  if (action !== 'completed') return 'not-completed'
  const event = MEASURED_FOR.find((one) => one === run.event)
  if (event === undefined) return 'other-event'
  const refused = await refusalOfWorkflow(run.path, job, ask)
  if (refused !== null) return refused
  const { head_repository: from, head_branch: branch, head_sha: head } = run
  if (from === null) return 'head-repository-gone'
  const isFork = from.id !== repository.id
  if (branch === null) return 'no-branch'
  const admitted = {
    runId: run.id,
    attempt: run.run_attempt,
    workflow: workflowFile(run.path),
    head,
    event,
    headRepository: from.full_name,
    branch,
    isFork,
  }
  if (event === 'push') {
    // A tag may have the name of the branch.
    const isTrunk = !isFork && branch === job.defaultBranch && (await ask.isOnTrunk(head))
    return isTrunk ? { ...admitted, pullRequestNumber: null } : 'not-the-trunk'
  }
  const pulls = await ask.openPulls(`${from.full_name.split('/')[0]!}:${branch}`)
  const [pull, ...others] = pulls.filter(
    (one) => one.head === head && one.headRef === branch && one.headRepositoryId === from.id,
  )
  if (pull === undefined) return 'no-pull-request'
  return others.length > 0 ? 'several-pull-requests' : { ...admitted, pullRequestNumber: pull.number }
}

/** Whether another run of the admitted head would be let in too: several workflows may measure one commit. */
export async function isAdmittedToo(
  { event, branch, headRepository }: Admitted,
  run: Pick<ReportedWorkflowRun, 'event' | 'headBranch' | 'headRepository' | 'path'>,
  job: JudgingJob,
  ask: BorderQuestions,
): Promise<boolean> {
  const isSame = run.event === event && run.headBranch === branch && run.headRepository === headRepository
  return isSame && (await refusalOfWorkflow(run.path, job, ask)) === null
}

/** GitHub reads workflows from this folder alone, and not from those below. */
const WORKFLOW_FILE = /^\.github\/workflows\/[^/\\]+\.ya?ml$/

/**
 * The event comes for every run of a workflow of the right name, and a pull request may give any of its workflows that name, or add one. So
 * the file at the run's path on the default branch has to have the name that the judging workflow there waits for.
 */
export async function refusalOfWorkflow(path: string, job: JudgingJob, ask: BorderQuestions): Promise<Refusal | null> {
  const file = workflowFile(path)
  if (!WORKFLOW_FILE.test(file)) return 'not-a-workflow-file'
  const names = workflowsWaitedFor((await ask.fileOfTrunk(job.workflow)) ?? '')
  if (names.length === 0) return 'no-named-workflow'
  const text = await ask.fileOfTrunk(file)
  return text !== null && names.includes(workflowName(text, file)) ? null : 'other-workflow'
}

const judgingWorkflow = z.object({
  on: z.object({ workflow_run: z.object({ workflows: z.union([z.string(), z.array(z.string())]) }) }),
})

/** The names under `on.workflow_run.workflows`; none where the text is no such workflow. */
export function workflowsWaitedFor(text: string): readonly string[] {
  const read = judgingWorkflow.safeParse(yamlOf(text))
  return read.success ? [read.data.on.workflow_run.workflows].flat() : []
}

/** The name of a workflow, which is its path where it has none. */
function workflowName(text: string, path: string): string {
  const read = z.object({ name: z.string().min(1) }).safeParse(yamlOf(text))
  return read.success ? read.data.name : path
}

function yamlOf(text: string): unknown {
  try {
    // Neither file is of a stranger, but both are of any size.
    return parse(text, { maxAliasCount: 100 })
  } catch {
    return null
  }
}
