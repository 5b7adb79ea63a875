import type { RerunOutcome, Reruns, StoredRerun } from '../inbox/reruns.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'
import { outageOf } from './outage.ts'

/** Starts jobs again, once each: the inbox remembers which attempt was asked for. */

interface Asking {
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  /** That of the pull request now. */
  readonly head: string
  readonly reruns: Pick<Reruns, 'begin'>
  readonly now: number
}

/** Starts jobs again, unless GitHub has done so already. Throws what should be tried again. */
export async function startAgain(
  { octokit, ref, head, reruns, now }: Asking,
  rerun: StoredRerun,
): Promise<RerunOutcome> {
  if (rerun.wasBegun && (await hasStarted(octokit, ref, rerun))) return 'started'
  if (rerun.head !== head) return 'superseded'
  await reruns.begin(rerun.rowId)
  const { actions } = octokit.rest
  // Where the answer is lost the next attempt looks first; the client's own would ask blindly.
  const asked = { ...ref, request: { retries: 0 } }
  try {
    if (rerun.kind === 'job') await actions.reRunJobForWorkflowRun({ ...asked, job_id: rerun.id })
    else if (rerun.kind === 'failed') await actions.reRunWorkflowFailedJobs({ ...asked, run_id: rerun.id })
    else await actions.reRunWorkflow({ ...asked, run_id: rerun.id })
    return 'started'
  } catch (error) {
    const { status, message } = error as { readonly status?: number; readonly message?: string }
    if (outageOf(error, now) !== null || (status !== 403 && status !== 404 && status !== 422)) throw error
    if (/not accessible by integration/i.test(message ?? '')) return 'not-permitted'
    return /already running/i.test(message ?? '') ? 'already-running' : 'refused'
  }
}

/** A rerun is the next attempt of the workflow run, whether it still runs or has ended. */
async function hasStarted(
  { rest }: Octokit,
  ref: RepositoryRef,
  { runId, attempt }: Pick<StoredRerun, 'runId' | 'attempt'>,
): Promise<boolean> {
  if (runId === null || attempt === null) return false
  try {
    const { data } = await rest.actions.getWorkflowRun({ ...ref, run_id: runId })
    return data.status !== 'completed' || (data.run_attempt ?? 1) > attempt
  } catch (error) {
    // A run that was deleted: GitHub refuses to start it.
    if ((error as { readonly status?: number }).status === 404) return false
    throw error
  }
}
