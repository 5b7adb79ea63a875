import { expect, onTestFinished, test } from 'vitest'
import { type Inbox, openInbox } from '../../src/inbox/inbox.ts'
import { WORK_OF_ONE } from '../../src/inbox/turns.ts'
import { temporaryFolder } from './temporary-folder.ts'

const SECOND = 1000
const DEBOUNCE = { debounceMs: 0 }

function emptyInbox(): Inbox {
  const inbox = openInbox(temporaryFolder(), DEBOUNCE)
  onTestFinished(() => inbox.close())
  return inbox
}

function wake({ triages }: Inbox, installationId: number, count: number, now = 0): void {
  for (let number = 1; number <= count; number += 1) {
    const target = { installationId, repositoryId: installationId, owner: 'o', repo: 'r', head: null }
    triages.wake({ ...target, pullRequestNumber: number }, now)
  }
}

function claimed({ triages }: Inbox, now: number): string[] {
  const claims: string[] = []
  for (let claim = triages.claimNext(now); claim !== null; claim = triages.claimNext(now)) {
    claims.push(`${claim.installationId}#${claim.pullRequestNumber}`)
  }
  return claims
}

test('installations take turns, and one has no more than its share under way', () => {
  const inbox = emptyInbox()
  wake(inbox, 1, 100)
  wake(inbox, 2, 2, 5)
  wake(inbox, 3, 1, 9)
  expect(claimed(inbox, 10)).toEqual(['1#1', '2#1', '3#1', '1#2', '2#2', '1#3', '1#4'])
  expect(WORK_OF_ONE).toBe(4)
})

test('the one that was served longest ago is next, after a restart too', () => {
  const folder = temporaryFolder()
  let inbox = openInbox(folder, DEBOUNCE)
  for (const installation of [1, 2, 3]) wake(inbox, installation, 4)
  const served: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const claim = inbox.triages.claimNext(round)!
    served.push(claim.installationId)
    inbox.triages.finish(claim, { waitUntil: null }, round)
    inbox.close()
    inbox = openInbox(folder, DEBOUNCE)
  }
  inbox.close()
  expect(served).toEqual([1, 2, 3, 1, 2, 3])
})

test('deliveries are shared like triages; those that name no installation are among themselves', () => {
  const { deliveries } = emptyInbox()
  const owners = [1, 1, 1, 1, 1, 1, 2, null]
  for (const [index, installationId] of owners.entries()) {
    deliveries.receive({ guid: `d${index}`, event: 'push', installationId, payload: '{}' }, index)
  }
  const guids: string[] = []
  for (let claim = deliveries.claimNext(9); claim !== null; claim = deliveries.claimNext(9)) guids.push(claim.guid)
  expect(guids).toEqual(['d0', 'd6', 'd7', 'd1', 'd2', 'd3'])
})

test('an installation without an answer pauses for longer and longer, is tried with one, and goes on at the first answer', () => {
  const inbox = emptyInbox()
  const { triages } = inbox
  wake(inbox, 1, 10)
  const together = [triages.claimNext(0)!, triages.claimNext(0)!]
  let now = SECOND
  // What was under way together fails together: one failure.
  for (const claim of together) expect(triages.fail(claim, new Error('silent'), now, { until: null })).toBe('retry')
  const pauses: number[] = []
  for (let round = 0; round < 6; round += 1) {
    pauses.push((triages.nextAt()! - now) / SECOND)
    expect(triages.claimNext(triages.nextAt()! - 1)).toBeNull()
    now = triages.nextAt()!
    const ahead = triages.claimNext(now)!
    expect(ahead.attempts, 'an outage is no failure of the work').toBe(1)
    expect(triages.claimNext(now), 'one goes ahead').toBeNull()
    if (round < 5) triages.fail(ahead, new Error('silent'), now, { until: null })
    else triages.finish(ahead, { waitUntil: null }, now)
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60])
  expect(claimed(inbox, now)).toHaveLength(WORK_OF_ONE)
  expect(inbox.queue(now).paused).toEqual([])
})

test('a rate limit is waited for as long as GitHub says, by both queues, and by no other installation', () => {
  const inbox = emptyInbox()
  const { triages, deliveries } = inbox
  wake(inbox, 1, 2)
  wake(inbox, 2, 1)
  deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 0)
  triages.fail(triages.claimNext(0)!, new Error('403'), 1, { until: 120 * SECOND })
  expect(deliveries.claimNext(120 * SECOND - 1)).toBeNull()
  expect(claimed(inbox, 120 * SECOND - 1)).toEqual(['2#1'])
  expect(inbox.queue(60 * SECOND)).toMatchObject({
    deliveries: 1,
    triages: 2,
    oldestSeconds: 60,
    paused: [{ installationId: 1, until: 120 * SECOND }],
  })
  expect(deliveries.nextAt()).toBe(120 * SECOND)
  expect(deliveries.claimNext(120 * SECOND)?.guid).toBe('a')
})

