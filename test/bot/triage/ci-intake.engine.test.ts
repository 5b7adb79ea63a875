import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { zipOf } from '../../../demo/github/zip.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { storeOn } from '../../../src/store/store.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { type IntakeSetting, junitFile, makeIntakeSetting, runJob, takeIn } from './ci-intake-setting.ts'

let setting: IntakeSetting

beforeEach(async () => {
  setting = await makeIntakeSetting()
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  expect(setting.leftInScratch()).toEqual([])
  await setting.close()
})

const zipped = (name: string, ...files: readonly string[]) => ({
  name,
  zip: zipOf(Object.fromEntries(files.map((file) => [`reports/${file}`, junitFile(file)]))),
})

/** By status, of the rows of a check's tests. */
function countsOf(checkName: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of setting.stored) {
    if (row.checkName !== checkName || row.testName === '') continue
    counts[row.testStatus] = (counts[row.testStatus] ?? 0) + 1
  }
  return counts
}

test('the jobs of a head and the tests in their artifacts, with the counts that the source states', async () => {
  const { github, repo, stored } = setting
  const pull = github.openPullRequest({ repo, head: 'fix', fork: { owner: 'carol' } })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'Spark (pytest)', 'failure')
  runJob(setting, run, 'Elastic (pytest)', 'success')
  github.setStatus(repo, pull.head.sha, { context: 'external/lint', state: 'error', description: 'agent lost' })
  await github.finishWorkflowRun(run, {
    conclusion: 'failure',
    artifacts: [
      zipped('junit-spark-pytest', 'junit.fail.xml'),
      zipped('junit-elastic-pytest', 'junit.gloo.elastic.xml'),
      zipped('coverage', 'junit.fail.xml'),
    ],
  })
  expect(await takeIn(setting, pull)).toEqual({ rows: 3 + 5 + 14, problems: [], isWhole: true, isComplete: true })
  expect(countsOf('Spark (pytest)')).toEqual({ OK: 3, SKIPPED: 1, FAIL: 1 })
  expect(countsOf('Elastic (pytest)')).toEqual({ OK: 10, SKIPPED: 4 })

  const jobs = stored.filter(({ testName }) => testName === '')
  expect(jobs.map(({ checkName, checkStatus, testContextRaw }) => [checkName, checkStatus, testContextRaw])).toEqual([
    ['Elastic (pytest)', 'success', ''],
    ['Spark (pytest)', 'failure', ''],
    ['external/lint', 'error', 'agent lost'],
  ])
  const failure = stored.find(({ testStatus }) => testStatus === 'FAIL')
  const job = jobs.find(({ checkName }) => checkName === 'Spark (pytest)')
  expect(failure).toMatchObject({
    ...job,
    testName: 'test/test_spark.py::SparkTests::test_rsh_events',
    testStatus: 'FAIL',
    testDurationMs: 7541,
    testContextRaw: expect.stringContaining('AssertionError: 143 != 0'),
    attributes: expect.any(String),
  })
  expect(job).toMatchObject({
    pullRequestNumber: pull.number,
    commitSha: pull.head.sha,
    baseRef: 'master',
    baseRepo: '',
    headRef: 'fix',
    headRepo: 'carol/ClickHouse',
    workflowName: 'CI',
  })
  // GitHub's times are of whole seconds.
  expect([60_000, 61_000]).toContain(job!.checkDurationMs)
})

