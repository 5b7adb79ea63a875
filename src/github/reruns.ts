import type { RerunProblem, RerunTarget } from '../inbox/reruns.ts'
import type { Octokit } from './octokit.ts'
import { outageOf } from './outage.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** Starts jobs again; null: GitHub has begun. Throws what should be tried again. */
export async function startAgain(
  { rest }: Octokit,
  ref: RepositoryRef,
  { kind, id }: RerunTarget,
  now: number,
): Promise<RerunProblem | null> {
  try {
    if (kind === 'job') await rest.actions.reRunJobForWorkflowRun({ ...ref, job_id: id })
    else if (kind === 'failed') await rest.actions.reRunWorkflowFailedJobs({ ...ref, run_id: id })
    else await rest.actions.reRunWorkflow({ ...ref, run_id: id })
    return null
  } catch (error) {
    const { status, message } = error as { readonly status?: number; readonly message?: string }
    if (outageOf(error, now) !== null || (status !== 403 && status !== 404 && status !== 422)) throw error
    if (/not accessible by integration/i.test(message ?? '')) return 'not-permitted'
    return /already running/i.test(message ?? '') ? 'already-running' : 'refused'
  }
}
