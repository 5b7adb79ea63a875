import { html } from 'hono/html'
import { ledgerPath, type RepositoryAddress, repositoryPath } from '../../report/urls.ts'
import type { Html } from './layout.ts'

export interface Crumb {
  readonly text: string
  /** Absent for the page itself. */
  readonly path?: string
}

/**
 * Where a page of a repository is: its runs, what leads to the page, the page itself. The ledger stands beside, on each of
 * them. Texts are shown as they are: shortened by the caller.
 */
export function crumbs(repository: RepositoryAddress, ...steps: readonly Crumb[]): Html {
  const runs = { text: `${repository.owner}/${repository.repo}`, path: repositoryPath(repository) }
  const all: readonly Crumb[] = steps.length === 0 ? [{ text: runs.text }] : [runs, ...steps]
  const ledger = ledgerPath(repository)
  const inLedger = steps[0]?.text === LEDGER
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${all.map(({ text, path }) => html`<li>${path === undefined ? html`<span aria-current="page"><bdi>${text}</bdi></span>` : html`<a href="${path}"><bdi>${text}</bdi></a>`}</li>`)}</ol>${inLedger ? '' : html`<a href="${ledger}">${LEDGER}</a>`}</nav>`
}

export const LEDGER = 'Ledger'
