import { html } from 'hono/html'
import type { Word } from '../../report/render/glossary.ts'
import { wordsPath } from '../../report/urls.ts'
import { plainText } from '../../text/markdown.ts'
import type { Html } from './layout.ts'

/** A word of the glossary, linked to what it means. */
export function word(term: string, shown = term): Html {
  return html`<a class="word" href="${wordsPath(term)}">${shown}</a>`
}

/**
 * A word in a cell of a table: it says what it means to whoever points at it. No link, of which a table would have a
 * thousand; above it stands what all of them mean.
 */
export function said({ term, meaning }: Word, shown = term): Html {
  return html`<span title="${plain(meaning)}">${shown}</span>`
}

/** A word linked to what it means, which also says it to whoever points at it. `kind`: further classes. */
export function explained({ term, meaning }: Word, shown = term, kind = ''): Html {
  return html`<a class="word${kind === '' ? '' : ` ${kind}`}" href="${wordsPath(term)}" title="${plain(meaning)}">${shown}</a>`
}

/** Meanings have code in backticks, which a title shows as they are. */
export function plain(meaning: string): string {
  return meaning.replaceAll('`', '')
}

/** The name of an architecture where a sentence needs one. */
export function architectureName(architecture: string | null): string {
  return architecture === null ? 'the unnamed architecture' : plainText(architecture, 40)
}

/** ` on arm`; nothing where the source names none: there is only one then, in all but the oddest of runs. */
export function onArchitecture(architecture: string | null): string {
  return architecture === null ? '' : ` on ${architectureName(architecture)}`
}
