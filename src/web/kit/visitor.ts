import type { Context, MiddlewareHandler } from 'hono'
import type { GitHubUser } from '../../github/oauth.ts'

/** Who looks at a page. */
export interface Visitor {
  /** null: not signed in. */
  readonly user: GitHubUser | null
}

/** The variables of a request: `visitor` is there where people can sign in at all. */
export interface VisitorEnv {
  readonly Variables: { readonly visitor?: Visitor }
}

/** Notes who asks, for the top of each page. */
export function noteVisitor(sessions: { userOf(context: Context): GitHubUser | null }): MiddlewareHandler<VisitorEnv> {
  return async (context, next) => {
    context.set('visitor', { user: sessions.userOf(context) })
    await next()
  }
}
