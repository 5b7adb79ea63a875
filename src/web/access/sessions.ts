import type { Context } from 'hono'
import { z } from 'zod'
import { type GitHubUser, githubLogin } from '../../github/oauth.ts'
import { createCookie } from './cookie.ts'
import { createSeal } from './seal.ts'

/** Who is signed in. A session is a cookie and nothing else: it holds no secret, and nothing of it is kept here. */
export interface Sessions {
  begin(context: Context, user: GitHubUser): void
  end(context: Context): void
  /** null: nobody, for whatever reason. */
  userOf(context: Context): GitHubUser | null
}

/** A working day: as long as a person's token of GitHub holds. */
export const SESSION_SECONDS = 8 * 3600

const sessionSchema = z.strictObject({ id: z.int().positive(), login: githubLogin, until: z.int() })

/** `secret`: the client secret of the App. With another one nobody is signed in any more. */
export function createSessions(secret: string, publicUrl: string, now: () => number): Sessions {
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
