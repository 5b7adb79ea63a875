const OF_A_MERGE = /^Merge pull request #\d+ from /

/**
 * What a commit says it does, in one line: the first line of its message, and of the merge of a pull request as GitHub
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
