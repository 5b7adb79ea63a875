import { isCommitId } from '../../text/commit-id.ts'

/** Addresses on GitHub of what belongs to a repository, where no report says its address. */
export interface GitHubLinks {
  /** null for what is not a full commit id. */
  commit(id: string): string | null
  pullRequest(number: number): string
}

/** `githubUrl` without a slash at its end, as the bot was configured. */
export function githubLinks(
  githubUrl: string,
  { owner, repo }: { readonly owner: string; readonly repo: string },
): GitHubLinks {
  const repository = `${githubUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
  return {
    commit: (id) => (isCommitId(id) ? `${repository}/commit/${id}` : null),
    pullRequest: (number) => `${repository}/pull/${number}`,
  }
}
