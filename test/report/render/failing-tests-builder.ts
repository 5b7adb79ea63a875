import type {
  Classification,
  FailingExecution,
  FailingTests,
  Failure,
  JudgedFailure,
  LedgerNames,
  Reason,
  Subject,
  TestHistory,
} from '../../../src/judge/ledger/failure.ts'
import { judgeFailures, type LedgerInput } from '../../../src/judge/ledger/ledger.ts'
import { inOrder } from '../../../src/judge/ledger/order.ts'
import { redChecksOf } from '../../../src/judge/ledger/red-checks.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { HEAD } from './report-builder.ts'

/**
 * Failing tests for the rendering tests: judged by the rules from what happened elsewhere (`byRules`), or plain values
 * with consistent numbers that nobody has judged. Their order and the states of the red checks are the ledger's own.
 */

/** The failing job of the pull request. */
export const FAILED_AT = Date.UTC(2026, 5, 24, 15, 12)
export const TRUNK_BAD = 'e02d9c1a3b4c5d6e7f8091a2b3c4d5e6f7081920'
export const TRUNK_GOOD = '7d3e8a105b6c7d8e9f0a1b2c3d4e5f6071829304'

export const DAY = 86_400_000

export function failure(testName: string, checkName: string, more: Partial<Failure> = {}): Failure {
  const id = /\(STID: (\S+)\)$/.exec(testName)?.[1]
  return {
    testName,
    checkName,
    status: testName === '' ? 'failure' : 'FAIL',
    pullRequestNumber: 108,
    commitSha: HEAD,
    headRepo: 'octo/database',
    headRef: 'faster-joins',
    baseRef: 'master',
    baseRepo: 'acme/database',
    time: FAILED_AT,
    signature:
      id === undefined ? { kind: 'output', text: `reason of ${testName}` } : { kind: 'stack-trace-id', text: id },
    passedOnRetry: false,
    reportUrl: 'https://s3.example/acme/database/report.html',
    ...more,
  }
}

export function judged(
  classification: Classification,
  failed: Failure,
  reasons: readonly Reason[],
  more: Partial<JudgedFailure> = {},
): JudgedFailure {
  return {
    failure: failed,
    classification,
    unrelatedPullRequests: 0,
    hits: 0,
    trunkHits: 0,
    runs: 0,
    trunkRate: null,
    firstSeen: null,
    lastSeen: null,
    lastTrunkPass: null,
    firstBadTrunkCommit: null,
    reasons,
    causedBy: null,
    examples: [],
    issue: null,
    proofUrl: null,
    owner: null,
    ...more,
  }
}

export const SUBJECT: Subject = {
  pullRequestNumber: 108,
  commitSha: HEAD,
  headRepo: 'octo/database',
  headRef: 'faster-joins',
  repository: 'acme/database',
  trunk: ['master'],
  mergeBase: TRUNK_BAD,
}

/** The rollups of hostile names begin with `rollup `. */
const NAMES: LedgerNames = {
  rollupChecks: ['Mergeable Check', 'PR', 'rollup *'],
  falloutTests: ['Cannot start clickhouse-server', 'Check failed'],
}

/** One failure as the rules judge it, from its history and whatever else is told. */
export function byRules(
  failed: Failure,
  known: Partial<TestHistory> = {},
  more: Partial<LedgerInput> = {},
): JudgedFailure {
  const history: TestHistory = {
    testName: failed.testName,
    checkName: failed.testName === '' ? failed.checkName : null,
    until: failed.time,
    failing: [],
    failingNotRead: 0,
    passes: 0,
    checks: [{ checkName: failed.checkName, passes: known.passes ?? 0, runs: 0, trunkClean: [] }],
    trunkPasses: 0,
    lastTrunkPass: null,
    passesBesideFailures: [],
    latestTrunk: [],
    ...known,
  }
  const [one] = judgeFailures({
    failures: [failed],
    histories: [history],
    massFailures: [],
    subject: SUBJECT,
    names: NAMES,
    changedFiles: [],
    thresholds: LEDGER_THRESHOLDS,
    until: ({ time }) => time,
    problem: null,
    judgedAt: FAILED_AT,
    ...more,
  })
  return one!
}

