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

async function page(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(setting.github.url + path, { headers: { accept: 'text/html' } })
  return { status: response.status, text: await response.text() }
}

test('a pull request shows its comments, labels and checks', async () => {
  const { github, repo, octokit, at } = setting
  const pull = github.openPullRequest({ repo, head: 'x', title: 'Faster <sum>', author: 'bob' })
  github.addLabel(pull, 'bob', 'perf: slower')
  await octokit.rest.issues.createComment({ ...at, issue_number: 1, body: '### 1 query\n\n| a |\n|---|\n| b |' })
  const output = { title: '1 slower', summary: '**join_hash** got slower', text: 'the whole text' }
  const { data } = await octokit.rest.checks.create({
    ...at,
    name: 'Performance',
    head_sha: pull.head.sha,
    conclusion: 'neutral',
    output: {
      ...output,
      annotations: [{ path: 'a.cpp', start_line: 2, end_line: 2, annotation_level: 'notice', message: 'look' }],
    },
  })
  const { status, text } = await page('/ClickHouse/ClickHouse/pull/1')
  expect(status).toBe(200)
  expect(text).toContain('Faster &lt;sum&gt;')
  expect(text).toContain('<h3>1 query</h3>')
  expect(text).toContain('<td>b</td>')
  expect(text).toContain('perf: slower')
  expect(text).toContain('<strong>join_hash</strong> got slower')
  expect(text).toContain('width=device-width')
  expect(text).toContain('prefers-color-scheme: dark')
  const run = await page(new URL(data.html_url ?? '').pathname)
  expect(run.text).toContain('the whole text')
  expect(run.text).toContain('a.cpp:2')
  expect((await page('/')).text).toContain('ClickHouse/ClickHouse#1')
})

test('a person who follows a link into nowhere gets a page, no violation', async () => {
  expect((await page('/ClickHouse/ClickHouse/pull/99')).status).toBe(404)
  expect((await page('/bob')).status).toBe(404)
  const avatar = await fetch(`${setting.github.url}/avatars/${setting.repo.owner.id}`)
  expect(avatar.headers.get('content-type')).toBe('image/svg+xml')
})
