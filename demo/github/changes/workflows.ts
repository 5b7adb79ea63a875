import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { workflowJson, workflowRunJson } from '../resources/workflow.ts'
import type { Account, Artifact, Conclusion, Repository, WorkflowRun } from '../state.ts'
import { appAuthor, type World } from '../world.ts'
import { createSuite, tellOfSuite } from './checks.ts'

export interface ArtifactValues {
  readonly name: string
  /** The archive's bytes, or the path of a file that is streamed on download. */
  readonly zip: Uint8Array | string
  /** Days until GitHub deletes it; 0 or less: expired already. Default 90. */
  readonly retentionDays?: number
}

export function startWorkflowRun(
  world: World,
  values: {
    readonly repo: Repository
    readonly name: string
    readonly path: string
    readonly event: string
    readonly actor: Account
    readonly headRepo: Repository
    readonly headBranch: string
    readonly headSha: string
    readonly runsOn: readonly string[]
    /** It stays queued until `beginWorkflowRun`. */
    readonly waits: boolean
  },
): WorkflowRun {
  const { state } = world
  const now = state.now()
  const { waits, ...about } = values
  const { repo } = about
  const before = repo.workflowRuns.filter((run) => run.path === values.path)
  const suite = createSuite(world, repo, state.actionsApp, values.headSha)
  const run: WorkflowRun = {
    ...about,
    id: state.id('workflowRun'),
    suite,
    workflowId: before[0]?.workflowId ?? state.id('workflow'),
    number: before.length + 1,
    attempt: 1,
    status: 'queued',
    conclusion: null,
    createdAt: now,
    updatedAt: now,
    startedAt: now,
    artifacts: [],
  }
  repo.workflowRuns.push(run)
  request(world, run)
  if (!waits) beginWorkflowRun(world, run)
  return run
}

/** Runs it again: the same run id, the next attempt. */
export function rerunWorkflow(world: World, run: WorkflowRun): void {
  run.attempt += 1
  run.conclusion = null
  run.startedAt = world.state.now()
  request(world, run)
  beginWorkflowRun(world, run)
}

export async function finishWorkflowRun(
  world: World,
  run: WorkflowRun,
  conclusion: Conclusion,
  artifacts: readonly ArtifactValues[],
): Promise<void> {
  for (const artifact of artifacts) await uploadArtifact(world, run, artifact)
  run.status = 'completed'
  run.conclusion = conclusion
  run.suite.status = 'completed'
  run.suite.conclusion = conclusion
  run.suite.updatedAt = world.state.now()
  tell(world, 'completed', run)
  tellOfSuite(world, 'completed', run.suite, appAuthor(world.state.actionsApp))
}

export async function uploadArtifact(world: World, run: WorkflowRun, values: ArtifactValues): Promise<Artifact> {
  const artifact = await artifactOf(world, run, values)
  run.artifacts.push(artifact)
  return artifact
}

export function beginWorkflowRun(world: World, run: WorkflowRun): void {
  run.status = 'in_progress'
  run.suite.status = 'in_progress'
  tell(world, 'in_progress', run)
}

function request(world: World, run: WorkflowRun): void {
  run.status = 'queued'
  run.suite.status = 'queued'
  run.suite.conclusion = null
  tell(world, 'requested', run)
}

function tell(world: World, action: string, run: WorkflowRun): void {
  run.updatedAt = world.state.now()
  world.webhooks.emit('workflow_run', action, run.repo, run.actor, {
    workflow_run: workflowRunJson(world.state, run),
    workflow: workflowJson(world.state, run),
  })
}

async function artifactOf(world: World, run: WorkflowRun, values: ArtifactValues): Promise<Artifact> {
  const now = world.state.now()
  const hash = createHash('sha256')
  let bytes: number
  if (typeof values.zip === 'string') {
    bytes = statSync(values.zip).size
    for await (const chunk of createReadStream(values.zip)) hash.update(chunk as Buffer)
  } else {
    bytes = values.zip.byteLength
    hash.update(values.zip)
  }
  return {
    id: world.state.id('artifact'),
    run,
    name: values.name,
    content: values.zip,
    bytes,
    digest: hash.digest('hex'),
    createdAt: now,
    expiresAt: new Date(now.getTime() + (values.retentionDays ?? 90) * 86_400_000),
  }
}
