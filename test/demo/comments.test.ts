import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting
let pull: PullRequest
let on: { owner: string; repo: string; issue_number: number }

beforeEach(async () => {
  setting = await makeSetting({ limits: { contentPerMinute: 1000 } })
  pull = setting.github.openPullRequest({ repo: setting.repo, head: 'faster' })
  on = { ...setting.at, issue_number: pull.number }
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

test('a comment is written, read, changed and deleted under the name of the app', async () => {
  const { octokit, at } = setting
  const { issues } = octokit.rest
  const { data: made } = await issues.createComment({ ...on, body: 'first' })
  expect(made.user).toMatchObject({ login: 'perf-triage[bot]', type: 'Bot' })
  expect(made.performed_via_github_app?.slug).toBe('perf-triage')
  const one = { ...at, comment_id: made.id }
  await issues.updateComment({ ...one, body: 'second' })
  expect((await issues.getComment(one)).data.body).toBe('second')
  await octokit.rest.reactions.createForIssueComment({ ...one, content: 'eyes' })
  expect((await issues.getComment(one)).data.reactions?.eyes).toBe(1)
  await issues.deleteComment(one)
  await expect(issues.getComment(one)).rejects.toMatchObject({ status: 404 })
  await expect(issues.updateComment({ ...one, body: 'x' })).rejects.toMatchObject({ status: 404 })
})

test('comments come in pages, oldest first, and since a time', async () => {
  const { github, octokit } = setting
  for (let number = 1; number <= 65; number += 1) github.comment(pull, 'bob', `comment ${number}`)
  const all = await octokit.paginate(octokit.rest.issues.listComments, on)
  expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 65 }, (_, index) => `comment ${index + 1}`))
  const asked = github.requests.filter(({ operation }) => operation === 'issues/list-comments')
  expect(asked.map(({ query }) => query)).toEqual(['', '?page=2', '?page=3'])
  github.advance(60_000)
  const since = github.state.now().toISOString()
  github.comment(pull, 'bob', 'late')
  expect((await octokit.rest.issues.listComments({ ...on, since })).data.map(({ body }) => body)).toEqual(['late'])
})

test('a comment longer than GitHub takes is refused', async () => {
  const { octokit } = setting
  const { data } = await octokit.rest.issues.createComment({ ...on, body: 'x'.repeat(65_536) })
  expect(data.body).toHaveLength(65_536)
  await expect(octokit.rest.issues.createComment({ ...on, body: 'x'.repeat(65_537) })).rejects.toMatchObject({
    status: 422,
    response: { data: { errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data' }] } },
  })
  await expect(octokit.rest.issues.createComment({ ...on, body: ' ' })).rejects.toMatchObject({ status: 422 })
})

test("a person's comment can't be edited by the app", async () => {
  const { github, octokit, at } = setting
  const comment = github.comment(pull, 'bob', 'mine')
  const edit = octokit.rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'yours' })
  await expect(edit).rejects.toMatchObject({ status: 403 })
})

test('labels are added, made where missing, and removed; events say by whom', async () => {
  const { github, octokit, at } = setting
  const { issues } = octokit.rest
  await issues.createLabel({ ...at, name: 'perf: slower', color: 'd73a4a', description: 'Queries got slower' })
  const names = ['perf: slower', 'perf: faster']
  expect((await issues.addLabels({ ...on, labels: names })).data.map(({ name }) => name)).toEqual(names)
  expect((await issues.getLabel({ ...at, name: 'perf: faster' })).data.color).toBe('ededed')
  github.removeLabel(pull, 'bob', 'perf: slower')
  expect((await issues.listLabelsOnIssue(on)).data.map(({ name }) => name)).toEqual(['perf: faster'])
  await issues.removeLabel({ ...on, name: 'perf: faster' })
  await expect(issues.removeLabel({ ...on, name: 'perf: faster' })).rejects.toMatchObject({ status: 404 })
  const { data: events } = await issues.listEvents(on)
  expect(events.map((event) => [event.event, event.actor?.login, 'label' in event ? event.label?.name : null])).toEqual(
    [
      ['labeled', 'perf-triage[bot]', 'perf: slower'],
      ['labeled', 'perf-triage[bot]', 'perf: faster'],
      ['unlabeled', 'bob', 'perf: slower'],
      ['unlabeled', 'perf-triage[bot]', 'perf: faster'],
    ],
  )
  expect((await issues.listLabelsForRepo(at)).data).toHaveLength(2)
  expect((await issues.listForRepo({ ...at, labels: 'perf: slower' })).data).toEqual([])
  expect((await issues.get(on)).data.pull_request?.url).toMatch(/pulls\/1$/)
})

test('the timeline holds comments and labels', async () => {
  const { github, octokit } = setting
  github.comment(pull, 'bob', 'hello')
  github.advance(1000)
  github.addLabel(pull, 'bob', 'perf')
  const { data } = await octokit.rest.issues.listEventsForTimeline(on)
  expect(data.map(({ event }) => event)).toEqual(['commented', 'labeled'])
})

test('label names have a limit', async () => {
  const { octokit, at } = setting
  const { issues } = octokit.rest
  await expect(issues.createLabel({ ...at, name: 'x'.repeat(51) })).rejects.toMatchObject({ status: 422 })
  await expect(issues.addLabels({ ...on, labels: ['x'.repeat(51)] })).rejects.toMatchObject({ status: 422 })
  await issues.createLabel({ ...at, name: 'twice' })
  await expect(issues.createLabel({ ...at, name: 'Twice' })).rejects.toMatchObject({
    response: { data: { errors: [{ code: 'already_exists' }] } },
  })
})
