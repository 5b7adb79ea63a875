import type { Failure, JudgedFailure } from '../../judge/ledger/failure.ts'
import type { Reports } from '../../store/reports/reports.ts'
import type { LedgerLookupOptions } from './lookup-source.ts'

/** The verdict on a failing test that the bot stored for its pull request, as the comment has it. */
export interface StoredVerdict {
  readonly judged: JudgedFailure
  readonly pullRequestNumber: number
  /** The commit that it was given for. */
  readonly head: string
  /** ISO 8601. */
  readonly judgedAt: string
}

type Wanted = Pick<Failure, 'testName' | 'pullRequestNumber'> & {
  /** Null: in whichever check. */
  readonly checkName: string | null
  /** Null: of whichever commit. */
  readonly commitSha: string | null
}

/** Null: the bot has said nothing of it. */
export type StoredVerdictOf = (failure: Wanted) => Promise<StoredVerdict | null>

/** Options that ask what the history would say otherwise; what the bot said is no answer to that. */
const ASK_ANEW = ['now', 'lookback', 'trunk', 'mergeBase', 'changedFile', 'config', 'mode'] as const

/** The report of the commit, or else the newest of the pull request. Each is read once. */
export function storedVerdicts(reports: Pick<Reports, 'of'> | null, options: LedgerLookupOptions): StoredVerdictOf {
  const { repositoryId } = options
  if (reports === null || repositoryId === 0 || ASK_ANEW.some((name) => options[name] !== undefined))
    return async () => await Promise.resolve(null)
  const read = new Map<string, ReturnType<Reports['of']>>()
  const reportOf = (number: number, head?: string) => {
    const key = `${number} ${head ?? ''}`
    const known = read.get(key) ?? reports.of(repositoryId, number, head)
    read.set(key, known)
    return known
  }
  return async ({ testName, checkName, pullRequestNumber, commitSha }) => {
    if (pullRequestNumber === 0) return null
    const ofCommit = commitSha === null ? null : await reportOf(pullRequestNumber, commitSha)
    const report = ofCommit ?? (await reportOf(pullRequestNumber))
    const judged = report?.failingTests?.failures.find(
      ({ failure }) => failure.testName === testName && (checkName ?? failure.checkName) === failure.checkName,
    )
    if (report === null || judged === undefined) return null
    return { judged, pullRequestNumber, head: report.head, judgedAt: report.judgedAt }
  }
}
