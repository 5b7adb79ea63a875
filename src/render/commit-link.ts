import { isCommitId } from '../text/commit-id.ts'
import { link, shortCommit } from '../text/markdown.ts'

/** A commit by its first seven digits, linked where it is a full commit id. `repositoryUrl`: `https://github.com/owner/name`. */
export function commitLink(repositoryUrl: string, commit: string): string {
  return link(shortCommit(commit), isCommitId(commit) ? `${repositoryUrl}/commit/${commit}` : null)
}
