import { LRUCache } from 'lru-cache'
import { commitLine, commitRange, commitTitles } from '../../github/commit-range.ts'
import { commitsBetween } from '../../github/commits.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import type { WindowCommits } from '../../judge/bisect/bisect-window.ts'
import type { TitledCommit } from '../../judge/ledger/failure.ts'

/** A repository by its number, under whatever name it has. */
export interface KnownRepository extends RepositoryRef {
  readonly id: number
}

/** Entries of each kind that are remembered: a thousand commits at most each, half a megabyte with their titles and files. */
const MOST_REMEMBERED = 50

/**
 * What lies between two commits never changes: asked of GitHub once for the life of the process. What GitHub did not
 * know is asked again. Throws what GitHub answers.
 */
export class CommitRanges {
  readonly #lines = new LRUCache<string, readonly string[]>({ max: MOST_REMEMBERED })
  readonly #ranges = new LRUCache<string, WindowCommits>({ max: MOST_REMEMBERED })
  readonly #titles = new LRUCache<string, readonly TitledCommit[]>({ max: MOST_REMEMBERED })
  readonly #numbers = new LRUCache<string, number>({ max: MOST_REMEMBERED })

  /** Remembers `commitLine`. */
  async line(
    octokit: Octokit,
    repository: KnownRepository,
    base: string,
    head: string,
  ): Promise<readonly string[] | null> {
    return await remembered(this.#lines, repository, base, head, (ref) => commitLine(octokit, ref, base, head))
  }

  /** Remembers `commitTitles`. */
  async titles(
    octokit: Octokit,
    repository: KnownRepository,
    base: string,
    head: string,
  ): Promise<readonly TitledCommit[] | null> {
    return await remembered(this.#titles, repository, base, head, (ref) => commitTitles(octokit, ref, base, head))
  }

  /** Remembers `commitsBetween`. */
  async between(octokit: Octokit, repository: KnownRepository, older: string, newer: string): Promise<number | null> {
    return await remembered(this.#numbers, repository, older, newer, (ref) =>
      commitsBetween(octokit, ref, older, newer),
    )
  }

  /** Remembers `commitRange`. */
  async range(
    octokit: Octokit,
    repository: KnownRepository,
    base: string,
    head: string,
  ): Promise<WindowCommits | null> {
    return await remembered(this.#ranges, repository, base, head, (ref) => commitRange(octokit, ref, base, head))
  }
}

async function remembered<T extends object | number>(
  known: LRUCache<string, T>,
  { id, owner, repo }: KnownRepository,
  base: string,
  head: string,
  ask: (ref: RepositoryRef) => Promise<T | null>,
): Promise<T | null> {
  const key = JSON.stringify([id, base, head])
  const found = known.get(key) ?? (await ask({ owner, repo }))
  if (found !== null) known.set(key, found)
  return found
}
