import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openInbox } from '../../src/inbox/inbox.ts'
import { RefusedSources } from '../../src/inbox/refused-sources.ts'
import { temporaryFolder } from './temporary-folder.ts'

const DAY_MS = 24 * 3600_000
const SOURCE = { repositoryId: 7, head: 'a'.repeat(40), source: '["artifact 1",null,1,null]' }

test('what was refused is known after a restart, for this head and this reading alone', () => {
  const folder = temporaryFolder()
  const before = openInbox(folder)
  before.refusedSources.add(SOURCE, 'empty', 1)
  before.refusedSources.add(SOURCE, 'unreadable', 2)
  before.close()
  const inbox = openInbox(folder)
  onTestFinished(() => inbox.close())
  const { refusedSources } = inbox
  expect(refusedSources.problemOf(SOURCE)).toBe('unreadable')
  expect(refusedSources.problemOf({ ...SOURCE, repositoryId: 8 })).toBeNull()
  expect(refusedSources.problemOf({ ...SOURCE, head: 'b'.repeat(40) })).toBeNull()
  expect(refusedSources.problemOf({ ...SOURCE, source: '["artifact 1",null,2,null]' })).toBeNull()
})

test('another version reads it again', () => {
  const folder = temporaryFolder()
  openInbox(folder).close()
  const database = new DatabaseSync(`${folder}/inbox.sqlite`)
  onTestFinished(() => database.close())
  new RefusedSources(database, '1.0.0').add(SOURCE, 'too-large', 1)
  expect(new RefusedSources(database, '1.0.0').problemOf(SOURCE)).toBe('too-large')
  expect(new RefusedSources(database, '1.0.1').problemOf(SOURCE)).toBeNull()
})

test('a re-run forgets those of its head, time those whose artifacts are gone', () => {
  const inbox = openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { refusedSources } = inbox
  const other = { ...SOURCE, head: 'b'.repeat(40) }
  refusedSources.add(SOURCE, 'empty', 0)
  refusedSources.add(other, 'empty', 0)
  refusedSources.forget(7, SOURCE.head)
  expect(refusedSources.problemOf(SOURCE)).toBeNull()
  inbox.prune(90 * DAY_MS)
  expect(refusedSources.problemOf(other)).toBe('empty')
  inbox.prune(90 * DAY_MS + 1)
  expect(refusedSources.problemOf(other)).toBeNull()
})
