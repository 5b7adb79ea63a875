import { html } from 'hono/html'
import type { TriageReport } from '../../report/report.ts'
import { isCommitId } from '../../text/commits.ts'
import { plainText } from '../../text/markdown.ts'
import { capitalized, type Phrase } from '../../text/phrase.ts'
import { toHtml } from '../../text/phrase-html.ts'
import type { Html } from './layout.ts'

/**
 * Addresses on GitHub for a report. All of them lie under the repository's own address, whose host the bot was configured
 * with; anything else in a report is text, never a link. Only the reports of jobs, issues and proofs of failing tests lead
 * elsewhere, through `outsideLink`.
 */

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//

/** The repository's address; null when it is none that may be linked. */
function repositoryLink({ repository }: TriageReport): string | null {
  const { url } = repository
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return null
  return url.startsWith('https://') || LOOPBACK.test(url) ? url.replace(/\/$/, '') : null
}

export function pullRequestLink(report: TriageReport): string | null {
  return linkUnder(report, `/pull/${report.pullRequest.number}`)
}

/** null for what is not a full commit id. */
export function commitLink(report: TriageReport, commit: string): string | null {
  return isCommitId(commit) ? linkUnder(report, `/commit/${commit}`) : null
}

/** An address that came with the report, such as that of a check; null unless it is one of the repository's pages. */
export function linkWithin(report: TriageReport, url: string | null): string | null {
  const repository = repositoryLink(report)
  if (url === null || repository === null) return null
  // Parsed first, so that dot segments can't lead out again.
  const href = URL.parse(url)?.href
  return href?.startsWith(`${URL.parse(repository)?.href}/`) ? href : null
}

export function pullRequestNumberLink(report: TriageReport, number: number): string | null {
  return Number.isSafeInteger(number) && number > 0 ? linkUnder(report, `/pull/${number}`) : null
}

/** The report of a job or an issue, wherever it is: only what a browser opens as a page, and not overlong. */
export function outsideLink(url: string): string | null {
  if (url.length > 4000) return null
  const parsed = URL.parse(url)
  const isPage = parsed !== null && (parsed.protocol === 'https:' || LOOPBACK.test(parsed.href))
  return isPage && parsed.username === '' && parsed.password === '' ? parsed.href : null
}

function linkUnder(report: TriageReport, path: string): string | null {
  const repository = repositoryLink(report)
  return repository === null ? null : repository + path
}

/** A text from outside as a link, or as a text alone where there is no address. */
export function linked(href: string | null, text: string): Html {
  return href === null ? html`<bdi>${text}</bdi>` : html`<a href="${href}"><bdi>${text}</bdi></a>`
}

/** The same for an address that others have given. */
export function linkedOutside(href: string | null, text: string): Html {
  return href === null
    ? html`<bdi>${text}</bdi>`
    : html`<a href="${href}" rel="nofollow noopener"><bdi>${text}</bdi></a>`
}

/** A commit, shortened where its link has all of it. */
export function commit(report: TriageReport, id: string): Html {
  const text = plainText(id, 64)
  const href = commitLink(report, id)
  return linked(href, href === null ? text : text.slice(0, 10))
}

/** A phrase as a sentence of its own, with its commits linked. */
export function sentence(report: TriageReport, said: Phrase): Html {
  return toHtml(capitalized(said), (id) => commitLink(report, id))
}

/** Addresses on GitHub of what belongs to a repository, where no report says its address. */
export interface GitHubLinks {
  /** null for what is not a full commit id. */
  commit(id: string): string | null
  pullRequest(number: number): string
}

/** `githubUrl` without a slash at its end, as the bot was configured. */
export function githubLinks(
  githubUrl: string,
  { owner, repo }: { readonly owner: string; readonly repo: string },
): GitHubLinks {
  const repository = `${githubUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
  return {
    commit: (id) => (isCommitId(id) ? `${repository}/commit/${id}` : null),
    pullRequest: (number) => `${repository}/pull/${number}`,
  }
}
