import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting } from './bot-setting.ts'

const PATH = '.github/perf-triage.yml'
const GATING = 'mode: gating\nchecks: [perf]\nresults:\n  - artifact: results\n'

let setting: BotSetting
let ahead = 0
beforeAll(async () => {
  setting = await makeBotSetting({ files: { [PATH]: GATING }, bot: { now: () => Date.now() + ahead } })
})
afterAll(() => setting.close())

/** A table in which the time of the client stays and that of the server doubles. */
const TABLE = [0, 1, 2]
  .flatMap((index) => [
    `client_time\t0.1\t0.1\t0\t1\t0.02\tsum\t${index}\tSELECT ${index}\t0.15\t0.25\n`,
    `server_time\t0.1\t0.2\t1\t2\t0.02\tsum\t${index}\tSELECT ${index}\t0.15\t0.25\n`,
  ])
  .join('')

async function measured(): Promise<PullRequest> {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'one' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, {
    artifacts: [{ name: 'results', zip: zipOf({ 'all-query-metrics.tsv': TABLE }) }],
  })
  github.finishCheckRun(check, 'success')
  await setting.settled()
  return pull
}

test('a metric that the file names before the others were read decides at the next look', async () => {
  const { github, repo } = setting
  const pull = await measured()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'success' }])
  github.commit(repo, { files: { [PATH]: `${GATING}metric: server_time\n` } })
  github.comment(pull, 'alice', '/perf refresh')
  ahead += 1000
  await setting.settled()
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'neutral' }])
  expect(botComments(pull)[0]!.body).toContain('3 of 3 queries slower')
})
