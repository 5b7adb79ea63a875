import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { ISSUE_BODY_READ, type OpenIssue } from '../judge/ledger/known-issue.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'
import { isRefused } from './octokit.ts'

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

/** Pages of a hundred that are read in all, however many labels there are: a thousand issues, one after the other. */
export const MOST_PAGES = 10

/**
 * The open issues that have at least one of the labels, no pull requests, newest first. One listing per label, read in
 * turn, so that a label with very many issues does not crowd out the others; of more than `MOST_PAGES` pages the oldest
 * issues are left out. Where issues are disabled or the App may not read them there are none, and the log says so.
 */
export async function listOpenIssues(
  octokit: Octokit,
  ref: RepositoryRef,
  labels: readonly string[],
  log?: Pick<Logger, 'warn'>,
): Promise<OpenIssue[]> {
  const found = new Map<number, OpenIssue>()
  let listings = [...new Set(labels)].map((label) => issuePages(octokit, ref, label))
  let pages = 0
  try {
    while (listings.length > 0 && pages < MOST_PAGES) {
      const unfinished: typeof listings = []
      for (const listing of listings.slice(0, MOST_PAGES - pages)) {
        const page = await listing.next()
        if (page.done === true) continue
        pages += 1
        for (const issue of page.value.issues) found.set(issue.number, issue)
        if (page.value.hasMore) unfinished.push(listing)
      }
      listings = unfinished
    }
  } catch (error) {
    if (!isRefused(error)) throw error
    log?.warn({ err: error }, 'the issues of the repository can’t be read, so none are linked')
  }
  return [...found.values()].toSorted((a, b) => b.number - a.number)
}

interface Page {
  readonly issues: readonly OpenIssue[]
  readonly hasMore: boolean
}

async function* issuePages(octokit: Octokit, ref: RepositoryRef, label: string): AsyncGenerator<Page, void, void> {
  const pages = octokit.paginate.iterator(octokit.rest.issues.listForRepo, {
    ...ref,
    labels: label,
    state: 'open',
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  })
  for await (const { data, headers } of pages) {
    const issues = data
      .filter(({ pull_request }) => pull_request === undefined)
      .map(({ number, title, html_url, body, labels: labelsOfIssue }) => ({
        number,
        title,
        url: html_url,
        body: (body ?? '').slice(0, ISSUE_BODY_READ).toWellFormed(),
        labels: labelsOfIssue.map((item) => (typeof item === 'string' ? item : (item.name ?? ''))),
      }))
    yield { issues, hasMore: headers.link?.includes('rel="next"') === true }
  }
}
