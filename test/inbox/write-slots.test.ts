import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/inbox/database.ts'
import { type Inbox, inboxIn } from '../../src/inbox/inbox.ts'
import { HourUsedUp, WRITES_OF_HOUR, type WriteUse } from '../../src/inbox/write-slots.ts'
import { IS_POSTGRES, openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const HOUR = 3600_000
/** What clocks and late calls may differ by. */
const MARGIN = 10_000

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
  for (const at of [0, 1000, 2000]) expect(await one.writeSlots.take(1, 'write', 1000, 0)).toBe(at)
  expect(await other.writeSlots.take(1, 'write', 1000, 2500)).toBe(3000)
  expect(await other.writeSlots.take(1, 'write', 1000, 9000)).toBe(9000)
  expect(await one.writeSlots.take(1, 'write', 1000, HOUR)).toBe(HOUR)
  expect(await other.writeSlots.take(1, 'write', 1000, 10_000)).toBe(10_000)
})

/** Fills the hour of an installation from several processes at once; the first write is at 0. */
async function filled(
  inboxes: readonly Inbox[],
  installationId: number,
  writes = WRITES_OF_HOUR,
  use: WriteUse = 'gate',
  from = 0,
): Promise<void> {
  for (let begun = from; begun < writes; begun += 100) {
    const taken = Array.from({ length: Math.min(100, writes - begun) }, (_, index) =>
      inboxes[index % inboxes.length]!.writeSlots.take(installationId, 'write', 1000, begun * 1000, use),
    )
    await Promise.all(taken)
  }
}

test('three processes together write 500 times in an hour; more waits until the oldest of them is an hour old', async () => {
  const inboxes = await connections(3)
  await filled(inboxes, 1)
  const at = 600_000
  const refusals = await Promise.all(
    inboxes.map(({ writeSlots }) => writeSlots.take(1, 'write', 1000, at, 'gate').catch((error: unknown) => error)),
  )
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(HourUsedUp)
    expect(refusal).toMatchObject({ until: HOUR + MARGIN })
  }
  // Nothing was taken: the next ones follow those that leave, and a few seconds are waited for.
  const close = HOUR + MARGIN - 5000
  const next = await Promise.all(inboxes.map(({ writeSlots }) => writeSlots.take(1, 'write', 1000, close, 'gate')))
  expect(next.toSorted((a, b) => a - b)).toEqual([0, 1000, 2000].map((after) => HOUR + MARGIN + after))
})

test('the hour of an installation is full: another one writes, and comments take their own turn', async () => {
  const [one, other] = (await connections(2)) as [Inbox, Inbox]
  await filled([one, other], 1)
  const at = 600_000
  await expect(one.writeSlots.take(1, 'write', 1000, at, 'gate')).rejects.toThrow(
    'installation 1 has made 500 writes within an hour: its work waits until 1970-01-01T01:00:10.000Z',
  )
  expect(await other.writeSlots.take(2, 'write', 1000, at, 'gate')).toBe(at)
  expect(await other.writeSlots.take(1, 'comment', 3000, at)).toBe(at)
  expect(await one.writeSlots.most(at)).toEqual([
    { installationId: 1, made: 500 },
    { installationId: 2, made: 1 },
  ])
})

test('writes of a clock that was wrong by an hour are not of this hour, and those that are older are dropped', async () => {
  const [one, other] = (await connections(2)) as [Inbox, Inbox]
  await filled([one], 1, 499)
  await one.writeSlots.take(1, 'write', 1000, 2 * HOUR, 'gate')
  const at = 600_000
  expect(await other.writeSlots.take(1, 'write', 1000, at, 'gate')).toBe(at)
  await expect(other.writeSlots.take(1, 'write', 1000, at, 'gate')).rejects.toThrow(HourUsedUp)
  await one.prune(HOUR + MARGIN + 150_000)
  expect(await other.writeSlots.most(at)).toEqual([{ installationId: 1, made: 349 }])
})

test('answers, reports and the checks that gate write up to their own share of the hour; who gates is known from what was written', async () => {
  const [one] = (await connections(1)) as [Inbox]
  const refused = async (use: WriteUse, at: number) => {
    const error: unknown = await one.writeSlots.take(1, 'write', 1000, at, use).catch((reason: unknown) => reason)
    return error instanceof HourUsedUp ? error.isOfThisAlone : null
  }
  await filled([one], 1, 300, 'report')
  expect(await refused('answer', 600_000)).toBe(true)
  await filled([one], 1, 450, 'report', 300)
  // Nothing is kept for anybody: the installation waits.
  expect(await refused('report', 700_000)).toBe(false)
  expect(await refused('gate', 700_000)).toBeNull()
  expect(await refused('report', 710_000)).toBe(true)
  expect(await refused('answer', 710_000)).toBe(true)
  await filled([one], 1, 500, 'gate', 451)
  expect(await refused('gate', 800_000)).toBe(false)
})
