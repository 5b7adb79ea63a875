import { html } from 'hono/html'
import { comparePath, type RepositoryAddress, TRUNK_COMMIT } from '../../report/urls.ts'
import { count } from '../../text/numbers.ts'
import type { Html } from './layout.ts'

/** The word of its buttons and links, on each page of a repository. */
export const COMPARE = 'Compare'

/** Digits below which the beginning of a commit's id says too little. */
export const LEAST_DIGITS = 7

const BEGINNING = new RegExp(`^[0-9a-f]{${LEAST_DIGITS},64}$`)

export function isBeginningOfCommit(text: string): boolean {
  return BEGINNING.test(text)
}

/** A commit that may be chosen in the place of writing it. */
export interface CommitChoice {
  readonly commit: string
  /** What is known of it, as text: `#7, 2026-11-24`. */
  readonly label: string
}

interface CompareForm {
  readonly old?: string
  readonly new?: string
  readonly choices: readonly CommitChoice[]
}

/** Asks for two commits of a repository that were measured. */
export function compareForm(address: RepositoryAddress, { old = '', new: fresh = '', choices }: CompareForm): Html {
  const field = (name: string, text: string, value: string) =>
    html`<label>${text} <input name="${name}" value="${value}" list="commits" title="${LEAST_DIGITS} or more hexadecimal digits, or ${TRUNK_COMMIT}" autocomplete="off" spellcheck="false" autocapitalize="off" required></label>`
  return html`<form class="filter commits" method="get" action="${comparePath(address)}">
${field('old', 'Old commit', old)} ${field('new', 'New commit', fresh)} <button type="submit">${COMPARE}</button>
<datalist id="commits"><option value="${TRUNK_COMMIT}">the main branch’s newest run</option>${choices.map(({ commit, label }) => html`<option value="${commit}">${label}</option>`)}</datalist></form>`
}

/** The form where it is not what the page is about. */
export function compareFold(address: RepositoryAddress, form: CompareForm): Html {
  return html`<details class="compare" id="compare"><summary>Compare two commits</summary><div class="more">
<p>Give at least ${count(LEAST_DIGITS)} digits of each commit ID, or <code>${TRUNK_COMMIT}</code> for the main branch’s newest run.</p>
${compareForm(address, form)}</div></details>`
}
