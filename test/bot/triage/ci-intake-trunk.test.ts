import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorkflowRun } from '../../../demo/github/state.ts'
import { zipOf } from '../../../demo/github/zip.ts'
import { type TrunkOfRepository, takeInTrunk } from '../../../src/bot/triage/ci-intake-trunk.ts'
import { type IntakeSetting, junitFile, makeIntakeSetting, runJob } from './ci-intake-setting.ts'

let setting: IntakeSetting
let trunk: TrunkOfRepository

beforeEach(async () => {
  setting = await makeIntakeSetting()
  const { github, repo } = setting
  const url = `${github.url}/ClickHouse/ClickHouse`
  trunk = { owner: 'ClickHouse', name: 'ClickHouse', url, defaultBranch: repo.defaultBranch }
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  expect(setting.leftInScratch()).toEqual([])
  await setting.close()
})

const HOUR = 3600_000

async function finish(run: WorkflowRun, file = 'junit.fail.xml'): Promise<void> {
  const artifacts = [{ name: 'junit', zip: zipOf({ 'junit.xml': junitFile(file) }) }]
  await setting.github.finishWorkflowRun(run, { conclusion: 'failure', artifacts })
}

test('pushes and nightly runs of the default branch', async () => {
  const { github, repo, stored, context } = setting
  const first = repo.branches.get('master')!
  const push = github.startWorkflowRun(repo, { name: 'Master' })
  runJob(setting, push, 'test', 'failure')
  await finish(push)
  const second = github.commit(repo, { files: { 'a.cpp': 'a' } })
  const nightly = github.startWorkflowRun(repo, { name: 'Nightly', event: 'schedule' })
  runJob(setting, nightly, 'nightly test', 'success')
  github.setStatus(repo, second.sha, { context: 'external', state: 'success' })
  await finish(nightly, 'junit.gloo.elastic.xml')
  expect(await takeInTrunk(context, trunk, 0)).toEqual({ rows: 2 + 14 + 1 + 5, problems: [], isComplete: true })
  expect(
    new Set(stored.map(({ pullRequestNumber, headRef, headRepo }) => [pullRequestNumber, headRef, headRepo].join(' '))),
  ).toEqual(new Set(['0 master ']))
  const byCommit = Map.groupBy(stored, ({ commitSha }) => commitSha)
  expect([...byCommit].map(([sha, rows]) => [sha, rows.length])).toEqual([
    [second.sha, 16],
    [first, 6],
  ])
})

test('trunk means trunk: neither a fork, nor a pull request, nor another branch of the same commit', async () => {
  const { github, repo, stored, context } = setting
  const sha = repo.branches.get('master')!
  // A fork whose master stands at our commit opens a pull request with it, and its push claims to be one to master.
  const pull = github.openPullRequest({ repo, head: 'master', fork: { owner: 'mallory' } })
  const fork = pull.head.repo
  const others = [
    github.startWorkflowRun(repo, { name: 'Fork', headSha: sha, headRepo: fork }),
    github.startWorkflowRun(repo, { name: 'Pull request', headSha: sha, event: 'pull_request' }),
    github.startWorkflowRun(repo, { name: 'Target', headSha: sha, event: 'pull_request_target' }),
    github.startWorkflowRun(repo, { name: 'Release', headSha: sha, branch: '26.3' }),
  ]
  for (const run of others) {
    runJob(setting, run, `job of ${run.name}`, 'failure')
    await finish(run)
  }
  expect(await takeInTrunk(context, trunk, 0)).toEqual({ rows: 0, problems: [], isComplete: true })
  expect(pull.head).toMatchObject({ sha, ref: 'master' })
  const run = github.startWorkflowRun(repo, { name: 'Pull request', pull })
  runJob(setting, run, 'job of the pull request', 'failure')
  await finish(run)
  expect(await takeInTrunk(context, trunk, 0)).toMatchObject({ rows: 0 })
  expect(stored).toEqual([])
})

test('cheap when nothing is new; a run that comes later is found within the hour, on the newest commits first', async () => {
  const { github, repo, context, asked } = setting
  for (let count = 0; count < 24; count += 1) {
    github.commit(repo, { files: { 'n.txt': String(count) } })
    const run = github.startWorkflowRun(repo, { name: 'Master' })
    runJob(setting, run, 'test', 'failure')
    await github.finishWorkflowRun(run, { conclusion: 'failure' })
  }
  // Nothing ran on the first commit, and nothing will.
  const later = Date.now() + 7 * HOUR
  asked()
  expect(await takeInTrunk(context, trunk, later)).toMatchObject({ rows: 24, isComplete: true })
  const perCommit = (count: number) => ({
    'checks/list-for-ref': count,
    'repos/list-commit-statuses-for-ref': count,
    'actions/list-workflow-runs-for-repo': count,
  })
  expect(asked()).toEqual({ 'repos/list-commits': 1, ...perCommit(25), 'actions/list-workflow-run-artifacts': 24 })
  expect(await takeInTrunk(context, trunk, later + HOUR - 1)).toMatchObject({ rows: 0 })
  expect(asked()).toEqual({ 'repos/list-commits': 1 })

  const nightly = github.startWorkflowRun(repo, { name: 'Nightly', event: 'schedule' })
  runJob(setting, nightly, 'nightly test', 'failure')
  await github.finishWorkflowRun(nightly, { conclusion: 'failure' })
  expect(await takeInTrunk(context, trunk, later + HOUR)).toMatchObject({ rows: 1 })
  const unchanged = github.requests.filter(({ status }) => status === 304).length
  // All that did not change is a 304, which no rate limit counts.
  expect(unchanged).toBe(1 + 20 + 19 + 19)
  expect(asked()).toEqual({ 'repos/list-commits': 1, ...perCommit(20), 'actions/list-workflow-run-artifacts': 1 })
})

test('a commit whose checks have not begun or not ended is looked at again at once', async () => {
  const { github, repo, context } = setting
  expect(await takeInTrunk(context, trunk, 0)).toEqual({ rows: 0, problems: [], isComplete: true })
  const run = github.startWorkflowRun(repo, { name: 'Master' })
  runJob(setting, run, 'quick', 'success')
  expect(await takeInTrunk(context, trunk, 1)).toEqual({ rows: 1, problems: [], isComplete: false })
  runJob(setting, run, 'slow', 'failure')
  await finish(run)
  expect(await takeInTrunk(context, trunk, 2)).toEqual({ rows: 6, problems: [], isComplete: true })
})

test('a branch that is not there has no commits', async () => {
  const result = await takeInTrunk(setting.context, { ...trunk, defaultBranch: 'gone' }, 0)
  expect(result).toEqual({ rows: 0, problems: [], isComplete: true })
})