test('work that is never answered while the rest of its installation is backs off alone', () => {
  const inbox = emptyInbox()
  const { triages } = inbox
  const silent = new Error('silent')
  wake(inbox, 1, 1)
  let now = 0
  for (let round = 0; round < 3; round += 1) {
    triages.fail(triages.claimNext(now)!, silent, now, { until: null })
    expect(inbox.queue(now).paused).toHaveLength(1)
    now += 5 * SECOND
    const poison = triages.claimNext(now)!
    triages.fail(poison, silent, now, { until: null })
    now += 10 * SECOND
    triages.wake({ ...poison, pullRequestNumber: 2 }, now - 20 * SECOND)
    triages.finish(triages.claimNext(now)!, { waitUntil: null }, now)
  }
  triages.fail(triages.claimNext(now)!, silent, now, { until: null })
  expect(inbox.queue(now).paused).toEqual([])
  expect(triages.nextAt()).toBe(now + 30 * SECOND)
})

test('what ends the process again and again is told from what it was in hand with, and is given up', () => {
  const inbox = emptyInbox()
  const { triages, deliveries } = inbox
  for (const installation of [1, 2]) wake(inbox, installation, 1)
  deliveries.receive({ guid: 'a', event: 'push', installationId: 2, payload: '{}' }, 0)
  let now = 0
  for (let crash = 0; crash < 3; crash += 1) {
    expect(claimed(inbox, now)).toEqual(['1#1', '2#1'])
    expect(deliveries.claimNext(now)).toMatchObject({ guid: 'a' })
    inbox.recoverAfterCrash(now)
  }
  now += 10 * SECOND
  wake(inbox, 3, 1, now)
  // The first of them has to be the poison: where its turn ends the process, that of the others comes all the same.
  const ends: string[] = []
  for (let round = 0; round < 300 && triages.counts().settled + deliveries.counts().done < 4; round += 1) {
    const held = [deliveries.claimNext(now), triages.claimNext(now)].filter((claim) => claim !== null)
    if (held.some((claim) => claim.installationId === 1)) {
      expect(held, 'nothing begins beside it').toHaveLength(1)
      inbox.recoverAfterCrash(now)
    }
    for (const claim of held) {
      if (claim.installationId === 1) continue
      ends.push('guid' in claim ? claim.guid : `${claim.installationId}#1`)
      if ('guid' in claim) deliveries.finish(claim, now)
      else triages.finish(claim, { waitUntil: null }, now)
    }
    now = Math.max(now, Math.min(deliveries.nextAt() ?? Number.POSITIVE_INFINITY, triages.nextAt() ?? now))
  }
  expect(ends.toSorted()).toEqual(['2#1', '3#1', 'a'])
  expect(triages.counts()).toMatchObject({ settled: 3, due: 0, working: 0 })
  expect(triages.failing(1)).toMatchObject([{ installationId: 1, attempts: 100 }])
})

test('what begins alone waits for the others, five minutes at the most', () => {
  const inbox = emptyInbox()
  const { triages } = inbox
  wake(inbox, 1, 1)
  for (let crash = 0; crash < 3; crash += 1) {
    triages.claimNext(0)
    triages.recoverAfterCrash(0)
  }
  wake(inbox, 2, 6)
  const other = triages.claimNext(9 * SECOND)!
  expect(claimed(inbox, 10 * SECOND)).toEqual(['2#2', '2#3', '2#4'])
  triages.finish(other, { waitUntil: null }, 310 * SECOND)
  expect(claimed(inbox, 310 * SECOND - 1)).toEqual(['2#5'])
  triages.putBack(310 * SECOND)
  expect(claimed(inbox, 310 * SECOND)).toEqual(['1#1'])
})

test('a pause that GitHub set a time for stands, whatever ends that had begun before it', () => {
  const inbox = emptyInbox()
  const { triages, deliveries } = inbox
  wake(inbox, 1, 3)
  const [first, second] = [triages.claimNext(0)!, triages.claimNext(0)!]
  triages.fail(first, new Error('403'), 1, { until: 3600 * SECOND })
  triages.finish(second, { waitUntil: null }, 2)
  expect(inbox.queue(2).paused).toMatchObject([{ installationId: 1, until: 3600 * SECOND }])
  expect(triages.claimNext(2)).toBeNull()
  // One that the process ended with needs no answer of GitHub's, and says nothing about it.
  deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 2)
  deliveries.claimNext(3600 * SECOND)
  deliveries.recoverAfterCrash(3600 * SECOND)
  deliveries.finish(deliveries.claimNext(3600 * SECOND)!, 3600 * SECOND)
  expect(claimed(inbox, 3600 * SECOND), 'one goes ahead').toHaveLength(1)
})

test('what waits for its own time has no age yet', () => {
  const inbox = emptyInbox()
  const { deliveries } = inbox
  deliveries.receive({ guid: 'a', event: 'push', installationId: 1, payload: '{}' }, 0)
  deliveries.fail(deliveries.claimNext(0)!, new Error('a mistake'), 0)
  expect(inbox.queue(4 * SECOND)).toMatchObject({ deliveries: 0, oldestSeconds: 0 })
  expect(inbox.queue(7 * SECOND)).toMatchObject({ deliveries: 1, oldestSeconds: 2 })
  deliveries.claimNext(7 * SECOND)
  expect(inbox.queue(8 * SECOND)).toMatchObject({ deliveries: 1, oldestSeconds: 3 })
})
