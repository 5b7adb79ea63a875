import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

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
