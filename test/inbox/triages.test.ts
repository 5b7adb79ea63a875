import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DEBOUNCE_MS, type TriageClaim, Triages } from '../../src/inbox/triages.ts'
import { Turns } from '../../src/inbox/turns.ts'
import { IS_POSTGRES, openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MINUTE = 60_000
const LEASE = 15 * MINUTE

async function emptyTriages(): Promise<Triages> {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  return new Triages(database, new Turns(database))
}

function target(pullRequestNumber: number, head: string | null = null) {
  return { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber, head }
}

describe('a triage', () => {
  test('begins half a minute after the first of many hints', async () => {
    const triages = await emptyTriages()
    for (const second of [0, 5, 29]) await triages.wake(target(1, `head-${second}`), second * 1000)
    expect(await triages.claimNext(DEBOUNCE_MS - 1)).toBeNull()
    expect(await triages.claimNext(DEBOUNCE_MS)).toMatchObject({ ...target(1, 'head-29'), attempts: 1 })
    expect(await triages.claimNext(DEBOUNCE_MS)).toBeNull()
  })

  test('is made again for a hint that came during the work', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    const claim = (await triages.claimNext(MINUTE))!
    await triages.wake(target(1), MINUTE + 1)
    await triages.wake(target(1), MINUTE + 2000)
    expect(await triages.claimNext(3 * MINUTE)).toBeNull()
    expect(await triages.finish(claim, { waitUntil: null }, 3 * MINUTE)).toBe(true)
    expect(await triages.nextAt()).toBe(MINUTE + 1 + DEBOUNCE_MS)
    expect(await triages.claimNext(3 * MINUTE)).not.toBeNull()
  })

  test('that waits for shards is looked at again when it is time, or at a hint', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    await triages.wake(target(2), 0)
    for (const claim of [(await triages.claimNext(MINUTE))!, (await triages.claimNext(MINUTE))!]) {
      await triages.finish(claim, { waitUntil: 10 * MINUTE, head: 'seen' }, MINUTE)
    }
    expect(await triages.counts()).toEqual({ due: 0, working: 0, waiting: 2, settled: 0 })
    expect(await triages.nextAt()).toBe(10 * MINUTE)
    await triages.wake(target(2), 2 * MINUTE)
    expect((await triages.claimNext(3 * MINUTE))?.pullRequestNumber).toBe(2)
    expect(await triages.nextAt(), 'sooner than a lease runs out').toBe(10 * MINUTE)
    expect(await triages.dueForSweep(10 * MINUTE - 1)).toEqual([])
    expect(await triages.dueForSweep(10 * MINUTE)).toEqual([target(1, 'seen')])
    expect((await triages.claimNext(10 * MINUTE))?.pullRequestNumber).toBe(1)
  })

  test('of the same head goes before another where the head’s run is its own, or its number is smaller, while it is looked at', async () => {
    const triages = await emptyTriages()
    const isBefore = (pullRequestNumber: number, owner: number, now = MINUTE) =>
      triages.goesFirst({ repositoryId: 7, head: 'same', pullRequestNumber, owner }, now)
    for (const [number, head] of [
      [2, 'same'],
      [3, 'another'],
    ] as const) {
      await triages.wake(target(number, head), 0)
    }
    expect(await isBefore(1, 2)).toBe(false)
    const [claim] = [(await triages.claimNext(MINUTE))!, await triages.claimNext(MINUTE)]
    expect(claim).toMatchObject({ pullRequestNumber: 2 })
    expect([await isBefore(1, 2), await isBefore(4, 1), await isBefore(1, 4), await isBefore(1, 3)]).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(await isBefore(1, 2, MINUTE + LEASE)).toBe(false)
    await triages.finish(claim, { waitUntil: null }, MINUTE)
    expect(await isBefore(1, 2)).toBe(false)
  })

  test('that waits, or is being looked at, is looked at once more when what its repository waited for is there', async () => {
    const triages = await emptyTriages()
    for (const pullRequest of [1, 2, 3]) await triages.wake(target(pullRequest), 0)
    const waiting = (await triages.claimNext(MINUTE))!
    const working = (await triages.claimNext(MINUTE))!
    const settled = (await triages.claimNext(MINUTE))!
    await triages.finish(waiting, { waitUntil: 10 * MINUTE }, MINUTE)
    await triages.finish(settled, { waitUntil: null }, MINUTE)
    await triages.lookNow(target(1).repositoryId + 1, 2 * MINUTE)
    expect(await triages.claimNext(2 * MINUTE)).toBeNull()
    await triages.lookNow(target(1).repositoryId, 2 * MINUTE)
    expect((await triages.claimNext(2 * MINUTE))?.pullRequestNumber).toBe(waiting.pullRequestNumber)
    await triages.finish(working, { waitUntil: 10 * MINUTE }, 3 * MINUTE)
    expect((await triages.claimNext(3 * MINUTE))?.pullRequestNumber).toBe(working.pullRequestNumber)
    expect(await triages.counts()).toMatchObject({ due: 0, settled: 1 })
  })

  test('of the trunk waits for nothing that is copied, and is left alone', async () => {
    const triages = await emptyTriages()
    const trunk = { ...target(1), pullRequestNumber: null }
    await triages.wake(trunk, 0)
    await triages.finish((await triages.claimNext(MINUTE))!, { waitUntil: 10 * MINUTE }, MINUTE)
    await triages.lookNow(trunk.repositoryId, 2 * MINUTE)
    expect(await triages.claimNext(2 * MINUTE)).toBeNull()
    expect(await triages.nextAt()).toBe(10 * MINUTE)
  })

  test('that fails is tried again after 30 s, 1, 2, 4, 8 and 15 minutes', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    const pauses: number[] = []
    for (let round = 0; round < 7; round += 1) {
      expect(await triages.fail((await triages.claimNext(now))!, new Error('down'), now)).toBe('retry')
      pauses.push(((await triages.nextAt())! - now) / 1000)
      now = (await triages.nextAt())!
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900])
    expect(await triages.failing(10)).toMatchObject([
      { ...target(1), state: 'due', attempts: 7, lastError: 'Error: down' },
    ])
    await triages.finish((await triages.claimNext(now))!, { waitUntil: null }, now)
    expect(await triages.failing(10)).toEqual([])
  })

  test('that waits after a failure is due at the next hint', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    for (let round = 0; round < 5; round += 1) {
      await triages.fail((await triages.claimNext(now))!, 'down', now)
      now = (await triages.nextAt())!
    }
    await triages.fail((await triages.claimNext(now))!, 'down', now)
    await triages.wake(target(1), now + MINUTE)
    expect(await triages.nextAt()).toBe(now + MINUTE + DEBOUNCE_MS)
  })

  test('in hand at a crash is due at once and has not failed; from the third in a row on it waits, hints or not, and has failed where it was alone', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    const pauses: number[] = []
    const attempts: number[] = []
    for (let round = 0; round < 6; round += 1) {
      attempts.push((await triages.claimNext(now))!.attempts)
      await triages.recoverAfterCrash(now)
      await triages.wake(target(1), now - DEBOUNCE_MS)
      pauses.push(((await triages.nextAt())! - now) / 1000)
      now = (await triages.nextAt())!
    }
    expect(pauses).toEqual([0, 0, 10, 20, 40, 80])
    expect(attempts).toEqual([1, 1, 1, 1, 2, 3])
    await triages.finish((await triages.claimNext(now))!, { waitUntil: now }, now)
    await triages.dueForSweep(now)
    await triages.claimNext(now)
    await triages.recoverAfterCrash(now)
    expect(await triages.nextAt(), 'not in a row any more').toBe(now)
  })

  test('that crashes with every hint is given up all the same, and then a hint is one attempt', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = (await triages.nextAt())!
    const crash = async () => {
      now = (await triages.nextAt())!
      await triages.claimNext(now)
      await triages.wake(target(1), now)
      await triages.recoverAfterCrash(now)
    }
    let crashes = 0
    while ((await triages.nextAt()) !== null && crashes < 200) {
      await crash()
      crashes += 1
    }
    expect(crashes).toBe(103)
    expect(await triages.failing(1)).toMatchObject([{ state: 'settled', attempts: 100 }])

    await triages.wake(target(1), now + MINUTE)
    expect(await triages.nextAt()).toBe(now + 15 * MINUTE)
    await crash()
    expect(await triages.nextAt()).toBeNull()

    now += 60 * MINUTE
    await triages.wake(target(1), now)
    expect(await triages.nextAt()).toBe(now + DEBOUNCE_MS)
    now += DEBOUNCE_MS
    await triages.finish((await triages.claimNext(now))!, { waitUntil: null }, now)
    await triages.wake(target(1), now)
    expect(await triages.claimNext(now + DEBOUNCE_MS)).toMatchObject({ attempts: 1 })
  })

  test('cut off by a stop is due at once, and neither failed nor crashed', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    for (let now = DEBOUNCE_MS; now < DEBOUNCE_MS + 10; now += 1) {
      expect(await triages.claimNext(now)).toMatchObject({ attempts: 1 })
      await triages.putBack(now)
      expect(await triages.nextAt()).toBe(now)
    }
  })

  test('that failed for want of the database is due when that is back, but not for ever', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    await triages.wake(target(2), 0)
    let now = DEBOUNCE_MS
    await triages.fail((await triages.claimNext(now))!, 'a mistake', now)
    const returns: number[] = []
    for (let round = 0; round < 6; round += 1) {
      await triages.fail((await triages.claimNext(now))!, 'no database', now, 'database')
      now += 1000
      const before = (await triages.counts()).due
      expect(before).toBe(2)
      if (!(await triages.wantsDatabase(now))) break
      await triages.databaseIsBack(now)
      expect(await triages.nextAt()).toBe(now)
      returns.push(now)
    }
    expect(returns).toHaveLength(5)
    expect(await triages.claimNext(now)).toBeNull()
  })

  test('that a person asked for and that had nothing to write is not asked for the next time', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0, true)
    let now = DEBOUNCE_MS
    await triages.finish((await triages.claimNext(now))!, { waitUntil: now }, now)
    await triages.dueForSweep(now)
    const waited = (await triages.claimNext(now))!
    expect(waited.isAskedFor, 'something was outstanding').toBe(true)
    await triages.finish(waited, { waitUntil: null }, now)
    await triages.wake(target(1), now)
    now = (await triages.nextAt())!
    expect((await triages.claimNext(now))!.isAskedFor).toBe(false)
  })

  test('that a person asked for is known as such until it is answered, after a failure and a restart too', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0, true)
    await triages.wake(target(1), 1)
    let now = DEBOUNCE_MS
    const failed = (await triages.claimNext(now))!
    expect(failed.isAskedFor).toBe(true)
    await triages.fail(failed, 'x', now)
    now = (await triages.nextAt())!
    await triages.claimNext(now)
    await triages.recoverAfterCrash(now)
    const answered = (await triages.claimNext(now))!
    expect(answered.isAskedFor).toBe(true)
    await triages.answered(answered)
    await triages.wake(target(1), now)
    await triages.finish(answered, { waitUntil: null }, now)
    now = (await triages.nextAt())!
    const again = (await triages.claimNext(now))!
    expect(again.isAskedFor).toBe(false)
    // Asked for during the work: what is written now does not answer that.
    await triages.wake(target(1), now, true)
    await triages.answered(again)
    await triages.finish(again, { waitUntil: null }, now)
    expect((await triages.claimNext((await triages.nextAt())!))?.isAskedFor).toBe(true)
  })

  test('is given up after 100 failures, for about a day, and begun anew by the next hint', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    let failures = 0
    for (let outcome = ''; outcome !== 'gave-up'; failures += 1) {
      outcome = await triages.fail((await triages.claimNext(now))!, 'down', now)
      now = (await triages.nextAt()) ?? now
    }
    expect(failures).toBe(100)
    expect(now / (60 * MINUTE)).toBeGreaterThan(23)
    expect(await triages.failing(1)).toMatchObject([{ state: 'settled', lastError: 'down' }])
    await triages.wake(target(1), now)
    expect(await triages.claimNext(now + DEBOUNCE_MS)).toMatchObject({ attempts: 1 })
  })

  test('is not given up for want of the database, nor where a hint came during the last attempt', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    const fail = async (outage: 'database' | null = null, isHinted = false) => {
      const claim = (await triages.claimNext(now))!
      if (isHinted) await triages.wake(target(1), now)
      const fate = await triages.fail(claim, 'down', now, outage)
      now = (await triages.nextAt()) ?? now
      return fate
    }
    for (let failures = 0; failures < 99; failures += 1) await fail()
    expect([await fail('database'), await fail(null, true), await fail()]).toEqual(['retry', 'retry', 'gave-up'])
  })

  test('of the trunk is one of its own beside those of pull requests, and one of each repository', async () => {
    const triages = await emptyTriages()
    const trunk = { ...target(1), pullRequestNumber: null }
    await triages.wake(trunk, 0)
    await triages.wake(trunk, 1)
    await triages.wake({ ...trunk, repositoryId: 8 }, 2)
    await triages.wake(target(1), 3)
    expect((await triages.counts()).due).toBe(3)
    const claims: TriageClaim[] = []
    for (let count = 0; count < 3; count += 1) claims.push((await triages.claimNext(MINUTE))!)
    expect(claims.map(({ repositoryId, pullRequestNumber }) => [repositoryId, pullRequestNumber])).toEqual([
      [7, null],
      [8, null],
      [7, 1],
    ])
    await triages.wake(trunk, MINUTE)
    for (const claim of claims) await triages.finish(claim, { waitUntil: null }, MINUTE)
    expect(await triages.counts()).toMatchObject({ due: 1, settled: 2 })
    await expect(triages.wake(target(0), 0)).rejects.toThrow(/check constraint/i)
  })

  test('keeps its claim as long as it is renewed', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    const claim = (await triages.claimNext(MINUTE))!
    expect(await triages.renew(claim, 10 * MINUTE)).toBe(true)
    expect(await triages.claimNext(MINUTE + LEASE)).toBeNull()
    expect(await triages.claimNext(10 * MINUTE + LEASE)).not.toBeNull()
    expect(await triages.renew(claim, 10 * MINUTE + LEASE)).toBe(false)
    expect(await triages.finish(claim, { waitUntil: null }, 10 * MINUTE + LEASE)).toBe(false)
  })

  test('is forgotten where the App was removed', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    await triages.wake({ ...target(2), repositoryId: 8 }, 0)
    const claim = (await triages.claimNext(MINUTE))!
    await triages.settle(9, [7], MINUTE)
    expect(await triages.finish(claim, { waitUntil: 5 * MINUTE }, MINUTE)).toBe(false)
    expect(await triages.counts()).toEqual({ due: 1, working: 0, waiting: 0, settled: 1 })
    await triages.settle(9, null, MINUTE)
    expect(await triages.nextAt()).toBeNull()
  })

  test('that is settled for 90 days is dropped', async () => {
    const triages = await emptyTriages()
    await triages.wake(target(1), 0)
    await triages.finish((await triages.claimNext(MINUTE))!, { waitUntil: null }, MINUTE)
    expect(await triages.prune(MINUTE + 90 * 24 * 60 * MINUTE)).toBe(0)
    expect(await triages.prune(MINUTE + 90 * 24 * 60 * MINUTE + 1)).toBe(1)
  })
})

