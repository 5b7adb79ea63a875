import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** Longest text that is searched for. */
export const LONGEST_SEARCH = 200

/** The text that somebody searches for; null: nothing that could be. A NUL can stand in no parameter of the database. */
export function searchedText(text: string | null | undefined): string | null {
  const trimmed = text?.trim().toWellFormed() ?? ''
  return trimmed === '' || trimmed.length > LONGEST_SEARCH || trimmed.includes('\0') ? null : trimmed
}

/** Asks for queries and tests of a repository by a part of their names. */
export function searchForm(path: string, text: string): Html {
  return html`<form class="filter search" method="get" action="${path}" role="search" aria-label="All queries and tests">
<input name="q" type="search" value="${text}" maxlength="${LONGEST_SEARCH}" aria-label="Query or test of this repository" placeholder="Query or test" autocomplete="off" required> <button type="submit">Search</button></form>`
}
