import type { Logger } from 'pino'
import type { OpenIssue } from '../ledger/known-issue.ts'
import { listOpenIssues } from './issues.ts'
import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** How long a list of issues stands: one that was opened since is linked at the next look after that. */
export const ISSUES_STAND_MS = 15 * 60_000

/** Characters of titles and bodies kept for all repositories together, 2 bytes each. */
const MOST_CHARACTERS = 32 * 1024 * 1024

interface Kept {
  readonly at: number
  readonly issues: Promise<readonly OpenIssue[]>
  characters: number
}

/** The open issues of each repository, read at most once in 15 minutes; many triages at once are one reading. */
export class OpenIssues {
  readonly #kept = new Map<string, Kept>()
  readonly #mostCharacters: number
  #characters = 0

  constructor(mostCharacters = MOST_CHARACTERS) {
    this.#mostCharacters = mostCharacters
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
    this.#forget(key)
    const { owner, repo } = repository
    const kept: Kept = { at: now, issues: listOpenIssues(octokit, { owner, repo }, labels, log), characters: 0 }
    this.#kept.set(key, kept)
    try {
      const issues = await kept.issues
      this.#account(key, kept, issues)
      return issues
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#forget(key)
      throw error
    }
  }

  /** The lists that were read longest ago make room. */
  #account(key: string, kept: Kept, issues: readonly OpenIssue[]): void {
    if (this.#kept.get(key) !== kept) return
    // An empty list costs something too.
    kept.characters = issues.reduce((sum, { title, body }) => sum + title.length + body.length + 200, 500)
    this.#characters += kept.characters
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#mostCharacters) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    this.#characters -= kept.characters
    this.#kept.delete(key)
  }
}