describe('whatever happens in whatever order', () => {
  const pullRequest = fc.integer({ min: 1, max: 3 })
  const which = fc.nat({ max: 5 })
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('wake'), pullRequest }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim') }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('finish'), which, wait: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('fail'), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('renew'), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash') }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(1000, 31_000, 5 * MINUTE, LEASE) }),
    },
  )
  type Step =
    | { readonly do: 'wake'; readonly pullRequest: number }
    | { readonly do: 'claim' | 'sweep' | 'crash' }
    | { readonly do: 'finish'; readonly which: number; readonly wait: boolean }
    | { readonly do: 'fail' | 'renew'; readonly which: number }
    | { readonly do: 'pass'; readonly ms: number }

  interface Held {
    readonly claim: TriageClaim
    leasedUntil: number
    /** Somebody else has it now, or it was taken away. */
    isLost: boolean
    /** The number of the last hint before it was handed out. */
    readonly afterHint: number
  }

  /** What anybody would keep with a pencil: who holds what until when, and which hint was looked at last. */
  class Model {
    readonly triages: Triages
    readonly hints = new Map<number, number>()
    readonly lookedAt = new Map<number, number>()
    held: Held[] = []
    hintCount = 0
    now = 0

    constructor(triages: Triages) {
      this.triages = triages
    }

    async claim(): Promise<boolean> {
      const claim = await this.triages.claimNext(this.now)
      if (claim === null) return false
      for (const other of this.held) {
        if (other.claim.pullRequestNumber !== claim.pullRequestNumber || other.isLost) continue
        expect(other.leasedUntil, 'two hold one pull request').toBeLessThanOrEqual(this.now)
        other.isLost = true
      }
      this.held.push({ claim, leasedUntil: this.now + LEASE, isLost: false, afterHint: this.hintCount })
      return true
    }

    async finish(held: Held, waitUntil: number | null): Promise<void> {
      expect(await this.triages.finish(held.claim, { waitUntil }, this.now)).toBe(!held.isLost)
      if (!held.isLost) this.lookedAt.set(held.claim.pullRequestNumber!, held.afterHint)
      held.isLost = true
    }

    async run(next: Step): Promise<void> {
      if (next.do === 'pass') this.now += next.ms
      if (next.do === 'claim') await this.claim()
      if (next.do === 'sweep') await this.triages.dueForSweep(this.now)
      if (next.do === 'crash') {
        await this.triages.recoverAfterCrash(this.now)
        for (const held of this.held) held.isLost = true
      }
      if (next.do === 'wake') {
        this.hintCount += 1
        this.hints.set(next.pullRequest, this.hintCount)
        await this.triages.wake(target(next.pullRequest), this.now)
      }
      const held = 'which' in next ? this.held.at(-1 - next.which) : undefined
      if (held === undefined) return
      if (next.do === 'finish') await this.finish(held, next.wait ? this.now + 10 * MINUTE : null)
      if (next.do === 'renew') {
        expect(await this.triages.renew(held.claim, this.now)).toBe(!held.isLost)
        held.leasedUntil = this.now + LEASE
      }
      if (next.do === 'fail') {
        expect(await this.triages.fail(held.claim, 'x', this.now)).toBe(held.isLost ? 'lost' : 'retry')
        held.isLost = true
      }
    }
  }

  test('no two hold one pull request, and no hint is lost', async () => {
    const database = await openDatabase(temporaryFolder())
    onTestFinished(() => database.close())
    // The rules are under test here, not the disk.
    if (!IS_POSTGRES) await database.run({ name: 'off', text: 'PRAGMA synchronous = OFF' })
    const triages = new Triages(database, new Turns(database))
    await fc.assert(
      // Short ones alone, as fast-check prefers them, meet no hint during the work.
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        await database.run({ name: 'empty', text: 'DELETE FROM triages' })
        const model = new Model(triages)
        for (const next of steps) await model.run(next)

        // Everybody who still holds something is dead; then all that is due is done.
        await triages.recoverAfterCrash(model.now)
        for (const held of model.held) held.isLost = true
        model.now += DEBOUNCE_MS + LEASE
        for (let rounds = 0; await model.claim(); rounds += 1) {
          expect(rounds).toBeLessThan(10)
          await model.finish(model.held.at(-1)!, null)
        }
        for (const [pullRequest, hint] of model.hints) {
          expect(model.lookedAt.get(pullRequest), `hint ${hint} of ${pullRequest}`).toBeGreaterThanOrEqual(hint)
        }
      }),
      { numRuns: IS_POSTGRES ? 25 : 500 },
    )
  })
})
