import type { FailingExecution, Subject } from './failure.ts'

/** The origin of a row of CI results, as far as its columns say. */
export type RowOrigin = Pick<
  FailingExecution,
  'pullRequestNumber' | 'commitSha' | 'baseRef' | 'baseRepo' | 'headRef' | 'headRepo'
>

/**
 * Is it a row of this repository's own CI? What another repository tested says nothing here, and a fork's CI on what the
 * fork calls its trunk is not the trunk's.
 *
 * Is: `base_repo` ClickHouse/ClickHouse or clickhouse/clickhouse or empty. Is not: `base_repo` somebody/else; nor pull
 * request 0 with `head_repo` somebody/ClickHouse, whatever its branch is called.
 */
export function isOfRepository(row: RowOrigin, subject: Subject): boolean {
  if (subject.repository === '') return true
  if (row.baseRepo !== '' && !sameRepository(row.baseRepo, subject.repository)) return false
  return row.pullRequestNumber > 0 || row.headRepo === '' || sameRepository(row.headRepo, subject.repository)
}

/**
 * Is it the subject's own? Nobody is their own witness: the same pull request, the same branch under another number (it
 * was closed and opened again), or the same commit.
 *
 * Own: pull request 7 for subject 7; pull request 5 from the same branch of the same fork; the subject's commit in a
 * nightly run. Not own: the branch of the same name in another fork; the trunk, also for a subject from a branch that a
 * fork calls like it.
 */
export function isOwn(row: RowOrigin, subject: Subject): boolean {
  if (subject.pullRequestNumber > 0 && row.pullRequestNumber === subject.pullRequestNumber) return true
  if (subject.commitSha !== '' && row.commitSha === subject.commitSha) return true
  if (subject.headRef === '' || row.headRef !== subject.headRef || isOfTrunk(row, subject)) return false
  return sameRepository(row.headRepo, subject.headRepo)
}

/**
 * Is it a run of the trunk? Pull request 0 alone says no: release branches have it, too.
 *
 * Is: pull request 0, `head_ref` master. Is not: pull request 0, `head_ref` 26.3; a pull request from a branch master.
 */
export function isOfTrunk(row: RowOrigin, subject: Subject): boolean {
  if (row.pullRequestNumber > 0) return false
  if (row.headRef !== '') return subject.trunk.includes(row.headRef)
  return row.baseRef === '' || subject.trunk.includes(row.baseRef)
}

/**
 * The key that tells pull requests apart: repository and branch of the head, since one branch may have had several
 * numbers; the number where these are not known. Null for what is no pull request to the trunk: a backport shows the
 * state of a release, not of the code that the subject is built on.
 */
export function pullRequestOf(row: RowOrigin, subject: Subject): string | null {
  if (row.pullRequestNumber === 0 || (row.baseRef !== '' && !subject.trunk.includes(row.baseRef))) return null
  if (row.headRepo === '' || row.headRef === '') return `#${row.pullRequestNumber}`
  return `${row.headRepo.toLowerCase()}:${row.headRef}`
}

/** Compares names whatever their case, as GitHub has it. An empty name is nobody's. */
function sameRepository(one: string, other: string): boolean {
  return one !== '' && one.toLowerCase() === other.toLowerCase()
}
