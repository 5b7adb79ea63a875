import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { engineOfRun } from '../store/embedded/engine-fixture.ts'
import { type BotSetting, botChecks, botComments, countRows, makeBotSetting, recordedArtifact } from './bot-setting.ts'
import { Switchable } from './switchable.ts'

let setting: BotSetting
let database: Switchable
/** Milliseconds by which the bot's clock is behind: what is due by itself is not, until that is over. */
let behind = 0

beforeAll(async () => {
  database = new Switchable(engineOfRun().url)
  const url = await database.listen()
  database.isOn = true
  const bot = { databaseIntervalMs: 200, now: () => Date.now() - behind }
  setting = await makeBotSetting({ bot, env: { CLICKHOUSE_URL: url } })
})
afterAll(async () => {
  await setting.close()
  database.close()
})

test('while the database is down webhooks are taken and the check says why; when it is back all is made good', {
  timeout: 120_000,
}, async () => {
  const { github, repo } = setting
  const { inbox } = setting.bot
  database.off()
  const pull = github.openPullRequest({ repo, head: 'work' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
  await github.idle()
  expect(github.deliveries.every(({ statusCode }) => statusCode === 200)).toBe(true)
  await expect
    .poll(() => botChecks(setting, pull.head.sha).map(({ conclusion, output }) => [conclusion, output.title]), {
      timeout: 60_000,
    })
    .toEqual([['neutral', expect.stringContaining('can’t reach its database')]])
  expect(botComments(pull)).toEqual([])
  expect((await fetch(`${setting.bot.url}/readyz`)).status).toBe(503)
  expect((await fetch(`${setting.bot.url}/r/acme/engine/pull/1`)).status).toBe(503)
  expect((await inbox.triages.failing(1))[0]!.lastError).toContain('StoreUnavailable')

  // Its own next try is half a minute away.
  behind = 10 * 60_000
  database.isOn = true
  await expect.poll(() => botComments(pull).length, { timeout: 60_000 }).toBe(1)
  behind = 0
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    {
      output: {
        title: '7 of 67 queries got slower, 13 got faster',
      },
    },
  ])
  expect((await fetch(`${setting.bot.url}/readyz`)).status).toBe(200)
  expect(github.violations).toEqual([])
})

test('a question that needs the database waits for it, and is answered once; a command that does not is done meanwhile', async () => {
  const { github, repo } = setting
  const asked = vi.spyOn(setting.bot.store.reports, 'of')
  const pull = github.openPullRequest({ repo, head: 'asked', author: 'alice' })
  await setting.settled()
  database.off()
  const question = github.comment(pull, 'stranger', '/perf explain sum')
  const command = github.comment(pull, 'alice', '/perf help')
  await expect.poll(() => asked.mock.settledResults.map(({ type }) => type)).toContain('rejected')
  await expect.poll(() => command.reactions).toHaveLength(1)
  expect(question.reactions).toEqual([])
  database.isOn = true
  await expect.poll(() => question.reactions, { timeout: 60_000 }).toHaveLength(1)
  await expect
    .poll(() => botComments(pull).map(({ body }) => body))
    .toContainEqual(expect.stringContaining('no report of this pull'))
  asked.mockRestore()
})

test('one statement that is never answered is no database that is away: its triage backs off alone', async () => {
  const { github, repo } = setting
  const { inbox, store } = setting.bot
  const asked = vi.spyOn(store.reports, 'before').mockRejectedValue(new StoreUnavailable('did not answer within 30 s'))
  const pull = github.openPullRequest({ repo, head: 'slow' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
  await expect
    .poll(async () => (await inbox.triages.failing(1))[0]?.lastError, { timeout: 60_000 })
    .toContain('within 30 s')
  expect(await inbox.triages.wantsDatabase(Date.now())).toBe(false)
  expect((await inbox.triages.nextAt())! - Date.now()).toBeGreaterThan(15_000)
  asked.mockRestore()
})

test.each([
  ['the check is concluded', 1, { status: 'completed', title: '7 of 67 queries got slower, 13 got faster' }],
  [
    'a shard is awaited',
    2,
    {
      status: 'in_progress',
      title: '1 of 2 shards in; so far 7 of 67 queries got slower, 13 got faster',
    },
  ],
])('a run that can’t be stored keeps neither comment nor check from coming: %s', async (_when, shards, said) => {
  const { github, repo } = setting
  const { store } = setting.bot
  const gating =
    'mode: gating\nchecks: ["Performance {shard}/{shards}"]\nresults: [{ artifact: "performance-{shard}" }]\n'
  github.commit(repo, { branch: repo.defaultBranch, files: { '.github/perf-triage.yml': gating } })
  const before = await countRows(setting, 'runs')
  const saved = vi.spyOn(store.runs, 'save').mockRejectedValueOnce(new StoreUnavailable('did not answer within 30 s'))
  const pull = github.openPullRequest({ repo, head: `unstored-${shards}`, author: 'alice' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const name = `Performance 1/${shards}`
  const check = github.startCheckRun(repo, { name, headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-1', zip: recordedArtifact() }] })
  github.finishCheckRun(check, 'success')
  await expect.poll(() => saved.mock.settledResults.map(({ type }) => type)).toContain('rejected')
  await setting.settled()
  const state = () => botChecks(setting, pull.head.sha).map(({ status, output }) => ({ status, title: output.title }))
  expect(state()).toEqual([{ status: said.status, title: expect.stringContaining(said.title) as string }])
  expect(botComments(pull)[0]!.body).toContain('7 of 67 queries got slower')
  expect(await countRows(setting, 'runs')).toBe(before)

  const bodies = botComments(pull).map(({ body }) => body)
  github.comment(pull, 'alice', '/perf refresh')
  await setting.settled()
  expect(await countRows(setting, 'runs')).toBe(before + 1)
  expect(botComments(pull).map(({ body }) => body)).toEqual(bodies)
  expect(state()).toEqual([{ status: said.status, title: expect.stringContaining(said.title) as string }])
  saved.mockRestore()
})

test('a look whose work another process has taken writes neither comment nor run', async () => {
  const { github, repo } = setting
  const { store, inbox } = setting.bot
  const before = await countRows(setting, 'runs')
  const saved = vi.spyOn(store.runs, 'save')
  const held = vi.spyOn(inbox.triages, 'holds').mockResolvedValue(false)
  const pull = github.openPullRequest({ repo, head: 'taken', author: 'alice' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: 'Performance 1/1', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-1', zip: recordedArtifact() }] })
  github.finishCheckRun(check, 'success')
  await expect.poll(() => held.mock.calls.length).toBeGreaterThan(3)
  expect(saved).not.toHaveBeenCalled()
  expect(botComments(pull)).toEqual([])
  held.mockRestore()
  await setting.settled()
  expect(botComments(pull)).toHaveLength(1)
  expect(await countRows(setting, 'runs')).toBe(before + 1)
  saved.mockRestore()
})
