import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/inbox/database.ts'
import { type Decision, Decisions } from '../../src/inbox/decisions.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MUTE: Decision = {
  repositoryId: 7,
  pullRequestNumber: null,
  kind: 'mute',
  subject: { test: 'order_by_read', queryIndex: 1 },
  reason: 'two modes since May',
  actor: 'octocat',
  actorId: 583231,
  revokes: null,
}

test('decisions are kept as they were made, in their order, and never changed', () => {
  const database = openDatabase(join(temporaryFolder(), 'inbox.sqlite'))
  onTestFinished(() => database.close())
  const decisions = new Decisions(database)
  const id = decisions.add(MUTE, new Date(5))
  const taken = decisions.add({ ...MUTE, pullRequestNumber: 3, revokes: id }, 6)
  decisions.add({ ...MUTE, repositoryId: 8 }, 7)
  expect(decisions.list(7)).toEqual([
    { ...MUTE, id, decidedAt: 5 },
    { ...MUTE, id: taken, pullRequestNumber: 3, revokes: id, decidedAt: 6 },
  ])
  expect(() => decisions.add({ ...MUTE, revokes: 999 }, 8)).toThrow('FOREIGN KEY')
  expect(() => database.exec('DELETE FROM decisions')).toThrow('append-only')
  expect(() => database.exec("UPDATE decisions SET reason = ''")).toThrow('append-only')
})
