import { declaredFailureOf, lastDeclarations } from '../../../src/judge/ledger/declaration.ts'
import type { FailingTests, Failure, JudgedFailure, LookupProblem } from '../../../src/judge/ledger/failure.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { massFailure } from '../../judge/ledger/values.ts'
import {
  byRules,
  chronic,
  DAY,
  FAILED_AT,
  failingTests,
  failure,
  fallout,
  hit,
  judged,
  notLookedUp,
  rollup,
  SUBJECT,
  suspect,
  TRUNK_BAD,
  TRUNK_GOOD,
} from './failing-tests-builder.ts'
import { HOSTILE } from './hostile.ts'
import { changed, quiet, report, row, shards } from './report-builder.ts'

/** The states of the comment that have failing tests. The same shape as the others: see `states.ts`. */

const STATELESS = 'Stateless tests (amd_debug)'
const STRESS_MSAN = 'Stress test (arm_msan)'
const REFRESH = "Logical error 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)"
const HUNG = 'Hung check failed, possible deadlock found'
const TRUNK_OTHER = 'ab12cd34ef5607182930a1b2c3d4e5f60718293a'

const PROOF = 'https://play.example/play?user=play&run=1#U0VMRUNUIGNvdW50KCkgRlJPTSBjaGVja3M='

const issue = (number: number, title: string) => ({
  number,
  title,
  url: `https://github.com/acme/database/issues/${number}`,
})

const LAST_PASS = { commitSha: TRUNK_GOOD, time: FAILED_AT - DAY / 2 }

/** The failures that a maintainer wrote up by hand, with the numbers that were found. */
const SEED: readonly JudgedFailure[] = [
  chronic('promise has been destructed (STID: 2508-38c6)', 'Stress test (arm_tsan)', [7, 8, 0], { proofUrl: PROOF }),
  chronic(REFRESH, STRESS_MSAN, [4, 5, 1], {
    proofUrl: PROOF,
    issue: issue(105588, 'RefreshTask::doScheduling shutdown race'),
  }),
  chronic(HUNG, 'Stress test (amd_msan)', [212, 340, 61], {
    proofUrl: PROOF,
    issue: issue(105905, 'GlobalThreadPool shutdown deadlock'),
    owner: '@acme/core',
    entry: {
      state: 'open',
      firstSeen: Date.UTC(2025, 10, 3),
      openedAt: FAILED_AT - 40 * DAY,
      expiresAt: FAILED_AT + 50 * DAY,
      reopened: 0,
      hits1: 12,
      hits7: 80,
    },
  }),
  fallout('Cannot start clickhouse-server', STRESS_MSAN, REFRESH),
  fallout('Check failed', STRESS_MSAN, REFRESH),
  rollup('Mergeable Check'),
  rollup('PR'),
]

const error = (output: string) => ({ signature: signatureOf('a_test', output) })
const PASSED = { passes: 812, trunkPasses: 118, lastTrunkPass: LAST_PASS }

const JOIN = failure(
  '02345_join_algorithms',
  STATELESS,
  error(
    'Received exception from server (version 26.6.1):\nCode: 49. DB::Exception: Received from localhost:9000. DB::Exception: Join state is not set. (LOGICAL_ERROR)',
  ),
)
const SUSPECT = byRules(JOIN, PASSED)

const MY_TEST = failure(
  '03999_my_new_test',
  STATELESS,
  error('Reason: result differs with reference:\n@@ -1 +1 @@\n-3\tb\n+4\ta'),
)
const ADDED = byRules(
  MY_TEST,
  {},
  { changedFiles: [{ path: 'tests/queries/0_stateless/03999_my_new_test.sql', status: 'added' }] },
)

const RESTORE = failure('test_backup/test.py::test_restore[s3-zero copy]', 'Integration tests (amd_asan, 2/6)', {
  ...error("AssertionError: assert 'NONE' == 'RESTORED'"),
  passedOnRetry: true,
})
const EDITED = byRules(
  RESTORE,
  { ...PASSED, failing: [hit(RESTORE, 90, 1), hit(RESTORE, 90, 4)] },
  { changedFiles: [{ path: 'tests/integration/test_backup/test.py', status: 'modified' }] },
)

