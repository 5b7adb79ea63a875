const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Is it a commit's full id, SHA-1 or SHA-256, in small letters as Git writes it? */
export function isCommitId(text: string): boolean {
  return COMMIT_ID.test(text)
}
