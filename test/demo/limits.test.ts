import { afterEach, expect, test } from 'vitest'
import type { LocalGitHubOptions } from '../../demo/github/local-github.ts'
import { makeSetting, octokitOf, type Setting } from './setting.ts'

let setting: Setting

async function begin(options: LocalGitHubOptions = {}): Promise<Setting> {
  setting = await makeSetting(options)
  return setting
}

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

test('an unchanged answer is 304 and costs nothing', async () => {
  const { github, octokit, repo, at } = await begin()
  const pull = github.openPullRequest({ repo, head: 'x' })
  const on = { ...at, issue_number: pull.number }
  const first = await octokit.rest.issues.listComments(on)
  const headers = { 'if-none-match': first.headers.etag }
  const again = octokit.rest.issues.listComments({ ...on, headers })
  await expect(again).rejects.toMatchObject({ status: 304 })
  const { data } = await octokit.rest.rateLimit.get()
  expect(data.resources.core).toMatchObject({ limit: 5000, used: 1, remaining: 4999 })
  github.comment(pull, 'bob', 'new')
  expect((await octokit.rest.issues.listComments({ ...on, headers })).data).toHaveLength(1)
})

test('the hourly limit refuses, says when it ends, and ends', async () => {
  const { github, octokit, installation, at } = await begin({ limits: { primary: 3 } })
  for (let number = 0; number < 3; number += 1) await octokit.rest.pulls.list(at)
  const refused: unknown = await octokit.rest.pulls.list(at).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 403, response: { headers: { 'x-ratelimit-remaining': '0' } } })
  const { headers } = (refused as { response: { headers: Record<string, string> } }).response
  const wait = Number(headers['x-ratelimit-reset']) * 1000 - github.state.now().getTime()
  expect(wait).toBeGreaterThan(3_590_000)
  github.advance(wait)
  // The token has ended as well: a new client asks for another.
  const { headers: after } = await octokitOf(github, installation).rest.pulls.list(at)
  expect(after['x-ratelimit-remaining']).toBe('2')
})

test('too much content in a minute is refused with retry-after', async () => {
  const { github, octokit, repo, at } = await begin({ limits: { contentPerMinute: 3, status: 429, retryAfter: 7 } })
  const pull = github.openPullRequest({ repo, head: 'x' })
  const comment = () => octokit.rest.issues.createComment({ ...at, issue_number: pull.number, body: 'x' })
  for (let number = 0; number < 3; number += 1) await comment()
  await expect(comment()).rejects.toMatchObject({ status: 429, response: { headers: { 'retry-after': '7' } } })
  expect((await octokit.rest.issues.listComments({ ...at, issue_number: pull.number })).data).toHaveLength(3)
  github.advance(60_001)
  await comment()
})

test('faults: a status, a broken answer, a slow one, none', async () => {
  const { github, octokit, at } = await begin()
  const list = (request: object = {}) => octokit.rest.pulls.list({ ...at, request })
  await list()
  const path = /\/pulls/
  github.fault({ path, times: 2, kind: 'status', status: 503, headers: { 'retry-after': '1' } })
  await expect(list()).rejects.toMatchObject({ status: 503 })
  await expect(list()).rejects.toMatchObject({ response: { headers: { 'retry-after': '1' } } })
  await list()
  github.fault({ method: 'POST', path, times: 1, kind: 'disconnect' })
  await list()
  github.clearFaults()
  github.fault({ path: `/repos/${at.owner}/${at.repo}/pulls`, times: 1, kind: 'disconnect' })
  await expect(list()).rejects.toThrow()
  github.fault({ path, times: 1, kind: 'timeout' })
  await expect(list({ signal: AbortSignal.timeout(100) })).rejects.toThrow()
  github.fault({ path, times: 1, kind: 'slow', delay: 50 })
  const before = performance.now()
  await list()
  expect(performance.now() - before).toBeGreaterThan(45)
  github.fault({ path, times: 1, kind: 'truncate' })
  const address = `${github.url}/repos/${at.owner}/${at.repo}/pulls`
  await expect(fetch(address).then((response) => response.json())).rejects.toThrow()
})

test('pages keep the prefix of the request', async () => {
  const { github, octokit, repo, at } = await begin()
  for (const head of ['a', 'b', 'c']) github.openPullRequest({ repo, head })
  const { headers } = await octokit.rest.pulls.list({ ...at, per_page: 1, page: 2 })
  const link = (page: number, rel: string) =>
    `<${github.url}/api/v3/repos/ClickHouse/ClickHouse/pulls?per_page=1&page=${page}>; rel="${rel}"`
  expect(headers.link).toBe([link(1, 'prev'), link(3, 'next'), link(3, 'last'), link(1, 'first')].join(', '))
  expect(headers['x-github-request-id']).toMatch(/^LOCAL:/)
})
