import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('three processes comment at the pace of one', async () => {
  const { github, repo, installation, at } = await makeSetting()
  onTestFinished(() => github.stop())
  const inbox = await inboxOfTest()
  const pull = github.openPullRequest({ repo, head: 'work' })
  const clients = await Promise.all([1, 2, 3].map(() => clientOf(github, installation.id, inbox)))
  const began = performance.now()
  await Promise.all(
    clients.map(({ rest }) => rest.issues.createComment({ ...at, issue_number: pull.number, body: 'slower' })),
  )
  expect(performance.now() - began).toBeGreaterThan(5990)
  expect(pull.comments).toHaveLength(3)
})

test('a comment that waits for its slot holds up no other write, and is not written when the bot stops', async () => {
  const { github, repo, installation, at } = await makeSetting()
  onTestFinished(() => github.stop())
  const stopping = new AbortController()
  const inbox = await inboxOfTest()
  const client = await clientOf(github, installation.id, inbox, stopping.signal)
  const pull = github.openPullRequest({ repo, head: 'work' })
  // The slot after this one is minutes away.
  await inbox.writeSlots.take(installation.id, 'comment', 0, Date.now() + 4 * 60_000)
  const take = vi.spyOn(inbox.writeSlots, 'take')
  const late = client.rest.issues.createComment({ ...at, issue_number: pull.number, body: 'slower' })
  late.catch(() => {})
  await expect.poll(() => take.mock.settledResults.map(({ type }) => type)).toEqual(['fulfilled'])
  await client.rest.issues.addLabels({ ...at, issue_number: pull.number, labels: ['performance'] })
  expect(pull.labels.map(({ name }) => name)).toEqual(['performance'])
  // The comment has no slot among the writes yet.
  expect(take.mock.calls.map(([, kind]) => kind)).toEqual(['comment', 'write'])

  stopping.abort()
  await expect(late).rejects.toThrow(Stopped)
  expect(pull.comments).toEqual([])
})
