import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  installApp,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
} from './bot-setting.ts'

let setting: BotSetting
let owners = 0

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

/** A repository of an account of its own, in which no other test installs anything. */
function ownRepository(): Repository {
  owners += 1
  // Commits of equal files in the same second have one id, by which checks are looked up in all repositories.
  return setting.github.createRepository({ owner: `owner-${owners}`, name: 'engine', files: { owner: `${owners}` } })
}

const ZIP = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

async function measured(pull: PullRequest): Promise<void> {
  const { github } = setting
  const run = github.startWorkflowRun(pull.repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: ZIP }] })
}

test('suspended, the App says nothing; let back in, it says what it missed at the next event', async () => {
  const { github } = setting
  const repo = ownRepository()
  const installation = installApp(github, repo.owner.login)
  const pull = github.openPullRequest({ repo, head: 'work' })
  await setting.settled()
  // The events are under way when somebody suspends it, and that event is lost: GitHub refuses everything.
  github.pauseDeliveries()
  await measured(pull)
  github.suspend(installation, true)
  github.resumeDeliveries((waiting) => waiting.filter(({ event }) => event !== 'installation'))
  await setting.settled()
  expect([botComments(pull), botChecks(setting, pull.head.sha)]).toEqual([[], []])
  github.suspend(installation, false)
  await setting.settled()
  github.setPermission(repo, 'maria', 'write')
  github.comment(pull, 'maria', '/perf refresh')
  await setting.settled()
  expect(botComments(pull).map(({ body }) => body)).toEqual([
    expect.stringMatching(/^### Query \[`sum #0`\]\(\S+\) got slower: /m),
  ])
})

test('a repository that moves to another owner keeps its comment, which then leads there', async () => {
  const { github } = setting
  const repo = ownRepository()
  installApp(github, repo.owner.login)
  const pull = github.openPullRequest({ repo, head: 'work' })
  await measured(pull)
  await setting.settled()
  const before = repo.owner.login
  expect(botComments(pull)[0]!.body).toContain(`/r/${before}/engine/`)
  owners += 1
  const after = `owner-${owners}`
  installApp(github, after)
  github.transferRepository(repo, after)
  await setting.settled()
  github.push(pull, { 'src/more.cpp': '// more' })
  await measured(pull)
  await setting.settled()
  expect(botComments(pull)).toHaveLength(1)
  expect(botComments(pull)[0]!.body).toContain(`/r/${after}/engine/`)
  expect(botComments(pull)[0]!.body).not.toContain(`/r/${before}/engine/`)
  const page = await fetch(`${setting.bot.url}/r/${after}/engine/pull/1`)
  expect(page.status).toBe(200)
})

test('a draft is judged as any other pull request', async () => {
  const { github } = setting
  const repo = ownRepository()
  installApp(github, repo.owner.login)
  const pull = github.openPullRequest({ repo, head: 'work', draft: true })
  await measured(pull)
  await setting.settled()
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed' }])
})

/** What an owner had agreed to before the App asked for more. */
const OLD = { metadata: 'read', contents: 'read', checks: 'write', pull_requests: 'write', actions: 'read' } as const

test('permissions that an owner has not agreed to yet are done without', async () => {
  const { github } = setting
  const repo = ownRepository()
  const events = ['check_run', 'check_suite', 'workflow_run', 'pull_request', 'issue_comment']
  github.install({ account: repo.owner.login, permissions: OLD, events })
  const pull = github.openPullRequest({ repo, head: 'work' })
  await measured(pull)
  await setting.settled()
  expect(botComments(pull).map(({ body }) => body)).toEqual([
    expect.stringMatching(/^### Query \[`sum #0`\]\(\S+\) got slower: /m),
  ])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed' }])
})

test('in the merge queue the check passes once; a branch that is only called so has none', async () => {
  const { github } = setting
  const repo = ownRepository()
  installApp(github, repo.owner.login)
  const inQueue = async (event: string, sha: string) => {
    const branch = `gh-readonly-queue/master/pr-7-${sha.repeat(40)}`
    const { sha: headSha } = github.commit(repo, { branch, files: { [`${sha}.cpp`]: sha } })
    const run = github.startWorkflowRun(repo, { name: 'Performance', branch, headSha, event })
    await setting.settled()
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: ZIP }] })
    await setting.settled()
    return botChecks(setting, headSha)
  }
  expect(await inQueue('merge_group', 'a')).toMatchObject([
    { conclusion: 'neutral', output: { title: 'Judged on #7' } },
  ])
  expect(await inQueue('push', 'b')).toEqual([])
})
