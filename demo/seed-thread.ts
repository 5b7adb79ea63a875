import type { CheckRow } from '../src/intake/imports/checks/check-row.ts'

/**
 * The failing tests of a real pull request of ClickHouse (https://github.com/ClickHouse/ClickHouse/pull/107306 and the
 * thread around it), rebuilt as rows of a CI database: what its author wrote by hand under it, and what must not be counted.
 */

export const REPOSITORY = 'acme/engine'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Of the day of the test: what is stored must not have expired. */
export const NOW = Math.floor(Date.now() / 1000) * 1000
/** When everything failed everywhere. */
const MASS_FAILURE = NOW - 12.5 * DAY

export const PROMISE = "future_error 'promise has been destructed' (STID: 2508-38c6)"
export const REFRESH = "Logical error 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)"
export const HUNG = 'Hung check failed, possible deadlock found'
export const SERVER = 'Cannot start clickhouse-server'
export const FAILED = 'Check failed'
export const NEW_TEST = '03999_my_new_test'
export const NOWHERE = "test_storage | it's/test.py::test_quotes[a-`b`-1]"
const HUNG_OUTPUT = 'Thread 4711 at 0x00007f1c2ab30210 waits for GlobalThreadPool::shutdown'

interface Execution extends Partial<CheckRow> {
  readonly pullRequestNumber: number
  readonly checkName: string
  readonly testName: string
  readonly checkStartTime: number
}

let commits = 0

/** A row as ClickHouse's CI writes it; without more a failure of a pull request from a fork, aimed at the trunk. */
function row(of: Execution): CheckRow {
  const isTrunk = of.pullRequestNumber === 0
  commits += 1
  return {
    commitSha: commits.toString(16).padStart(40, '0'),
    checkStatus: 'failure',
    checkDurationMs: 3_600_000,
    testStatus: of.testName === '' ? '' : 'FAIL',
    testDurationMs: 1000,
    reportUrl: `https://reports.example.org/${of.pullRequestNumber}/${commits}`,
    pullRequestUrl: '',
    commitUrl: '',
    taskUrl: '',
    baseRef: isTrunk ? '' : 'master',
    baseRepo: REPOSITORY,
    headRef: isTrunk ? 'master' : `branch-${of.pullRequestNumber}`,
    headRepo: isTrunk ? REPOSITORY : `dev-${of.pullRequestNumber}/engine`,
    testContextRaw: '',
    instanceType: '',
    instanceId: '',
    workflowName: 'PR',
    attributes: '{}',
    ...of,
  }
}

export interface SeedThread {
  readonly rows: readonly CheckRow[]
  /** Red checks of the head, as GitHub shows them. */
  readonly redChecks: readonly string[]
}

/** Everything in the CI database at `NOW`, for a pull request with this number, head and branch. */
export function seedThread(subject: {
  readonly number: number
  readonly head: string
  readonly headRef: string
  readonly headRepo: string
}): SeedThread {
  commits = 0
  return {
    rows: [...ownRows(subject), ...chronicRows(), ...hungRows(), ...passingRows(), ...trapRows(subject)],
    redChecks: [
      'Stress test (arm_tsan)',
      'Stress test (arm_msan)',
      'Stress test (amd_msan)',
      'Stateless tests (amd_debug)',
      'Integration tests (amd_asan, 3/6)',
      'Mergeable Check',
      'PR',
    ],
  }
}

function ownRows({
  number,
  head,
  headRef,
  headRepo,
}: {
  readonly number: number
  readonly head: string
  readonly headRef: string
  readonly headRepo: string
}): CheckRow[] {
  const own = { pullRequestNumber: number, commitSha: head, headRef, headRepo }
  // As it began on GitHub, more or less: the rows of an earlier attempt would not count.
  const at = (minutes: number) => NOW - minutes * MINUTE
  const failures: readonly [string, string, number, string][] = [
    ['Stress test (arm_tsan)', PROMISE, 2, ''],
    ['Stress test (arm_msan)', SERVER, 3, 'Cannot start the server, see the log'],
    ['Stress test (arm_msan)', REFRESH, 3, ''],
    ['Stress test (arm_msan)', FAILED, 3, ''],
    ['Stress test (amd_msan)', HUNG, 1, HUNG_OUTPUT],
    ['Stateless tests (amd_debug)', NEW_TEST, 4, 'Code: 47. DB::Exception: Unknown identifier x'],
    ['Integration tests (amd_asan, 3/6)', NOWHERE, 5, 'E   AssertionError: assert 5 == 7'],
  ]
  const checks = new Map(failures.map(([checkName, , minutes]) => [checkName, minutes]))
  return [
    ...failures.map(([checkName, testName, minutes, testContextRaw]) =>
      row({ ...own, checkName, testName, checkStartTime: at(minutes), testContextRaw }),
    ),
    ...[...checks].map(([checkName, minutes]) =>
      row({ ...own, checkName, testName: '', testStatus: '', checkStartTime: at(minutes) }),
    ),
    row({ ...own, checkName: 'Mergeable Check', testName: '', testStatus: '', checkStartTime: at(0.5) }),
    row({ ...own, checkName: 'PR', testName: '', testStatus: '', checkStartTime: at(0.5) }),
    row({
      ...own,
      checkName: 'Stateless tests (amd_debug)',
      testName: '00001_select_1',
      testStatus: 'OK',
      checkStartTime: at(4),
    }),
  ]
}

