import type { Octokit } from './github-app.ts'
import type { RepositoryRef } from './repository-ref.ts'

export interface TextFile {
  readonly text: string
  /** The blob's id: equal ids are equal contents. */
  readonly sha: string
}

/** A file of at most 1 MB as text at a commit or branch; null when it is not there or is not a file. */
export async function getTextFile(
  octokit: Octokit,
  repository: RepositoryRef,
  path: string,
  ref: string,
): Promise<TextFile | null> {
  try {
    const { data } = await octokit.rest.repos.getContent({ ...repository, path, ref })
    if (Array.isArray(data) || data.type !== 'file' || data.encoding !== 'base64') return null
    return { text: Buffer.from(data.content, 'base64').toString('utf8'), sha: data.sha }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null
    throw error
  }
}
