import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import { createCookie } from './cookie.ts'
import { createSeal } from './seal.ts'

/** A sign-in on its way: the browser that began it carries what it is recognised by. */
export interface SignInAttempts {
  /** What GitHub is given for this attempt; an earlier one of this browser ends. */
  begin(context: Context, returnPath: string): { readonly state: string; readonly challenge: string }
  /** Ends the attempt. null: this browser began none with this state, it took too long, or it has ended before. */
  end(context: Context, state: string | undefined): { readonly verifier: string; readonly returnPath: string } | null
}

/** GitHub's codes hold as long. */
const ATTEMPT_SECONDS = 10 * 60

/** Ended attempts that are remembered: each of the last ten minutes, unless somebody ends sixteen a second. */
const MOST_ENDED = 10_000

const attemptSchema = z.strictObject({
  state: z.string(),
  verifier: z.string(),
  returnPath: z.string(),
  until: z.int(),
})

/** `secret`: the client secret of the App. */
export function createSignInAttempts(secret: string, publicUrl: string, now: () => number): SignInAttempts {
  const cookie = createCookie('perf-triage-sign-in', publicUrl)
  const seal = createSeal(secret, 'sign-in attempt')
  /** States of attempts that have ended: a cookie that was copied is good for nothing. */
  const ended = new Set<string>()

  function useUp(state: string): boolean {
    if (ended.has(state)) return false
    const [oldest] = ended
    if (ended.size >= MOST_ENDED && oldest !== undefined) ended.delete(oldest)
    ended.add(state)
    return true
  }

  return {
    begin(context, returnPath) {
      const state = randomBytes(32).toString('base64url')
      const verifier = randomBytes(32).toString('base64url')
      const until = now() + ATTEMPT_SECONDS * 1000
      cookie.write(context, seal.seal({ state, verifier, returnPath, until }), ATTEMPT_SECONDS)
      return { state, challenge: createHash('sha256').update(verifier).digest('base64url') }
    },

    end(context, state) {
      const attempt = attemptSchema.safeParse(seal.open(cookie.read(context)))
      cookie.remove(context)
      if (!attempt.success || attempt.data.until <= now() || state === undefined) return null
      const { verifier, returnPath } = attempt.data
      return isSame(attempt.data.state, state) && useUp(state) ? { verifier, returnPath } : null
    },
  }
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
