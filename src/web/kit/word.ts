import { html } from 'hono/html'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { wordsPath } from '../../report/urls.ts'
import { OUTCOME_WORDS } from '../../report/words.ts'
import { plainText } from '../../text/markdown.ts'
import type { Term } from '../../text/word.ts'
import { definitionOf } from './glossary.ts'
import type { Html } from './layout.ts'

/** A word of the glossary, linked to what it means. Throws on one that the glossary does not have. */
export function word(term: string, shown = term): Html {
  if (definitionOf(term) === null) throw new Error(`docs/glossary.md does not define ${term}`)
  return html`<a class="word" href="${wordsPath(term)}">${shown}</a>`
}

/**
 * A word in a cell of a table: it says what it means to whoever points at it. No link, of which a table would have a
 * thousand; above it stands what all of them mean. `kind`: classes.
 */
export function said(one: Term, shown = one.term, kind = ''): Html {
  return html`<span${kind === '' ? '' : html` class="${kind}"`} title="${plain(meaningOf(one))}">${shown}</span>`
}

/** A word that says what it means to whoever points at it, and leads there where the glossary has it. `kind`: further classes. */
export function explained(one: Term, shown = one.term, kind = ''): Html {
  if (definitionOf(one.term) === null) return said(one, shown, kind)
  return html`<a class="word${kind === '' ? '' : ` ${kind}`}" href="${wordsPath(one.term)}" title="${plain(meaningOf(one))}">${shown}</a>`
}

/** The glossary's words before its own. Throws where nothing says what it means. */
export function meaningOf({ term, meaning }: Term): string {
  const found = definitionOf(term) ?? meaning
  if (found === undefined) throw new Error(`docs/glossary.md does not define ${term}`)
  return found
}

/** Meanings have code in backticks, which a title shows as they are. */
export function plain(meaning: string): string {
  return meaning.replaceAll('`', '')
}

/** `slower` or `faster` of what changed. `none`: where nothing was compared. */
export function outcomeWord(
  { outcome, direction }: Pick<ClassifiedQuery, 'outcome' | 'direction'>,
  none: string,
): Html | string {
  if (outcome === null) return none
  return outcome === 'changed' && direction !== null
    ? html`<b class="${direction}">${direction}</b>`
    : OUTCOME_WORDS[outcome].term
}

/** The name of an architecture where a sentence needs one. */
export function architectureName(architecture: string | null): string {
  return architecture === null ? 'the unnamed architecture' : plainText(architecture, 40)
}

/** ` on arm`; nothing where the source names none: there is only one then, in all but the oddest of runs. */
export function onArchitecture(architecture: string | null): string {
  return architecture === null ? '' : ` on ${architectureName(architecture)}`
}
