import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { openClickHouse } from '../../src/store/client.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting } from './bot-setting.ts'

const PATH = '.github/perf-triage.yml'
const GATING = 'mode: gating\nchecks: ["perf {shard}"]\nresults:\n  - artifact: "results-{shard}"\n'

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
    const run = github.startWorkflowRun(repo, { name: `Performance ${shard}`, pull })
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
    { conclusion: 'success', output: { title: expect.stringContaining('6 of 6 queries') } },
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
  expect(botComments(pull)[0]!.body).toContain('3 of 3 queries slower')
})

test('where the pull request that has stored the run is closed, another one of the same head reads the metric that decides', async () => {
  const { github, repo } = setting
  github.commit(repo, { files: { [PATH]: GATING } })
  const first = await measured('three', [1])
  github.commit(repo, { branch: 'release', files: { 'release.txt': '1' } })
  const second = github.openPullRequest({ repo, head: first.head.ref, base: 'release' })
  await setting.settled()
  github.closePullRequest(first)
  github.commit(repo, { files: { [PATH]: `${GATING}metric: server_time\n` } })
  github.comment(second, 'alice', '/perf refresh')
  await setting.settled()
  expect(botComments(second)[0]!.body).toContain('3 of 3 queries slower')
})
