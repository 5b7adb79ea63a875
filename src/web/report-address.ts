import type { ReportAddress } from './urls.ts'

/**
 * GitHub's own rules for names; anything else can't be a report and is not looked up. Owners: up to 39 letters, digits and
 * hyphens, for managed users an underscore too. Repositories: up to 100 letters, digits, `.`, `_`, `-`, but not `.` or `..`.
 */
const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/
const REPOSITORY = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const NUMBER = /^[1-9][0-9]{0,9}$/
/** SHA-1 or SHA-256, in full. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** Pull request numbers are stored in 32 bits. */
const LARGEST_NUMBER = 2 ** 31 - 1

/** The address that the parts of a path name; null when no report can have it. */
export function parseReportAddress(parts: {
  readonly owner: string
  readonly repo: string
  readonly number: string
  readonly head?: string | undefined
}): ReportAddress | null {
  const { owner, repo, head } = parts
  if (!OWNER.test(owner) || !REPOSITORY.test(repo) || !NUMBER.test(parts.number)) return null
  if (head !== undefined && !COMMIT.test(head)) return null
  const number = Number(parts.number)
  if (number > LARGEST_NUMBER) return null
  return { owner, repo, number, ...(head === undefined ? {} : { head }) }
}
