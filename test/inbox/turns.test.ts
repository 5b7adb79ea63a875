import { expect, onTestFinished, test } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { WORK_OF_ONE } from '../../src/inbox/turns.ts'
import { openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const SECOND = 1000
const DEBOUNCE = { debounceMs: 0 }

async function emptyInbox(): Promise<Inbox> {
  const inbox = await openInbox(temporaryFolder(), DEBOUNCE)
  onTestFinished(() => inbox.close())
  return inbox
}

async function wake({ triages }: Inbox, installationId: number, count: number, now = 0): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const target = { installationId, repositoryId: installationId, owner: 'o', repo: 'r', head: null }
    await triages.wake({ ...target, pullRequestNumber: number }, now)
  }
}

async function claimed({ triages }: Inbox, now: number): Promise<string[]> {
  const claims: string[] = []
  for (let claim = await triages.claimNext(now); claim !== null; claim = await triages.claimNext(now)) {
    claims.push(`${claim.installationId}#${claim.pullRequestNumber}`)
  }
  return claims
}

test('installations take turns, and one has no more than its share under way', async () => {
  const inbox = await emptyInbox()
  await wake(inbox, 1, 100)
  await wake(inbox, 2, 2, 5)
  await wake(inbox, 3, 1, 9)
  expect(await claimed(inbox, 10)).toEqual(['1#1', '2#1', '3#1', '1#2', '2#2', '1#3', '1#4'])
  expect(WORK_OF_ONE).toBe(4)
})

test('the one that was served longest ago is next, after a restart too', async () => {
  const folder = temporaryFolder()
  let inbox = await openInbox(folder, DEBOUNCE)
  for (const installation of [1, 2, 3]) await wake(inbox, installation, 4)
  const served: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const claim = (await inbox.triages.claimNext(round))!
    served.push(claim.installationId)
    await inbox.triages.finish(claim, { waitUntil: null }, round)
    await inbox.close()
    inbox = await openInbox(folder, DEBOUNCE)
  }
  await inbox.close()
  expect(served).toEqual([1, 2, 3, 1, 2, 3])
})

test('the one with the least under way is next, whoever was served longest ago', async () => {
  const inbox = await emptyInbox()
  await wake(inbox, 1, 2)
  await wake(inbox, 2, 2)
  await inbox.triages.claimNext(0)
  await inbox.triages.finish((await inbox.triages.claimNext(0))!, { waitUntil: null }, 0)
  expect(await inbox.triages.claimNext(0)).toMatchObject({ installationId: 2, pullRequestNumber: 2 })
})

test('deliveries are shared like triages; those that name no installation are among themselves', async () => {
  const { deliveries } = await emptyInbox()
  const owners = [1, 1, 1, 1, 1, 1, 2, null]
  for (const [index, installationId] of owners.entries()) {
    await deliveries.receive({ guid: `d${index}`, event: 'push', installationId, payload: '{}' }, index)
  }
  const guids: string[] = []
  for (let claim = await deliveries.claimNext(9); claim !== null; claim = await deliveries.claimNext(9))
    guids.push(claim.guid)
  expect(guids).toEqual(['d0', 'd6', 'd7', 'd1', 'd2', 'd3'])
})

test('an installation without an answer pauses for longer and longer, is tried with one, and goes on at the first answer', async () => {
  const inbox = await emptyInbox()
  const { triages } = inbox
  await wake(inbox, 1, 10)
  const together = [(await triages.claimNext(0))!, (await triages.claimNext(0))!]
  let now = SECOND
  // What was under way together fails together: one failure.
  for (const claim of together)
    expect(await triages.fail(claim, new Error('silent'), now, { until: null })).toBe('retry')
  const pauses: number[] = []
  for (let round = 0; round < 6; round += 1) {
    pauses.push(((await triages.nextAt())! - now) / SECOND)
    expect(await triages.claimNext((await triages.nextAt())! - 1)).toBeNull()
    now = (await triages.nextAt())!
    const ahead = (await triages.claimNext(now))!
    expect(ahead.attempts, 'an outage is no failure of the work').toBe(1)
    expect(await triages.claimNext(now), 'one goes ahead').toBeNull()
    if (round < 5) await triages.fail(ahead, new Error('silent'), now, { until: null })
    else await triages.finish(ahead, { waitUntil: null }, now)
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
  expect(await claimed(inbox, now)).toHaveLength(WORK_OF_ONE)
  expect((await inbox.queue(now)).paused).toEqual([])
})

test('a rate limit is waited for as long as GitHub says, by both queues, and by no other installation', async () => {
  const inbox = await emptyInbox()
  const { triages, deliveries } = inbox
  await wake(inbox, 1, 2)
  await wake(inbox, 2, 1)
  await deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 0)
  await triages.fail((await triages.claimNext(0))!, new Error('403'), 1, { until: 120 * SECOND })
  expect(await deliveries.claimNext(120 * SECOND - 1)).toBeNull()
  expect(await claimed(inbox, 120 * SECOND - 1)).toEqual(['2#1'])
  expect(await inbox.queue(60 * SECOND)).toMatchObject({
    deliveries: 1,
    triages: 2,
    oldestSeconds: 60,
    paused: [{ installationId: 1, until: 120 * SECOND }],
  })
  expect(await deliveries.nextAt()).toBe(120 * SECOND)
  expect((await deliveries.claimNext(120 * SECOND))?.guid).toBe('a')
})