/** The same failure elsewhere, so many days before; 0 is the trunk. */
export function hit(
  failed: Failure,
  pullRequestNumber: number,
  daysBefore: number,
  more: Partial<FailingExecution> = {},
): FailingExecution {
  return {
    pullRequestNumber,
    commitSha: pullRequestNumber === 0 ? TRUNK_BAD : `${pullRequestNumber}`.padStart(40, 'c'),
    checkName: failed.checkName,
    time: FAILED_AT - daysBefore * DAY,
    baseRef: pullRequestNumber === 0 ? '' : 'master',
    baseRepo: 'acme/database',
    headRef: pullRequestNumber === 0 ? 'master' : `branch-${pullRequestNumber}`,
    headRepo: 'acme/database',
    signature: failed.signature,
    reportUrl: `https://s3.example/acme/database/${pullRequestNumber}/report.html`,
    ...more,
  }
}

/** Seen in so many unrelated pull requests; the first time on the day before the lookback's end given in days. */
export function chronic(
  testName: string,
  checkName: string,
  [pullRequests, hits, trunkHits]: readonly [number, number, number],
  more: Partial<JudgedFailure> = {},
): JudgedFailure {
  const reasons: Reason[] = []
  if (pullRequests >= 3) reasons.push({ kind: 'unrelated-pull-requests', pullRequests, needed: 3 })
  if (trunkHits >= 2) reasons.push({ kind: 'trunk-hits', hits: trunkHits, days: Math.min(trunkHits, 12), needed: 2 })
  return judged('chronic', failure(testName, checkName), reasons, {
    unrelatedPullRequests: pullRequests,
    hits,
    trunkHits,
    runs: hits + 4_000,
    firstSeen: FAILED_AT - 27 * DAY,
    lastSeen: FAILED_AT - DAY / 2,
    examples: Array.from({ length: Math.min(hits, 3) }, (_, index) => ({
      pullRequestNumber: index < trunkHits ? 0 : 90 + index,
      commitSha: TRUNK_BAD,
      checkName,
      time: FAILED_AT - (index + 1) * DAY,
      reportUrl: `https://s3.example/acme/database/${90 + index}/report.html`,
    })),
    ...more,
  })
}

export function suspect(
  testName: string,
  checkName: string,
  runs = 812,
  more: Partial<JudgedFailure> = {},
): JudgedFailure {
  return judged(
    'pr-suspect',
    failure(testName, checkName),
    [{ kind: 'never-elsewhere', of: 'test', runs, chance: 0.95 ** runs, rate: 0.05 }],
    { runs, ...more },
  )
}

export function fallout(testName: string, checkName: string, causedBy: string): JudgedFailure {
  return judged('fallout', failure(testName, checkName), [{ kind: 'follows-from', testName: causedBy }], { causedBy })
}

export function rollup(checkName: string): JudgedFailure {
  return judged('rollup', failure('', checkName, { signature: { kind: 'name', text: '' } }), [
    { kind: 'sums-up-others' },
  ])
}

/** A failure of which nothing could be asked. */
export function notLookedUp(testName: string, checkName: string, problem: NonNullable<FailingTests['problem']>) {
  return judged('unknown', failure(testName, checkName), [{ kind: 'lookup-failed', problem }], {
    unrelatedPullRequests: null,
    hits: null,
    trunkHits: null,
    runs: null,
  })
}

/** Red is each check that has failures, and what else is said to be. */
export function failingTests(
  failures: readonly JudgedFailure[],
  more: Partial<FailingTests> = {},
  alsoRed: readonly string[] = [],
): FailingTests {
  const shown = inOrder(failures)
  const names = [...new Set([...shown.map(({ failure: { checkName } }) => checkName), ...alsoRed])]
  const red = names.map((name, index) => ({ name, url: `https://github.com/acme/database/runs/${2000 + index}` }))
  return {
    source: 'ci-database',
    problem: null,
    lookbackDays: 30,
    failures: shown,
    notJudged: 0,
    redChecks: redChecksOf(red, shown, NAMES, more.notJudged),
    ...more,
  }
}
