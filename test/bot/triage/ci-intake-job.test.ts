import { expect, test } from 'vitest'
import type { CheckedCommit } from '../../../src/bot/triage/check-rows.ts'
import { jobOfArtifact } from '../../../src/bot/triage/ci-intake-job.ts'
import type { Artifact } from '../../../src/github/artifacts.ts'
import type { ReportedCheck, ReportedWorkflowRun } from '../../../src/github/performance-checks.ts'

const commit: CheckedCommit = {
  repository: { owner: 'acme', name: 'engine', url: 'https://github.test/acme/engine' },
  commitSha: 'b'.repeat(40),
  trunk: 'main',
  pullRequest: { number: 1, baseRef: 'main', headRepo: 'acme/engine', headRef: 'work' },
}

const BEGAN = '2026-11-20T09:00:00Z'
const ENDED = '2026-11-20T09:30:00Z'

const run: ReportedWorkflowRun = {
  id: 5,
  name: 'CI',
  path: '.github/workflows/ci.yml',
  attempt: 1,
  isFinished: true,
  conclusion: 'failure',
  url: 'https://github.test/acme/engine/actions/runs/5',
  checkSuiteId: 10,
  startedAt: BEGAN,
  finishedAt: ENDED,
  event: 'pull_request',
  headBranch: 'work',
  headRepository: 'acme/engine',
}

let lastId = 0
const job = (name: string, conclusion: string | null = 'success', more: Partial<ReportedCheck> = {}): ReportedCheck => {
  lastId += 1
  return {
    kind: 'check-run',
    id: lastId,
    name,
    isFinished: conclusion !== null,
    conclusion,
    url: `https://github.test/acme/engine/runs/${name}`,
    startedAt: '2026-11-20T09:01:00Z',
    finishedAt: conclusion === null ? null : '2026-11-20T09:20:00Z',
    checkSuiteId: 10,
    appId: 1,
    title: '',
    summary: '',
    annotations: 0,
    ...more,
  }
}

const artifact = (name: string, createdAt = '2026-11-20T09:19:00Z'): Artifact => ({
  id: 1,
  name,
  isExpired: false,
  bytes: 1,
  createdAt,
  workflowRunId: 5,
})

/** The name of the check, or why there is none. */
function checkOf(name: string, jobs: readonly ReportedCheck[], of = run): string {
  const found = jobOfArtifact(commit, artifact(name), of, jobs)
  return found.kind === 'job' ? found.job.checkName : found.kind
}

test('the job that the artifact names, word by word, the longest of several', () => {
  const jobs = [
    job('Unit tests'),
    job('Unit tests (asan, 1/4)'),
    job('Unit tests (asan, 2/4)', 'failure'),
    job('Unit tests (asan, 1/40)'),
    job('Style'),
  ]
  expect(checkOf('junit-unit-tests-asan-1-4', jobs)).toBe('Unit tests (asan, 1/4)')
  expect(checkOf('junit_Unit_tests_asan_1_40', jobs)).toBe('Unit tests (asan, 1/40)')
  expect(checkOf('unit-tests-junit', jobs)).toBe('Unit tests')
  // A failed job is no better guess than the name.
  expect(checkOf('junit-unit-tests-tsan', jobs)).toBe('Unit tests')
  // "Style" is no word of it.
  expect(checkOf('junit-lifestyle', jobs)).toBe('Unit tests (asan, 2/4)')
})

test('without a name: the only job, else the only one that failed, else the workflow', () => {
  expect(checkOf('junit', [job('build')])).toBe('build')
  expect(checkOf('junit', [job('build'), job('check', 'timed_out'), job('skipped one', 'skipped')])).toBe('check')
  expect(checkOf('junit', [job('build'), job('check')])).toBe('CI')
  expect(checkOf('junit', [job('build', 'failure'), job('check', 'failure')])).toBe('CI')
  expect(checkOf('junit', [])).toBe('CI')
  // Both are named, neither more than the other.
  expect(checkOf('junit-linux-macos', [job('linux'), job('macos', 'failure')])).toBe('macos')
})

test('jobs of other workflow runs and statuses are none of this one', () => {
  const others = [job('linux', 'failure', { checkSuiteId: 11 }), job('linux', 'failure', { checkSuiteId: null })]
  expect(checkOf('junit-linux', others)).toBe('CI')
  expect(checkOf('junit-linux', [...others, job('test')])).toBe('test')
  expect(checkOf('junit-linux', others, { ...run, checkSuiteId: null })).toBe('CI')
})

test('before the run has ended only a job that is named and has ended is known', () => {
  const running = { ...run, isFinished: false, conclusion: null, finishedAt: null }
  expect(checkOf('junit-linux', [job('linux', 'failure'), job('macos', null)], running)).toBe('linux')
  expect(checkOf('junit-macos', [job('linux', 'failure'), job('macos', null)], running)).toBe('waits')
  expect(checkOf('junit', [job('linux', 'failure'), job('macos', null)], running)).toBe('waits')
})

test('of a run that has ended, a job that is not named is known when all jobs have ended', () => {
  expect(checkOf('junit', [job('linux', null)])).toBe('waits')
  expect(checkOf('junit', [job('linux', 'failure'), job('macos', null)])).toBe('waits')
})

test('results of an attempt that another has replaced are not those of the new one', () => {
  const again = { ...run, attempt: 2, startedAt: '2026-11-20T10:00:00Z', finishedAt: '2026-11-20T10:30:00Z' }
  const reran = job('linux', 'success', { startedAt: '2026-11-20T10:01:00Z' })
  const kept = job('macos')
  expect(checkOf('junit-linux', [reran, kept], again)).toBe('older')
  expect(checkOf('junit-macos', [reran, kept], again)).toBe('macos')
  expect(checkOf('junit', [reran, kept], again)).toBe('older')
})

test('times, addresses and status are those of the job, which its own row has, too', () => {
  const found = jobOfArtifact(commit, artifact('junit-linux'), run, [job('linux', 'failure')])
  expect(found).toMatchObject({
    kind: 'job',
    job: {
      checkStatus: 'failure',
      checkStartTime: Date.parse('2026-11-20T09:01:00Z'),
      checkDurationMs: 19 * 60_000,
      reportUrl: 'https://github.test/acme/engine/runs/linux',
      taskUrl: run.url,
      workflowName: 'CI',
      headRepo: 'acme/engine',
    },
  })
  expect(jobOfArtifact(commit, artifact('junit'), run, [])).toMatchObject({
    kind: 'job',
    job: { checkName: 'CI', checkStatus: 'failure', checkStartTime: Date.parse(BEGAN), reportUrl: run.url },
  })
})
