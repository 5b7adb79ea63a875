import { isCommitId } from '../text/commit-id.ts'
import { link, shortCommit } from '../text/markdown.ts'
import type { CommitUrl } from '../text/phrase.ts'

/** Commits of a repository: full commit ids have an address. `repositoryUrl`: `https://github.com/owner/name`. */
export function commitUrlIn(repositoryUrl: string): CommitUrl {
  return (commit) => (isCommitId(commit) ? `${repositoryUrl}/commit/${commit}` : null)
}

/** A commit by its first seven digits, linked where it has an address. */
export function commitLink(repositoryUrl: string, commit: string): string {
  return link(shortCommit(commit), commitUrlIn(repositoryUrl)(commit))
}