test('work that is never answered while the rest of its installation is backs off alone', async () => {
  const inbox = await emptyInbox()
  const { triages } = inbox
  const silent = new Error('silent')
  await wake(inbox, 1, 1)
  let now = 0
  for (let round = 0; round < 3; round += 1) {
    await triages.fail((await triages.claimNext(now))!, silent, now, { until: null })
    expect((await inbox.queue(now)).paused).toHaveLength(1)
    now += 5 * SECOND
    const poison = (await triages.claimNext(now))!
    await triages.fail(poison, silent, now, { until: null })
    now += 10 * SECOND
    await triages.wake({ ...poison, pullRequestNumber: 2 }, now - 20 * SECOND)
    await triages.finish((await triages.claimNext(now))!, { waitUntil: null }, now)
  }
  await triages.fail((await triages.claimNext(now))!, silent, now, { until: null })
  expect((await inbox.queue(now)).paused).toEqual([])
  expect(await triages.nextAt()).toBe(now + 30 * SECOND)
})

test('what ends the process again and again is told from what it was in hand with, and is given up', async () => {
  const inbox = await emptyInbox()
  const { triages, deliveries } = inbox
  for (const installation of [1, 2]) await wake(inbox, installation, 1)
  await deliveries.receive({ guid: 'a', event: 'push', installationId: 2, payload: '{}' }, 0)
  let now = 0
  for (let crash = 0; crash < 3; crash += 1) {
    expect(await claimed(inbox, now)).toEqual(['1#1', '2#1'])
    expect(await deliveries.claimNext(now)).toMatchObject({ guid: 'a' })
    await inbox.recoverAfterCrash(now)
  }
  now += 10 * SECOND
  await wake(inbox, 3, 1, now)
  // The first of them has to be the poison: where its turn ends the process, that of the others comes all the same.
  const ends: string[] = []
  for (
    let round = 0;
    round < 300 && (await triages.counts()).settled + (await deliveries.counts()).done < 4;
    round += 1
  ) {
    const held = [await deliveries.claimNext(now), await triages.claimNext(now)].filter((claim) => claim !== null)
    if (held.some((claim) => claim.installationId === 1)) {
      expect(held, 'nothing begins beside it').toHaveLength(1)
      await inbox.recoverAfterCrash(now)
    }
    for (const claim of held) {
      if (claim.installationId === 1) continue
      ends.push('guid' in claim ? claim.guid : `${claim.installationId}#1`)
      if ('guid' in claim) await deliveries.finish(claim, now)
      else await triages.finish(claim, { waitUntil: null }, now)
    }
    now = Math.max(
      now,
      Math.min((await deliveries.nextAt()) ?? Number.POSITIVE_INFINITY, (await triages.nextAt()) ?? now),
    )
  }
  expect(ends.toSorted()).toEqual(['2#1', '3#1', 'a'])
  expect(await triages.counts()).toMatchObject({ settled: 3, due: 0, working: 0 })
  expect(await triages.failing(1)).toMatchObject([{ installationId: 1, attempts: 100 }])
})