function chronicRows(): CheckRow[] {
  const rows: CheckRow[] = []
  // Seven pull requests, eight hits: one of them failed on two commits, and in another check.
  for (let index = 0; index < 7; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 100_001 + index,
        checkName: 'Stress test (arm_tsan)',
        testName: PROMISE,
        checkStartTime: NOW - (27 - 3 * index) * DAY,
      }),
    )
  }
  rows.push(
    row({
      pullRequestNumber: 100_003,
      checkName: 'Stress test (amd_tsan)',
      testName: PROMISE,
      checkStartTime: NOW - 4 * DAY,
    }),
  )
  for (let index = 0; index < 4; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 100_101 + index,
        checkName: 'Stress test (arm_msan)',
        testName: REFRESH,
        checkStartTime: NOW - (20 - index) * DAY,
      }),
    )
  }
  rows.push(
    row({
      pullRequestNumber: 0,
      checkName: 'Stress test (arm_msan)',
      testName: REFRESH,
      checkStartTime: NOW - 9 * DAY,
    }),
  )
  return rows
}

/** A time that no hour of the mass failure holds, whatever the minute of the day. */
function besideMassFailure(time: number): number {
  return Math.abs(time - MASS_FAILURE) < 3 * HOUR ? time + 6 * HOUR : time
}

/** 340 hits of 212 pull requests, 61 of them on the trunk. The addresses and threads in the output are always others. */
function hungRows(): CheckRow[] {
  const output = (index: number) =>
    HUNG_OUTPUT.replace('4711', String(1000 + index)).replace('00007f1c2ab30210', index.toString(16).padStart(16, '0'))
  const rows: CheckRow[] = []
  for (let index = 0; index < 279; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 101_000 + (index % 212),
        checkName: 'Stress test (amd_msan)',
        testName: HUNG,
        checkStartTime: besideMassFailure(NOW - 29 * DAY + index * 2 * HOUR),
        testContextRaw: output(index),
      }),
    )
  }
  for (let index = 0; index < 61; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 0,
        checkName: 'Stress test (amd_msan)',
        testName: HUNG,
        checkStartTime: besideMassFailure(NOW - 28 * DAY + index * 10 * HOUR),
        testContextRaw: output(1000 + index),
      }),
    )
  }
  return rows
}

/** The trunk passes now, and `NOWHERE` ran often enough elsewhere to have shown it. */
function passingRows(): CheckRow[] {
  const rows: CheckRow[] = []
  for (const [testName, checkName] of [
    [HUNG, 'Stress test (amd_msan)'],
    [REFRESH, 'Stress test (arm_msan)'],
    [PROMISE, 'Stress test (arm_tsan)'],
  ] as const) {
    for (let index = 0; index < 4; index += 1) {
      rows.push(
        row({
          pullRequestNumber: 0,
          checkName,
          testName,
          testStatus: 'OK',
          checkStatus: 'success',
          checkStartTime: NOW - (4 + index) * HOUR,
        }),
      )
    }
  }
  for (let index = 0; index < 240; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 102_000 + index,
        checkName: 'Integration tests (amd_asan, 3/6)',
        testName: NOWHERE,
        testStatus: 'OK',
        checkStatus: 'success',
        checkStartTime: NOW - 29 * DAY + index * 2 * HOUR,
      }),
    )
  }
  return rows
}

/** Nothing of this may be counted. */
function trapRows(subject: {
  readonly number: number
  readonly headRef: string
  readonly headRepo: string
}): CheckRow[] {
  const rows: CheckRow[] = []
  const promise = { checkName: 'Stress test (arm_tsan)', testName: PROMISE }
  // The pull request's own earlier commits, and its branch under an older number.
  for (let index = 1; index <= 3; index += 1) {
    const { number, headRef, headRepo } = subject
    const own = { headRef, headRepo, checkStartTime: NOW - index * DAY }
    rows.push(row({ ...promise, ...own, pullRequestNumber: number }))
    rows.push(row({ ...promise, ...own, pullRequestNumber: number + 90_000 }))
  }
  // Before the lookback, after the failure, in another repository, of a fork that calls its branch as the trunk is called.
  rows.push(row({ ...promise, pullRequestNumber: 103_001, checkStartTime: NOW - 40 * DAY }))
  rows.push(row({ ...promise, pullRequestNumber: 103_002, checkStartTime: NOW - 2 * MINUTE - 30 * DAY }))
  rows.push(row({ ...promise, pullRequestNumber: 103_003, checkStartTime: NOW + HOUR }))
  rows.push(row({ ...promise, pullRequestNumber: 103_004, checkStartTime: NOW - DAY, baseRepo: 'acme/engine-private' }))
  rows.push(
    row({
      ...promise,
      pullRequestNumber: 0,
      checkStartTime: NOW - DAY,
      headRepo: 'somebody/engine',
      headRef: 'master',
    }),
  )
  // The same name with another signature.
  for (let index = 0; index < 5; index += 1) {
    rows.push(
      row({
        pullRequestNumber: 103_100 + index,
        checkName: 'Integration tests (amd_asan, 3/6)',
        testName: NOWHERE,
        testContextRaw: 'E   ConnectionRefusedError: the broker does not answer',
        checkStartTime: NOW - (3 + index) * DAY,
      }),
    )
  }
  // An hour in which everything failed everywhere, the chronic ones too.
  const hour = MASS_FAILURE
  for (let pull = 0; pull < 20; pull += 1) {
    for (let index = 0; index < 30; index += 1) {
      rows.push(
        row({
          pullRequestNumber: 104_000 + pull,
          checkName: 'Stateless tests (amd_debug)',
          testName: `0${2000 + index}_every_test`,
          checkStartTime: hour + pull * MINUTE,
          testContextRaw: 'No space left on device',
        }),
      )
    }
    rows.push(row({ ...promise, pullRequestNumber: 104_000 + pull, checkStartTime: hour + pull * MINUTE }))
  }
  return rows
}
