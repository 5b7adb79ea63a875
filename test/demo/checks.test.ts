import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting
let head: string

beforeEach(async () => {
  setting = await makeSetting()
  head = setting.github.openPullRequest({ repo: setting.repo, head: 'faster' }).head.sha
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

const annotation = {
  path: 'src/sum.cpp',
  start_line: 3,
  end_line: 3,
  annotation_level: 'warning' as const,
  message: 'slower',
}

test('a check run is made, filled and completed', async () => {
  const { octokit, at } = setting
  const { checks } = octokit.rest
  const { data: made } = await checks.create({ ...at, name: 'Performance', head_sha: head, external_id: 'e1' })
  expect(made).toMatchObject({ status: 'queued', conclusion: null, external_id: 'e1', head_sha: head })
  expect(made.pull_requests.map(({ number }) => number)).toEqual([1])
  const one = { ...at, check_run_id: made.id }
  await checks.update({ ...one, status: 'in_progress' })
  const output = { title: '1 slower', summary: '**join_hash** #3', annotations: [annotation] }
  await checks.update({ ...one, conclusion: 'neutral', output })
  const { data } = await checks.get(one)
  expect(data).toMatchObject({ status: 'completed', conclusion: 'neutral' })
  expect(data.completed_at).not.toBeNull()
  expect(data.output).toMatchObject({ title: '1 slower', annotations_count: 1 })
})

test('annotations are appended, at most fifty at once', async () => {
  const { octokit, at } = setting
  const { checks } = octokit.rest
  const many = (count: number) => Array.from({ length: count }, () => annotation)
  const output = (count: number) => ({ title: 't', summary: 's', annotations: many(count) })
  const { data } = await checks.create({ ...at, name: 'x', head_sha: head, output: output(50) })
  const one = { ...at, check_run_id: data.id }
  await checks.update({ ...one, output: output(20) })
  expect(await octokit.paginate(checks.listAnnotations, one)).toHaveLength(70)
  await expect(checks.update({ ...one, output: output(51) })).rejects.toMatchObject({ status: 422 })
  const columns = { ...annotation, end_line: 4, start_column: 1 }
  const wrong = { title: 't', summary: 's', annotations: [columns] }
  await expect(checks.update({ ...one, output: wrong })).rejects.toMatchObject({ status: 422 })
})

test('what GitHub refuses is refused', async () => {
  const { octokit, at } = setting
  const create = (more: object) => octokit.rest.checks.create({ ...at, name: 'x', head_sha: head, ...more })
  await expect(create({ head_sha: '0'.repeat(40) })).rejects.toThrow(/No commit found for SHA/)
  const long = 'x'.repeat(65_536)
  await expect(create({ output: { title: 't', summary: long } })).rejects.toMatchObject({ status: 422 })
  await expect(create({ output: { title: 't', summary: 's', text: long } })).rejects.toMatchObject({ status: 422 })
  await expect(create({ status: 'completed' })).rejects.toMatchObject({ status: 422 })
  await expect(create({ conclusion: 'stale' })).rejects.toMatchObject({ status: 422 })
})

test("another app's check runs are listed by name, app and status, and can't be changed", async () => {
  const { github, octokit, repo, at } = setting
  const { checks } = octokit.rest
  const first = github.startCheckRun(repo, { name: 'Perf (arm)', headSha: head })
  github.finishCheckRun(first, 'failure')
  const again = github.startCheckRun(repo, { name: 'Perf (arm)', headSha: head })
  github.startCheckRun(repo, { name: 'Build', headSha: head, app: 'buildkite' })
  const list = async (more: object) => (await checks.listForRef({ ...at, ref: head, ...more })).data
  expect((await list({})).check_runs.map(({ name }) => name)).toEqual(['Build', 'Perf (arm)'])
  expect((await list({ filter: 'all' })).total_count).toBe(3)
  expect((await list({ check_name: 'Perf (arm)' })).check_runs.map(({ id }) => id)).toEqual([again.id])
  expect((await list({ app_id: 15_368 })).total_count).toBe(1)
  expect((await list({ status: 'completed', filter: 'all' })).check_runs.map(({ id }) => id)).toEqual([first.id])
  expect((await list({ per_page: 1 })).check_runs).toHaveLength(1)
  const update = checks.update({ ...at, check_run_id: again.id, conclusion: 'success' })
  await expect(update).rejects.toMatchObject({ status: 403 })
  const { data: suites } = await checks.listSuitesForRef({ ...at, ref: head })
  expect(suites.check_suites.map(({ app }) => app?.slug)).toEqual(['perf-triage', 'github-actions', 'buildkite'])
  const suite = suites.check_suites[1]!
  expect((await checks.listForSuite({ ...at, check_suite_id: suite.id, filter: 'all' })).data.total_count).toBe(2)
  expect((await checks.getSuite({ ...at, check_suite_id: suite.id })).data.status).toBe('in_progress')
})

test('of a fork, no pull requests are listed', async () => {
  const { github, octokit, repo, at } = setting
  const pull = github.openPullRequest({ repo, head: 'patch-1', fork: { owner: 'mallory' } })
  const { data } = await octokit.rest.checks.create({ ...at, name: 'x', head_sha: pull.head.sha })
  expect(data.pull_requests).toEqual([])
})

test('statuses are set, listed and combined', async () => {
  const { github, octokit, repo, at } = setting
  const { repos } = octokit.rest
  expect((await repos.getCombinedStatusForRef({ ...at, ref: head })).data.state).toBe('pending')
  github.setStatus(repo, head, { state: 'pending', context: 'CI' })
  github.setStatus(repo, head, { state: 'success', context: 'CI', description: 'ok' })
  await repos.createCommitStatus({ ...at, sha: head, state: 'failure', context: 'Perf' })
  const { data: combined } = await repos.getCombinedStatusForRef({ ...at, ref: 'faster' })
  expect(combined).toMatchObject({ state: 'failure', total_count: 2 })
  const { data } = await repos.listCommitStatusesForRef({ ...at, ref: head })
  expect(data.map(({ context, state }) => `${context} ${state}`)).toEqual(['Perf failure', 'CI success', 'CI pending'])
})
