import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { shardTable } from '../../bench/shard-table.ts'
import type { PullRequest, WorkflowRun } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  countRows,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
} from './bot-setting.ts'

const CONFIG = `
checks:
  - "perf ({architecture}, {shard}/{shards})"
results:
  - artifact: "results-{architecture}-{shard}"
`

let setting: BotSetting

let opened = 0

/** Milliseconds by which the bot's clock is ahead. */
let ahead = 0

beforeAll(async () => {
  setting = await makeBotSetting({
    files: { '.github/perf-triage.yml': CONFIG },
    bot: { now: () => Date.now() + ahead },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

function open(fork?: string): PullRequest {
  const { github, repo } = setting
  opened += 1
  return github.openPullRequest({
    repo,
    head: `work-${opened}`,
    ...(fork === undefined ? {} : { fork: { owner: fork } }),
  })
}

/**
 * Runs and finishes one job of a workflow; the artifact is there when the job ends, as with GitHub's own upload. Of each
 * pull request the tests are others: one that is flagged in several is nobody's regression.
 */
async function shardIn(
  pull: PullRequest,
  architecture: string,
  shard: string,
  tests: Readonly<Record<string, (test: string) => string>>,
  title = '',
): Promise<WorkflowRun> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: `Performance ${architecture} ${shard}`, pull })
  const check = github.startCheckRun(repo, {
    name: `perf (${architecture}, ${shard})`,
    headSha: pull.head.sha,
    workflowRun: run,
  })
  await github.finishWorkflowRun(run, {
    artifacts: [
      {
        name: `results-${architecture}-${shard.split('/')[0]}`,
        zip: zipOf(
          Object.fromEntries(
            Object.entries(tests).map(([test, raw]) => [`${test}-raw.tsv`, raw(`${test} of ${pull.head.ref}`)]),
          ),
        ),
      },
    ],
  })
  github.finishCheckRun(check, 'success', { title, summary: '' })
  await setting.settled()
  return run
}

const slow = (test: string) => rawRun(test, [{ old: STEADY, new: SLOWER }])
const same = (test: string) => rawRun(test, [{ old: STEADY, new: STEADY }])

test('shards out of order: the comment comes with the first finding and is complete in the end', async () => {
  const pull = open()
  const before = await countRows(setting, 'samples')

  await shardIn(pull, 'arm', '2/2', { join: same })
  expect(botComments(pull)).toHaveLength(0)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    { status: 'in_progress', output: { title: '1 of 2 shards in; no slowdown found so far' } },
  ])

  await shardIn(pull, 'arm', '1/2', { sum: slow })
  expect(botComments(pull)).toHaveLength(1)
  expect(botComments(pull)[0]!.body).toContain('got slower: ')
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])

  await shardIn(pull, 'amd', '1/1', { sum: slow, join: same }, '1 slower')
  expect(botComments(pull)).toHaveLength(1)
  const { body } = botComments(pull)[0]!
  expect(body).toContain('3 of 3 shards in')
  expect(body).toContain('the 3 performance checks are green by their own rule (1 slower). This report is not,')
  expect(body).toMatch(/\| test #query `id` \| amd \| arm \|/)
  // Equal on both: the first by name decides.
  expect(body).toContain('also slower on arm')
  expect((await countRows(setting, 'samples')) - before).toBe(4 * 14)
})

test('twelve shards at once, out of order, one told twice: one comment, its metrics alone, then each row once', async () => {
  const { github, repo } = setting
  const before = await countRows(setting, 'query_results')
  const pull = open()
  const jobs = ['amd', 'arm'].flatMap((architecture, machine) =>
    [1, 2, 3, 4, 5, 6].map((shard) => ({ architecture, machine, shard })),
  )
  for (let place = 0; place < jobs.length; place += 1) {
    const { architecture, machine, shard } = jobs[(place * 7) % jobs.length]!
    const run = github.startWorkflowRun(repo, { name: `Performance ${architecture} ${shard}`, pull })
    const name = `perf (${architecture}, ${shard}/6)`
    const check = github.startCheckRun(repo, { name, headSha: pull.head.sha, workflowRun: run })
    const table = await text(Readable.from(shardTable(shard, { queries: 2, metrics: 10, machine })))
    await github.finishWorkflowRun(run, {
      artifacts: [{ name: `results-${architecture}-${shard}`, zip: zipOf({ 'all-query-metrics.tsv': table }) }],
    })
    github.finishCheckRun(check, 'success')
    if (place === 0) github.redeliver(github.deliveries.at(-1)!.guid)
  }
  await setting.settled()
  expect(botComments(pull)).toHaveLength(1)
  const { body } = botComments(pull)[0]!
  expect(body).toContain('12 of 12 shards in')
  // two queries of six shards, each on both architectures
  expect(body).toContain('### 12 of 12 queries got slower')
  const lines = await Promise.all(
    jobs.map(({ shard, machine }) => text(Readable.from(shardTable(shard, { queries: 2, metrics: 10, machine })))),
  )
  const notZero = lines
    .flatMap((table) => table.split('\n'))
    .filter((line) => line !== '' && !/^\w+\t0\t0\t/.test(line))
  const ofReport = notZero.filter((line) => /^(?:client_time|SelectedRows|SelectedBytes|memory_usage)\t/.test(line))
  expect(ofReport.length).toBeLessThan(notZero.length / 2)
  expect((await countRows(setting, 'query_results')) - before).toBe(ofReport.length)
  const { store } = setting.bot
  const [amd] = await store.runs.of(repo.id, pull.head.sha, 'client_time')
  const metrics = async () => (await store.runs.metricsOf(repo.id, pull.head.sha, amd!.measurements[0]!, ['amd']))[0]!
  const ofQuery = await metrics()
  expect(ofQuery.othersUnread).toBe(true)

  // In whatever order they were read: of runs that are stored the same report is made.
  const judgedAt = async () => (await store.reports.of(repo.id, pull.number))!.judgedAt
  const first = await judgedAt()
  ahead += 60_000
  await setting.settled()
  expect(await judgedAt()).toBe(first)
  expect((await countRows(setting, 'query_results')) - before).toBe(notZero.length)
  const all = await metrics()
  expect(all).not.toHaveProperty('othersUnread')
  expect(all.metrics.length).toBeGreaterThan(ofQuery.metrics.length)
  expect(botComments(pull)).toHaveLength(1)
  expect(botComments(pull)[0]!.body).toBe(body)
})

