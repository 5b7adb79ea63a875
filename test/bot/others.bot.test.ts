import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { openClickHouse } from '../../src/store/client.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting } from './bot-setting.ts'

const PATH = '.github/perf-triage.yml'
const GATING =
  'mode: gating\nworkflows: [performance.yml]\nchecks: ["perf {shard}"]\nresults:\n  - artifact: "results-{shard}"\n'

let setting: BotSetting
let ahead = 0
beforeAll(async () => {
  setting = await makeBotSetting({ files: { [PATH]: GATING }, bot: { now: () => Date.now() + ahead } })
})
afterAll(() => setting.close())

/** A table in which the time of the client stays and that of the server doubles. */
function tableOf(shard: number): string {
  const lines = [0, 1, 2].flatMap((index) => [
    `client_time\t0.1\t0.1\t0\t1\t0.02\tsum${shard}\t${index}\tSELECT ${index}\t0.15\t0.25\n`,
    `server_time\t0.1\t0.2\t1\t2\t0.02\tsum${shard}\t${index}\tSELECT ${index}\t0.15\t0.25\n`,
  ])
  return lines.join('')
}

async function measured(head: string, shards: readonly number[]): Promise<PullRequest> {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head })
  for (const shard of shards) {
    const run = github.startWorkflowRun(repo, {
      name: `Performance ${shard}`,
      pull,
      path: '.github/workflows/performance.yml',
    })
    const check = github.startCheckRun(repo, { name: `perf ${shard}`, headSha: pull.head.sha, workflowRun: run })
    const zip = zipOf({ 'all-query-metrics.tsv': tableOf(shard) })
    await github.finishWorkflowRun(run, { artifacts: [{ name: `results-${shard}`, zip }] })
    github.finishCheckRun(check, 'success')
  }
  await setting.settled()
  return pull
}

test('a shard of which rows are missing is read again, and the check does not stay green until it is', async () => {
  const pull = await measured('one', [1, 2])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'success' }])
  const clickhouse = await openClickHouse(setting.database)
  await clickhouse.command('lose', "DELETE FROM query_results WHERE head = {head:String} AND test = 'sum2'", {
    head: pull.head.sha,
  })
  await clickhouse.close()
  await setting.restart()
  setting.github.fault({ path: /^\/artifacts\//, times: 1, kind: 'truncate' })
  setting.github.comment(pull, 'alice', '/perf refresh')
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  setting.github.comment(pull, 'alice', '/perf refresh')
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    { conclusion: 'success', output: { title: 'No slowdown found in 6 queries' } },
  ])
})

test('a metric that the file names before the others were read decides at the next look', async () => {
  const { github, repo } = setting
  const pull = await measured('two', [1])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'success' }])
  github.commit(repo, { files: { [PATH]: `${GATING}metric: server_time\n` } })
  github.comment(pull, 'alice', '/perf refresh')
  ahead += 1000
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
  expect(botComments(pull)[0]!.body).toContain('3 of 3 queries may be slower')
})

test('where the pull request that has stored the run is closed, another one of the same head reads the metric that decides', async () => {
  const { github, repo } = setting
  github.commit(repo, { files: { [PATH]: GATING } })
  const first = await measured('three', [1])
  github.commit(repo, { branch: 'release', files: { 'release.txt': '1' } })
  const second = github.openPullRequest({ repo, head: first.head.ref, base: 'release' })
  await setting.settled()
  github.closePullRequest(first)
  // while it is looked at, what it has stored is left to it: its next look comes now, not when the machine is slow enough for it
  ahead += 11_000
  await setting.settled()
  github.commit(repo, { files: { [PATH]: `${GATING}metric: server_time\n` } })
  github.comment(second, 'alice', '/perf refresh')
  await setting.settled()
  expect(botComments(second)[0]!.body).toContain('3 of 3 queries may be slower')
})

