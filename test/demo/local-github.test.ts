import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSetting, octokitOf, Receiver, type Setting } from './setting.ts'

let setting: Setting
let receiver: Receiver

beforeEach(async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  await setting.github.idle()
  receiver.received.length = 0
})

afterEach(async () => {
  await setting.github.stop()
  await receiver.stop()
})

test('a day of a pull request: every event that GitHub sends, in order, none of them deviating', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'faster-sum', author: 'bob', title: 'Faster sum' })
  const run = github.startWorkflowRun(repo, { name: 'PR', pull })
  const check = github.startCheckRun(repo, { name: 'Perf (arm)', headSha: pull.head.sha, workflowRun: run })
  github.finishCheckRun(check, 'success', { title: 'done', summary: 'ok' })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-arm', zip: Buffer.from('x') }] })
  github.setStatus(repo, pull.head.sha, { state: 'success', context: 'CI' })
  const comment = github.comment(pull, 'alice', '/perf ack')
  github.editComment(comment, 'alice', '/perf ack sum')
  github.deleteComment(comment, 'alice')
  github.addLabel(pull, 'alice', 'perf')
  github.removeLabel(pull, 'alice', 'perf')
  github.push(pull, { 'src/sum.cpp': 'int x;\n' })
  github.closePullRequest(pull)
  github.reopenPullRequest(pull)
  github.closePullRequest(pull, { merge: true, by: 'alice' })
  github.renameRepository(repo, 'renamed')
  github.rerequestCheckRun(check, 'alice')
  github.rerequestCheckSuite(check, 'alice')
  github.requestAction(check, 'alice', 'ack')
  github.suspend(setting.installation, true)
  github.suspend(setting.installation, false)
  github.uninstall(setting.installation)
  await github.idle()
  expect(receiver.names).toEqual([
    'push',
    'check_suite.requested',
    'pull_request.opened',
    'workflow_run.requested',
    'workflow_run.in_progress',
    'check_run.created',
    'check_run.completed',
    'workflow_run.completed',
    'check_suite.completed',
    'status',
    'issue_comment.created',
    'issue_comment.edited',
    'issue_comment.deleted',
    'pull_request.labeled',
    'pull_request.unlabeled',
    'push',
    'check_suite.requested',
    'pull_request.synchronize',
    'pull_request.closed',
    'pull_request.reopened',
    'push',
    'check_suite.requested',
    'pull_request.closed',
    'repository.renamed',
    'check_run.rerequested',
    'check_suite.rerequested',
    'check_run.requested_action',
    'installation.suspend',
    'installation.unsuspend',
    'installation.deleted',
  ])
  expect(github.violations).toEqual([])
})

test("the bot's own writes come back as events of its bot account", async () => {
  const { github, repo, octokit, at } = setting
  const pull = github.openPullRequest({ repo, head: 'x' })
  await github.idle()
  receiver.received.length = 0
  const on = { ...at, issue_number: pull.number }
  const { data } = await octokit.rest.issues.createComment({ ...on, body: 'one' })
  await octokit.rest.issues.updateComment({ ...at, comment_id: data.id, body: 'two' })
  await octokit.rest.checks.create({ ...at, name: 'Performance', head_sha: pull.head.sha, conclusion: 'success' })
  await octokit.rest.issues.addLabels({ ...on, labels: ['perf'] })
  await github.idle()
  expect(receiver.names).toEqual([
    'issue_comment.created',
    'issue_comment.edited',
    'check_run.created',
    'check_run.completed',
    'check_suite.completed',
    'pull_request.labeled',
  ])
  for (const { body } of receiver.received) {
    expect(body['sender']).toMatchObject({ login: 'perf-triage[bot]', type: 'Bot' })
  }
  expect(receiver.received[1]?.body['changes']).toEqual({ body: { from: 'one' } })
})

test('a deviation is recorded and answered with 500', async () => {
  const { github, octokit, at } = setting
  const unknown = octokit.request('GET /repos/{owner}/{repo}/pulls', { ...at, sate: 'open' })
  await expect(unknown).rejects.toMatchObject({ status: 500 })
  await expect(octokit.rest.issues.listMilestones(at)).rejects.toMatchObject({ status: 500 })
  const body = octokit.request('POST /repos/{owner}/{repo}/labels', { ...at, name: 'x', colour: 'ffffff' })
  await expect(body).rejects.toMatchObject({ status: 500 })
  expect(github.violations).toHaveLength(3)
  expect(github.violations[2]).toMatch(/colour/)
})

test('an answer that deviates is caught as well', async () => {
  const { github, repo, octokit, at } = setting
  const pull = github.openPullRequest({ repo, head: 'x' })
  Object.assign(pull, { title: 17 })
  await expect(octokit.rest.pulls.get({ ...at, pull_number: 1 })).rejects.toMatchObject({ status: 500 })
  expect(() => github.addLabel(pull, 'bob', 'x')).toThrow(/pull_request\/title/)
  expect(github.violations).toHaveLength(2)
})

test('requests are logged with who made them', async () => {
  const { github, octokit, installation, at } = setting
  await octokit.rest.pulls.list(at)
  await octokitOf(github).rest.apps.getAuthenticated()
  expect(github.requests.map(({ method, path, status, actor }) => [method, path, status, actor])).toEqual([
    ['POST', `/app/installations/${installation.id}/access_tokens`, 201, 'app'],
    ['GET', '/repos/ClickHouse/ClickHouse/pulls', 200, `installation ${installation.id}`],
    ['GET', '/app', 200, 'app'],
  ])
})