test('what begins alone waits for the others, five minutes at the most', async () => {
  const inbox = await emptyInbox()
  const { triages } = inbox
  await wake(inbox, 1, 1)
  for (let crash = 0; crash < 3; crash += 1) {
    await triages.claimNext(0)
    await triages.recoverAfterCrash(0)
  }
  await wake(inbox, 2, 6)
  const other = (await triages.claimNext(9 * SECOND))!
  expect(await claimed(inbox, 10 * SECOND)).toEqual(['2#2', '2#3', '2#4'])
  await triages.finish(other, { waitUntil: null }, 310 * SECOND)
  expect(await claimed(inbox, 310 * SECOND - 1)).toEqual(['2#5'])
  await triages.putBack(310 * SECOND)
  expect(await claimed(inbox, 310 * SECOND)).toEqual(['1#1'])
})

test('what begins alone waits for the pause of its installation, and others that do so go first', async () => {
  const inbox = await emptyInbox()
  const { triages, deliveries } = inbox
  for (const installation of [1, 2]) await wake(inbox, installation, 1)
  for (let crash = 0; crash < 3; crash += 1) {
    await claimed(inbox, 0)
    await triages.recoverAfterCrash(0)
  }
  await deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 0)
  await deliveries.fail((await deliveries.claimNext(0))!, new Error('403'), 0, { until: 3600 * SECOND })
  expect(await claimed(inbox, 10 * SECOND)).toEqual(['2#1'])
})

test('a pause that GitHub set a time for stands, whatever ends that had begun before it', async () => {
  const inbox = await emptyInbox()
  const { triages, deliveries } = inbox
  await wake(inbox, 1, 3)
  const [first, second] = [(await triages.claimNext(0))!, (await triages.claimNext(0))!]
  await triages.fail(first, new Error('403'), 1, { until: 3600 * SECOND })
  await triages.finish(second, { waitUntil: null }, 2)
  expect((await inbox.queue(2)).paused).toMatchObject([{ installationId: 1, until: 3600 * SECOND }])
  expect(await triages.claimNext(2)).toBeNull()
  // One that the process ended with needs no answer of GitHub's, and says nothing about it.
  await deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 2)
  await deliveries.claimNext(3600 * SECOND)
  await deliveries.recoverAfterCrash(3600 * SECOND)
  await deliveries.finish((await deliveries.claimNext(3600 * SECOND))!, 3600 * SECOND)
  expect(await claimed(inbox, 3600 * SECOND), 'one goes ahead').toHaveLength(1)
})

test('what waits for its own time has no age yet', async () => {
  const inbox = await emptyInbox()
  const { deliveries } = inbox
  await deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 0)
  await deliveries.fail((await deliveries.claimNext(0))!, new Error('a mistake'), 0)
  expect(await inbox.queue(4 * SECOND)).toMatchObject({ deliveries: 0, oldestSeconds: 0 })
  expect(await inbox.queue(7 * SECOND)).toMatchObject({ deliveries: 1, oldestSeconds: 2 })
  await deliveries.claimNext(7 * SECOND)
  expect(await inbox.queue(8 * SECOND)).toMatchObject({ deliveries: 1, oldestSeconds: 3 })
})

test('the age of a queue is that of its oldest work, and the ten installations that wait longest are named', async () => {
  const inbox = await emptyInbox()
  const { deliveries, triages } = inbox
  const receive = (guid: string, installationId: number, at: number) =>
    deliveries.receive({ guid, event: 'push', installationId, payload: '{}' }, at)
  for (let installation = 11; installation >= 1; installation -= 1)
    await receive(`d${installation}`, installation, installation * SECOND)
  await receive('newer', 1, 12 * SECOND)
  expect(await deliveries.oldest(20 * SECOND)).toEqual({ waiting: 12, since: SECOND })
  const ages = Array.from({ length: 10 }, (_, index) => ({
    installationId: index + 1,
    since: (index + 1) * SECOND,
  }))
  expect(await deliveries.oldestOfInstallations(20 * SECOND)).toEqual(ages)
  expect(await inbox.oldestOfInstallations(20 * SECOND)).toHaveLength(10)
  await wake(inbox, 1, 1, 13 * SECOND)
  await triages.claimNext(13 * SECOND)
  await wake(inbox, 1, 1, 14 * SECOND)
  expect(await triages.oldest(20 * SECOND), 'a hint during the work').toEqual({ waiting: 0, since: null })
  expect(await triages.oldestOfInstallations(20 * SECOND)).toEqual([])
})
