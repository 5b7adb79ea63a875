import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, STEADY, writes } from './bot-setting.ts'

const PATH = '.github/perf-triage.yml'
const GATING =
  'mode: gating\nworkflows: [performance.yml]\nchecks: ["perf ({shard}/{shards})"]\nresults: [{ artifact: "results-{shard}" }]\n'

let setting: BotSetting
afterEach(() => expect(setting.github.violations).toEqual([]))

/** Milliseconds by which the bot's clock is ahead. */
let ahead = 0

async function settingWith(yaml: string, env: Record<string, string> = {}): Promise<void> {
  ahead = 0
  setting = await makeBotSetting({ files: { [PATH]: yaml }, env, bot: { now: () => Date.now() + ahead } })
  onTestFinished(() => setting.close())
  setting.github.setPermission(setting.repo, 'maria', 'write')
  setting.github.requests.length = 0
}

const open = (head: string): PullRequest =>
  setting.github.openPullRequest({ repo: setting.repo, head, author: 'alice', files: { 'a.cpp': head } })

/** A shard that measures a slower query; without its end it is under way. */
function begins(pull: PullRequest, shard = '1/1') {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: `perf (${shard})`, headSha: pull.head.sha, workflowRun: run })
  return { run, check, shard }
}

async function ends({ run, check, shard }: ReturnType<typeof begins>): Promise<void> {
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY.map((value) => value * 1.5) }]) })
  await setting.github.finishWorkflowRun(run, { artifacts: [{ name: `results-${shard[0]}`, zip }] })
  setting.github.finishCheckRun(check, 'success')
}

async function configure(yaml: string): Promise<void> {
  setting.github.commit(setting.repo, { branch: 'master', files: { [PATH]: yaml }, message: 'Configure' })
  await setting.settled()
}

test('in shadow everything is judged and shown, and nothing is written; advisory afterwards writes the first comment', async () => {
  await settingWith(GATING.replace('gating', 'shadow'))
  const pull = open('slow')
  await ends(begins(pull))
  await setting.settled()
  setting.github.comment(pull, 'maria', '/perf mute')
  setting.github.push(pull, { [PATH]: 'mode: [' })
  await ends(begins(pull))
  await setting.settled()
  expect(writes(setting)).toEqual([])
  const page = await fetch(`${setting.bot.url}/r/acme/engine/pull/${pull.number}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain(', shadow</dd>')
  // The trunk will say for the record whether it was there.
  setting.github.closePullRequest(pull, { merge: true, by: 'maria' })
  await setting.settled()
  const waiting = await setting.bot.inbox.merges.waiting(setting.repo.id, 9)
  expect(waiting).toMatchObject([{ pullRequestNumber: pull.number, findings: [{ test: 'sum' }] }])
  expect(writes(setting)).toEqual([])

  await configure(GATING)
  const third = open('under-way')
  await ends(begins(third, '1/2'))
  await setting.settled()
  expect(botChecks(setting, third.head.sha)).toMatchObject([{ status: 'in_progress' }])
  await configure(GATING.replace('gating', 'shadow'))
  await ends(begins(third, '2/2'))
  await setting.settled()
  expect(botChecks(setting, third.head.sha)).toMatchObject([{ conclusion: 'cancelled' }])

  await configure(GATING.replace('gating', 'advisory'))
  const again = open('slow-too')
  await ends(begins(again))
  await setting.settled()
  expect(botComments(again)).toHaveLength(1)
  expect(botChecks(setting, again.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
})

test('switched off for a repository nothing is judged, and a check under way is cancelled where it gates', async () => {
  await settingWith(GATING)
  const pull = open('slow')
  await ends(begins(pull, '1/2'))
  const running = begins(pull, '2/2')
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'in_progress' }])
  await configure(`${GATING}enabled: false\n`)
  await ends(running)
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'cancelled' }])
  expect(botComments(pull)).toHaveLength(1)
  expect(botComments(pull)[0]!.body).toContain('1 of 2 shards in')

  setting.github.requests.length = 0
  setting.github.comment(pull, 'maria', '/perf help')
  const other = open('other')
  await ends(begins(other))
  await setting.settled()
  expect(writes(setting)).toEqual([])

  await configure(GATING)
  expect(botChecks(setting, other.head.sha)).toEqual([])
  // An open pull request is looked at again by itself.
  ahead += 3600_000
  await setting.settled()
  expect(botChecks(setting, other.head.sha)).toMatchObject([{ conclusion: 'failure' }])
})

test('switched off as a whole it keeps what comes in, and does it when it is on again', async () => {
  const env: Record<string, string> = {}
  await settingWith(GATING, env)
  env['PERF_TRIAGE_ENABLED'] = 'false'
  await setting.restart()
  setting.github.requests.length = 0
  const pull = open('slow')
  await ends(begins(pull))
  await setting.github.idle()
  expect((await setting.bot.inbox.deliveries.counts()).received).toBeGreaterThan(0)
  expect(setting.github.requests).toEqual([])
  const ready = await fetch(`${setting.bot.url}/readyz`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({ isOn: false })

  env['PERF_TRIAGE_ENABLED'] = 'true'
  await setting.restart()
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  expect(botComments(pull)).toHaveLength(1)
})
