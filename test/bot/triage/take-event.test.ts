import { expect, onTestFinished, test } from 'vitest'
import { readEvent } from '../../../src/bot/events/event.ts'
import { takeEvent } from '../../../src/bot/triage/take-event.ts'
import { type Inbox, openInbox } from '../../../src/inbox/inbox.ts'
import { temporaryFolder } from '../../inbox/temporary-folder.ts'

// Where the App is: these events ask GitHub nothing.

async function setting() {
  const inbox = await openInbox(temporaryFolder(), { debounceMs: 0 })
  onTestFinished(() => inbox.close())
  const github = { identity: async () => ({ appId: 1, botLogin: 'perf-triage[bot]' }) }
  const take = (name: string, payload: object) =>
    takeEvent({ inbox, github, now: () => 5 } as never, {} as never, readEvent(name, payload))
  return { inbox, take }
}

const installation = { id: 3 }
const hello = { id: 7, full_name: 'octo-org/hello' }
const bye = { id: 8, full_name: 'octo-org/bye' }
const nameless = { id: 9, full_name: 'octo-org/we ird' }

async function installed({ installations }: Inbox): Promise<string[]> {
  return (await installations.list()).map(({ repositoryId, owner, repo }) => `${repositoryId} ${owner}/${repo}`)
}

async function wake({ triages }: Inbox, repositoryId: number): Promise<void> {
  const target = { installationId: 3, repositoryId, owner: 'octo-org', repo: 'hello', head: null }
  await triages.wake({ ...target, pullRequestNumber: 1 }, 0)
}

test.each([
  ['created', ['7 octo-org/hello', '8 octo-org/bye']],
  ['unsuspend', ['7 octo-org/hello', '8 octo-org/bye']],
  ['new_permissions_accepted', []],
])('installation.%s: the App is in the repositories that have a name', async (action, expected) => {
  const { inbox, take } = await setting()
  await take('installation', { action, installation, repositories: [hello, bye, nameless] })
  expect(await installed(inbox)).toEqual(expected)
})

test.each(['deleted', 'suspend'])('installation.%s: it is in none, also where the event lists one', async (action) => {
  const { inbox, take } = await setting()
  await take('installation', { action: 'created', installation, repositories: [hello, bye] })
  for (const repository of [7, 8]) await wake(inbox, repository)
  await take('installation', { action, installation, repositories: [hello] })
  expect(await installed(inbox)).toEqual([])
  expect(await inbox.triages.counts()).toMatchObject({ due: 0, settled: 2 })
})

test('repositories that come and go: the pull requests of one that is gone rest, those of the others do not', async () => {
  const { inbox, take } = await setting()
  await take('installation', { action: 'created', installation, repositories: [hello] })
  for (const repository of [7, 8, 9]) await wake(inbox, repository)
  const changed = { repositories_added: [bye], repositories_removed: [hello, nameless] }
  await take('installation_repositories', { action: 'added', installation, ...changed })
  expect(await installed(inbox)).toEqual(['8 octo-org/bye'])
  expect(await inbox.triages.counts()).toMatchObject({ due: 1, settled: 2 })
})

test('what happens to a repository by itself says nothing of where the App is', async () => {
  const { inbox, take } = await setting()
  await take('installation', { action: 'created', installation, repositories: [hello] })
  const repository = { id: 7, name: 'hello', owner: { login: 'octo-org' }, private: false }
  await take('repository', { action: 'deleted', installation, repository })
  expect(await installed(inbox)).toEqual(['7 octo-org/hello'])
})
