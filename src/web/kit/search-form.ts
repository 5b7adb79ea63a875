import { html } from 'hono/html'
import { LONGEST_SEARCH } from '../../text/searched-text.ts'
import type { Html } from './layout.ts'

/** Asks for queries and tests of a repository by a part of their names. */
export function searchForm(path: string, text: string): Html {
  return html`<form class="filter search" method="get" action="${path}" role="search" aria-label="All queries and tests">
<input name="q" type="search" value="${text}" maxlength="${LONGEST_SEARCH}" aria-label="Query or test of this repository" placeholder="Query or test" autocomplete="off" required> <button type="submit">Search</button></form>`
}