const SOMETIMES = failure('02999_sometimes', 'Stateless tests (arm_asan)', {
  ...error('Timeout! Killing process group 4711 after 600 s'),
  passedOnRetry: true,
})
const UNKNOWN: readonly JudgedFailure[] = [
  byRules(failure('04001_brand_new', STATELESS, error('Code: 46. DB::Exception: Unknown function arrayTally.')), {
    passes: 12,
    trunkPasses: 3,
    lastTrunkPass: LAST_PASS,
  }),
  byRules(failure('04002_never_run', STATELESS, error('Code: 60. DB::Exception: Table default.t does not exist.'))),
  byRules(SOMETIMES, {
    ...PASSED,
    lastTrunkPass: { commitSha: TRUNK_GOOD, time: FAILED_AT - 10 * DAY },
    failing: [hit(SOMETIMES, 90, 3), hit(SOMETIMES, 0, 9, { commitSha: TRUNK_OTHER })],
  }),
]

const OTHER_SIGNATURE = byRules(JOIN, {
  passes: 59,
  trunkPasses: 9,
  lastTrunkPass: LAST_PASS,
  failing: Array.from({ length: 12 }, (_, index) =>
    hit(JOIN, 90 + (index % 5), index + 1, error('Timeout! Killing process group 4711 after 600 s')),
  ),
})

const FORMAT = failure(
  '02887_format_settings',
  STATELESS,
  error('Reason: result differs with reference:\n@@ -2 +2 @@\n-17\n+NULL'),
)
const trunkRun = (commitSha: string, daysBefore: number) => ({
  commitSha,
  checkName: STATELESS,
  time: FAILED_AT - daysBefore * DAY,
  failed: true,
})
const BROKEN: readonly JudgedFailure[] = [
  byRules(
    FORMAT,
    {
      passes: 1314,
      trunkPasses: 384,
      lastTrunkPass: { commitSha: TRUNK_GOOD, time: FAILED_AT - DAY - DAY / 12 },
      failing: [
        hit(FORMAT, 90, 0.1),
        hit(FORMAT, 91, 0.2),
        hit(FORMAT, 0, 0.3, { commitSha: TRUNK_OTHER }),
        hit(FORMAT, 0, 1),
      ],
      latestTrunk: [trunkRun(TRUNK_OTHER, 0.3), trunkRun(TRUNK_BAD, 1)],
    },
    { subject: { ...SUBJECT, mergeBase: TRUNK_GOOD } },
  ),
]
const MERGE_BASE = failure('02888_merge_base', STATELESS, error('Code: 49. DB::Exception: Bad cast from type UInt64'))
const BROKEN_AT_BASE = byRules(MERGE_BASE, { ...PASSED, failing: [hit(MERGE_BASE, 0, 1)] })

const RECONNECT = failure('test_keeper_session/test.py::test_reconnect', 'Integration tests (arm, 1/4)', {
  signature: { kind: 'name', text: '' },
})
const MASS_HOUR = massFailure(FAILED_AT - 4 * DAY, { testNames: new Set([RECONNECT.testName]) })
const FLAKY: readonly JudgedFailure[] = [
  byRules(
    RECONNECT,
    {
      ...PASSED,
      failing: [
        hit(RECONNECT, 90, 2),
        hit(RECONNECT, 91, 6),
        ...Array.from({ length: 31 }, (_, index) => hit(RECONNECT, 200 + index, 4)),
      ],
      failingNotRead: 1200,
      passesBesideFailures: [90, 91].map((number) => ({
        commitSha: hit(RECONNECT, number, 0).commitSha,
        checkName: RECONNECT.checkName,
        pullRequestNumber: number,
        times: [FAILED_AT],
      })),
    },
    { massFailures: [MASS_HOUR], judgedAt: FAILED_AT - DAY },
  ),
]

const INFRASTRUCTURE: readonly JudgedFailure[] = [
  byRules(
    failure('', 'Integration tests (amd_asan, 3/6)', {
      signature: signatureOf('', 'The self-hosted runner lost communication with the server.'),
    }),
  ),
]

const BUILD = byRules(
  failure(
    '',
    'Build (arm_release)',
    error("src/Interpreters/HashJoin.cpp: error: no member named 'reserve' in 'DB::HashJoin'"),
  ),
  { passes: 2210, trunkPasses: 301, lastTrunkPass: LAST_PASS },
)

const silent = (checkName: string) => failure('', checkName, { signature: { kind: 'name', text: '' } })
/** Red in so many other pull requests, in one of them twice. */
const redIn = (failed: Failure, pullRequests: number, passes: number): JudgedFailure =>
  byRules(failed, {
    passes,
    failing: [
      hit(failed, 90, 12),
      ...Array.from({ length: pullRequests }, (_, index) => hit(failed, 90 + index, index + 1)),
    ],
  })

const SILENT: readonly JudgedFailure[] = [
  redIn(silent('Style check'), 3, 636),
  redIn(silent('Docs check'), 1, 638),
  byRules(silent('Fast test'), { passes: 12 }),
]

