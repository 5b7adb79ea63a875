import type { Subject } from '../judge/ledger/failure.ts'
import type { LedgerThresholds } from '../judge/ledger/thresholds.ts'

/** Values that the statements of `checks/queries/` are given. Times in seconds since 1970, as a DateTime holds them. */

const DAY = 86_400
export const LAST_TIME = 2 ** 32 - 1

export function timestamp(seconds: number): number {
  return Math.min(Math.max(Math.floor(seconds), 0), LAST_TIME)
}

/** `(until - lookback, until]`. Rows stand on whole seconds, so that whole seconds are exact here. */
export function windowOf(until: number, { lookbackDays }: LedgerThresholds): { from: number; until: number } {
  const end = Math.floor(until / 1000)
  return { from: timestamp(end - lookbackDays * DAY), until: timestamp(end) }
}

export function subjectParameters(subject: Subject) {
  return {
    pullRequestNumber: subject.pullRequestNumber,
    commitSha: subject.commitSha,
    headRepo: subject.headRepo.toLowerCase(),
    headRef: subject.headRef,
    repository: subject.repository.toLowerCase(),
    trunk: [...subject.trunk],
  }
}
