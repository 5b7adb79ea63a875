import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { clientOf, makeSetting, Receiver, type Setting } from './setting.ts'

let setting: Setting
let receiver: Receiver
let pull: PullRequest
let on: { owner: string; repo: string; issue_number: number; pull_number: number }

beforeEach(async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  const { github, repo, at } = setting
  github.setPermission(repo, 'maria', 'write')
  pull = github.openPullRequest({ repo, head: 'faster', author: 'alice' })
  on = { ...at, issue_number: pull.number, pull_number: pull.number }
  await github.idle()
  receiver.received.length = 0
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
  await receiver.stop()
})

test('people comment, edit and delete with their tokens; only those with write access touch what others said', async () => {
  const [alice, maria, sam] = ['alice', 'maria', 'sam'].map(restOf)
  const { data: said } = await alice!.issues.createComment({ ...on, body: 'mine' })
  expect(said.user?.login).toBe('alice')
  expect(said.performed_via_github_app).toBeFalsy()
  const one = { ...setting.at, comment_id: said.id }
  await alice!.issues.updateComment({ ...one, body: 'mine, again' })
  await expect(sam!.issues.updateComment({ ...one, body: 'x' })).rejects.toMatchObject({ status: 403 })
  await expect(sam!.issues.deleteComment(one)).rejects.toMatchObject({ status: 403 })
  await sam!.reactions.createForIssueComment({ ...one, content: 'heart' })
  const { data: reactions } = await maria!.reactions.listForIssueComment(one)
  expect(reactions.map(({ user, content }) => [user?.login, content])).toEqual([['sam', 'heart']])
  await maria!.issues.deleteComment(one)
  expect((await sam!.issues.listComments(on)).data).toEqual([])
  await setting.github.idle()
  expect(receiver.names).toEqual(['issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted'])
})

test('labels need triage access, and the timeline says who set them', async () => {
  const [alice, maria] = ['alice', 'maria'].map(restOf)
  await expect(alice!.issues.addLabels({ ...on, labels: ['x'] })).rejects.toMatchObject({ status: 403 })
  await maria!.issues.addLabels({ ...on, labels: ['perf: accepted'] })
  await maria!.issues.removeLabel({ ...on, name: 'perf: accepted' })
  const { data: events } = await alice!.issues.listEvents(on)
  expect(events.map(({ event, actor }) => [event, actor?.login])).toEqual([
    ['labeled', 'maria'],
    ['unlabeled', 'maria'],
  ])
})

test('an author pushes to the head of the pull request, and a maintainer merges it', async () => {
  const [alice, maria, sam] = ['alice', 'maria', 'sam'].map(restOf)
  const { at } = setting
  const { ref } = pull.head
  const file = { ...at, path: 'src/sum.cpp', message: 'Sum', content: btoa('int x;\n'), branch: ref }
  await expect(sam!.repos.createOrUpdateFileContents(file)).rejects.toMatchObject({ status: 403 })
  await expect(alice!.repos.createOrUpdateFileContents({ ...file, branch: 'master' })).rejects.toMatchObject({
    status: 403,
  })
  const { data: made } = await alice!.repos.createOrUpdateFileContents(file)
  expect((await sam!.pulls.get(on)).data.head.sha).toBe(made.commit.sha)
  // Without the id of the file that is there GitHub changes nothing.
  await expect(alice!.repos.createOrUpdateFileContents(file)).rejects.toMatchObject({ status: 422 })
  await alice!.repos.createOrUpdateFileContents({ ...file, content: btoa('int y;\n'), sha: made.content!.sha! })
  const { data: text } = await sam!.repos.getContent({ ...at, path: file.path, ref, mediaType: { format: 'raw' } })
  expect(text).toBe('int y;\n')
  // GitHub looks at no media type of a request: curl states that of a form.
  const asForm = await fetch(
    `${setting.github.url}/api/v3/repos/${at.owner}/${at.repo}/issues/${pull.number}/comments`,
    {
      method: 'POST',
      headers: { authorization: `token ${setting.github.personalToken('sam')}`, 'content-type': FORM },
      body: '{"body":"hello"}',
    },
  )
  expect(asForm.status).toBe(201)

  await alice!.pulls.update({ ...on, state: 'closed' })
  await alice!.pulls.update({ ...on, state: 'open' })
  await expect(alice!.pulls.merge(on)).rejects.toMatchObject({ status: 403 })
  await expect(maria!.pulls.merge({ ...on, sha: made.commit.sha! })).rejects.toMatchObject({ status: 409 })
  const { data: merged } = await maria!.pulls.merge(on)
  expect((await sam!.repos.getBranch({ ...at, branch: 'master' })).data.commit.sha).toBe(merged.sha)
  await expect(maria!.pulls.merge(on)).rejects.toMatchObject({ status: 405 })
})

