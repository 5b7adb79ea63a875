import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { listArtifacts } from '../../src/github/artifacts.ts'
import { withEtags } from '../../src/github/etags.ts'
import { makeSetting, octokitOf, type Setting } from '../demo/setting.ts'

let setting: Setting
let pull: PullRequest

beforeAll(async () => {
  setting = await makeSetting()
  pull = setting.github.openPullRequest({ repo: setting.repo, head: 'work' })
})
afterAll(() => setting.github.stop())

test('an answer that has not changed is not sent again, and pages stay whole each time', async () => {
  const { github, repo, installation, at } = setting
  const octokit = withEtags(octokitOf(github, installation))
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'a.txt': 'a' })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-a', zip }] })

  github.requests.length = 0
  const first = await listArtifacts(octokit, at, run.id)
  const second = await listArtifacts(octokit, at, run.id)
  const third = await listArtifacts(octokit, at, run.id)
  expect([second, third]).toEqual([first, first])
  const statuses = github.requests.filter(({ path }) => path.endsWith('/artifacts')).map(({ status }) => status)
  expect(statuses).toEqual([200, 304, 304])
})

test('an answer that has changed is the new one', async () => {
  const { github, installation, at } = setting
  const octokit = withEtags(octokitOf(github, installation))
  const title = async () => (await octokit.rest.pulls.get({ ...at, pull_number: pull.number })).data.head.sha
  const before = await title()
  github.push(pull, { 'a.cpp': '1' })
  expect(await title()).toBe(pull.head.sha)
  expect(pull.head.sha).not.toBe(before)
})