test('one pull request from a fork is found by its head', async () => {
  open()
  const pull = open('bob')
  await shardIn(pull, 'arm', '1/1', { sum: slow })
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
})

test('a push in between: the new head is judged, the old check is concluded, the delta is said', async () => {
  const { github } = setting
  const pull = open()
  await shardIn(pull, 'arm', '1/2', { sum: slow, uniq: slow })
  const first = pull.head.sha
  expect(botChecks(setting, first)).toMatchObject([{ status: 'in_progress' }])

  github.push(pull, { 'src/work.cpp': '// better\n' })
  await setting.settled()
  // The old results stand until there are new ones, and the shard that comes late is of no interest any more.
  expect(botComments(pull)[0]!.body).toContain(first.slice(0, 7))

  await shardIn(pull, 'arm', '1/1', { sum: same, uniq: slow, join: slow })
  expect(botChecks(setting, first)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])
  expect(botComments(pull)).toHaveLength(1)
  const { body } = botComments(pull)[0]!
  expect(body).toContain(pull.head.sha.slice(0, 7))
  expect(body).toContain('1 new')
  expect(body).toContain('1 resolved')
  expect(body).toContain('1 unchanged')
})

test('the same check again: the newest attempt stands and is not pooled with the older one', async () => {
  const { github } = setting
  const before = await countRows(setting, 'runs')
  const pull = open()
  await shardIn(pull, 'arm', '1/1', { sum: slow })
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
  for (const [conclusion, title] of [
    ['neutral', '1 slower before and not in the last run'],
    ['success', 'No slowdown found in 1 query'],
  ]) {
    github.advance(2000)
    await shardIn(pull, 'arm', '1/1', { sum: same })
    expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion, output: { title } }])
  }
  expect(botComments(pull)[0]!.body).toContain('[1 query](')
  expect((await countRows(setting, 'runs')) - before).toBe(3)
})

test('a second run that is as slow as the first one is one regression of the whole suite', async () => {
  const { github } = setting
  const pull = open()
  const all = (factor: number) => ({
    sum: (test: string) =>
      rawRun(
        test,
        Array.from({ length: 25 }, () => ({ old: STEADY, new: STEADY.map((value) => value * factor) })),
      ),
  })
  await shardIn(pull, 'arm', '1/1', all(1.08))
  expect(botComments(pull)[0]!.body).toContain(
    '### The whole run is 8% slower, so part of this may be the machine; no query is slower than that can explain',
  )
  expect(pull.labels).toEqual([])
  github.advance(2000)
  await shardIn(pull, 'arm', '1/1', all(1.07))
  expect(botComments(pull)).toHaveLength(1)
  expect(botComments(pull)[0]!.body).toContain(
    '### The whole run is 7% slower in two runs of this commit; no query is slower than that can explain',
  )
  expect(pull.labels.map(({ name }) => name)).toEqual(['perf: slower'])
})

test('a shard that fails without results is said, with what went wrong, and the check is neutral', async () => {
  const { github, repo } = setting
  const pull = open()
  const broken = github.startCheckRun(repo, { name: 'perf (arm, 1/2)', headSha: pull.head.sha })
  github.finishCheckRun(broken, 'failure')
  await shardIn(pull, 'arm', '2/2', { sum: same })
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    {
      status: 'completed',
      conclusion: 'neutral',
      output: { title: expect.stringContaining('1 shard without results') },
    },
  ])
})

test('commit statuses wake and count like check runs', async () => {
  const { github, repo } = setting
  const pull = open()
  await shardIn(pull, 'arm', '1/2', { sum: slow })
  github.setStatus(repo, pull.head.sha, { context: 'perf (arm, 2/2)', state: 'failure' })
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])
})

test('checks that match nothing wake nothing', async () => {
  const { github, repo } = setting
  const pull = open()
  await setting.settled()
  github.requests.length = 0
  for (const name of ['Style', 'Unit tests', 'Docs']) {
    github.finishCheckRun(github.startCheckRun(repo, { name, headSha: pull.head.sha }), 'failure')
  }
  await setting.settled()
  expect(github.requests.filter(({ path }) => path.includes('/pulls'))).toEqual([])
})

test('a pull request that is closed gets nothing more, and no check is left unfinished', async () => {
  const { github } = setting
  const pull = open()
  await shardIn(pull, 'arm', '1/2', { sum: same })
  github.closePullRequest(pull)
  await setting.settled()
  await shardIn(pull, 'arm', '2/2', { join: slow })
  expect(botComments(pull)).toHaveLength(0)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ status: 'completed', conclusion: 'neutral' }])
})