test('nothing new costs no call beyond those that read the head, and stores nothing', async () => {
  const { github, repo, stored, context, asked } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure', {
    annotations: [
      { path: '.github', start_line: 1, end_line: 1, annotation_level: 'failure', message: 'exit code 1' },
      { path: '.github', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'Node 20 is old' },
    ],
  })
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('test-results', 'junit.fail.xml')] })
  const reading = {
    'checks/list-for-ref': 1,
    'repos/list-commit-statuses-for-ref': 1,
    'actions/list-workflow-runs-for-repo': 1,
  }
  asked()
  expect(await takeIn(setting, pull)).toMatchObject({ rows: 6 })
  expect(asked()).toEqual({
    ...reading,
    'checks/list-annotations': 1,
    'actions/list-workflow-run-artifacts': 1,
    'actions/download-artifact': 1,
    blob: 1,
  })
  expect(stored.find(({ testName }) => testName === '')?.testContextRaw).toBe('exit code 1')
  const first = [...stored]
  for (let again = 0; again < 3; again += 1) {
    expect(await takeIn(setting, pull)).toEqual({ rows: 0, problems: [], isWhole: true, isComplete: true })
    expect(asked()).toEqual(reading)
  }
  expect(stored).toEqual(first)
  // After a restart the very same rows are stored once more, which the table takes as one.
  expect(await takeIn(setting, pull, setting.restarted())).toMatchObject({ rows: 6 })
  expect(stored.slice(first.length)).toEqual(first)
  expect(context.taken.has('unheard of')).toBe(false)
})

test('a run in progress: what has ended is taken in, the rest when it has', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  const slow = github.startCheckRun(repo, { name: 'slow', headSha: pull.head.sha, workflowRun: run })
  runJob(setting, run, 'quick', 'failure')
  expect(await takeIn(setting, pull)).toEqual({ rows: 1, problems: [], isWhole: true, isComplete: false })
  github.finishCheckRun(slow, 'success')
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('junit', 'junit.fail.xml')] })
  expect(await takeIn(setting, pull)).toEqual({ rows: 6, problems: [], isWhole: true, isComplete: true })
  expect(countsOf('quick')).toEqual({ OK: 3, SKIPPED: 1, FAIL: 1 })
})

test('a run that ends while the head is read: its tests are of the job that its own row tells of', async () => {
  const { github, octokit, repo, stored } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'Unit tests', pull })
  github.advance(60_000)
  const ended = Promise.withResolvers<void>()
  let isFirst = true
  octokit.hook.wrap('request', async (request, options) => {
    const isListing = options.url.includes('/repos/')
    if (isListing && !isFirst) await ended.promise
    const ends = isListing && isFirst
    if (isListing) isFirst = false
    const response = await request(options)
    if (ends) {
      runJob(setting, run, 'Unit tests', 'failure')
      await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('junit', 'junit.fail.xml')] })
      ended.resolve()
    }
    return response
  })
  expect(await takeIn(setting, pull)).toMatchObject({ isComplete: false })
  expect(await takeIn(setting, pull)).toMatchObject({ rows: 5, isComplete: true })
  expect(new Set(stored.map(({ checkName, checkStartTime }) => `${checkName} ${checkStartTime}`)).size).toBe(1)
})

test('a second attempt is executions of its own, and the first one does not stand for it', async () => {
  const { github, repo, stored } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('junit-test', 'junit.fail.xml')] })
  await takeIn(setting, pull)
  github.advance(60_000)
  github.rerunWorkflow(run)
  runJob(setting, run, 'test', 'success')
  // The artifact of the first attempt is still listed; nothing was uploaded yet.
  const restarted = setting.restarted()
  expect(await takeIn(setting, pull, restarted)).toMatchObject({ rows: 1, isComplete: false })
  await github.finishWorkflowRun(run, { artifacts: [zipped('junit-test', 'junit.gloo.elastic.xml')] })
  expect(await takeIn(setting, pull, restarted)).toEqual({ rows: 14, problems: [], isWhole: true, isComplete: true })
  const starts = [...new Set(stored.map(({ checkStartTime }) => checkStartTime))]
  expect(starts).toHaveLength(2)
  expect(stored.filter(({ checkStartTime }) => checkStartTime === starts[1])).toHaveLength(15)
  expect(countsOf('test')).toEqual({ OK: 13, SKIPPED: 5, FAIL: 1 })
})

