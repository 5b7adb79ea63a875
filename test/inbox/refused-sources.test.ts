import { expect, onTestFinished, test } from 'vitest'
import { type Inbox, inboxIn } from '../../src/inbox/inbox.ts'
import { RefusedSources } from '../../src/inbox/refused-sources.ts'
import { openDatabase, openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const DAY_MS = 24 * 3600_000
const SOURCE = { repositoryId: 7, head: 'a'.repeat(40), source: '["artifact 1",null,1,null]' }

test('what was refused is known after a restart, for this head and this reading alone', async () => {
  const folder = temporaryFolder()
  const before = await openInbox(folder)
  await before.refusedSources.add(SOURCE, { problem: 'empty' }, 1)
  await before.refusedSources.add(SOURCE, { problem: 'unreadable', refusal: 'a.zip: cut' }, 2)
  await before.close()
  const inbox = await openInbox(folder)
  onTestFinished(() => inbox.close())
  const { refusedSources } = inbox
  expect(await refusedSources.refusalOf(SOURCE)).toEqual({ problem: 'unreadable', refusal: 'a.zip: cut' })
  expect(await refusedSources.refusalOf({ ...SOURCE, repositoryId: 8 })).toBeNull()
  expect(await refusedSources.refusalOf({ ...SOURCE, head: 'b'.repeat(40) })).toBeNull()
  expect(await refusedSources.refusalOf({ ...SOURCE, source: '["artifact 1",null,2,null]' })).toBeNull()
})

test('another version reads it again', async () => {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  await new RefusedSources(database, '1.0.0').add(SOURCE, { problem: 'too-large' }, 1)
  expect(await new RefusedSources(database, '1.0.0').refusalOf(SOURCE)).toEqual({ problem: 'too-large' })
  expect(await new RefusedSources(database, '1.0.1').refusalOf(SOURCE)).toBeNull()
})

test('a re-run forgets those of its head, time those whose artifacts are gone', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { refusedSources } = inbox
  const other = { ...SOURCE, head: 'b'.repeat(40) }
  await refusedSources.add(SOURCE, { problem: 'empty' }, 0)
  await refusedSources.add(other, { problem: 'empty' }, 0)
  await refusedSources.forget(7, SOURCE.head)
  expect(await refusedSources.refusalOf(SOURCE)).toBeNull()
  await inbox.prune(90 * DAY_MS)
  expect(await refusedSources.refusalOf(other)).toEqual({ problem: 'empty' })
  await inbox.prune(90 * DAY_MS + 1)
  expect(await refusedSources.refusalOf(other)).toBeNull()
})

test('a start with other hosts makes the pull request due whose results lay on one that was not allowed, once', async () => {
  const folder = temporaryFolder()
  const started = async (artifactHosts: readonly string[], work: (inbox: Inbox) => Promise<unknown>) => {
    const inbox = await openInbox(folder, { debounceMs: 0, artifactHosts })
    try {
      await inbox.refusedSources.lookAtOtherHosts(3)
      const { due } = await inbox.triages.counts()
      await work(inbox)
      return due
    } finally {
      await inbox.close()
    }
  }
  const named = { installationId: 1, repositoryId: 7, owner: 'acme', repo: 'engine' }
  const refuse = async ({ triages, refusedSources }: Inbox) => {
    const claim = (await triages.claimNext(3))!
    await refusedSources.add(SOURCE, { problem: 'host-not-allowed', refusal: 'b.example.org is not allowed' }, 3)
    await triages.finish(claim, { waitUntil: null }, 3)
    expect(await refusedSources.refusalOf(SOURCE)).toBeNull()
  }
  await started(['a.example.org', '*.c.example.org'], async (inbox) => {
    await inbox.installations.seen(named, 1)
    for (const [pullRequestNumber, head] of [
      [1, SOURCE.head],
      [2, 'b'.repeat(40)],
    ] as const)
      await inbox.triages.wake({ ...named, pullRequestNumber, head }, pullRequestNumber)
    await refuse(inbox)
    await inbox.refusedSources.add({ ...SOURCE, source: 'read' }, { problem: 'empty' }, 3)
    await inbox.triages.finish((await inbox.triages.claimNext(3))!, { waitUntil: null }, 3)
  })
  expect(await started(['*.c.example.org', 'a.example.org'], async () => {})).toBe(0)
  expect(await started(['a.example.org', 'b.example.org'], refuse)).toBe(1)
  const isKept = async ({ refusedSources }: Inbox) =>
    expect(await refusedSources.refusalOf({ ...SOURCE, source: 'read' })).toEqual({ problem: 'empty' })
  expect(await started(['a.example.org'], isKept)).toBe(1)
})

test('a start with other hosts looks again at one that is being looked at, and at none of a repository that is not installed', async () => {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  const inbox = inboxIn(database, { debounceMs: 0, artifactHosts: ['a.example.org'] })
  const { triages, refusedSources, installations } = inbox
  const named = { installationId: 1, owner: 'acme', repo: 'engine', head: SOURCE.head }
  await installations.seen({ ...named, repositoryId: 7 }, 1)
  for (const [repositoryId, pullRequestNumber] of [
    [8, 1],
    [7, 2],
    [7, 3],
  ] as const) {
    await triages.wake({ ...named, repositoryId, pullRequestNumber }, 1)
    await refusedSources.add({ ...SOURCE, repositoryId }, { problem: 'host-not-allowed' }, 1)
  }
  const claims = [(await triages.claimNext(2))!, (await triages.claimNext(2))!, (await triages.claimNext(2))!]
  const underWay = claims.find(({ pullRequestNumber }) => pullRequestNumber === 3)!
  for (const claim of claims) if (claim !== underWay) await triages.finish(claim, { waitUntil: 1000 }, 2)
  await inboxIn(database, { artifactHosts: ['b.example.org'] }).refusedSources.lookAtOtherHosts(3)
  expect(await triages.claimNext(3)).toMatchObject({ repositoryId: 7, pullRequestNumber: 2 })
  expect(await triages.claimNext(3)).toBeNull()
  await triages.finish(underWay, { waitUntil: null }, 4)
  expect(await triages.claimNext(4)).toMatchObject({ pullRequestNumber: 3 })
})
