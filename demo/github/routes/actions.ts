import { ApiError, notFound } from '../api-error.ts'
import { rerunWorkflow } from '../changes/workflows.ts'
import { artifactJson, jobsJson, workflowRunJson } from '../resources/workflow.ts'
import { type Answer, type Call, paged, type Route, repositoryOf, workflowRunOf } from '../route.ts'
import type { Artifact, CheckRun, WorkflowRun } from '../state.ts'

const read = ['actions:read']
/** A filtered search finds no more runs. */
const maxFiltered = 1_000

export const actionsRoutes: readonly Route[] = [
  {
    operation: 'actions/list-workflow-runs-for-repo',
    needs: read,
    answer: (call) => {
      const { query, state } = call
      const all = repositoryOf(call).workflowRuns.toReversed()
      const found = all.filter((run) => isWanted(call, run))
      const filtered = Object.keys(query).some((name) => name !== 'page' && name !== 'per_page')
      const listed = filtered ? found.slice(0, maxFiltered) : found
      return paged(call, listed, (page) => ({
        total_count: found.length,
        workflow_runs: page.map((run) => workflowRunJson(state, run)),
      }))
    },
  },
  {
    operation: 'actions/get-workflow-run',
    needs: read,
    answer: (call) => ({ status: 200, body: workflowRunJson(call.state, workflowRunOf(call)) }),
  },
  {
    operation: 'actions/list-jobs-for-workflow-run',
    needs: read,
    answer: (call) => {
      const jobs = jobsJson(call.state, workflowRunOf(call))
      return paged(call, jobs, (page) => ({ total_count: jobs.length, jobs: page }))
    },
  },
  {
    operation: 'actions/download-job-logs-for-workflow-run',
    needs: read,
    answer: (call) => {
      const job = jobOf(call)
      if (job.job === null) throw notFound()
      return { status: 302, headers: { location: call.blobs.addressOf(`logs/${job.id}.txt`) } }
    },
  },
  {
    operation: 'actions/list-workflow-run-artifacts',
    needs: read,
    answer: (call) => listArtifacts(call, workflowRunOf(call).artifacts),
  },
  {
    operation: 'actions/list-artifacts-for-repo',
    needs: read,
    answer: (call) =>
      listArtifacts(
        call,
        repositoryOf(call).workflowRuns.flatMap((run) => run.artifacts),
      ),
  },
  {
    operation: 'actions/get-artifact',
    needs: read,
    answer: (call) => ({ status: 200, body: artifactJson(call.state, artifactOf(call)) }),
  },
  {
    operation: 'actions/download-artifact',
    needs: read,
    answer: (call) => {
      const artifact = artifactOf(call)
      if (call.path['archive_format'] !== 'zip') throw notFound()
      if (artifact.expiresAt <= call.state.now()) throw new ApiError(410, 'Artifact has expired')
      return { status: 302, headers: { location: call.blobs.addressOf(`artifacts/${artifact.id}.zip`) } }
    },
  },
  { operation: 'actions/re-run-workflow', needs: ['actions:write'], person: 'write', answer: rerun },
  { operation: 'actions/re-run-workflow-failed-jobs', needs: ['actions:write'], person: 'write', answer: rerun },
  {
    operation: 'actions/re-run-job-for-workflow-run',
    needs: ['actions:write'],
    person: 'write',
    answer: (call) => begin(call, workflowRunOfJob(call)),
  },
]

function rerun(call: Call): Answer {
  return begin(call, workflowRunOf(call))
}

function workflowRunOfJob(call: Call): WorkflowRun {
  const { suite: ofJob } = jobOf(call)
  const run = repositoryOf(call).workflowRuns.find(({ suite }) => suite === ofJob)
  if (run === undefined) throw notFound()
  return run
}

/** A job has the number of its check run. */
function jobOf(call: Call): CheckRun {
  const job = repositoryOf(call).checkRuns.find(({ id }) => id === Number(call.path['job_id']))
  if (job === undefined) throw notFound()
  return job
}

function begin(call: Call, run: WorkflowRun): Answer {
  if (run.status !== 'completed') throw new ApiError(403, 'This workflow is already running')
  rerunWorkflow(call, run)
  return { status: 201, body: {} }
}

function isWanted(call: Call, run: WorkflowRun): boolean {
  const { head_sha: sha, branch, event, actor, status, check_suite_id: suite, created } = call.query
  return (
    (sha === undefined || run.headSha === sha) &&
    (branch === undefined || run.headBranch === branch) &&
    (event === undefined || run.event === event) &&
    (actor === undefined || run.actor.login === actor) &&
    (suite === undefined || run.suite.id === suite) &&
    (status === undefined || run.status === status || run.conclusion === status) &&
    (created === undefined || isInRange(run.createdAt, String(created)))
  )
}

/** `>=TIME`, `>TIME`, `<=TIME`, `<TIME` or `TIME..TIME`. */
function isInRange(at: Date, range: string): boolean {
  const [from, to] = range.split('..')
  if (to !== undefined) return at.getTime() >= Date.parse(from ?? '') && at.getTime() <= Date.parse(to)
  const [, sign, time] = /^([<>]=?)?(.*)$/.exec(range) ?? []
  const limit = Date.parse(time ?? '')
  if (sign === '>=') return at.getTime() >= limit
  if (sign === '>') return at.getTime() > limit
  if (sign === '<=') return at.getTime() <= limit
  if (sign === '<') return at.getTime() < limit
  return at.toISOString().startsWith(time ?? '')
}

/** Newest first. */
function listArtifacts(call: Call, all: readonly Artifact[]): Answer {
  const name = call.query['name']
  const found = all.filter((artifact) => name === undefined || artifact.name === name).toReversed()
  return paged(call, found, (page) => ({
    total_count: found.length,
    artifacts: page.map((artifact) => artifactJson(call.state, artifact)),
  }))
}

function artifactOf(call: Call): Artifact {
  const id = Number(call.path['artifact_id'])
  for (const run of repositoryOf(call).workflowRuns) {
    const found = run.artifacts.find((artifact) => artifact.id === id)
    if (found !== undefined) return found
  }
  throw notFound()
}
