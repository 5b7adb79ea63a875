import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

let setting: BotSetting
let opened = 0

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

const RESULTS = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

function open(): PullRequest {
  opened += 1
  return setting.github.openPullRequest({ repo: setting.repo, head: `work-${opened}` })
}

async function finish(pull: PullRequest, zip: Uint8Array = RESULTS, retentionDays = 90): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip, retentionDays }] })
  await github.idle()
}

/** The next try of a triage that failed is half a minute away: the test does not wait for it. */
async function tryAgain(pull: PullRequest): Promise<void> {
  const { inbox, worker } = setting.bot
  const due = await inbox.triages.nextAt()
  const claim = await inbox.triages.claimNext(due ?? 0)
  if (claim !== null) await inbox.triages.finish(claim, { waitUntil: null }, Date.now())
  const { installationId, owner, repo } = (await inbox.installations.list())[0]!
  await inbox.triages.wake(
    { installationId, repositoryId: setting.repo.id, owner, repo, pullRequestNumber: pull.number, head: null },
    Date.now(),
  )
  worker.poke()
  await setting.settled()
}

async function failed(): Promise<string> {
  for (;;) {
    const [first] = await setting.bot.inbox.triages.failing(1)
    if (first) return first.lastError
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('an archive that is none: the check says so, and there is no comment', async () => {
  const pull = open()
  await finish(pull, Buffer.from('this is no archive'))
  await setting.settled()
  expect(botComments(pull)).toEqual([])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])
})

test('an archive without measurements, and an expired one', async () => {
  const empty = open()
  await finish(empty, zipOf({ 'readme.txt': 'nothing here' }))
  await setting.settled()
  expect(botChecks(setting, empty.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
  const expired = open()
  await finish(expired, RESULTS, -1)
  await setting.settled()
  expect(botChecks(setting, expired.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
})

test('a download that ends too early is tried again and then complete', async () => {
  const pull = open()
  setting.github.fault({ path: /^\/artifacts\//, times: 1, kind: 'truncate' })
  await finish(pull)
  await setting.settled()
  await tryAgain(pull)
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ output: { title: '1 of 1 query got slower' } }])
})

test('GitHub fails in the middle of writing: one comment, one check run after the next try', async () => {
  const pull = open()
  setting.github.fault({ method: 'POST', path: /check-runs$/, times: 1, kind: 'status', status: 500 })
  await finish(pull)
  expect(await failed()).toContain('Server Error')
  await tryAgain(pull)
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecks(setting, pull.head.sha)).toHaveLength(1)
})

test('a comment that GitHub took but whose answer was lost is not posted twice', async () => {
  const pull = open()
  setting.github.fault({ method: 'POST', path: /comments$/, times: 1, kind: 'truncate' })
  await finish(pull)
  await failed()
  await tryAgain(pull)
  expect(botComments(pull)).toHaveLength(1)
})
