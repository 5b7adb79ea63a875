import type { Subject } from '../judge/ledger/failure.ts'
import type { LedgerThresholds } from '../judge/ledger/thresholds.ts'
import { timestamp } from '../text/time.ts'

/** Values that the statements of `checks/queries/` are given. Times in seconds since 1970, as a DateTime holds them. */

const DAY = 86_400

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
