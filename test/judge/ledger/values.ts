import type {
  ChangedFile,
  FailingExecution,
  Failure,
  JudgedFailure,
  MassFailure,
  Reason,
  Subject,
  TestHistory,
} from '../../../src/judge/ledger/failure.ts'
import { judgeFailures, type LedgerInput } from '../../../src/judge/ledger/ledger.ts'
import type { Signature } from '../../../src/judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { type People, UNKNOWN_PEOPLE } from '../../../src/judge/ledger/witness.ts'

/** Values of the ledger; what differs from an ordinary case is said. */

export const SECOND = 1000
export const HOUR = 3_600 * SECOND
export const DAY = 24 * HOUR
export const NOW = Date.UTC(2026, 5, 24, 12, 20)

export const REPOSITORY = 'ClickHouse/ClickHouse'
export const CHECK = 'Stress test (arm_tsan)'

export const stid = (text: string): Signature => ({ kind: 'stack-trace-id', text })
export const output = (text: string): Signature => ({ kind: 'output', text })
export const NAME_ONLY: Signature = { kind: 'name', text: '' }

export const subject = (changes: Partial<Subject> = {}): Subject => ({
  pullRequestNumber: 1000,
  commitSha: 'head',
  headRepo: 'author/ClickHouse',
  headRef: 'reserve',
  repository: REPOSITORY,
  trunk: ['master'],
  mergeBase: null,
  ...changes,
})

export const failure = (changes: Partial<Failure> = {}): Failure => ({
  testName: 'a_test',
  checkName: CHECK,
  status: 'FAIL',
  pullRequestNumber: 1000,
  commitSha: 'head',
  headRepo: 'author/ClickHouse',
  headRef: 'reserve',
  baseRef: 'master',
  baseRepo: REPOSITORY,
  time: NOW,
  signature: output('boom'),
  passedOnRetry: false,
  reportUrl: '',
  ...changes,
})

/** In a pull request of somebody else, an hour before. */
export const hit = (pullRequestNumber: number, changes: Partial<FailingExecution> = {}): FailingExecution => ({
  pullRequestNumber,
  commitSha: `commit-${pullRequestNumber}`,
  checkName: CHECK,
  time: NOW - HOUR,
  baseRef: 'master',
  baseRepo: REPOSITORY,
  headRef: `branch-${pullRequestNumber}`,
  headRepo: `author-${pullRequestNumber}/ClickHouse`,
  signature: output('boom'),
  reportUrl: '',
  ...changes,
})

export const trunkHit = (commitSha: string, time: number, changes: Partial<FailingExecution> = {}): FailingExecution =>
  hit(0, { commitSha, time, headRef: 'master', headRepo: REPOSITORY, ...changes })

/** That a hit passed in a second job of its check, an hour later. */
export const passedBeside = ({ commitSha, checkName, pullRequestNumber, time }: FailingExecution) => ({
  commitSha,
  checkName,
  pullRequestNumber,
  times: [time + HOUR],
})

/** The authors of these pull requests of `hit` may write to the repository. */
export const trusting = (...pullRequests: readonly number[]): People => ({
  ...UNKNOWN_PEOPLE,
  standings: new Map(pullRequests.map((number) => [`author-${number}`, 'trusted'])),
})

/** Its passes are of `CHECK`, unless the changes say otherwise. */
export const history = (changes: Partial<TestHistory> = {}): TestHistory => ({
  testName: 'a_test',
  checkName: null,
  until: NOW,
  failing: [],
  failingNotRead: 0,
  passes: 0,
  checks: [{ checkName: changes.checkName ?? CHECK, passes: changes.passes ?? 0, runs: 0, trunkClean: [] }],
  trunkPasses: 0,
  lastTrunkPass: null,
  passesBesideFailures: [],
  latestTrunk: [],
  ...changes,
})

/** An hour, unless the changes say otherwise, in which `a_test` failed like many others. */
export const massFailure = (start: number, changes: Partial<MassFailure> = {}): MassFailure => ({
  start,
  hours: 1,
  checkName: null,
  tests: 300,
  pullRequests: 40,
  testNames: new Set(['a_test']),
  checkNames: new Set(),
  ...changes,
})

export const added = (path: string): ChangedFile => ({ path, status: 'added' })

/** The names that `.github/perf-triage.yml` has by default. */
export const NAMES = {
  rollupChecks: ['Mergeable Check', 'PR', 'CH Inc sync', 'Finish Workflow'],
  falloutTests: ['Cannot start clickhouse-server*', 'Check failed', 'Server died'],
}

export const input = (changes: Partial<LedgerInput> = {}): LedgerInput => ({
  failures: [failure()],
  histories: [history()],
  massFailures: [] as readonly MassFailure[],
  subject: subject(),
  names: NAMES,
  changedFiles: [],
  thresholds: LEDGER_THRESHOLDS,
  until: ({ time }) => time,
  problem: null,
  judgedAt: NOW,
  ...changes,
})

/** The judgement of the one failure there is. */
export function judge(changes: Partial<LedgerInput> = {}): JudgedFailure {
  const judged = judgeFailures(input(changes))
  if (judged.length !== 1) throw new Error(`${judged.length} failures, not one`)
  return judged[0]!
}

export const judgeWith = (ofHistory: Partial<TestHistory>, changes: Partial<LedgerInput> = {}): JudgedFailure =>
  judge({ histories: [history(ofHistory)], ...changes })

export const kinds = ({ reasons }: JudgedFailure): readonly Reason['kind'][] => reasons.map(({ kind }) => kind)
