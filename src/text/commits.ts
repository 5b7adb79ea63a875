/** Commit ids and titles. */

const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Is it a commit's full id, SHA-1 or SHA-256, in small letters as Git writes it? */
export function isCommitId(text: string): boolean {
  return COMMIT_ID.test(text)
}

/** Whether two ids are of one commit, of which a source may state a short one. */
export function isSameCommit(commit: string, other: string | null): boolean {
  return other !== null && other !== '' && commit !== '' && (other.startsWith(commit) || commit.startsWith(other))
}

const OF_A_MERGE = /^Merge pull request #\d+ from /

/**
 * The title of a commit, in one line: the first line of its message, and of the merge of a pull request as GitHub
 * writes it the pull request's title, which is the first line below. `body` is the message without its first paragraph.
 */
export function commitTitle(subject: string, body: string): string {
  if (!OF_A_MERGE.test(subject)) return subject
  return (
    body
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? subject
  )
}

const LARGEST_NUMBER = 0xffff_ffff

/**
 * The pull request that a commit's title names: `Faster merges (#100963)` of a squash, `Merge pull request #100963 from …`
 * of a merge; null where it names none. Only the forms that GitHub itself writes: another number in a title is an issue.
 */
export function pullRequestOfTitle(title: string): number | null {
  const digits = (/^Merge pull request #(\d{1,10}) from /.exec(title) ??
    /\(#(\d{1,10})\)\s*$/.exec(title.slice(-64)))?.[1]
  if (digits === undefined) return null
  const number = Number(digits)
  return number >= 1 && number <= LARGEST_NUMBER ? number : null
}