test('our own check runs, performance checks and their artifacts are no CI results', async () => {
  const { github, octokit, repo, at, stored } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  await octokit.rest.checks.create({ ...at, name: 'perf-triage', head_sha: pull.head.sha, conclusion: 'failure' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  runJob(setting, run, 'Performance Comparison (amd)', 'failure')
  const artifacts = [zipped('performance-test-results', 'junit.fail.xml')]
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  const context = { ...setting.context, isLeftOut: (name: string) => name.startsWith('Performance') }
  expect(await takeIn(setting, pull, context)).toEqual({ rows: 0, problems: [], isWhole: true, isComplete: true })
  expect(stored).toEqual([])
})

test('what cannot be read is said, what can be read stands, and neither is fetched again', async () => {
  const { github, repo, asked } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  const good = junitFile('junit.fail.xml')
  const mixed = zipOf({
    'a/pom.xml': '<?xml version="1.0"?><project><name>x</name></project>',
    'b/corrupt.xml': junitFile('corrupt-xml.xml'),
    'b/empty.xml': '',
    'c/good.xml': good,
    'd/notes.txt': 'not XML',
    '__MACOSX/c/._good.xml': 'not XML either',
  })
  await github.finishWorkflowRun(run, {
    conclusion: 'failure',
    artifacts: [
      { name: 'junit-mixed', zip: mixed },
      { name: 'junit-no-zip', zip: Buffer.from('this is no zip') },
      { name: 'junit-gone', zip: mixed, retentionDays: 0 },
    ],
  })
  const { rows, problems, isComplete } = await takeIn(setting, pull)
  expect(new Set(problems.map(({ artifact, problem }) => `${artifact} ${problem}`))).toEqual(
    new Set(['junit-gone expired', 'junit-mixed unreadable', 'junit-no-zip unreadable']),
  )
  expect(problems.find(({ artifact }) => artifact === 'junit-mixed')?.message).toBe(
    'b/corrupt.xml: column 21: unclosed tag: skipped; the rest is skipped',
  )
  // The job, the five of the good file, the one before the corrupt one breaks off.
  expect([rows, isComplete]).toEqual([7, true])
  expect(countsOf('test')).toEqual({ OK: 4, SKIPPED: 1, FAIL: 1 })
  asked()
  expect(await takeIn(setting, pull)).toEqual({ rows: 0, problems: [], isWhole: false, isComplete: true })
  expect(asked()).not.toHaveProperty('blob')
})

test('a download that fails is tried again, a host that is not allowed is not', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('junit', 'junit.fail.xml')] })
  github.fault({ path: /^\/artifacts\//, times: 1, kind: 'truncate' })
  const failed = await takeIn(setting, pull)
  expect(failed).toMatchObject({ rows: 1, problems: [{ problem: 'download-failed' }], isComplete: false })
  expect(await takeIn(setting, pull)).toEqual({ rows: 5, problems: [], isWhole: true, isComplete: true })

  const strict = { ...setting.restarted(), isAllowedHost: () => false }
  const refused = await takeIn(setting, pull, strict)
  expect(refused).toMatchObject({ rows: 1, problems: [{ problem: 'host-not-allowed' }], isComplete: true })
  expect(await takeIn(setting, pull, strict)).toEqual({ rows: 0, problems: [], isWhole: false, isComplete: true })
})

test('a download that always fails is given up after three tries', async () => {
  const { github, repo, asked } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  const artifacts = [zipped('junit-a', 'junit.fail.xml'), zipped('junit-b', 'junit.gloo.elastic.xml')]
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  const bad = run.artifacts.find(({ name }) => name === 'junit-b')!
  github.fault({ path: new RegExp(`^/artifacts/${bad.id}`), times: 100, kind: 'disconnect' })
  const failed = [{ artifact: 'junit-b', problem: 'download-failed' }]
  expect(await takeIn(setting, pull)).toMatchObject({ rows: 1 + 5, problems: failed, isComplete: false })
  expect(await takeIn(setting, pull)).toMatchObject({ rows: 5, problems: failed, isComplete: false })
  expect(await takeIn(setting, pull)).toMatchObject({ rows: 5, problems: failed, isComplete: true })
  asked()
  expect(await takeIn(setting, pull)).toEqual({ rows: 0, problems: [], isWhole: false, isComplete: true })
  expect(asked()).not.toHaveProperty('blob')
})