test('a run that another pull request of the head stores meanwhile counts once', async () => {
  const { github, repo, bot } = setting
  github.commit(repo, { files: { [PATH]: GATING }, branch: repo.defaultBranch })
  const first = github.openPullRequest({ repo, head: 'shared' })
  github.commit(repo, { branch: 'stable', files: { 'stable.txt': '1' } })
  const second = github.openPullRequest({ repo, head: first.head.ref, base: 'stable' })
  await setting.settled()
  github.fault({ path: /^\/artifacts\//, times: 1, kind: 'slow', delay: 2000 })
  const run = github.startWorkflowRun(repo, {
    name: 'Performance 1',
    pull: first,
    path: '.github/workflows/performance.yml',
  })
  const check = github.startCheckRun(repo, { name: 'perf 1', headSha: first.head.sha, workflowRun: run })
  const zip = zipOf({ 'all-query-metrics.tsv': tableOf(1) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results-1', zip }] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
  for (const pull of [first, second]) {
    const report = await bot.store.reports.of(repo.id, pull.number)
    expect(report!.counts.notSignificant).toBe(3)
    expect(report!.warnings).toEqual([])
  }
})

test('a run of another tool is judged by the metric that decides there, at the first look as at the next', async () => {
  const { github, repo, bot } = setting
  github.commit(repo, { files: { [PATH]: GATING } })
  const pull = github.openPullRequest({ repo, head: 'go' })
  const lines = [1000, 1001, 1002, 1003, 1004, 1005, 1006].map((time) => `BenchmarkSort-2 \t 100 \t ${time} ns/op\n`)
  const output = `goos: linux\npkg: example.com/sort\n${lines.join('')}PASS\n`
  const run = github.startWorkflowRun(repo, { name: 'Performance 9', pull, path: '.github/workflows/performance.yml' })
  const check = github.startCheckRun(repo, { name: 'perf 9', headSha: pull.head.sha, workflowRun: run })
  const zip = zipOf({ 'bench-old.txt': output, 'bench-new.txt': output })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results-9', zip }] })
  github.finishCheckRun(check, 'success')
  for (let look = 1; look <= 2; look += 1) {
    await setting.settled()
    const { primaryMetric, counts } = (await bot.store.reports.of(repo.id, pull.number))!
    expect([primaryMetric, counts.notSignificant, counts.notCompared]).toEqual(['time', 1, 0])
    github.comment(pull, 'alice', '/perf refresh')
  }
  await setting.settled()
})

describe('metrics that no report is made of', () => {
  // Nothing of the pull requests above is left to be read.
  beforeAll(async () => {
    await setting.close()
    setting = await makeBotSetting({ files: { [PATH]: GATING }, bot: { now: () => Date.now() + ahead } })
  })
  const requests = (path: RegExp) => setting.github.requests.filter((request) => path.test(request.path)).length
  const downloads = () => requests(/\/zip$/)
  const later = () => {
    ahead += 11_000
    setting.bot.worker.poke()
  }

  test('are read of one pull request at a time', async () => {
    for (const branch of ['turns-1', 'turns-2']) {
      setting.github.commit(setting.repo, { branch, files: { [branch]: '' } })
      await measured(branch, [1])
    }
    const before = setting.github.requests.length
    setting.github.fault({ path: /^\/artifacts\//, times: 2, kind: 'slow', delay: 500 })
    // An archive is asked for at GitHub and is logged at its host when it has been answered.
    const asked = () =>
      setting.github.requests
        .slice(before)
        .map(({ path }) => path.match(/\/zip$|^\/artifacts\//)?.[0])
        .filter((path) => path !== undefined)
    while (asked().length < 4) {
      later()
      await setTimeout(50)
    }
    await setting.settled()
    expect(asked()).toEqual(['/zip', '/artifacts/', '/zip', '/artifacts/'])
  })

  test('are read once no pull request is looked at', async () => {
    setting.github.commit(setting.repo, { branch: 'behind', files: { behind: '' } })
    const pull = await measured('behind', [1])
    const before = downloads()
    const path = new RegExp(`/commits/${pull.head.sha}/`)
    setting.github.fault({ path, times: 1, kind: 'slow', delay: 1000 })
    setting.github.comment(pull, 'alice', '/perf refresh')
    while ((await setting.bot.inbox.triages.counts()).working === 0) await setTimeout(10)
    const looked = requests(path)
    later()
    // The look of a person's command is not answered yet: nothing has been read beside it.
    while (requests(path) === looked) {
      expect(downloads()).toBe(before)
      await setTimeout(10)
    }
    while (downloads() === before) {
      later()
      await setTimeout(50)
    }
    await setting.settled()
  })
})
