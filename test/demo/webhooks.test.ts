import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allEvents, makeSetting, octokitOf, Receiver, type Setting } from './setting.ts'

let setting: Setting
let receiver: Receiver

beforeEach(async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'a secret' } })
  await setting.github.idle()
  receiver.received.length = 0
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
  await receiver.stop()
})

test("a delivery is signed and carries GitHub's headers", async () => {
  const { github, repo, installation } = setting
  const pull = github.openPullRequest({ repo, head: 'x' })
  github.comment(pull, 'bob', 'Gr\u00fc\u00dfe \u{1f40e}')
  await github.idle()
  const { headers, text, body } = receiver.received.at(-1)!
  const signature = createHmac('sha256', 'a secret').update(text).digest('hex')
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-github-event': 'issue_comment',
    'x-github-hook-installation-target-id': String(github.credentials.appId),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': `sha256=${signature}`,
  })
  expect(headers['user-agent']).toMatch(/^GitHub-Hookshot\//)
  expect(headers['x-github-delivery']).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(body['installation']).toMatchObject({ id: installation.id })
  expect(body['comment']).toMatchObject({ body: 'Gr\u00fc\u00dfe \u{1f40e}' })
})

test('only what the app subscribes to is delivered, and only for its repositories', async () => {
  const { github, installation } = setting
  github.createRepository({ owner: 'elsewhere', name: 'x' })
  installation.events = ['pull_request']
  installation.permissions = { ...installation.permissions, checks: 'read' }
  const pull = github.openPullRequest({ repo: setting.repo, head: 'x' })
  github.comment(pull, 'bob', 'hello')
  await github.idle()
  expect(receiver.names).toEqual(['pull_request.opened'])
  const install = () => github.install({ account: 'ClickHouse', permissions: { checks: 'read' }, events: allEvents })
  expect(install).toThrow(/needs the permission/)
})

test('an installation on selected repositories hears of those only', async () => {
  const { github } = setting
  const one = github.createRepository({ owner: 'acme', name: 'one' })
  const two = github.createRepository({ owner: 'acme', name: 'two' })
  const permissions = { contents: 'read' as const }
  const installation = github.install({ account: 'acme', permissions, events: ['push'], repositories: [one] })
  github.commit(two, { files: { a: '1' } })
  github.selectRepository(installation, two, true)
  github.commit(two, { files: { a: '2' } })
  github.selectRepository(installation, two, false)
  github.commit(two, { files: { a: '3' } })
  github.commit(one, { files: { a: '3' } })
  await github.idle()
  const names = receiver.names.map((name, at) => {
    const repository = receiver.received[at]?.body['repository'] as { name: string } | undefined
    return `${name} ${repository?.name ?? ''}`.trim()
  })
  expect(names).toEqual([
    'installation.created',
    'installation_repositories.added',
    'push two',
    'installation_repositories.removed',
    'push one',
  ])
})

test('of a fork, no branch and no pull request is named', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'patch-1', fork: { owner: 'mallory' } })
  const run = github.startWorkflowRun(repo, { name: 'PR', pull })
  github.startCheckRun(repo, { name: 'Perf', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run)
  await github.idle()
  expect(receiver.names).not.toContain('push')
  const of = (name: string) => receiver.received[receiver.names.indexOf(name)]?.body
  expect(of('workflow_run.completed')?.['workflow_run']).toMatchObject({ pull_requests: [], head_branch: 'patch-1' })
  expect(of('check_run.created')?.['check_run']).toMatchObject({ pull_requests: [] })
  expect(of('check_suite.completed')?.['check_suite']).toMatchObject({ pull_requests: [], head_branch: null })
})

test('a failed delivery is listed by the API and sent again under the same GUID', async () => {
  const { github, repo } = setting
  receiver.status = 503
  const pull = github.openPullRequest({ repo, head: 'x' })
  await github.idle()
  receiver.status = 200
  github.comment(pull, 'bob', 'hello')
  await github.idle()
  const { rest } = octokitOf(github)
  const { data: failed } = await rest.apps.listWebhookDeliveries({ status: 'failure' })
  expect(failed.map(({ event, status_code: code }) => [event, code])).toEqual([
    ['pull_request', 503],
    ['check_suite', 503],
    ['push', 503],
  ])
  const delivery = failed[0]!
  await rest.apps.redeliverWebhookDelivery({ delivery_id: delivery.id })
  await github.idle()
  // Deliveries under way at the same time may come in any order.
  const same = receiver.received.filter(({ headers }) => headers['x-github-delivery'] === delivery.guid)
  expect(same).toHaveLength(2)
  expect(same[1]?.text).toBe(same[0]?.text)
  const { data: all } = await rest.apps.listWebhookDeliveries({ per_page: 1 })
  expect(all[0]).toMatchObject({ guid: delivery.guid, redelivery: true, status: 'OK' })
  const { data: one } = await rest.apps.getWebhookDelivery({ delivery_id: all[0]!.id })
  expect(one.request.payload).toMatchObject({ action: 'opened' })
  github.redeliver(delivery.guid)
  await github.idle()
  expect(receiver.names.filter((name) => name === 'pull_request.opened')).toHaveLength(3)
})

test('deliveries are listed by cursor', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'x' })
  for (let number = 0; number < 6; number += 1) github.comment(pull, 'bob', String(number))
  await github.idle()
  const { rest, request } = octokitOf(github)
  const first = await rest.apps.listWebhookDeliveries({ per_page: 4 })
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1]
  expect(next).toMatch(/\/api\/v3\/app\/hook\/deliveries\?per_page=4&cursor=\d+/)
  const second = await request(`GET ${next ?? ''}`)
  const guids = [...first.data, ...(second.data as { guid: string }[])].map(({ guid }) => guid)
  expect(new Set(guids).size).toBe(8)
})

test('an answer that takes too long, and nobody there', async () => {
  const { github, repo } = await makeSetting({ webhook: { url: receiver.url, secret: 'x' }, webhookTimeout: 100 })
  await github.idle()
  receiver.delay = 1_000
  github.openPullRequest({ repo, head: 'x' })
  await github.idle()
  expect(github.deliveries.at(-1)).toMatchObject({ statusCode: 0, status: 'timed out' })
  github.setWebhook({ url: 'http://127.0.0.1:1/', secret: 'x' })
  github.commit(repo, { files: { a: 'b' } })
  await github.idle()
  expect(github.deliveries.at(-1)).toMatchObject({ statusCode: 0 })
  await github.stop()
})

test('stopping gives up a delivery that is on its way', async () => {
  const { github, repo } = await makeSetting({ webhook: { url: receiver.url, secret: 'x' } })
  await github.idle()
  receiver.received.length = 0
  receiver.delay = 5_000
  github.openPullRequest({ repo, head: 'x' })
  await expect.poll(() => receiver.received.length).toBe(1)
  await github.stop()
  expect(github.deliveries.at(-1)).toMatchObject({ status: 'stopped', statusCode: 0 })
})

test('deliveries can be held back, reordered and lost', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'x' })
  await github.idle()
  receiver.received.length = 0
  github.pauseDeliveries()
  github.comment(pull, 'bob', 'one')
  github.comment(pull, 'bob', 'two')
  github.comment(pull, 'bob', 'three')
  await github.idle()
  expect(github.waitingDeliveries).toHaveLength(3)
  github.resumeDeliveries((waiting) => waiting.toReversed().slice(0, 2))
  await github.idle()
  const bodies = receiver.received.map(({ body }) => (body['comment'] as { body: string }).body)
  expect(bodies).toEqual(['three', 'two'])
})
