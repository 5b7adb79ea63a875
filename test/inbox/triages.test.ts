import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/inbox/database.ts'
import { DEBOUNCE_MS, type TriageClaim, Triages } from '../../src/inbox/triages.ts'
import { Turns } from '../../src/inbox/turns.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MINUTE = 60_000
const LEASE = 15 * MINUTE

function emptyTriages(): Triages {
  const database = openDatabase(join(temporaryFolder(), 'inbox.sqlite'))
  onTestFinished(() => database.close())
  return new Triages(database, new Turns(database))
}

function target(pullRequestNumber: number, head: string | null = null) {
  return { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber, head }
}

describe('a triage', () => {
  test('begins half a minute after the first of many hints', () => {
    const triages = emptyTriages()
    for (const second of [0, 5, 29]) triages.wake(target(1, `head-${second}`), second * 1000)
    expect(triages.claimNext(DEBOUNCE_MS - 1)).toBeNull()
    expect(triages.claimNext(DEBOUNCE_MS)).toMatchObject({ ...target(1, 'head-29'), attempts: 1 })
    expect(triages.claimNext(DEBOUNCE_MS)).toBeNull()
  })

  test('is made again for a hint that came during the work', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    const claim = triages.claimNext(MINUTE)!
    triages.wake(target(1), MINUTE + 1)
    triages.wake(target(1), MINUTE + 2000)
    expect(triages.claimNext(3 * MINUTE)).toBeNull()
    expect(triages.finish(claim, { waitUntil: null }, 3 * MINUTE)).toBe(true)
    expect(triages.nextAt()).toBe(MINUTE + 1 + DEBOUNCE_MS)
    expect(triages.claimNext(3 * MINUTE)).not.toBeNull()
  })

  test('that waits for shards is looked at again when it is time, or at a hint', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    triages.wake(target(2), 0)
    for (const claim of [triages.claimNext(MINUTE)!, triages.claimNext(MINUTE)!]) {
      triages.finish(claim, { waitUntil: 10 * MINUTE, head: 'seen' }, MINUTE)
    }
    expect(triages.counts()).toEqual({ due: 0, working: 0, waiting: 2, settled: 0 })
    expect(triages.nextAt()).toBe(10 * MINUTE)
    triages.wake(target(2), 2 * MINUTE)
    expect(triages.claimNext(3 * MINUTE)?.pullRequestNumber).toBe(2)
    expect(triages.dueForSweep(10 * MINUTE - 1)).toEqual([])
    expect(triages.dueForSweep(10 * MINUTE)).toEqual([target(1, 'seen')])
    expect(triages.claimNext(10 * MINUTE)?.pullRequestNumber).toBe(1)
  })

  test('that waits, or is being looked at, is looked at once more when what its repository waited for is there', () => {
    const triages = emptyTriages()
    for (const pullRequest of [1, 2, 3]) triages.wake(target(pullRequest), 0)
    const [waiting, working, settled] = [1, 2, 3].map(() => triages.claimNext(MINUTE)!)
    triages.finish(waiting!, { waitUntil: 10 * MINUTE }, MINUTE)
    triages.finish(settled!, { waitUntil: null }, MINUTE)
    triages.lookNow(target(1).repositoryId + 1, 2 * MINUTE)
    expect(triages.claimNext(2 * MINUTE)).toBeNull()
    triages.lookNow(target(1).repositoryId, 2 * MINUTE)
    expect(triages.claimNext(2 * MINUTE)?.pullRequestNumber).toBe(waiting!.pullRequestNumber)
    triages.finish(working!, { waitUntil: 10 * MINUTE }, 3 * MINUTE)
    expect(triages.claimNext(3 * MINUTE)?.pullRequestNumber).toBe(working!.pullRequestNumber)
    expect(triages.counts()).toMatchObject({ due: 0, settled: 1 })
  })

  test('of the trunk waits for nothing that is copied, and is left alone', () => {
    const triages = emptyTriages()
    const trunk = { ...target(1), pullRequestNumber: null }
    triages.wake(trunk, 0)
    triages.finish(triages.claimNext(MINUTE)!, { waitUntil: 10 * MINUTE }, MINUTE)
    triages.lookNow(trunk.repositoryId, 2 * MINUTE)
    expect(triages.claimNext(2 * MINUTE)).toBeNull()
    expect(triages.nextAt()).toBe(10 * MINUTE)
  })

  test('that fails is tried again after 30 s, 1, 2, 4, 8 and 15 minutes', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    const pauses: number[] = []
    for (let round = 0; round < 7; round += 1) {
      expect(triages.fail(triages.claimNext(now)!, new Error('down'), now)).toBe('retry')
      pauses.push((triages.nextAt()! - now) / 1000)
      now = triages.nextAt()!
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900])
    expect(triages.failing(10)).toMatchObject([{ ...target(1), state: 'due', attempts: 7, lastError: 'Error: down' }])
    triages.finish(triages.claimNext(now)!, { waitUntil: null }, now)
    expect(triages.failing(10)).toEqual([])
  })

  test('that waits after a failure is due at the next hint', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    for (let round = 0; round < 5; round += 1) {
      triages.fail(triages.claimNext(now)!, 'down', now)
      now = triages.nextAt()!
    }
    triages.fail(triages.claimNext(now)!, 'down', now)
    triages.wake(target(1), now + MINUTE)
    expect(triages.nextAt()).toBe(now + MINUTE + DEBOUNCE_MS)
  })

  test('in hand at a crash is due at once and has not failed; from the third in a row on it waits, hints or not, and has failed where it was alone', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    const pauses: number[] = []
    const attempts: number[] = []
    for (let round = 0; round < 6; round += 1) {
      attempts.push(triages.claimNext(now)!.attempts)
      triages.recoverAfterCrash(now)
      triages.wake(target(1), now - DEBOUNCE_MS)
      pauses.push((triages.nextAt()! - now) / 1000)
      now = triages.nextAt()!
    }
    expect(pauses).toEqual([0, 0, 10, 20, 40, 80])
    expect(attempts).toEqual([1, 1, 1, 1, 2, 3])
    triages.finish(triages.claimNext(now)!, { waitUntil: now }, now)
    triages.dueForSweep(now)
    triages.claimNext(now)
    triages.recoverAfterCrash(now)
    expect(triages.nextAt(), 'not in a row any more').toBe(now)
  })

  test('that crashes with every hint is given up all the same, and then a hint is one attempt', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    let now = triages.nextAt()!
    const crash = () => {
      now = triages.nextAt()!
      triages.claimNext(now)
      triages.wake(target(1), now)
      triages.recoverAfterCrash(now)
    }
    let crashes = 0
    while (triages.nextAt() !== null && crashes < 200) {
      crash()
      crashes += 1
    }
    expect(crashes).toBe(103)
    expect(triages.failing(1)).toMatchObject([{ state: 'settled', attempts: 100 }])

    triages.wake(target(1), now + MINUTE)
    expect(triages.nextAt()).toBe(now + 15 * MINUTE)
    crash()
    expect(triages.nextAt()).toBeNull()

    now += 60 * MINUTE
    triages.wake(target(1), now)
    expect(triages.nextAt()).toBe(now + DEBOUNCE_MS)
    now += DEBOUNCE_MS
    triages.finish(triages.claimNext(now)!, { waitUntil: null }, now)
    triages.wake(target(1), now)
    expect(triages.claimNext(now + DEBOUNCE_MS)).toMatchObject({ attempts: 1 })
  })

  test('cut off by a stop is due at once, and neither failed nor crashed', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    for (let now = DEBOUNCE_MS; now < DEBOUNCE_MS + 10; now += 1) {
      expect(triages.claimNext(now)).toMatchObject({ attempts: 1 })
      triages.putBack(now)
      expect(triages.nextAt()).toBe(now)
    }
  })

  test('that failed for want of the database is due when that is back, but not for ever', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    triages.wake(target(2), 0)
    let now = DEBOUNCE_MS
    triages.fail(triages.claimNext(now)!, 'a mistake', now)
    const returns: number[] = []
    for (let round = 0; round < 6; round += 1) {
      triages.fail(triages.claimNext(now)!, 'no database', now, 'database')
      now += 1000
      const before = triages.counts().due
      expect(before).toBe(2)
      if (!triages.wantsDatabase(now)) break
      triages.databaseIsBack(now)
      expect(triages.nextAt()).toBe(now)
      returns.push(now)
    }
    expect(returns).toHaveLength(5)
    expect(triages.claimNext(now)).toBeNull()
  })

  test('that a person asked for and that had nothing to write is not asked for the next time', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0, true)
    let now = DEBOUNCE_MS
    triages.finish(triages.claimNext(now)!, { waitUntil: now }, now)
    triages.dueForSweep(now)
    const waited = triages.claimNext(now)!
    expect(waited.isAskedFor, 'something was outstanding').toBe(true)
    triages.finish(waited, { waitUntil: null }, now)
    triages.wake(target(1), now)
    now = triages.nextAt()!
    expect(triages.claimNext(now)!.isAskedFor).toBe(false)
  })

  test('that a person asked for is known as such until it is answered, after a failure and a restart too', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0, true)
    triages.wake(target(1), 1)
    let now = DEBOUNCE_MS
    const failed = triages.claimNext(now)!
    expect(failed.isAskedFor).toBe(true)
    triages.fail(failed, 'x', now)
    now = triages.nextAt()!
    triages.claimNext(now)
    triages.recoverAfterCrash(now)
    const answered = triages.claimNext(now)!
    expect(answered.isAskedFor).toBe(true)
    triages.answered(answered)
    triages.wake(target(1), now)
    triages.finish(answered, { waitUntil: null }, now)
    now = triages.nextAt()!
    const again = triages.claimNext(now)!
    expect(again.isAskedFor).toBe(false)
    // Asked for during the work: what is written now does not answer that.
    triages.wake(target(1), now, true)
    triages.answered(again)
    triages.finish(again, { waitUntil: null }, now)
    expect(triages.claimNext(triages.nextAt()!)?.isAskedFor).toBe(true)
  })

  test('is given up after 100 failures, for about a day, and begun anew by the next hint', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    let now = DEBOUNCE_MS
    let failures = 0
    for (let outcome = ''; outcome !== 'gave-up'; failures += 1) {
      outcome = triages.fail(triages.claimNext(now)!, 'down', now)
      now = triages.nextAt() ?? now
    }
    expect(failures).toBe(100)
    expect(now / (60 * MINUTE)).toBeGreaterThan(23)
    expect(triages.failing(1)).toMatchObject([{ state: 'settled', lastError: 'down' }])
    triages.wake(target(1), now)
    expect(triages.claimNext(now + DEBOUNCE_MS)).toMatchObject({ attempts: 1 })
  })

  test('of the trunk is one of its own beside those of pull requests, and one of each repository', () => {
    const triages = emptyTriages()
    const trunk = { ...target(1), pullRequestNumber: null }
    triages.wake(trunk, 0)
    triages.wake(trunk, 1)
    triages.wake({ ...trunk, repositoryId: 8 }, 2)
    triages.wake(target(1), 3)
    expect(triages.counts().due).toBe(3)
    const claims = [1, 2, 3].map(() => triages.claimNext(MINUTE)!)
    expect(claims.map(({ repositoryId, pullRequestNumber }) => [repositoryId, pullRequestNumber])).toEqual([
      [7, null],
      [8, null],
      [7, 1],
    ])
    triages.wake(trunk, MINUTE)
    for (const claim of claims) triages.finish(claim, { waitUntil: null }, MINUTE)
    expect(triages.counts()).toMatchObject({ due: 1, settled: 2 })
    expect(() => triages.wake(target(0), 0)).toThrow('CHECK constraint failed')
  })

  test('keeps its claim as long as it is renewed', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    const claim = triages.claimNext(MINUTE)!
    expect(triages.renew(claim, 10 * MINUTE)).toBe(true)
    expect(triages.claimNext(MINUTE + LEASE)).toBeNull()
    expect(triages.claimNext(10 * MINUTE + LEASE)).not.toBeNull()
    expect(triages.renew(claim, 10 * MINUTE + LEASE)).toBe(false)
    expect(triages.finish(claim, { waitUntil: null }, 10 * MINUTE + LEASE)).toBe(false)
  })

  test('is forgotten where the App was removed', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    triages.wake({ ...target(2), repositoryId: 8 }, 0)
    const claim = triages.claimNext(MINUTE)!
    triages.settle(9, [7], MINUTE)
    expect(triages.finish(claim, { waitUntil: 5 * MINUTE }, MINUTE)).toBe(false)
    expect(triages.counts()).toEqual({ due: 1, working: 0, waiting: 0, settled: 1 })
    triages.settle(9, null, MINUTE)
    expect(triages.nextAt()).toBeNull()
  })

  test('that is settled for 90 days is dropped', () => {
    const triages = emptyTriages()
    triages.wake(target(1), 0)
    triages.finish(triages.claimNext(MINUTE)!, { waitUntil: null }, MINUTE)
    expect(triages.prune(MINUTE + 90 * 24 * 60 * MINUTE)).toBe(0)
    expect(triages.prune(MINUTE + 90 * 24 * 60 * MINUTE + 1)).toBe(1)
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

    claim(): boolean {
      const claim = this.triages.claimNext(this.now)
      if (claim === null) return false
      for (const other of this.held) {
        if (other.claim.pullRequestNumber !== claim.pullRequestNumber || other.isLost) continue
        expect(other.leasedUntil, 'two hold one pull request').toBeLessThanOrEqual(this.now)
        other.isLost = true
      }
      this.held.push({ claim, leasedUntil: this.now + LEASE, isLost: false, afterHint: this.hintCount })
      return true
    }

    finish(held: Held, waitUntil: number | null): void {
      expect(this.triages.finish(held.claim, { waitUntil }, this.now)).toBe(!held.isLost)
      if (!held.isLost) this.lookedAt.set(held.claim.pullRequestNumber!, held.afterHint)
      held.isLost = true
    }

    run(next: Step): void {
      if (next.do === 'pass') this.now += next.ms
      if (next.do === 'claim') this.claim()
      if (next.do === 'sweep') this.triages.dueForSweep(this.now)
      if (next.do === 'crash') {
        this.triages.recoverAfterCrash(this.now)
        for (const held of this.held) held.isLost = true
      }
      if (next.do === 'wake') {
        this.hintCount += 1
        this.hints.set(next.pullRequest, this.hintCount)
        this.triages.wake(target(next.pullRequest), this.now)
      }
      const held = 'which' in next ? this.held.at(-1 - next.which) : undefined
      if (held === undefined) return
      if (next.do === 'finish') this.finish(held, next.wait ? this.now + 10 * MINUTE : null)
      if (next.do === 'renew') {
        expect(this.triages.renew(held.claim, this.now)).toBe(!held.isLost)
        held.leasedUntil = this.now + LEASE
      }
      if (next.do === 'fail') {
        expect(this.triages.fail(held.claim, 'x', this.now)).toBe(held.isLost ? 'lost' : 'retry')
        held.isLost = true
      }
    }
  }

  test('no two hold one pull request, and no hint is lost', () => {
    const database = openDatabase(join(temporaryFolder(), 'inbox.sqlite'))
    onTestFinished(() => database.close())
    // The rules are under test here, not the disk.
    database.exec('PRAGMA synchronous = OFF')
    const triages = new Triages(database, new Turns(database))
    fc.assert(
      // Short ones alone, as fast-check prefers them, meet no hint during the work.
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        database.exec('DELETE FROM triages')
        const model = new Model(triages)
        for (const next of steps) model.run(next)

        // Everybody who still holds something is dead; then all that is due is done.
        triages.recoverAfterCrash(model.now)
        for (const held of model.held) held.isLost = true
        model.now += DEBOUNCE_MS + LEASE
        for (let rounds = 0; model.claim(); rounds += 1) {
          expect(rounds).toBeLessThan(10)
          model.finish(model.held.at(-1)!, null)
        }
        for (const [pullRequest, hint] of model.hints) {
          expect(model.lookedAt.get(pullRequest), `hint ${hint} of ${pullRequest}`).toBeGreaterThanOrEqual(hint)
        }
      }),
      { numRuns: 500 },
    )
  })
})
