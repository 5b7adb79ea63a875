import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { minute } from './numbers.ts'
import { type CommitUrl, type Phrase, shownText } from './phrase.ts'

/** The phrase as HTML. Not beside the other printers: a command needs no library for pages. */
export function toHtml(
  pieces: Phrase,
  commitUrl: CommitUrl = () => null,
): HtmlEscapedString | Promise<HtmlEscapedString> {
  const printed = pieces.map((piece) => {
    if (typeof piece === 'string') return html`${piece}`
    if (piece.as === 'time') return htmlTime(piece.at)
    const shown = html`<bdi>${shownText(piece)}</bdi>`
    if (piece.as === 'word') return shown
    const href = piece.as === 'commit' ? commitUrl(piece.text) : null
    return href === null ? html`<code>${shown}</code>` : html`<a href="${href}"><code>${shown}</code></a>`
  })
  return html`${printed}`
}

/** A time as a page shows it, to the minute. */
export function htmlTime(at: number): HtmlEscapedString | Promise<HtmlEscapedString> {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? html`–` : html`<time datetime="${date.toISOString()}">${minute(at)}</time>`
}
