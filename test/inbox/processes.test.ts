import { expect, onTestFinished, test } from 'vitest'
import { type Inbox, inboxIn } from '../../src/inbox/inbox.ts'
import { DEAD_AFTER_MS } from '../../src/inbox/processes.ts'
import { openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MINUTE = 60_000
const TARGET = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }

async function processes(count: number): Promise<Inbox[]> {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  return Array.from({ length: count }, () => inboxIn(database, { debounceMs: 0, isShared: true }))
}

test('what a process has in hand is another’s when it has said nothing for a while, and its own word counts no more', async () => {
  const [one, other] = (await processes(2)) as [Inbox, Inbox]
  await one.processes.enter(MINUTE)
  await other.processes.enter(MINUTE)
  await one.triages.wake(TARGET, MINUTE)
  await one.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, MINUTE)
  const claim = (await one.triages.claimNext(MINUTE))!
  const delivery = (await one.deliveries.claimNext(MINUTE))!
  expect(await one.processes.beat(MINUTE + 10_000)).toBe(true)
  expect(await other.recoverAfterCrash(MINUTE + 10_000 + DEAD_AFTER_MS)).toEqual({ deliveries: 0, triages: 0 })
  expect(await one.triages.holds(claim)).toBe(true)

  const later = MINUTE + 10_001 + DEAD_AFTER_MS
  expect(await other.recoverAfterCrash(later)).toEqual({ deliveries: 1, triages: 1 })
  expect(await one.processes.beat(later)).toBe(false)
  expect(await one.triages.holds(claim)).toBe(false)
  const again = (await other.triages.claimNext(later))!
  expect(again).toMatchObject({ ...TARGET, attempts: 1 })
  expect(await one.triages.finish(claim, { waitUntil: null }, later)).toBe(false)
  expect(await one.deliveries.finish(delivery, later)).toBe(false)
  expect(await other.triages.finish(again, { waitUntil: null }, later)).toBe(true)
})

test('a process that ends puts back what it has in hand, and nothing of the others', async () => {
  const [one, other] = (await processes(2)) as [Inbox, Inbox]
  for (const inbox of [one, other]) await inbox.processes.enter(0)
  for (const pullRequestNumber of [1, 2]) await one.triages.wake({ ...TARGET, pullRequestNumber }, 0)
  const mine = (await one.triages.claimNext(1))!
  const theirs = (await other.triages.claimNext(1))!
  await one.putBack(2)
  expect(await one.processes.beat(2)).toBe(false)
  expect(await other.triages.claimNext(2)).toMatchObject({ pullRequestNumber: mine.pullRequestNumber, attempts: 1 })
  expect(await other.triages.finish(theirs, { waitUntil: null }, 3)).toBe(true)
})

test('one process does what one alone should do: the first, and after its death the next', async () => {
  const all = await processes(3)
  const [web, first, second] = all as [Inbox, Inbox, Inbox]
  const firsts = async (now: number) => await Promise.all(all.map((inbox) => inbox.processes.isFirst(now)))
  await first.processes.enter(1)
  await second.processes.enter(2)
  expect(await firsts(3)).toEqual([false, true, false])
  await second.processes.beat(DEAD_AFTER_MS)
  expect(await firsts(DEAD_AFTER_MS + 2)).toEqual([false, false, true])
  expect(await web.processes.beat(3)).toBe(false)
})

test('of an inbox that is not shared all others are dead at once', async () => {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  const [before, after] = [inboxIn(database, { debounceMs: 0 }), inboxIn(database, { debounceMs: 0 })]
  await before.processes.enter(1)
  await before.triages.wake(TARGET, 1)
  await before.triages.claimNext(1)
  await after.processes.enter(2)
  expect(await after.recoverAfterCrash(2)).toEqual({ deliveries: 0, triages: 1 })
  expect(await after.processes.isFirst(2)).toBe(true)
})
