import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

test('issues and pull requests count together and are listed together', async () => {
  const { github, octokit, repo, at } = setting
  const issue = github.openIssue(repo, { title: 'Flaky test', body: '02345_x', labels: ['flaky'], author: 'bob' })
  github.advance(1000)
  const pull = github.openPullRequest({ repo, head: 'one' })
  expect([issue.number, pull.number]).toEqual([1, 2])
  const { data } = await octokit.rest.issues.listForRepo(at)
  expect(data.map(({ number, pull_request }) => [number, pull_request !== undefined])).toEqual([
    [2, true],
    [1, false],
  ])
  const one = await octokit.rest.issues.get({ ...at, issue_number: 1 })
  expect(one.data).toMatchObject({ title: 'Flaky test', body: '02345_x', user: { login: 'bob' } })
  expect(one.data.html_url).toBe(`${github.url}/ClickHouse/ClickHouse/issues/1`)
  expect((await octokit.rest.issues.get({ ...at, issue_number: 2 })).data.pull_request).toBeDefined()
  await expect(octokit.rest.issues.get({ ...at, issue_number: 3 })).rejects.toMatchObject({ status: 404 })
  expect((await octokit.rest.repos.get(at)).data.open_issues_count).toBe(2)
})

test('by label, by state, by time', async () => {
  const { github, octokit, repo, at } = setting
  const list = async (more: object) => {
    const { data } = await octokit.rest.issues.listForRepo({ ...at, ...more })
    return data.map(({ number }) => number)
  }
  const first = github.openIssue(repo, { title: 'a', labels: ['flaky', 'testing'] })
  github.advance(60_000)
  github.openIssue(repo, { title: 'b', labels: ['testing'] })
  github.openIssue(repo, { title: 'c' })
  expect(await list({ labels: 'testing' })).toEqual([2, 1])
  expect(await list({ labels: 'Testing,FLAKY' })).toEqual([1])
  expect(await list({ labels: 'testing', direction: 'asc' })).toEqual([1, 2])
  expect(await list({ labels: 'unheard of' })).toEqual([])
  github.advance(60_000)
  github.closeIssue(first)
  expect(await list({ labels: 'testing' })).toEqual([2])
  expect(await list({ state: 'closed' })).toEqual([1])
  expect(await list({ state: 'all', sort: 'updated' })).toEqual([1, 3, 2])
  expect(await list({ state: 'all', since: first.closedAt!.toISOString() })).toEqual([1])
  expect(await list({ state: 'all', per_page: 2, page: 2 })).toEqual([1])
})

test('a file under a new name is renamed, not gone and new', async () => {
  const { github, octokit, repo, at } = setting
  github.commit(repo, { files: { 'tests/old.sql': 'SELECT 1\n', 'tests/empty.sql': '' } })
  const pull = github.openPullRequest({
    repo,
    head: 'one',
    files: { 'tests/old.sql': null, 'tests/new.sql': 'SELECT 1\n', 'tests/empty.sql': null, 'tests/void.sql': '' },
  })
  const { data } = await octokit.rest.pulls.listFiles({ ...at, pull_number: pull.number })
  expect(data.map(({ filename, status, previous_filename }) => [filename, status, previous_filename])).toEqual([
    ['tests/empty.sql', 'removed', undefined],
    ['tests/new.sql', 'renamed', 'tests/old.sql'],
    ['tests/void.sql', 'added', undefined],
  ])
  expect(data[1]).toMatchObject({ additions: 0, deletions: 0, changes: 0 })
})