test('an archive that is a bomb ends early and harms nobody', async () => {
  const { github, repo, stored } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  const bomb = `<testsuite><testcase name="a"><failure>${'\n'.repeat(20 * 1024 ** 2)}</failure></testcase></testsuite>`
  const artifacts = [{ name: 'junit', zip: zipOf({ 'bomb.xml': bomb, 'good.xml': junitFile('junit.fail.xml') }) }]
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  expect(await takeIn(setting, pull)).toMatchObject({ problems: [{ problem: 'unreadable' }], isComplete: true })
  expect(stored.filter(({ testStatus }) => testStatus === 'FAIL')).toHaveLength(1)
})

test('in the real table: two executions of a test in one job are two, all of it stored twice is once', async () => {
  const clickhouse = await openClickHouse(await migratedDatabase())
  const { ciResults } = storeOn(clickhouse)
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  // The failing tests were run again by the job, which keeps the results of both in artifacts of their own.
  const artifacts = [zipped('junit-test', 'junit.fail.xml'), zipped('junit-test-retry', 'junit.fail.xml')]
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  for (let start = 0; start < 2; start += 1) {
    const context = { ...setting.restarted(), ciResults }
    expect(await takeIn(setting, pull, context)).toEqual({ rows: 11, problems: [], isWhole: true, isComplete: true })
  }
  const counts = await clickhouse.read(
    'executions',
    'SELECT test_status AS status, toUInt32(count()) AS executions FROM checks FINAL GROUP BY status ORDER BY status',
    {},
    z.object({ status: z.string(), executions: z.number() }),
  )
  expect(counts.map(({ status, executions }) => [status, executions])).toEqual([
    ['', 1],
    ['FAIL', 2],
    ['OK', 6],
    ['SKIPPED', 2],
  ])
  await clickhouse.close()
})

test('a commit that is the head of two pull requests has rows of each', async () => {
  const { github, repo, stored } = setting
  const one = github.openPullRequest({ repo, head: 'fix' })
  const other = github.openPullRequest({ repo, head: 'fix', base: 'master' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull: one })
  runJob(setting, run, 'test', 'failure')
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [zipped('junit', 'junit.fail.xml')] })
  await takeIn(setting, one)
  await takeIn(setting, other)
  const numbers = Map.groupBy(stored, ({ pullRequestNumber }) => pullRequestNumber)
  expect([...numbers].map(([number, rows]) => [number, rows.length])).toEqual([
    [one.number, 6],
    [other.number, 6],
  ])
})

test('names of artifacts are those of the configuration', async () => {
  const { github, repo } = setting
  const config = { ...DEFAULT_CONFIG, ledger: { ...DEFAULT_CONFIG.ledger, junit: ['unit-*'] } }
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'linux', 'failure')
  const artifacts = [zipped('unit-linux', 'junit.fail.xml'), zipped('junit-linux', 'junit.gloo.elastic.xml')]
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  expect(await takeIn(setting, pull, { ...setting.context, config })).toMatchObject({ rows: 6 })
})

test('a workflow with very many artifacts is read in part', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'fix' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  runJob(setting, run, 'test', 'failure')
  const zip = zipOf({ 'a.xml': '<testsuite><testcase name="a"/></testsuite>' })
  const artifacts = Array.from({ length: 201 }, (_, index) => ({ name: `junit-${index}`, zip }))
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
  const { rows, problems } = await takeIn(setting, pull)
  expect(rows).toBe(1 + 200)
  expect(problems.map(({ problem, message }) => [problem, message])).toEqual([
    ['too-many', 'CI: 200 of the 201 artifacts that may have test results are read'],
  ])
  expect(await takeIn(setting, pull)).toEqual({ rows: 0, problems: [], isWhole: false, isComplete: true })
})
