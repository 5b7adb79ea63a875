import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

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
