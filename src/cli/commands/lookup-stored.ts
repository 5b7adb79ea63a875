import type { Failure, JudgedFailure } from '../../judge/ledger/failure.ts'
import type { Reports } from '../../store/reports/reports.ts'
import type { CommandIO } from './command.ts'
import { isDatabaseProblem } from './database.ts'
import type { LedgerLookupOptions } from './lookup-source.ts'
import { plainText } from './terminal-text.ts'

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
  /** Null: whatever it said. What was said of one failure is not said of the next one of the same test. */
  readonly signature: Failure['signature'] | null
}

/** Null: the bot has said nothing of it. */
export type StoredVerdictOf = (failure: Wanted) => Promise<StoredVerdict | null>

/** Options that ask what the history would say otherwise; what the bot said is no answer to that. */
const ASK_ANEW = ['now', 'lookback', 'trunk', 'mergeBase', 'changedFile', 'config', 'mode'] as const

/** The report of the commit, or else the newest of the pull request. Each is read once. */
export function storedVerdicts(
  reports: Pick<Reports, 'of'> | null,
  options: LedgerLookupOptions,
  io: Pick<CommandIO, 'stderr'>,
): StoredVerdictOf {
  const { repositoryId } = options
  if (reports === null || repositoryId === 0 || ASK_ANEW.some((name) => options[name] !== undefined))
    return async () => await Promise.resolve(null)
  const read = new Map<string, ReturnType<Reports['of']>>()
  let isAway = false
  /** The history answers without the database of the reports. */
  const notThere = (error: unknown): null => {
    if (!isDatabaseProblem(error)) throw error
    if (!isAway)
      io.stderr.write(`perf-triage ledger lookup: what the bot said can’t be read: ${oneLine(error.message)}\n`)
    isAway = true
    return null
  }
  const reportOf = (number: number, head?: string) => {
    const key = `${number} ${head ?? ''}`
    const known = read.get(key) ?? reports.of(repositoryId, number, head).catch(notThere)
    read.set(key, known)
    return known
  }
  return async ({ testName, checkName, pullRequestNumber, commitSha, signature }) => {
    if (pullRequestNumber === 0) return null
    const ofCommit = commitSha === null ? null : await reportOf(pullRequestNumber, commitSha)
    const report = ofCommit ?? (await reportOf(pullRequestNumber))
    const judged = report?.failingTests?.failures.find(
      ({ failure }) =>
        failure.testName === testName &&
        (checkName ?? failure.checkName) === failure.checkName &&
        isSame(signature ?? failure.signature, failure.signature),
    )
    if (report === null || judged === undefined) return null
    return { judged, pullRequestNumber, head: report.head, judgedAt: report.judgedAt }
  }
}

function isSame(one: Failure['signature'], other: Failure['signature']): boolean {
  return one.kind === other.kind && one.text === other.text
}

export function oneLine(text: string): string {
  return plainText(text.replaceAll(/\s+/g, ' ')).trim()
}
