import type { Octokit, RepositoryRef } from './octokit.ts'

/** Lists the artifacts of a workflow run and their addresses. Downloading is `intake/download/`. */

export interface Artifact {
  readonly id: number
  readonly name: string
  readonly isExpired: boolean
  readonly bytes: number
  /** ISO 8601. */
  readonly createdAt: string
  readonly workflowRunId: number
}

/** The artifacts of a workflow run; of one name the newest, which is that of the latest attempt. */
export async function listArtifacts(octokit: Octokit, ref: RepositoryRef, workflowRunId: number): Promise<Artifact[]> {
  const newest = new Map<string, Artifact>()
  for (const artifact of await listArtifactsOfAttempts(octokit, ref, workflowRunId))
    if ((newest.get(artifact.name)?.id ?? 0) <= artifact.id) newest.set(artifact.name, artifact)
  return [...newest.values()]
}

/** The artifacts of all attempts of a workflow run: each attempt may give one of the same name. */
export async function listArtifactsOfAttempts(
  octokit: Octokit,
  ref: RepositoryRef,
  workflowRunId: number,
): Promise<Artifact[]> {
  const artifacts = await octokit.paginate(octokit.rest.actions.listWorkflowRunArtifacts, {
    ...ref,
    run_id: workflowRunId,
    per_page: 100,
  })
  return artifacts.map(({ id, name, expired, size_in_bytes, created_at }) => ({
    id,
    name,
    isExpired: expired,
    bytes: size_in_bytes,
    createdAt: created_at ?? new Date(0).toISOString(),
    workflowRunId,
  }))
}

/**
 * The address an artifact can be fetched from for the next minute, on another host; null when it has expired. The caller
 * checks the host and sends no credentials there.
 */
export async function getArtifactUrl(octokit: Octokit, ref: RepositoryRef, artifactId: number): Promise<URL | null> {
  try {
    const response = await octokit.rest.actions.downloadArtifact({
      ...ref,
      artifact_id: artifactId,
      archive_format: 'zip',
      request: { redirect: 'manual', parseSuccessResponseBody: false },
    })
    const { location } = response.headers
    if (!location) throw new Error(`GitHub gave no address for artifact ${artifactId}`)
    return new URL(location)
  } catch (error) {
    const { status } = error as { status?: number }
    if (status === 410 || status === 404) return null
    throw error
  }
}
