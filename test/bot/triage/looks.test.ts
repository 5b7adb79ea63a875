import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Looks } from '../../../src/bot/triage/looks.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const [OWN, OTHER] = [1, 2]

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: () => resolve() }
}

/** A reading behind the look that it belongs to, and what its one question was answered. */
function reading(looks: Looks, isWanted: () => Promise<boolean> = async () => false) {
  const seen: { answer: boolean | null } = { answer: null }
  const ended = looks.inFront(OWN, () =>
    looks.readBehind(OWN, isWanted, async (standBack) => {
      seen.answer = await standBack()
    }),
  )
  return { seen, ended }
}

describe('what nobody waits for', () => {
  test('goes on at once where no other look is under way', async () => {
    const { seen, ended } = reading(new Looks())
    await ended
    expect(seen.answer).toBe(false)
  })

  test('stands back for the look of another pull request, to its end', async () => {
    const looks = new Looks()
    const other = gate()
    const look = looks.inFront(OTHER, () => other.opened)
    const { seen, ended } = reading(looks)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(seen.answer).toBeNull()
    expect(looks.isReading).toBe(true)
    other.open()
    await look
    await vi.advanceTimersByTimeAsync(1000)
    await ended
    expect(seen.answer).toBe(false)
    expect(looks.isReading).toBe(false)
  })

  test('goes on after 15 seconds on a bot that is always busy', async () => {
    const looks = new Looks()
    void looks.inFront(OTHER, () => new Promise(() => {}))
    const { seen, ended } = reading(looks)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(seen.answer).toBeNull()
    await vi.advanceTimersByTimeAsync(2000)
    await ended
    expect(seen.answer).toBe(false)
  })

  test('ends where its own pull request is to be looked at, also while it stands back', async () => {
    const looks = new Looks()
    void looks.inFront(OTHER, () => new Promise(() => {}))
    let isWanted = false
    const { seen, ended } = reading(looks, async () => isWanted)
    await vi.advanceTimersByTimeAsync(5000)
    isWanted = true
    await vi.advanceTimersByTimeAsync(1000)
    await ended
    expect(seen.answer).toBe(true)
  })

  test('leaves its place when it fails', async () => {
    const looks = new Looks()
    const failing = looks.readBehind(
      OWN,
      async () => false,
      async () => {
        throw new Error('gone')
      },
    )
    await expect(failing).rejects.toThrow('gone')
    expect(looks.isReading).toBe(false)
  })

  test('a look that failed is not waited for', async () => {
    const looks = new Looks()
    await expect(looks.inFront(OTHER, () => Promise.reject(new Error('GitHub is away')))).rejects.toThrow()
    const { seen, ended } = reading(looks)
    await ended
    expect(seen.answer).toBe(false)
  })
})
