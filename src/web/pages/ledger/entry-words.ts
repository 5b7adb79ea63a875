import { html } from 'hono/html'
import { queryOfHistoryKey } from '../../../judge/history/query-of-history-key.ts'
import type { LedgerEntry } from '../../../judge/ledger/entry.ts'
import { plainText } from '../../../text/markdown.ts'
import type { Html } from '../../kit/layout.ts'
import { linkedOutside, outsideLink } from '../../kit/links.ts'
import { architectureName } from '../../kit/word.ts'
import { canBeChosen } from './ledger-view.ts'

/** Parts of an entry that its page and the list share. */

const SIGNATURE_LENGTH = 400

/** The text that tells an entry from others of its name; empty without one. */
export function entryDetail(entry: LedgerEntry): Html | string {
  const mover = entry.kind === 'mover' ? queryOfHistoryKey(entry.signature) : null
  if (mover === null) {
    const text = plainText(entry.signature, SIGNATURE_LENGTH)
    return text === '' ? '' : html`<code><bdi>${text}</bdi></code>`
  }
  const text = plainText(mover.query.queryName ?? '', SIGNATURE_LENGTH)
  const on = mover.architecture === null ? '' : html`<small>on ${architectureName(mover.architecture)}</small> `
  return html`${on}${text === '' ? '' : html`<code><bdi>${text}</bdi></code>`}`
}

/** The owner, linked to all that they own; `nobody` in the words of the place. */
export function ownerOf(owner: string | null, ownersPath: (owner: string) => string, nobody: string): Html {
  if (owner === null) return html`${nobody}`
  const name = html`<bdi>${plainText(owner, 120)}</bdi>`
  return canBeChosen(owner) ? html`<a href="${ownersPath(owner)}">${name}</a>` : name
}

/** A day in UTC, with the whole time for whoever hovers or copies; a dash where there is none. */
export function dayOf(time: number | null): Html {
  const date = new Date(time ?? Number.NaN)
  if (Number.isNaN(date.getTime())) return html`–`
  const text = date.toISOString()
  return html`<time datetime="${text}" title="${text}">${text.slice(0, 10)}</time>`
}

/** `#123` of the tracker, or its host where the address has no number; a dash where there is none. */
export function issueOf(issue: string | null): Html {
  if (issue === null) return html`–`
  const href = outsideLink(issue)
  const number = /\/(\d{1,10})\/?$/.exec(issue)?.[1]
  const text = number === undefined ? plainText(issue, 60) : `#${number}`
  return linkedOutside(href, href === null ? plainText(issue, 60) : text)
}
