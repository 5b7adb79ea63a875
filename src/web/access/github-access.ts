import type { Context } from 'hono'
import type { GitHubUser } from '../../github/oauth.ts'
import type { Reports } from '../../store/reports/reports.ts'
import {
  type Access,
  firstOf,
  type KnownRepositories,
  type PresentRepository,
  presentBy,
  presentRepository,
} from './access.ts'
import type { MayRead } from './permissions.ts'

/** Who may see what, by asking GitHub. Sign-in itself is `sign-in.ts`. */

export interface GitHubAccessOptions {
  readonly reports: Pick<Reports, 'repositoryByName'>
  readonly known: KnownRepositories
  /** The person who is signed in; null: nobody. */
  readonly userOf: (context: Context) => GitHubUser | null
  readonly mayRead: MayRead
  readonly mayWrite: MayRead
  /** Milliseconds after which somebody who is signed in is told that there is nothing; 1,500 by default. */
  readonly noAfterMs?: number
}

/**
 * Longer than GitHub takes for a permission (0.1 to 0.5 s, a new installation token included). Everybody who is signed in
 * waits so long for a no, whether or not GitHub was asked: else the time would say which private repositories there are.
 */
const NO_AFTER_MS = 1500

/** Repositories that are public may be seen by all, others by those who may read them on GitHub. */
export function githubAccess({
  reports,
  known,
  userOf,
  mayRead,
  mayWrite,
  noAfterMs = NO_AFTER_MS,
}: GitHubAccessOptions): Access {
  async function isVisible(repository: PresentRepository | null, user: GitHubUser | null): Promise<boolean> {
    if (repository === null) return false
    if (!repository.isPrivate) return true
    return user !== null && (await mayRead(repository, user))
  }

  return {
    async visible(context, owner, repo) {
      const user = userOf(context)
      const no = user === null ? null : delay(noAfterMs)
      try {
        const repository = await presentRepository(reports, known, owner, repo)
        const allowed = isVisible(repository, user)
        // A permission that comes later is remembered: the next try finds it.
        const isAllowed = no === null ? await allowed : await Promise.race([allowed, no.over])
        if (repository !== null && isAllowed) return { id: repository.id, isPrivate: repository.isPrivate }
        await no?.over
        return null
      } finally {
        no?.stop()
      }
    },

    async writer(context, owner, repo) {
      const user = userOf(context)
      const repository = user === null ? null : await presentRepository(reports, known, owner, repo)
      return user !== null && repository !== null && (await mayWrite(repository, user)) ? user : null
    },

    async firstVisible(context, reported, most) {
      const user = userOf(context)
      return await firstOf(reported, most, async (one) => {
        const repository = await presentBy(one, known, one)
        return (await isVisible(repository, user)) ? repository : null
      })
    },
  }
}

interface Delay {
  /** Resolves with false. */
  readonly over: Promise<false>
  stop(): void
}

function delay(milliseconds: number): Delay {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  return { over, stop: () => clearTimeout(timer) }
}
