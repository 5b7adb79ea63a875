import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { CheckRun, PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
  writes,
} from './bot-setting.ts'

// What was lost or broken heals by the bot's own schedule. Its clock is the test's: nobody waits for ten minutes.

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let setting: BotSetting
let opened = 0
let ahead = 0

beforeAll(async () => {
  setting = await makeBotSetting({
    files: {
      '.github/perf-triage.yml':
        'mode: gating\nworkflows: [performance.yml]\nchecks: ["perf ({shard}/{shards})"]\nresults: [{ artifact: "results-{shard}" }]\n',
    },
    bot: { now: () => Date.now() + ahead },
  })
})
beforeEach(() => {
  ahead = 0
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

function open(): PullRequest {
  opened += 1
  return setting.github.openPullRequest({ repo: setting.repo, head: `work-${opened}` })
}

/** Moves the bot's clock and lets it do what is due then. */
async function later(milliseconds: number): Promise<void> {
  ahead += milliseconds
  setting.bot.worker.poke()
  await setting.settled()
}

async function shardIn(pull: PullRequest, shard: string, fresh: readonly number[]): Promise<CheckRun> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, {
    name: `Performance ${shard}`,
    pull,
    path: '.github/workflows/performance.yml',
  })
  const check = github.startCheckRun(repo, { name: `perf (${shard})`, headSha: pull.head.sha, workflowRun: run })
  // Of each pull request another query: one that is flagged in several is nobody's regression.
  const zip = zipOf({ 'sum-raw.tsv': rawRun(`sum ${shard[0]} of ${pull.head.ref}`, [{ old: STEADY, new: fresh }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: `results-${shard[0]}`, zip }] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
  return check
}

const titles = (pull: PullRequest) => botChecks(setting, pull.head.sha).map(({ output }) => output.title)

test('a download that failed is tried again, without any event', async () => {
  const pull = open()
  setting.github.fault({ path: /^\/artifacts\//, times: 50, kind: 'status', status: 503 })
  await shardIn(pull, '1/1', SLOWER)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'failure' }])
  setting.github.clearFaults()
  await later(MINUTE)
  expect(titles(pull)).toEqual(['1 of 1 query got slower'])
  expect(botComments(pull)).toHaveLength(1)
})

test('a shard that never comes is waited for six hours, and no longer', async () => {
  const pull = open()
  await shardIn(pull, '1/2', STEADY)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'in_progress' }])
  await later(5 * HOUR)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'in_progress' }])
  await later(2 * HOUR)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'failure' }])
  expect((await setting.bot.inbox.triages.counts()).waiting).toBe(0)
})

test('GitHub can’t be written to for a while: nothing is lost and nothing is there twice', async () => {
  const pull = open()
  setting.github.fault({ method: 'POST', path: /comments$/, times: 3, kind: 'status', status: 500 })
  await shardIn(pull, '1/1', SLOWER)
  for (let round = 0; round < 6 && botComments(pull).length === 0; round += 1) await later(5 * MINUTE)
  await later(5 * MINUTE)
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
})

test('a check run whose creation was never answered is concluded after a push', async () => {
  const { github } = setting
  const pull = open()
  github.fault({ method: 'POST', path: /check-runs$/, times: 1, kind: 'truncate' })
  await shardIn(pull, '1/2', STEADY)
  const first = pull.head.sha
  github.push(pull, { 'a.cpp': '1' })
  await later(5 * MINUTE)
  expect(botChecks(setting, first)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])
})

test('"Re-run" on the bot’s own check writes, though nothing has changed', async () => {
  const { github } = setting
  const pull = open()
  await shardIn(pull, '1/1', SLOWER)
  const [check] = botChecks(setting, pull.head.sha)
  github.requests.length = 0
  github.rerequestCheckRun(check!, 'alice')
  await setting.settled()
  expect(writes(setting)).toEqual([expect.stringMatching(/^PATCH .*check-runs/)])
})

