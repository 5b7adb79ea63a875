import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/inbox/database.ts'
import { type Inbox, inboxIn } from '../../src/inbox/inbox.ts'
import { IS_POSTGRES, openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Those of several processes: each with connections of its own where processes can share the database. */
async function connections(count: number): Promise<Inbox[]> {
  const folder = temporaryFolder()
  const databases: Database[] = []
  for (let left = IS_POSTGRES ? count : 1; left > 0; left--) databases.push(await openDatabase(folder))
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))))
  return Array.from({ length: count }, (_, index) => inboxIn(databases[index % databases.length]!))
}

test('no two of three processes have slots that are closer than the pace, whatever they ask for at once', async () => {
  const inboxes = await connections(3)
  const asked = Array.from({ length: 60 }, (_, index) => index)
  const taken = await Promise.all(
    asked.map((index) => inboxes[index % 3]!.writeSlots.take(9, 'write', 1000, 5000 + (index % 7))),
  )
  const sorted = taken.toSorted((a, b) => a - b)
  expect(sorted[0]).toBeGreaterThanOrEqual(5000)
  expect(sorted.map((at) => at - sorted[0]!)).toEqual(asked.map((index) => index * 1000))
})

test('installations, and comments and what else is written, wait for nothing of each other', async () => {
  const [one, other] = (await connections(2)) as [Inbox, Inbox]
  expect(await one.writeSlots.take(1, 'write', 1000, 0)).toBe(0)
  expect(await other.writeSlots.take(2, 'write', 1000, 0)).toBe(0)
  expect(await other.writeSlots.take(1, 'comment', 3000, 0)).toBe(0)
  expect(await other.writeSlots.take(1, 'write', 1000, 0)).toBe(1000)
  expect(await one.writeSlots.take(1, 'comment', 3000, 0)).toBe(3000)
})

test('slots that nobody used have passed; one of a clock that was wrong by an hour keeps nobody', async () => {
  const [one, other] = (await connections(2)) as [Inbox, Inbox]
  const HOUR = 3600_000
  for (const at of [0, 1000, 2000]) expect(await one.writeSlots.take(1, 'write', 1000, 0)).toBe(at)
  expect(await other.writeSlots.take(1, 'write', 1000, 2500)).toBe(3000)
  expect(await other.writeSlots.take(1, 'write', 1000, 9000)).toBe(9000)
  expect(await one.writeSlots.take(1, 'write', 1000, HOUR)).toBe(HOUR)
  expect(await other.writeSlots.take(1, 'write', 1000, 10_000)).toBe(10_000)
})