/** Stopped at the limit after its tests began: the change itself may hang. */
const HANGS = redIn(
  failure('', 'Integration tests (arm, 2/4)', {
    ...error('The job has exceeded the maximum execution time of 6h0m0s'),
    testsRan: true,
  }),
  1,
  638,
)

const REFUSED = error('Connection refused (hdfs1:9000)')
const inMassFailure = (name: string, checkName: string, more: Partial<Failure> = {}) => {
  const failed = failure(name, checkName, { ...REFUSED, ...more })
  const start = Date.UTC(2026, 5, 24, 15)
  return byRules(
    failed,
    { ...PASSED, failing: [hit(failed, 90, 0, { time: start + 1 })] },
    { massFailures: [massFailure(start, { tests: 41, pullRequests: 12, testNames: new Set([name]) })] },
  )
}
const MASS: readonly JudgedFailure[] = ['02001_hdfs', '02002_s3', '02003_mysql'].map((name) =>
  inMassFailure(name, STATELESS),
)
const LARGE_MASS: readonly JudgedFailure[] = [
  ...Array.from({ length: 38 }, (_, index) =>
    inMassFailure(`${String(2001 + index).padStart(5, '0')}_url`, `Stateless tests (amd_debug, ${(index % 4) + 1}/4)`),
  ),
  inMassFailure('02999_sometimes', 'Stateless tests (amd_debug, 1/4)', { passedOnRetry: true }),
]

/** Two tests that a person declared chronic: that of the second one is over. */
const DECLARED: readonly JudgedFailure[] = [30, -1].map((days, index) => {
  const failed = failure(`0310${index}_port`, STATELESS)
  const by = { actor: 'maria', actorId: 7, via: 'command', reason: HOSTILE[0]!, saidAt: FAILED_AT - 2 * DAY } as const
  const subject = { pullRequestNumber: 99, failures: [declaredFailureOf(failed, null)] }
  const until = FAILED_AT + days * DAY
  return byRules(failed, PASSED, { declarations: lastDeclarations([{ kind: 'chronic', subject, until, ...by }]) })
})

const EXPIRED: readonly JudgedFailure[] = [
  chronic(HUNG, 'Stress test (amd_msan)', [212, 340, 0], {
    entry: {
      state: 'expired',
      firstSeen: Date.UTC(2025, 10, 3),
      openedAt: Date.UTC(2026, 1, 20),
      expiresAt: Date.UTC(2026, 4, 21),
      reopened: 0,
      hits1: 14,
      hits7: 96,
    },
  }),
  chronic('02111_comes_back', STATELESS, [4, 5, 0], {
    entry: {
      state: 'open',
      firstSeen: Date.UTC(2026, 2, 2),
      openedAt: FAILED_AT - 3 * DAY,
      expiresAt: FAILED_AT + 87 * DAY,
      reopened: 1,
      hits1: 1,
      hits7: 5,
    },
  }),
]

const TRUNK_ALONE = failure(
  '02111_only_on_trunk',
  STATELESS,
  error('Code: 241. DB::Exception: Memory limit (total) exceeded: would use 55.1 GiB'),
)

function many(count: number): JudgedFailure[] {
  return Array.from({ length: count }, (_, index) =>
    suspect(`${String(10_000 + index)}_test_of_everything`, `Stateless tests (amd_debug, ${index % 40}/40)`),
  )
}

const hostile: readonly JudgedFailure[] = [...HOSTILE, '`|<b>@a #12\n'.repeat(100_000)].flatMap((text) => [
  suspect(text, text, 700, {
    failure: failure(text, text, { signature: { kind: 'stack-trace-id', text }, reportUrl: text }),
  }),
  chronic(`x ${text}`, text, [5, 9, 2], {
    failure: failure(`x ${text}`, text, { signature: { kind: 'output', text } }),
    owner: text,
    firstBadTrunkCommit: text,
    lastTrunkPass: { commitSha: text, time: Number.NaN },
    proofUrl: `javascript:${text}`,
  }),
  fallout(`y ${text}`, text, `x ${text}`),
  judged('broken-trunk', failure(`z ${text}`, text), [{ kind: 'failed-at-merge-base', commitSha: text }]),
  judged('unknown', failure(`u ${text}`, text), [{ kind: 'follows-from', testName: text }]),
  rollup(`rollup ${text}`),
])

const calm = (tests: FailingTests) => report(quiet(2034), { shards: shards(12), degradations: [], failingTests: tests })
const slower = row('join_hash', 3, [changed(0.6391, 0.7588)], {
  evidence: [{ kind: 'floor-threshold', threshold: 0.05 }],
})

const PROBLEMS: readonly LookupProblem[] = [
  'unreachable',
  'too-slow',
  'access-denied',
  'missing-table',
  'missing-column',
  'unexpected-answer',
]

