import { html } from 'hono/html'
import { comparePath, type RepositoryAddress, TRUNK_COMMIT } from '../../report/urls.ts'
import type { MeasuredCommit } from '../../store/runs/run-queries.ts'
import { count, counted, list } from '../../text/numbers.ts'
import { htmlTime } from '../../text/phrase-html.ts'
import type { Html } from './layout.ts'
import { pullRequestName } from './pull-request.ts'

/** The word of its buttons and links, on each page of a repository. */
export const COMPARE = 'Compare'

/** Digits of a commit that is named. */
export const SHOWN_DIGITS = 10

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

/** A commit that was measured, as its pull request is named. */
export interface ListedCommit extends MeasuredCommit {
  readonly title: string | null
  readonly author: string | null
}

/**
 * The commits that were measured, to choose an old and a new one of. `asked`: the beginnings of the ids that somebody wrote; without
 * them the newest head of a pull request and its base are chosen.
 */
export function commitList(
  address: RepositoryAddress,
  commits: readonly ListedCommit[],
  asked: { readonly old: string; readonly new: string } | null,
): Html {
  const head = commits.find(({ headOf }) => headOf !== null && headOf > 0)
  const base = commits.find(({ baseOf }) => baseOf.includes(head?.headOf ?? 0))
  const chosen = asked ?? { old: base?.commit ?? '', new: head?.commit ?? '' }
  const choice = (name: 'old' | 'new', { commit }: ListedCommit) => {
    const isChosen = chosen[name] !== '' && commit.startsWith(chosen[name])
    return html`<td><label><input type="radio" name="${name}" value="${commit}" required${isChosen ? html` checked` : ''}><span class="unseen">${commit.slice(0, SHOWN_DIGITS)} as the ${name} one</span></label></td>`
  }
  return html`<form method="get" action="${comparePath(address)}">
<table class="measured"><caption>${counted(commits.length, 'measured commit', 'measured commits')}, latest first</caption>
<thead><tr><th scope="col">Old</th><th scope="col">New</th><th scope="col">Commit</th></tr></thead>
<tbody>${commits.map(
    (
      one,
    ) => html`<tr>${choice('old', one)}${choice('new', one)}<th scope="row"><code>${one.commit.slice(0, SHOWN_DIGITS)}</code> ${commitWords(one)} <small>${htmlTime(one.finishedAt)}</small></th></tr>
`,
  )}</tbody></table>
<p class="filter choose"><button type="submit">${COMPARE}</button></p></form>`
}

/** Pull requests that are named of a commit which their heads were held against. */
const MOST_NAMED = 3

function commitWords({ headOf, baseOf, title, author }: ListedCommit): Html {
  const named = baseOf.slice(0, MOST_NAMED).map((number) => `#${number}`)
  const more = baseOf.length - named.length
  const words = list(more > 0 ? [...named, `${count(more)} more`] : named)
  const of = words === '' ? '' : `base of ${words}`
  if (headOf === null) return html`${of === '' ? 'a base' : of}`
  const head = headOf === 0 ? 'main branch' : pullRequestName(headOf, { title, author }, null)
  return html`${head}${of === '' ? '' : `, ${of}`}`
}

/** The form where it is not what the page is about. */
export function compareFold(address: RepositoryAddress, form: CompareForm): Html {
  return html`<details class="compare" id="compare"><summary>Compare two commits</summary><div class="more">
<p>Give at least ${count(LEAST_DIGITS)} digits of each commit ID, or <code>${TRUNK_COMMIT}</code> for the main branch’s newest run. Or choose two of <a href="${comparePath(address)}">those that were measured</a>.</p>
${compareForm(address, form)}</div></details>`
}
