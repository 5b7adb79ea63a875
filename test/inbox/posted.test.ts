import { expect, onTestFinished, test } from 'vitest'
import { Posted } from '../../src/inbox/posted.ts'
import { openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function open() {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  return { database, posted: new Posted(database) }
}

test('nothing stands where nothing was posted', async () => {
  expect(await (await open()).posted.latestPosted(7, 1)).toEqual({ comment: null, checkRun: null, labels: [] })
})

test('the newest of each kind stands, on its own pull request', async () => {
  const { posted } = await open()
  await posted.add(7, 1, { kind: 'comment', commentId: 11, hash: 'one', head: 'a' }, 1)
  await posted.add(7, 1, { kind: 'comment', commentId: 11, hash: 'two', head: 'b' }, 2)
  await posted.add(7, 1, { kind: 'labels', labels: ['perf: slower'], head: 'b' }, 3)
  await posted.add(7, 2, { kind: 'comment', commentId: 12, hash: 'other', head: 'c' }, 4)
  await posted.add(8, 1, { kind: 'labels', labels: ['perf: faster'], head: 'c' }, 5)
  expect(await posted.latestPosted(7, 1)).toEqual({
    comment: { id: 11, hash: 'two', head: 'b', postedAt: 2 },
    checkRun: null,
    labels: ['perf: slower'],
  })
})

test('a head that comes back has its check run again', async () => {
  const { posted } = await open()
  await posted.add(7, 1, { kind: 'check-run', checkRunId: 21, hash: 'x', head: 'a' }, 1)
  await posted.add(7, 1, { kind: 'check-run', checkRunId: 22, hash: 'y', head: 'b' }, 2)
  expect((await posted.latestPosted(7, 1)).checkRun).toMatchObject({ id: 22 })
  expect((await posted.latestPosted(7, 1, 'a')).checkRun).toMatchObject({ id: 21, hash: 'x' })
  expect((await posted.latestPosted(7, 1, 'c')).checkRun).toBeNull()
})

test('a comment that is gone stands no more', async () => {
  const { posted } = await open()
  await posted.add(7, 1, { kind: 'comment', commentId: 11, hash: 'one', head: 'a' }, 1)
  await posted.add(7, 1, { kind: 'comment', commentId: null, hash: null, head: 'a' }, 2)
  expect((await posted.latestPosted(7, 1)).comment).toBeNull()
})

test('nothing is changed or taken away', async () => {
  const { database, posted } = await open()
  await posted.add(7, 1, { kind: 'comment', commentId: 11, hash: 'one', head: 'a' }, 1)
  await expect(database.run({ name: 'change', text: "UPDATE posted SET hash = 'x'" })).rejects.toThrow('append-only')
  await expect(database.run({ name: 'change', text: 'DELETE FROM posted' })).rejects.toThrow('append-only')
})

test('a person has seen what was posted in a second before, not within the same one', async () => {
  const { posted } = await open()
  const findings = (head: string) => ({ head, rows: [], suites: [], unknowns: [] })
  const seen = (head: string, at: number) =>
    ({ kind: 'comment', commentId: 11, hash: head, head, seen: { at, findings: findings(head) } }) as const
  await posted.add(7, 1, seen('a', 1000), 1)
  await posted.add(7, 1, seen('b', 2000), 2)
  expect(await posted.lastSeen(7, 1, 1000)).toBeNull()
  expect(await posted.lastSeen(7, 1, 2000)).toEqual({ at: 1000, findings: findings('a') })
  expect(await posted.lastSeen(7, 1, 3000)).toEqual({ at: 2000, findings: findings('b') })
})
