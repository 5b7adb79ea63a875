import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { LocalGitHub } from '../../demo/github/local-github.ts'
import { Stopped } from '../../src/github/bounded-fetch.ts'
import { createGitHubApp } from '../../src/github/github-app.ts'
import type { Octokit } from '../../src/github/octokit.ts'
import { type Inbox, openInbox } from '../../src/inbox/inbox.ts'
import { makeSetting } from '../demo/setting.ts'
import { temporaryFolder } from '../inbox/temporary-folder.ts'

async function inboxOfTest(): Promise<Inbox> {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  return inbox
}

/** The client of an installation as each of several processes has it. */
async function clientOf(github: LocalGitHub, id: number, inbox: Inbox, stopping?: AbortSignal): Promise<Octokit> {
  const app = createGitHubApp({
    ...github.credentials,
    webhookSecret: 'secret',
    apiUrl: `${github.url}/api/v3`,
    log: pino({ level: 'silent' }),
    pace: { slots: inbox.writeSlots, now: Date.now },
    ...(stopping === undefined ? {} : { stopping }),
  })
  return await app.forInstallation(id)
}

test('three processes comment at the pace of one, and a write that is no comment waits for none of them', async () => {
  const { github, repo, installation, at } = await makeSetting()
  onTestFinished(() => github.stop())
  const inbox = await inboxOfTest()
  const pull = github.openPullRequest({ repo, head: 'work' })
  const clients = await Promise.all([1, 2, 3].map(() => clientOf(github, installation.id, inbox)))
  const wrote: string[] = []
  const began = performance.now()
  const comments = clients.map(async ({ rest }) => {
    await rest.issues.createComment({ ...at, issue_number: pull.number, body: 'slower' })
    wrote.push('comment')
  })
  await sleep(500)
  await clients[0]!.rest.issues.addLabels({ ...at, issue_number: pull.number, labels: ['performance'] })
  wrote.push('label')
  await Promise.all(comments)
  expect(performance.now() - began).toBeGreaterThan(5990)
  expect(wrote).toEqual(['comment', 'label', 'comment', 'comment'])
})

test('who waits for a slot while the bot stops writes nothing', async () => {
  const { github, repo, installation, at } = await makeSetting()
  onTestFinished(() => github.stop())
  const stopping = new AbortController()
  const client = await clientOf(github, installation.id, await inboxOfTest(), stopping.signal)
  const pull = github.openPullRequest({ repo, head: 'work' })
  const comment = { ...at, issue_number: pull.number, body: 'slower' }
  await client.rest.issues.createComment(comment)
  const late = client.rest.issues.createComment(comment)
  late.catch(() => {})
  await sleep(200)
  const stopped = performance.now()
  stopping.abort()
  await expect(late).rejects.toThrow(Stopped)
  // Its slot is 2.8 s away.
  expect(performance.now() - stopped).toBeLessThan(2000)
  expect(pull.comments).toHaveLength(1)
})