test('what people ask for and GitHub does not describe is their mistake', async () => {
  const [alice] = ['alice'].map(restOf)
  await expect(alice!.checks.create({ ...setting.at, name: 'x', head_sha: pull.head.sha })).rejects.toMatchObject({
    status: 403,
  })
  await expect(alice!.request('GET /repos/{owner}/{repo}/nothing', setting.at)).rejects.toMatchObject({ status: 422 })
  const nobody = clientOf(setting.github, { token: 'ghp_x' })
  await expect(nobody.rest.pulls.get(on)).rejects.toMatchObject({ status: 401 })
})

test('the page of a pull request has a form for those who are let in, and does what each of them may', async () => {
  const { github, repo } = setting
  const address = `${github.url}/ClickHouse/ClickHouse/pull/${pull.number}`
  const page = async () => (await fetch(address, { headers: { accept: 'text/html' } })).text()
  const send = async (fields: Record<string, string>, origin = github.url) =>
    fetch(address, { method: 'POST', body: new URLSearchParams(fields), headers: { origin }, redirect: 'manual' })
  expect(await page()).not.toContain('<form')
  for (const login of ['alice', 'maria', 'sam']) github.seat(login)
  expect(await page()).toMatch(/alice <span class="number">author.*maria <span class="number">maintainer.*stranger/)

  expect((await send({ as: 'sam', do: 'comment', body: '/perf help' })).status).toBe(303)
  expect(pull.comments.map(({ author, body }) => [author.login, body])).toEqual([['sam', '/perf help']])
  expect((await send({ as: 'sam', do: 'label', label: 'perf: accepted' })).status).toBe(403)
  expect((await send({ as: 'maria', do: 'label', label: 'perf: accepted' })).status).toBe(303)
  expect(pull.labels.map(({ name }) => name)).toEqual(['perf: accepted'])
  const before = pull.head.sha
  expect((await send({ as: 'alice', do: 'push' })).status).toBe(303)
  expect(pull.head.sha).not.toBe(before)

  const check = github.startCheckRun(repo, { name: 'perf-triage', headSha: pull.head.sha })
  check.actions = [{ label: 'Accept', description: '', identifier: 'accept' }]
  expect(await page()).toContain('Accept (perf-triage)')
  expect((await send({ as: 'alice', do: `button ${check.id} accept` })).status).toBe(403)
  expect((await send({ as: 'maria', do: `button ${check.id} accept` })).status).toBe(303)
  expect((await send({ as: 'maria', do: `button ${check.id} other` })).status).toBe(403)
  expect((await send({ as: 'maria', do: 'comment', body: 'x' }, 'http://elsewhere.example')).status).toBe(403)
  expect((await send({ as: 'maria', do: 'merge' })).status).toBe(303)
  expect(pull.mergedBy?.login).toBe('maria')
  await github.idle()
  expect(receiver.names).toContain('check_run.requested_action')
})

const FORM = 'application/x-www-form-urlencoded'
function restOf(login: string) {
  const octokit = clientOf(setting.github, { token: setting.github.personalToken(login) })
  return Object.assign(octokit.rest, { request: octokit.request })
}
