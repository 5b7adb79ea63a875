import { expect, test } from 'vitest'
import { type CheckedCommit, checkRowsOfHead } from '../../../src/bot/triage/check-rows.ts'
import type { ReportedCheck, ReportedWorkflowRun } from '../../../src/github/performance-checks.ts'
import { infrastructureProblem } from '../../../src/judge/ledger/infrastructure-phrases.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { testOutcome } from '../../../src/judge/ledger/test-status.ts'

const SHA = 'a'.repeat(40)

const commit: CheckedCommit = {
  repository: { owner: 'ClickHouse', name: 'ClickHouse', url: 'https://github.test/ClickHouse/ClickHouse' },
  commitSha: SHA,
  trunk: 'master',
  pullRequest: { number: 7, baseRef: '26.3', headRepo: 'carol/ClickHouse', headRef: 'fix' },
}

const check = (overrides: Partial<ReportedCheck> = {}): ReportedCheck => ({
  kind: 'check-run',
  id: 1,
  name: 'Unit tests (asan)',
  isFinished: true,
  conclusion: 'failure',
  url: 'https://github.test/runs/1',
  startedAt: '2026-11-20T09:00:00Z',
  finishedAt: '2026-11-20T09:10:30Z',
  checkSuiteId: 10,
  appId: 15_368,
  title: '',
  summary: '',
  annotations: 0,
  ...overrides,
})

const workflowRun: ReportedWorkflowRun = {
  id: 99,
  name: 'Pull request',
  path: '.github/workflows/pull_request.yml',
  attempt: 1,
  isFinished: true,
  conclusion: 'failure',
  url: 'https://github.test/actions/runs/99',
  checkSuiteId: 10,
  startedAt: '2026-11-20T08:59:00Z',
  finishedAt: '2026-11-20T09:11:00Z',
  event: 'pull_request',
  headBranch: 'fix',
  headRepository: 'carol/ClickHouse',
}

const rowsOf = (...checks: ReportedCheck[]) => checkRowsOfHead(commit, { checks, workflowRuns: [workflowRun] })

test('a failed job of a pull request from a fork', () => {
  expect(rowsOf(check({ title: '2 tests failed', summary: 'a, b' }))).toEqual([
    {
      pullRequestNumber: 7,
      commitSha: SHA,
      checkName: 'Unit tests (asan)',
      checkStatus: 'failure',
      checkDurationMs: 630_000,
      checkStartTime: Date.UTC(2026, 10, 20, 9),
      testName: '',
      testStatus: '',
      testDurationMs: 0,
      reportUrl: 'https://github.test/runs/1',
      pullRequestUrl: 'https://github.test/ClickHouse/ClickHouse/pull/7',
      commitUrl: `https://github.test/ClickHouse/ClickHouse/commit/${SHA}`,
      taskUrl: 'https://github.test/actions/runs/99',
      baseRef: '26.3',
      baseRepo: '',
      headRef: 'fix',
      headRepo: 'carol/ClickHouse',
      testContextRaw: '2 tests failed\na, b',
      instanceType: '',
      instanceId: '',
      workflowName: 'Pull request',
      attributes: '',
    },
  ])
})

test('a commit of the trunk, and a status that belongs to no workflow', () => {
  const rows = checkRowsOfHead(
    { ...commit, pullRequest: null },
    {
      checks: [check({ kind: 'status', checkSuiteId: null, conclusion: 'success', url: null, title: 'all is well' })],
      workflowRuns: [workflowRun],
    },
  )
  expect(rows).toMatchObject([
    {
      pullRequestNumber: 0,
      pullRequestUrl: '',
      baseRef: 'master',
      headRef: 'master',
      headRepo: '',
      checkStatus: 'success',
      reportUrl: '',
      taskUrl: '',
      workflowName: '',
      testContextRaw: '',
    },
  ])
})

test.each([
  ['success', 'success', 'passing'],
  ['failure', 'failure', 'failing'],
  ['error', 'error', 'failing'],
  ['timed_out', 'error', 'failing'],
  ['startup_failure', 'error', 'failing'],
  ['action_required', 'failure', 'failing'],
  // What was stopped says nothing of the code.
  ['cancelled', 'cancelled', 'other'],
  ['stale', 'stale', 'other'],
] as const)('%s is %s, which counts as %s', (conclusion, status, outcome) => {
  const [row] = rowsOf(check({ conclusion }))
  expect(row?.checkStatus).toBe(status)
  expect(testOutcome(status)).toBe(outcome)
})

test('what runs still or was skipped on purpose is no row', () => {
  const running = check({ isFinished: false, conclusion: null, finishedAt: null })
  expect(rowsOf(running, check({ conclusion: 'skipped' }), check({ conclusion: 'neutral' }))).toEqual([])
})

test('what the runner said tells that the machine was to blame', () => {
  const problemOf = (conclusion: string, annotations: readonly string[], more: Partial<ReportedCheck> = {}) => {
    const [row] = checkRowsOfHead(
      commit,
      { checks: [check({ conclusion, ...more })], workflowRuns: [] },
      new Map([[1, annotations]]),
    )
    return infrastructureProblem(row?.testContextRaw ?? '')
  }
  const exit = 'Process completed with exit code 1.'
  expect(problemOf('timed_out', [])).toBe('time-out')
  expect(problemOf('failure', ['The self-hosted runner lost communication with the server.'])).toBe('runner-lost')
  expect(problemOf('failure', [exit, 'No space left on device'])).toBe('disk-full')
  expect(problemOf('failure', [exit])).toBeNull()
  expect(problemOf('failure', [], { kind: 'status', title: 'The job has exceeded the time limit' })).toBe('time-out')
})

test('how a check ended, and with which code, is no word of why', () => {
  const signatureIn = (conclusion: string, ...annotations: string[]) => {
    const [row] = checkRowsOfHead(
      commit,
      { checks: [check({ conclusion })], workflowRuns: [] },
      new Map([[1, annotations]]),
    )
    return signatureOf('', row!.testContextRaw)
  }
  const endings = ['failure', 'error', 'timed_out', 'startup_failure', 'action_required', 'cancelled', 'stale']
  for (const conclusion of endings) {
    expect(signatureIn(conclusion, 'Process completed with exit code 1.')).toEqual({ kind: 'name', text: '' })
  }
  expect(signatureIn('failure', 'Process completed with exit code 1.', "'x' is not defined")).toEqual({
    kind: 'output',
    text: "'x' is not defined",
  })
})

test('a long text is cut between characters, a time that is not there is none', () => {
  const [row] = rowsOf(check({ summary: '\u{1f40c}'.repeat(5000), title: 'x', startedAt: null, finishedAt: null }))
  expect(row?.testContextRaw).toHaveLength(4000)
  expect(row?.testContextRaw.isWellFormed()).toBe(true)
  expect([row?.checkStartTime, row?.checkDurationMs]).toEqual([0, 0])
})
