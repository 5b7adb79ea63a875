import type { GitHubUser } from './oauth.ts'
import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** How long GitHub may take; nobody waits for longer. */
const TIMEOUT_MS = 10_000

/**
 * Whether a person may read a private repository, by what GitHub says to the App (permission `metadata: read`). Names
 * change hands: no, when the name is another repository's by now or the login another person's. Throws when GitHub does
 * not say.
 *
 * No, too, where GitHub answers that the repository is public: everybody may read that one, and the answer may be of a copy
 * from before it turned private.
 */
export async function mayReadPrivate(
  octokit: Octokit,
  ref: RepositoryRef,
  repositoryId: number,
  user: GitHubUser,
): Promise<boolean> {
  const request = { signal: AbortSignal.timeout(TIMEOUT_MS), retries: 0 }
  try {
    const [permission, repository] = await Promise.all([
      octokit.rest.repos.getCollaboratorPermissionLevel({ ...ref, username: user.login, request }),
      octokit.rest.repos.get({ ...ref, request }),
    ])
    const { data } = permission
    const isIt = repository.data.id === repositoryId && repository.data.private
    return isIt && data.user?.id === user.id && data.permission !== 'none'
  } catch (error) {
    if ((error as { status?: number }).status === 404) return false
    throw error
  }
}
