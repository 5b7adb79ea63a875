import { isCommitId } from '../text/commit-id.ts'
import type { ReportAddress, RepositoryAddress } from './urls.ts'

/**
 * GitHub's own rules for names; anything else can't be a report and is not looked up. Owners: up to 39 letters, digits and
 * hyphens, for managed users an underscore too. Repositories: up to 100 letters, digits, `.`, `_`, `-`, but not `.` or `..`.
 */
const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/
const REPOSITORY = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const NUMBER = /^[1-9][0-9]{0,9}$/
/** Pull request numbers are stored in 32 bits. */
const LARGEST_NUMBER = 2 ** 31 - 1

/** The address that the named parts of a path give; null when no report can have it. */
export function parseReportAddress(parts: Readonly<Record<string, string | undefined>>): ReportAddress | null {
  const repository = parseRepositoryAddress(parts)
  const { number = '', head } = parts
  if (repository === null || !NUMBER.test(number) || Number(number) > LARGEST_NUMBER) return null
  if (head !== undefined && !isCommitId(head)) return null
  return { ...repository, number: Number(number), ...(head === undefined ? {} : { head }) }
}

/** The same of a repository. */
export function parseRepositoryAddress(parts: Readonly<Record<string, string | undefined>>): RepositoryAddress | null {
  const { owner = '', repo = '' } = parts
  return OWNER.test(owner) && REPOSITORY.test(repo) ? { owner, repo } : null
}
