import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** More than a person reads; a linter may leave thousands. */
const MOST_ANNOTATIONS = 20
const LONGEST_MESSAGE = 1000

/**
 * What a check run says in annotations of the level "failure", the first 20; nothing where it is gone. GitHub Actions writes there, and nowhere
 * else, that a runner was lost or a job ran out of time.
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
