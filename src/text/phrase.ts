import { isCommitId } from './commits.ts'
import { codeSpan, commitText, link, plainText, shortCommit, word as wordInMarkdown } from './markdown.ts'
import { day } from './numbers.ts'

/**
 * A sentence or a part of one, written once and printed as Markdown, HTML or plain text. Our own words are texts without
 * markup; whatever comes from outside is a piece that says what it is, so that each printer can make it safe.
 */
export type Phrase = readonly Piece[]

export type Piece = string | Time | Outside

/** A time in milliseconds: a day in Markdown and in plain text, with the year where `seenFrom` is in another; a minute in HTML. */
interface Time {
  readonly as: 'time'
  readonly at: number
  readonly seenFrom: number
}

type Outside =
  /** A short name: an architecture, a metric, a unit. */
  | { readonly as: 'word'; readonly text: string }
  /** A name of code, a path, an output; shown up to `limit` characters. */
  | { readonly as: 'code'; readonly text: string; readonly limit: number }
  /** A commit id, shown by its first digits. */
  | { readonly as: 'commit'; readonly text: string }

export function word(text: string): Piece {
  return { as: 'word', text }
}

export function code(text: string, limit: number): Piece {
  return { as: 'code', text, limit }
}

export function time(at: number, seenFrom: number): Piece {
  return { as: 'time', at, seenFrom }
}

export function commit(text: string): Piece {
  return { as: 'commit', text }
}

/** A phrase as a template: `` phrase`fixed there since ${commit(id)}` ``. */
export function phrase(texts: TemplateStringsArray, ...values: readonly (Piece | Phrase | number)[]): Phrase {
  return texts.flatMap((text, index) => {
    const value = values[index]
    const pieces =
      value === undefined ? [] : typeof value === 'number' ? [`${value}`] : isPhrase(value) ? value : [value]
    return [text, ...pieces].filter((piece) => piece !== '')
  })
}

function isPhrase(value: Piece | Phrase): value is Phrase {
  return Array.isArray(value)
}

/** `a`, `a and b`, `a, b and c` */
export function listed(phrases: readonly Phrase[]): Phrase {
  const [last, ...others] = phrases.toReversed()
  if (last === undefined) return []
  return others.length === 0 ? last : [...joined(others.toReversed(), ', '), ' and ', ...last]
}

export function joined(phrases: readonly Phrase[], separator: string): Phrase {
  return phrases.flatMap((one, index) => (index === 0 ? one : [separator, ...one]))
}

/** Text as the beginning of a sentence. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** A sentence as a part of another one. */
export function uncapital(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

/** The phrase with a capital first letter, for the beginning of a sentence of our own. */
export function capitalized([first, ...others]: Phrase): Phrase {
  if (first === undefined) return []
  return [typeof first === 'string' ? capital(first) : first, ...others]
}

/** The address of a commit; null where it has none. */
export type CommitUrl = (id: string) => string | null

export function toMarkdown(pieces: Phrase, commitUrl: CommitUrl = () => null): string {
  const printed = pieces.map((piece) => {
    if (typeof piece === 'string') return piece
    if (piece.as === 'time') return day(piece.at, piece.seenFrom)
    if (piece.as === 'word') return wordInMarkdown(piece.text)
    if (piece.as === 'code') return codeSpan(piece.text, piece.limit)
    return link(shortCommit(piece.text), commitUrl(piece.text))
  })
  return printed.join('')
}

/** The phrase in one line without markup. A terminal shows more of commits and times than the comment does. */
export function toText(
  pieces: Phrase,
  shown: { readonly commit?: (id: string) => string; readonly time?: (at: number) => string } = {},
): string {
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece
      if (piece.as === 'commit' && shown.commit !== undefined) return shown.commit(piece.text)
      if (piece.as === 'time' && shown.time !== undefined) return shown.time(piece.at)
      return shownText(piece)
    })
    .join('')
}

const WORD_LIMIT = 60

/** What a piece is without markup. */
export function shownText(piece: Time | Outside): string {
  if (piece.as === 'time') return day(piece.at, piece.seenFrom)
  if (piece.as === 'commit') return commitText(piece.text)
  return plainText(piece.text, piece.as === 'word' ? WORD_LIMIT : piece.limit) || '(empty)'
}

/** Commits of a repository: full commit ids have an address. `repositoryUrl`: `https://github.com/owner/name`. */
export function commitUrlIn(repositoryUrl: string): CommitUrl {
  return (commit) => (isCommitId(commit) ? `${repositoryUrl}/commit/${commit}` : null)
}

/** A commit by its first seven digits, linked where it has an address. */
export function commitLink(repositoryUrl: string, commit: string): string {
  return link(shortCommit(commit), commitUrlIn(repositoryUrl)(commit))
}
