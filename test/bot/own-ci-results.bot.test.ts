import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botComments, makeBotSetting, rawRun, SLOWER, STEADY, writes } from './bot-setting.ts'

/** Failing tests where there is no CI database: from check runs and JUnit artifacts that the bot sees. */

let setting: BotSetting

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

const CHECK = 'Unit tests'

function junit(tests: Readonly<Record<string, string | null>>): Uint8Array {
  const cases = Object.entries(tests).map(([name, message]) =>
    message === null
      ? `<testcase name="${name}" time="0.1"/>`
      : `<testcase name="${name}" time="0.1"><failure message="${message}">${message}</failure></testcase>`,
  )
  return zipOf({ 'report.xml': `<testsuites><testsuite name="unit">${cases.join('')}</testsuite></testsuites>` })
}

/** One run of the unit tests on a pull request, or on the trunk; `tests` by name with the message of a failure. */
async function runTests(tests: Readonly<Record<string, string | null>>, pull?: PullRequest): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'CI', ...(pull === undefined ? {} : { pull }) })
  const check = github.startCheckRun(repo, { name: CHECK, headSha: run.headSha, workflowRun: run })
  const isRed = Object.values(tests).some((message) => message !== null)
  github.finishCheckRun(check, isRed ? 'failure' : 'success')
  await github.finishWorkflowRun(run, {
    conclusion: isRed ? 'failure' : 'success',
    artifacts: [{ name: 'junit-unit-tests', zip: junit(tests) }],
  })
  await setting.settled()
}

async function measure(pull: PullRequest): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, {
    artifacts: [
      { name: 'performance-results', zip: zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) }) },
    ],
  })
  await setting.settled()
}

function open(head: string): PullRequest {
  const { github, repo } = setting
  return github.openPullRequest({ repo, head, fork: { owner: `owner-of-${head}` } })
}

test('a failure of other pull requests is chronic, a new one is not', async () => {
  for (const head of ['one', 'two', 'three']) {
    const pull = open(head)
    await measure(pull)
    await runTests(
      { 'cache.evicts': `Timed out after ${head.length}00 ms waiting for eviction`, 'cache.fills': null },
      pull,
    )
  }
  const pull = open('four')
  await measure(pull)
  await runTests(
    { 'cache.evicts': 'Timed out after 900 ms waiting for eviction', 'cache.fills': 'expected full to be empty' },
    pull,
  )
  expect(botComments(pull)).toHaveLength(1)
  const { body } = botComments(pull)[0]!
  expect(body).toMatch(/\| `unit cache\.evicts` in \[`Unit tests`\].*<br>\*\*chronic\*\*/)
  expect(body).toContain('3 unrelated pull requests, 3 hits, 0 on the main branch in 60 days')
  expect(body).toMatch(/\| `unit cache\.fills` in \[`Unit tests`\].*<br>\*\*unknown\*\*/)
  expect(body).toContain('not seen in 3 executions elsewhere, but it takes 59 to be sure')
})

test('the trunk is taken in: what fails there too is broken there', async () => {
  const { github, repo } = setting
  for (const message of ['Segmentation fault in worker 1', 'Segmentation fault in worker 2']) {
    github.commit(repo, { branch: repo.defaultBranch, files: { 'a.txt': message } })
    await runTests({ 'worker.starts': message, 'worker.stops': null })
  }
  const pull = open('five')
  await measure(pull)
  await runTests({ 'worker.starts': 'Segmentation fault in worker 77', 'worker.stops': null }, pull)
  const { body } = botComments(pull)[0]!
  expect(body).toMatch(/\| `unit worker\.starts` in \[`Unit tests`\].*<br>\*\*broken on the main branch\*\*/)
})

test('a branch of a fork that is called like the trunk is not the trunk', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: repo.defaultBranch, fork: { owner: 'mallory' } })
  await measure(pull)
  await runTests({ 'disk.writes': 'No such device' }, pull)
  const other = open('six')
  await measure(other)
  await runTests({ 'disk.writes': 'No such device' }, other)
  expect(botComments(other)[0]!.body).toContain('1 unrelated pull request, 1 hit, 0 on the main branch')
})

test('everything delivered again writes nothing', async () => {
  const { github } = setting
  github.requests.length = 0
  for (const { guid } of github.deliveries) github.redeliver(guid)
  await setting.settled()
  expect(writes(setting)).toEqual([])
})