export const FAILING_STATES = {
  'failing-chronic': { report: calm(failingTests(SEED)) },
  'failing-chronic-with-pages': {
    report: calm(failingTests(SEED.map((one) => ({ ...one, proofUrl: null })))),
    hasPages: true,
  },
  'failing-and-slower': {
    report: report([slower, ...quiet(40)], { shards: shards(12), failingTests: failingTests([ADDED, ...SEED]) }),
  },
  'failing-suspect': { report: calm(failingTests([SUSPECT])), hasPages: true },
  'failing-suspect-in-many-checks': {
    report: calm(
      failingTests(
        ['amd_debug', 'amd_asan', 'amd_tsan', 'arm_binary', 'arm_coverage'].map((build) =>
          suspect('02345_join_algorithms', `Stateless tests (${build})`),
        ),
      ),
    ),
  },
  'failing-test-edited': { report: calm(failingTests([ADDED, EDITED])), hasPages: true },
  'failing-unknown': { report: calm(failingTests(UNKNOWN)), hasPages: true },
  'failing-other-signature': { report: calm(failingTests([OTHER_SIGNATURE])), hasPages: true },
  'failing-broken-trunk': { report: calm(failingTests([...BROKEN, BROKEN_AT_BASE])), hasPages: true },
  'failing-flaky': { report: calm(failingTests(FLAKY)), hasPages: true },
  'failing-infrastructure': { report: calm(failingTests(INFRASTRUCTURE)) },
  'failing-build': { report: calm(failingTests([BUILD, ...INFRASTRUCTURE])), hasPages: true },
  'failing-nothing-said': { report: calm(failingTests([...SILENT, HANGS])) },
  'failing-mass': { report: calm(failingTests([...MASS, rollup('PR')])), hasPages: true },
  'failing-large-mass': { report: calm(failingTests(LARGE_MASS)) },
  'failing-declared': { report: calm(failingTests(DECLARED)) },
  'failing-expired-entry': { report: calm(failingTests(EXPIRED)), hasPages: true },
  'failing-trunk-only': {
    report: calm(
      failingTests([
        byRules(TRUNK_ALONE, {
          ...PASSED,
          failing: [1, 2, 3].map((days) => hit(TRUNK_ALONE, 0, days, { commitSha: TRUNK_OTHER })),
          // The trunk passed between two of them each.
          checks: [
            {
              checkName: STATELESS,
              passes: 812,
              runs: 0,
              trunkClean: Array.from({ length: 118 }, (_, index) => FAILED_AT - (index + 0.5) * (DAY / 4)),
            },
          ],
        }),
      ]),
    ),
  },
  'failing-rollups-only': { report: calm(failingTests([rollup('PR')])) },
  'failing-unseen-checks': { report: calm(failingTests(SEED.slice(0, 1), {}, ['Fast test'])) },
  'failing-unseen-checks-for-good': {
    report: calm(failingTests(SEED.slice(0, 1), { isFinal: true }, ['DCO', 'license/cla'])),
  },
  'failing-not-all-judged': { report: calm(failingTests(SEED.slice(0, 3), { notJudged: 102 })) },
  'failing-before-measurements': {
    report: report([], {
      shards: shards(12, 0),
      references: [],
      architectures: [],
      failingTests: failingTests([SUSPECT]),
    }),
  },
  'failing-nothing-measured': {
    report: report([], {
      shards: [],
      complete: true,
      references: [],
      architectures: [],
      failingTests: failingTests(SEED),
    }),
  },
  ...Object.fromEntries(
    PROBLEMS.map((problem) => [
      `failing-lookup-${problem}`,
      {
        report: calm(
          failingTests(
            [ADDED, notLookedUp(REFRESH, STRESS_MSAN, problem), notLookedUp(HUNG, 'Stress test (amd_msan)', problem)],
            { problem },
          ),
        ),
      },
    ]),
  ),
  'failing-lookup-of-everything': {
    report: calm(failingTests([], { problem: 'unreachable' }, ['Fast test', STRESS_MSAN, STATELESS])),
  },
  'failing-3000': { report: calm(failingTests(many(3000))) },
  'failing-3000-and-3000-slower': {
    report: report(
      Array.from({ length: 3000 }, (_, index) => row('aggregate_by_key', index, [changed(0.02, 0.03)])),
      { shards: shards(12), failingTests: failingTests(many(3000), { notJudged: 250 }) },
    ),
    hasPages: true,
  },
  'failing-hostile': { report: calm(failingTests(hostile)) },
} as const satisfies Record<string, { report: ReturnType<typeof report>; hasPages?: boolean }>
