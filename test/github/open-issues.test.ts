import { afterEach, beforeEach, expect, test } from 'vitest'
import { ISSUES_STAND_MS, listOpenIssues, MOST_PAGES, OpenIssues } from '../../src/github/open-issues.ts'
import { ISSUE_BODY_READ } from '../../src/judge/ledger/known-issue.ts'
import { allPermissions, makeSetting, type Setting } from '../demo/setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

function logged() {
  const lines: string[] = []
  return { lines, warn: (_: unknown, message?: string) => void lines.push(message ?? '') }
}

test('open issues with one of the labels, each once, newest first, no pull requests', async () => {
  const { github, octokit, repo, at } = setting
  github.openIssue(repo, { title: 'Flaky 02345_a', body: 'x', labels: ['flaky test', 'testing'] })
  github.closeIssue(github.openIssue(repo, { title: 'closed', labels: ['testing'] }))
  github.openIssue(repo, { title: 'another matter', labels: ['bug'] })
  const pull = github.openPullRequest({ repo, head: 'fix' })
  github.addLabel(pull, 'alice', 'testing')
  github.openIssue(repo, { title: 'Flaky 02346_b', labels: ['testing'] })
  expect(await listOpenIssues(octokit, at, ['testing', 'flaky test', 'testing'])).toEqual([
    {
      number: 5,
      title: 'Flaky 02346_b',
      url: `${github.url}/ClickHouse/ClickHouse/issues/5`,
      body: '',
      labels: ['testing'],
    },
    {
      number: 1,
      title: 'Flaky 02345_a',
      url: `${github.url}/ClickHouse/ClickHouse/issues/1`,
      body: 'x',
      labels: ['flaky test', 'testing'],
    },
  ])
  expect(await listOpenIssues(octokit, at, [])).toEqual([])
})

test('a long body is cut between characters', async () => {
  const { github, octokit, repo, at } = setting
  github.openIssue(repo, { title: 'long', body: `${'x'.repeat(ISSUE_BODY_READ - 1)}\u{1f40c}tail`, labels: ['flaky'] })
  const [issue] = await listOpenIssues(octokit, at, ['flaky'])
  expect(issue?.body).toHaveLength(ISSUE_BODY_READ)
  expect(issue?.body.isWellFormed()).toBe(true)
})

test('a label with very many issues leaves room for the others', async () => {
  const { github, octokit, repo, at } = setting
  github.openIssue(repo, { title: 'the rare one', labels: ['rare'] })
  for (let count = 0; count < 1100; count += 1) github.openIssue(repo, { title: `${count}`, labels: ['common'] })
  github.requests.length = 0
  const issues = await listOpenIssues(octokit, at, ['common', 'rare'])
  expect(github.requests.filter(({ operation }) => operation === 'issues/list-for-repo')).toHaveLength(MOST_PAGES)
  expect(issues).toHaveLength(901)
  expect([issues[0]?.title, issues[899]?.title, issues[900]?.title]).toEqual(['1099', '200', 'the rare one'])
})

test('issues that may not be read are none, with a line in the log', async () => {
  const { issues: _issues, pull_requests: _pulls, ...others } = allPermissions
  const forbidden = await makeSetting({}, others)
  const log = logged()
  expect(await listOpenIssues(forbidden.octokit, forbidden.at, ['flaky'], log)).toEqual([])
  await forbidden.github.stop()
  expect(log.lines).toHaveLength(1)

  const { github, octokit, at } = setting
  for (const status of [404, 410]) {
    github.fault({ path: /\/issues\?/, times: 1, kind: 'status', status })
    expect(await listOpenIssues(octokit, at, ['flaky'], log)).toEqual([])
  }
  expect(log.lines).toHaveLength(3)
})

test('a rate limit and a server that is down are no missing permission', async () => {
  const { github, octokit, at } = setting
  for (const [status, headers] of [
    [403, { 'x-ratelimit-remaining': '0' }],
    [403, { 'retry-after': '60' }],
    [502, {}],
  ] as const) {
    github.fault({ path: /\/issues\?/, times: 1, kind: 'status', status, headers })
    await expect(listOpenIssues(octokit, at, ['flaky'])).rejects.toMatchObject({ status })
  }
})

test('many triages within 15 minutes are one reading, of each repository and each set of labels', async () => {
  const { github, octokit, repo, at } = setting
  const issues = new OpenIssues()
  const of = async (now: number, labels = ['flaky', 'testing'], id = repo.id) =>
    (await issues.of(octokit, { ...at, id }, labels, now)).map(({ number }) => number)
  const asked = () => github.requests.filter(({ operation }) => operation === 'issues/list-for-repo').length
  github.openIssue(repo, { title: 'a', labels: ['flaky'] })
  const start = 1_000_000
  expect(await Promise.all([of(start), of(start), of(start, ['testing', 'flaky'])])).toEqual([[1], [1], [1]])
  expect(asked()).toBe(2)
  github.openIssue(repo, { title: 'b', labels: ['flaky'] })
  expect(await of(start + ISSUES_STAND_MS - 1)).toEqual([1])
  expect(asked()).toBe(2)
  expect(await of(start + ISSUES_STAND_MS)).toEqual([2, 1])
  expect(asked()).toBe(4)
  expect(await of(start + ISSUES_STAND_MS, ['flaky'])).toEqual([2, 1])
  expect(await of(start + ISSUES_STAND_MS, ['flaky'], repo.id + 1)).toEqual([2, 1])
  expect(asked()).toBe(6)
  // A clock that is set back does not make an old list eternal.
  expect(await of(start, ['flaky'])).toEqual([2, 1])
  expect(asked()).toBe(7)
})

test('a reading that failed is not kept, and old lists make room for new ones', async () => {
  const { github, octokit, repo, at } = setting
  const here = { ...at, id: repo.id }
  const asked = () => github.requests.filter(({ operation }) => operation === 'issues/list-for-repo').length
  github.openIssue(repo, { title: 'a', body: 'x'.repeat(1000), labels: ['flaky'] })
  const issues = new OpenIssues(4000)
  github.fault({ path: /\/issues\?/, times: 1, kind: 'status', status: 502 })
  await expect(issues.of(octokit, here, ['flaky'], 0)).rejects.toMatchObject({ status: 502 })
  expect(await issues.of(octokit, here, ['flaky'], 0)).toHaveLength(1)
  expect(asked()).toBe(1)
  // Each list counts some 1,700 characters: two fit.
  await issues.of(octokit, { ...here, id: 2 }, ['flaky'], 0)
  await issues.of(octokit, here, ['flaky'], 0)
  expect(asked()).toBe(2)
  await issues.of(octokit, { ...here, id: 3 }, ['flaky'], 0)
  await issues.of(octokit, here, ['flaky'], 0)
  expect(asked()).toBe(3)
  await issues.of(octokit, { ...here, id: 2 }, ['flaky'], 0)
  expect(asked()).toBe(4)
})
