import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { createOAuth, type GitHubUser, githubLogin, type OAuth } from '../../github/oauth.ts'
import { SIGN_IN_CALLBACK_PATH } from '../../report/urls.ts'
import { createSeal } from './seal.ts'

/** Signing in with GitHub: who is, who is about to, and GitHub's part in it. */
export interface SignIn {
  readonly sessions: Sessions
  readonly attempts: SignInAttempts
  readonly oauth: OAuth
}

interface SignInOptions {
  readonly clientId: string
  readonly clientSecret: string
  readonly githubUrl: string
  readonly githubApiUrl: string
  /** The address of the bot from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly now: () => number
}

export function createSignIn({ publicUrl, now, ...github }: SignInOptions): SignIn {
  return {
    sessions: createSessions(github.clientSecret, publicUrl, now),
    attempts: createSignInAttempts(github.clientSecret, publicUrl, now),
    oauth: createOAuth({ ...github, callbackUrl: `${publicUrl}${SIGN_IN_CALLBACK_PATH}` }),
  }
}

/** The person who is signed in. A session is a cookie and nothing else: it holds no secret, and nothing of it is kept here. */
interface Sessions {
  begin(context: Context, user: GitHubUser): void
  end(context: Context): void
  /** null: nobody, for whatever reason. */
  userOf(context: Context): GitHubUser | null
}

/** A working day: as long as a person's token of GitHub holds. */
const SESSION_SECONDS = 8 * 3600

const sessionSchema = z.strictObject({ id: z.int().positive(), login: githubLogin, until: z.int() })

/** `secret`: the client secret of the App. With another one nobody is signed in any more. */
function createSessions(secret: string, publicUrl: string, now: () => number): Sessions {
  const cookie = createCookie('perf-triage', publicUrl)
  const seal = createSeal(secret, 'session')
  return {
    begin(context, { id, login }) {
      cookie.write(context, seal.seal({ id, login, until: now() + SESSION_SECONDS * 1000 }), SESSION_SECONDS)
    },
    end: (context) => cookie.remove(context),
    userOf(context) {
      const session = sessionSchema.safeParse(seal.open(cookie.read(context)))
      if (!session.success || session.data.until <= now()) return null
      const { id, login } = session.data
      return { id, login }
    },
  }
}

/** A sign-in on its way: the browser that began it carries what it is recognised by. */
interface SignInAttempts {
  /** The values that GitHub is given for this attempt; an earlier one of this browser ends. */
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
function createSignInAttempts(secret: string, publicUrl: string, now: () => number): SignInAttempts {
  const cookie = createCookie('perf-triage-sign-in', publicUrl)
  const seal = createSeal(secret, 'sign-in attempt')
  /** States of attempts that have ended: a cookie that was copied is good for nothing. */
  const ended = new LRUCache<string, true>({ max: MOST_ENDED })

  function useUp(state: string): boolean {
    if (ended.has(state)) return false
    ended.set(state, true)
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

/** A cookie that scripts can't read and other sites' forms don't carry. */
export interface Cookie {
  read(context: Context): string | undefined
  write(context: Context, value: string, seconds: number): void
  remove(context: Context): void
}

/**
 * Where the site is reached over https its name begins with `__Host-`: browsers take such a one only from this host, over
 * https, so that no neighbouring host can plant one.
 */
function createCookie(name: string, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https://')
  const full = secure ? `__Host-${name}` : name
  const attributes = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const
  return {
    read: (context) => getCookie(context, full),
    write: (context, value, seconds) => setCookie(context, full, value, { ...attributes, maxAge: seconds }),
    remove: (context) => deleteCookie(context, full, attributes),
  }
}