test('"Re-run" is not forgotten by a restart before its write', async () => {
  const { github } = setting
  const pull = open()
  await shardIn(pull, '1/1', SLOWER)
  const [check] = botChecks(setting, pull.head.sha)
  // After this answer GitHub's client does not ask again by itself, for 14 seconds as after a 500.
  github.fault({ method: 'PATCH', path: /check-runs/, times: 1, kind: 'status', status: 400 })
  github.rerequestCheckRun(check!, 'alice')
  await expect
    .poll(async () => (await setting.bot.inbox.triages.failing(50)).map(({ pullRequestNumber }) => pullRequestNumber))
    .toContain(pull.number)
  github.requests.length = 0
  await setting.restart()
  await later(5 * MINUTE)
  expect(writes(setting)).toEqual([expect.stringMatching(/^PATCH .*check-runs/)])
})

test('after a push the comment says that its results are of the head before', async () => {
  const { github } = setting
  const pull = open()
  await shardIn(pull, '1/1', SLOWER)
  const first = pull.head.sha
  github.push(pull, { 'a.cpp': '1' })
  await setting.settled()
  const { body } = botComments(pull)[0]!
  // Flagged in the pull requests of the tests before, too.
  expect(body).toMatch(new RegExp(`slower.* at \`${first.slice(0, 7)}\``))
  expect(body).toContain(`\`${pull.head.sha.slice(0, 7)}\``)
})

test('a re-run that ends without results is said, and what it left behind does not stand for it', async () => {
  const { github, repo } = setting
  const pull = open()
  const run = github.startWorkflowRun(repo, {
    name: 'Performance again',
    pull,
    path: '.github/workflows/performance.yml',
  })
  const first = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum again', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results-1', zip }] })
  github.finishCheckRun(first, 'success')
  await setting.settled()
  expect(titles(pull)).toEqual(['1 of 1 query got slower'])

  github.advance(10_000)
  github.rerunWorkflow(run)
  github.advance(2000)
  const second = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { conclusion: 'failure', artifacts: [] })
  github.finishCheckRun(second, 'failure')
  await setting.settled()
  expect(titles(pull)).toEqual(['No results: 0 of 1 shard in'])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
})

test('two pull requests with the same head have a check run each, and leave each other’s alone', async () => {
  const { github, repo } = setting
  const one = open()
  github.commit(repo, { branch: 'release', files: { 'release.txt': '1' } })
  const other = github.openPullRequest({ repo, head: one.head.ref, base: 'release' })
  expect(other.head.sha).toBe(one.head.sha)
  await shardIn(one, '1/1', SLOWER)
  const links = botChecks(setting, one.head.sha).map(({ detailsUrl }) => detailsUrl?.match(/pull\/(\d+)\//)?.[1])
  expect(new Set(links)).toEqual(new Set([String(one.number), String(other.number)]))
  expect(links).toHaveLength(2)
  github.requests.length = 0
  for (const pull of [one, other]) github.addLabel(pull, 'alice', 'seen')
  github.rerequestCheckSuite(botChecks(setting, one.head.sha)[0]!, 'alice')
  await setting.settled()
  expect(writes(setting).every((write) => /^PATCH .*check-runs/.test(write))).toBe(true)
})

test('two bots never share a data folder, and one that can’t listen ends', async () => {
  const { startBot } = await import('../../src/main.ts')
  const { readEnvironment } = await import('../../src/config/environment.ts')
  const { environmentVariables } = await import('./bot-setting.ts')
  const { pino } = await import('pino')
  const log = pino({ level: 'silent' })
  const variables = environmentVariables(setting.github, setting.dataDir)
  await expect(startBot(readEnvironment(variables), { log })).rejects.toThrow('is in use by another perf-triage')

  const port = new URL(setting.bot.url).port
  const elsewhere = `${setting.dataDir}/other`
  const occupied = readEnvironment({ ...variables, PERF_TRIAGE_DATA_DIR: elsewhere, PORT: port })
  await expect(startBot(occupied, { log })).rejects.toThrow('EADDRINUSE')
  // Everything that it had opened is free again.
  const free = readEnvironment({ ...variables, PERF_TRIAGE_DATA_DIR: elsewhere })
  const bot = await startBot(free, { log, paced: false })
  await bot.stop()
})
