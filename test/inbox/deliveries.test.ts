import { describe, expect, onTestFinished, test } from 'vitest'
import type { Deliveries, DeliveryClaim } from '../../src/inbox/deliveries.ts'
import { openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

async function emptyDeliveries(): Promise<Deliveries> {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  return inbox.deliveries
}

function delivery(guid: string, payload = '{}', installationId = 9) {
  return { guid, event: 'check_run', installationId, payload }
}

/** Fails until nothing more is tried; returns the time of the last failure. */
async function failForGood(deliveries: Deliveries, now: number): Promise<number> {
  let at = now
  for (;;) {
    at = Math.max(at, (await deliveries.nextAt())!)
    const claim = (await deliveries.claimNext(at))!
    if ((await deliveries.fail(claim, new Error(`attempt ${claim.attempts}`), at)) === 'dead') return at
  }
}

describe('receive', () => {
  test('keeps a delivery whole and hands it out once', async () => {
    const deliveries = await emptyDeliveries()
    const payload = JSON.stringify({ text: 'grün 🟢', long: 'x'.repeat(100_000) })
    expect(await deliveries.receive(delivery('a', payload), new Date(1000))).toBe('stored')
    expect(await deliveries.claimNext(1000)).toMatchObject({ guid: 'a', event: 'check_run', payload, attempts: 1 })
    expect(await deliveries.claimNext(1000)).toBeNull()
  })

  test('the same GUID is work only once, before, during and after the work', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('a'), 0)
    expect(await deliveries.receive(delivery('a'), 1)).toBe('known')
    const claim = (await deliveries.claimNext(2))!
    expect(await deliveries.receive(delivery('a'), 3)).toBe('known')
    expect(await deliveries.claimNext(3)).toBeNull()
    expect(await deliveries.finish(claim, 4)).toBe(true)
    expect(await deliveries.receive(delivery('a'), 5)).toBe('known')
    expect(await deliveries.claimNext(6)).toBeNull()
    expect(await deliveries.counts()).toEqual({ received: 0, working: 0, done: 1, failed: 0 })
  })

  test('a redelivery of one that failed for good begins anew', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('a'), 0)
    const failedAt = await failForGood(deliveries, 0)
    expect(await deliveries.receive(delivery('a', '{"again":1}'), failedAt + 1)).toBe('requeued')
    expect(await deliveries.dead(10)).toEqual([])
    expect(await deliveries.claimNext(failedAt + 1)).toMatchObject({ payload: '{"again":1}', attempts: 1 })
  })

  test.each([
    ['no GUID', { guid: '', event: 'push', payload: '' }],
    ['a GUID of another form', { guid: "a'; DROP", event: 'push', payload: '' }],
    ['a GUID without end', { guid: 'a'.repeat(65), event: 'push', payload: '' }],
    ['an event of another form', { guid: 'a', event: 'Push!', payload: '' }],
    ['a payload over 25 MiB', { guid: 'a', event: 'push', payload: 'x'.repeat(25 * 1024 * 1024 + 1) }],
  ])('refuses %s and keeps nothing of it', async (_what, bad) => {
    const deliveries = await emptyDeliveries()
    await expect(deliveries.receive({ ...bad, installationId: 9 }, 0)).rejects.toThrow(RangeError)
    expect((await deliveries.counts()).received).toBe(0)
  })
})

describe('work', () => {
  test('is handed out in the order of arrival', async () => {
    const deliveries = await emptyDeliveries()
    for (const [index, guid] of ['c', 'a', 'b'].entries()) await deliveries.receive(delivery(guid), index)
    for (const guid of ['c', 'a', 'b']) expect((await deliveries.claimNext(10))?.guid).toBe(guid)
  })

  test('is handed out in the order of arrival also where it is due at the same time', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('b'), 0)
    await deliveries.fail((await deliveries.claimNext(0))!, new Error('no answer'), 0)
    await deliveries.receive(delivery('a'), 5000)
    for (const guid of ['b', 'a']) expect((await deliveries.claimNext(5000))?.guid).toBe(guid)
  })

  test('is tried again after 5, 10, 20 seconds and so on, and then lies there to be seen', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('a'), 0)
    const pauses: number[] = []
    let now = 0
    for (let outcome = ''; outcome !== 'dead'; ) {
      const claim = (await deliveries.claimNext(now))!
      outcome = await deliveries.fail(claim, new TypeError('no answer'), now)
      if (outcome === 'retry') {
        const next = (await deliveries.nextAt())!
        expect(await deliveries.claimNext(next - 1)).toBeNull()
        pauses.push((next - now) / 1000)
        now = next
      }
    }
    expect(pauses.slice(0, 10)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900])
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan((DAY / 1000) * 0.9)
    expect(await deliveries.nextAt()).toBeNull()
    expect(await deliveries.dead(10)).toEqual([
      { guid: 'a', event: 'check_run', attempts: 100, lastError: 'TypeError: no answer', receivedAt: 0, failedAt: now },
    ])
  })

  test('whose lease ran out goes to somebody else, and the first one reports in vain', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('a'), 0)
    const first = (await deliveries.claimNext(0))!
    expect(await deliveries.nextAt()).toBe(5 * MINUTE)
    expect(await deliveries.claimNext(5 * MINUTE - 1)).toBeNull()
    const second = (await deliveries.claimNext(5 * MINUTE))!
    expect(second.attempts).toBe(2)
    expect(await deliveries.finish(first, 5 * MINUTE)).toBe(false)
    expect(await deliveries.fail(first, 'late', 5 * MINUTE)).toBe('lost')
    expect(await deliveries.finish(second, 5 * MINUTE)).toBe(true)
  })

  test('cut off by a stop is due at once and has not failed', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('a'), 0)
    await deliveries.claimNext(0)
    await deliveries.putBack(1)
    expect(await deliveries.nextAt()).toBe(1)
    expect(await deliveries.claimNext(1)).toMatchObject({ attempts: 1, hasFailed: false })
  })

  test('of a dead process is due at once and has not failed; at the third death in a row it waits alone', async () => {
    const deliveries = await emptyDeliveries()
    await deliveries.receive(delivery('poison'), 0)
    const claims: (DeliveryClaim | null)[] = []
    for (let round = 0; round < 20; round += 1) {
      claims.push(await deliveries.claimNext(round))
      await deliveries.recoverAfterCrash(round)
    }
    expect(claims.filter((claim) => claim !== null).map(({ attempts }) => attempts)).toEqual([1, 1, 1])
    await deliveries.receive(delivery('harmless'), 20)
    expect((await deliveries.claimNext(20))?.guid).toBe('harmless')
  })
})

test('prune drops what is done after 8 days and what failed after 30', async () => {
  const deliveries = await emptyDeliveries()
  await deliveries.receive(delivery('failed'), 0)
  const failedAt = await failForGood(deliveries, 0)
  await deliveries.receive(delivery('done'), failedAt)
  await deliveries.finish((await deliveries.claimNext(failedAt))!, failedAt)
  await deliveries.receive(delivery('new'), failedAt)
  expect(await deliveries.prune(failedAt + 8 * DAY)).toBe(0)
  expect(await deliveries.prune(failedAt + 8 * DAY + 1)).toBe(1)
  expect(await deliveries.prune(failedAt + 30 * DAY + 1)).toBe(1)
  expect(await deliveries.counts()).toEqual({ received: 1, working: 0, done: 0, failed: 0 })
})
