import { expect, onTestFinished, test } from 'vitest'
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
