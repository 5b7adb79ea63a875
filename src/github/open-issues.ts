import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { OpenIssue } from '../ledger/known-issue.ts'
import { listOpenIssues } from './issues.ts'
import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** How long a list of issues stands: one that was opened since is linked at the next look after that. */
export const ISSUES_STAND_MS = 15 * 60_000

/** Characters of titles and bodies kept for all repositories together, 2 bytes each; what was not used for longest makes room. */
const MOST_CHARACTERS = 32 * 1024 * 1024

interface Kept {
  readonly at: number
  readonly issues: Promise<readonly OpenIssue[]>
}

/** The open issues of each repository, read at most once in 15 minutes; many triages at once are one reading. */
export class OpenIssues {
  readonly #kept: LRUCache<string, Kept>

  constructor(mostCharacters = MOST_CHARACTERS) {
    this.#kept = new LRUCache({ maxSize: mostCharacters })
  }

  /** `now`: milliseconds since 1970. Rejects with what GitHub answers, as `listOpenIssues`; that is not kept. */
  async of(
    octokit: Octokit,
    repository: RepositoryRef & { readonly id: number },
    labels: readonly string[],
    now: number,
    log?: Pick<Logger, 'warn'>,
  ): Promise<readonly OpenIssue[]> {
    const key = JSON.stringify([repository.id, labels.toSorted()])
    const known = this.#kept.get(key)
    if (known !== undefined && now >= known.at && now - known.at < ISSUES_STAND_MS) return await known.issues
    const { owner, repo } = repository
    const reading: Kept = { at: now, issues: listOpenIssues(octokit, { owner, repo }, labels, log) }
    this.#kept.set(key, reading, { size: EMPTY_LIST })
    const isCurrent = () => this.#kept.peek(key) === reading
    try {
      const issues = await reading.issues
      if (isCurrent()) this.#kept.set(key, { ...reading }, { size: charactersOf(issues) })
      return issues
    } catch (error) {
      if (isCurrent()) this.#kept.delete(key)
      throw error
    }
  }
}

/** An empty list costs something too. */
const EMPTY_LIST = 500

function charactersOf(issues: readonly OpenIssue[]): number {
  return issues.reduce((sum, { title, body }) => sum + title.length + body.length + 200, EMPTY_LIST)
}
