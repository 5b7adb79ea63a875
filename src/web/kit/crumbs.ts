import { html } from 'hono/html'
import { comparePath, ledgerPath, type RepositoryAddress, repositoryPath, searchPath } from '../../report/urls.ts'
import { LONGEST_SEARCH } from '../../text/searched-text.ts'
import { COMPARE } from './compare-form.ts'
import type { Html } from './layout.ts'

export interface Crumb {
  readonly text: string
  /** Absent for the page itself. */
  readonly path?: string
}

/**
 * Where a page of a repository is: its runs, what leads to the page, the page itself. The pages beside it are linked from each of them.
 * Texts are shown as they are: shortened by the caller.
 */
export function crumbs(repository: RepositoryAddress, ...steps: readonly Crumb[]): Html {
  const runs = { text: `${repository.owner}/${repository.repo}`, path: repositoryPath(repository) }
  const all: readonly Crumb[] = steps.length === 0 ? [{ text: runs.text }] : [runs, ...steps]
  const here = steps[0]?.text
  const beside = BESIDE.filter(({ text }) => text !== here).map(
    ({ text, pathOf, kind }) =>
      html`<a${kind === undefined ? '' : html` class="${kind}"`} href="${pathOf(repository)}">${text}</a>`,
  )
  return html`<div class="where"><nav class="crumbs" aria-label="Breadcrumb"><ol>${all.map(({ text, path }) => html`<li>${path === undefined ? html`<span aria-current="page"><bdi>${text}</bdi></span>` : html`<a href="${path}"><bdi>${text}</bdi></a>`}</li>`)}</ol><span class="also">${beside}</span></nav>${here === SEARCH ? '' : searchForm(searchPath(repository), '')}</div>`
}

export const LEDGER = 'Ledger'
/** A page of its own, and the word of its buttons. */
export const SEARCH = 'Search'

/** The pages of a repository that stand beside each other. `kind`: the class of a link that not every screen has. */
const BESIDE: readonly {
  readonly text: string
  readonly pathOf: (repository: RepositoryAddress) => string
  readonly kind?: string
}[] = [
  { text: LEDGER, pathOf: ledgerPath },
  // A phone has no room for this link: the page of runs has the form.
  { text: COMPARE, pathOf: comparePath, kind: 'compare' },
  // A phone has the link in the place of the form.
  { text: SEARCH, pathOf: searchPath, kind: 'search' },
]

/** Asks for queries and tests of a repository by a part of their names. */
export function searchForm(path: string, text: string): Html {
  return html`<form class="filter search" method="get" action="${path}" role="search" aria-label="All queries and tests">
<input name="q" type="search" value="${text}" maxlength="${LONGEST_SEARCH}" aria-label="Query or test of this repository" placeholder="Query or test" autocomplete="off" required> <button type="submit">Search</button></form>`
}
