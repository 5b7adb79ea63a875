import { LRUCache } from 'lru-cache'
import type { GitHubUser } from '../../github/oauth.ts'
import type { Log } from '../kit/log.ts'
import type { PresentRepository } from './access.ts'

/** Whether somebody may read a repository. Never rejects: what is not known is no. */
export type MayRead = (repository: PresentRepository, user: GitHubUser) => Promise<boolean>

/** Asks GitHub; rejects when GitHub does not say. */
export type AskGitHub = (
  repository: PresentRepository & { readonly installationId: number },
  user: GitHubUser,
) => Promise<boolean>

/** A permission that was withdrawn on GitHub is good here for so long. */
export const YES_KEPT_MS = 60_000
/** A permission that was given is missed for so long. */
export const NO_KEPT_MS = 30_000
const MOST_KEPT = 10_000
/** Questions under way; beyond them the answer is no: somebody opens everything at once. */
const MOST_AT_ONCE = 50

interface Kept {
  readonly answer: boolean
  readonly until: number
}

export interface RememberedPermissionsOptions {
  readonly ask: AskGitHub
  /** Another number after each event that says something of the repository: what was answered before counts no more. */
  readonly versionOf: (repositoryId: number) => Promise<number>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: Log
}

/** GitHub's answers, kept for a while; at most one question under way for each person and repository. */
export function rememberedPermissions({ ask, versionOf, now, log }: RememberedPermissionsOptions): MayRead {
  const kept = new LRUCache<string, Kept>({ max: MOST_KEPT })
  const underWay = new Map<string, Promise<boolean>>()

  function keep(key: string, answer: boolean, askedAt: number): boolean {
    kept.set(key, { answer, until: askedAt + (answer ? YES_KEPT_MS : NO_KEPT_MS) })
    return answer
  }

  async function question(key: string, repository: PresentRepository, user: GitHubUser): Promise<boolean> {
    const { installationId } = repository
    if (installationId === null) return false
    const askedAt = now()
    try {
      return keep(key, await ask({ ...repository, installationId }, user), askedAt)
    } catch (error) {
      log.warn({ err: error, repositoryId: repository.id, userId: user.id }, 'GitHub does not say who may read')
      return keep(key, false, askedAt)
    }
  }

  function answerOf(key: string, repository: PresentRepository, user: GitHubUser): Promise<boolean> {
    const known = kept.get(key)
    if (known !== undefined && known.until > now()) return Promise.resolve(known.answer)
    const asked = underWay.get(key)
    if (asked !== undefined) return asked
    if (underWay.size >= MOST_AT_ONCE) return Promise.resolve(false)
    const asking = question(key, repository, user).finally(() => underWay.delete(key))
    underWay.set(key, asking)
    return asking
  }

  return async (repository, user) => {
    const version = await versionOf(repository.id)
    // The login belongs to it: under another one GitHub may answer otherwise.
    const answer = await answerOf(`${repository.id} ${version} ${user.id} ${user.login}`, repository, user)
    // An event that came while GitHub was asked may have made it another repository.
    return answer && (await versionOf(repository.id)) === version
  }
}
