import { html } from 'hono/html'
import { comparePath, ledgerPath, type RepositoryAddress, repositoryPath, searchPath } from '../../report/urls.ts'
import { COMPARE } from './compare-form.ts'
import type { Html } from './layout.ts'
import { searchForm } from './search-form.ts'

export interface Crumb {
  readonly text: string
  /** Absent for the page itself. */
  readonly path?: string
}

/**
 * Where a page of a repository is: its runs, what leads to the page, the page itself. The ledger, two commits and the search
 * stand beside, on each of them. Texts are shown as they are: shortened by the caller.
 */
export function crumbs(repository: RepositoryAddress, ...steps: readonly Crumb[]): Html {
  const runs = { text: `${repository.owner}/${repository.repo}`, path: repositoryPath(repository) }
  const all: readonly Crumb[] = steps.length === 0 ? [{ text: runs.text }] : [runs, ...steps]
  const search = searchPath(repository)
  const ledger = steps[0]?.text === LEDGER ? '' : html`<a href="${ledgerPath(repository)}">${LEDGER}</a>`
  // A phone has no room for this link: the page of runs has the form.
  const compare =
    steps[0]?.text === COMPARE ? '' : html`<a class="compare" href="${comparePath(repository)}">${COMPARE}</a>`
  const inSearch = steps[0]?.text === SEARCH
  // A phone has the link in the place of the form.
  const link = inSearch ? '' : html`<a class="search" href="${search}">${SEARCH}</a>`
  return html`<div class="where"><nav class="crumbs" aria-label="Breadcrumb"><ol>${all.map(({ text, path }) => html`<li>${path === undefined ? html`<span aria-current="page"><bdi>${text}</bdi></span>` : html`<a href="${path}"><bdi>${text}</bdi></a>`}</li>`)}</ol><span class="also">${ledger}${compare}${link}</span></nav>${inSearch ? '' : searchForm(search, '')}</div>`
}

export const LEDGER = 'Ledger'
/** A page of its own, and the word of its buttons. */
export const SEARCH = 'Search'
