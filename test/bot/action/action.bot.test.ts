import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rawRun, SLOWER, STEADY } from '../../intake/measurement/raw-run.ts'
import {
  type ActionSetting,
  artifact,
  historyFiles,
  jobCheck,
  jobComments,
  makeActionSetting,
} from './action-setting.ts'

// The bot without a server: a run of the measuring workflow, one judging job, and what stands on GitHub then.

let setting: ActionSetting

beforeAll(async () => {
  setting = await makeActionSetting()
})
afterEach(() => {
  expect(setting.github.violations).toEqual([])
  setting.github.requests.length = 0
  // GitHub takes 80 writes a minute, which are counted anew.
  setting.github.advance(60_000)
})
afterAll(() => setting.close())

const results = (fresh: readonly number[]) => artifact({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) })

test('a slower pull request of the repository gets a comment, a red-free check and a summary with its rows', async () => {
  const pull = setting.open(setting.repository())
  const summary = await setting.judge(await setting.measured(pull, [results(SLOWER)]))
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobComments(pull)[0]).toMatch(/^<!-- perf-triage:v1 github-actions -->\n/)
  expect(jobCheck(pull)).toMatchObject({ status: 'completed', conclusion: 'neutral' })
  expect(summary).toContain('sum')
  console.log(summary, jobComments(pull)[0], setting.writes(), [...historyFiles(pull.repo)].map(([p, t]) => [p, t.toString()]))
})
