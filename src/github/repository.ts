import type { GitHubUser } from './oauth.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'

/** A repository and its text files as GitHub has them now. */

export interface Repository {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
  readonly defaultBranch: string
  /** Its page. */
  readonly url: string
}

/** The repository as it is now, under whatever name it has by now; null when it is gone or the App may not see it. */
export async function getRepository(octokit: Octokit, ref: RepositoryRef): Promise<Repository | null> {
  try {
    const { data } = await octokit.rest.repos.get({ ...ref })
    return {
      id: data.id,
      owner: data.owner.login,
      name: data.name,
      isPrivate: data.private,
      isArchived: data.archived,
      defaultBranch: data.default_branch,
      url: data.html_url,
    }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null
    throw error
  }
}

export interface TextFile {
  /** null: what is there is no file, or one above 1 MB. */
  readonly text: string | null
  /** The blob's id: equal ids are equal contents. */
  readonly sha: string
}

/** A file of at most 1 MB as text, of the default branch or at a commit; null when nothing is there. */
export async function getTextFile(
  octokit: Octokit,
  repository: RepositoryRef,
  path: string,
  commit?: string,
): Promise<TextFile | null> {
  try {
    const { data } = await octokit.rest.repos.getContent({
      ...repository,
      path,
      ...(commit === undefined ? {} : { ref: commit }),
    })
    if (Array.isArray(data)) return { text: null, sha: '' }
    if (data.type !== 'file' || data.encoding !== 'base64') return { text: null, sha: data.sha }
    return { text: Buffer.from(data.content, 'base64').toString('utf8'), sha: data.sha }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null
    throw error
  }
}

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

/**
 * Whether a person may write to a repository, by what GitHub says to the App. Names change hands: no, when the name is another
 * repository's by now or the login another person's. Throws when GitHub does not say.
 */
export async function mayWrite(
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
    const isIt = repository.data.id === repositoryId && data.user?.id === user.id
    // `maintain` and roles that an organization made are built on one of the two.
    return isIt && (data.permission === 'write' || data.permission === 'admin')
  } catch (error) {
    if ((error as { status?: number }).status === 404) return false
    throw error
  }
}
