import { isCommitId } from './commits.ts'

/**
 * Everything from outside (test names, query texts, check names, messages) passes through this file before it stands in
 * Markdown, and always as a code span: the one place where GitHub's Markdown neither links, mentions, formats nor reads
 * HTML. Our own words are written as Markdown directly and hold nothing from outside.
 *
 * Lengths are in UTF-16 code units, as GitHub counts a body.
 */

/** More of a text than anything shown needs; bounds the work on a hostile one of any length. */
const MOST_READ = 4096

/** `test #index` in a table; the longest real name of ClickHouse's suite has 62. */
export const NAME_LIMIT = 72

/** A query's text where it only says which query it is: a third of a line of a desktop, two of a phone. */
const QUERY_LIMIT = 36

/** A text in the place of a commit id that is none. */
const COMMIT_LIMIT = 24

/** A message or a check's name. */
export const MESSAGE_LIMIT = 160

const SPACES = /[\s\p{Z}]+/gu

// Controls, bidi and zero-width characters, lone surrogates, private use and blank fillers: what a reader can't see or
// what reorders the rest. Variation selectors only choose a glyph and stay.
const UNSEEN = /(?![\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]/gu

// Stacked combining marks paint over the rows above and below; no script needs more than four on a letter.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

// cmark, which GitHub uses, takes no delimiter above 80 backticks and would show the text outside of any code span.
const BACKTICK_RUN = /`{4,}/g

/**
 * The text in one line of visible characters, at most `limit` long, with `…` where something was cut. Empty when
 * nothing is visible.
 */
export function plainText(text: string, limit: number): string {
  const head = text.slice(0, MOST_READ)
  const clean = head.replace(SPACES, ' ').replace(UNSEEN, '\ufffd').replace(STACKED_MARKS, '$1').trim()
  return cut(clean, limit, text.length > MOST_READ)
}

let graphemes: Intl.Segmenter | undefined

/**
 * The text cut to at most `limit`; cut between graphemes, or between code points where one grapheme alone is longer.
 */
function cut(text: string, limit: number, more: boolean): string {
  if (text.length <= limit && !more) return text
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const room = limit - 1
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, limit + 32))) {
    if (index + segment.length > room) break
    end = index + segment.length
  }
  if (end === 0) end = isLeadingHalf(text.charCodeAt(room - 1)) ? room - 1 : room
  return `${text.slice(0, end).trimEnd()}…`
}

function isLeadingHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/** The text as a code span of one line. */
export function codeSpan(text: string, limit: number): string {
  const content = plainText(text, limit).replace(BACKTICK_RUN, '```') || '(empty)'
  const longest = Math.max(0, ...Array.from(content.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = content.startsWith('`') || content.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${content}${pad}${fence}`
}

/**
 * Enough of a query's text to know it again, as a code span. Words above `wordLimit` are shortened each for itself: a
 * table's column is as wide as its longest word, and a wide one pushes the numbers off a phone.
 */
export function queryText(text: string, wordLimit: number): string {
  const words = plainText(text, MOST_READ).split(' ').slice(0, QUERY_LIMIT)
  return codeSpan(words.map((one) => cut(one, wordLimit, false)).join(' '), QUERY_LIMIT)
}

let isEveryWordCode = false

/**
 * What `write` gives, with even a short plain word from outside as a code span: for who reads the Markdown again and has to tell
 * our words from those of others.
 */
export function withWordsAsCode(write: () => string): string {
  const before = isEveryWordCode
  isEveryWordCode = true
  try {
    return write()
  } finally {
    isEveryWordCode = before
  }
}

/** A short plain word (an architecture, a unit) as it is, everything else as a code span. */
export function word(text: string): string {
  if (isEveryWordCode) return codeSpan(text, 32)
  // Letters, digits and single inner underscores can't be Markdown; seven and more hex digits may be a commit to GitHub.
  const isPlain = text.length <= 24 && /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/i.test(text)
  return isPlain && !/(?:^|_)[0-9a-f]{7,}(?:_|$)/i.test(text) ? text : codeSpan(text, 32)
}

/** The first seven digits of a commit, as GitHub shortens it. What is no commit id is shown as the text it is. */
export function shortCommit(commit: string): string {
  return codeSpan(commitText(commit), COMMIT_LIMIT)
}

/** The same as plain text. */
export function commitText(commit: string): string {
  return plainText(isCommitId(commit) ? commit.slice(0, 7) : commit, COMMIT_LIMIT)
}

/** `[label](address)`, or the label alone where there is no address that is safe to link. The label is Markdown. */
export function link(label: string, address: string | null): string {
  const destination = address === null ? null : linkDestination(address)
  return destination === null ? label : `[${label}](${destination})`
}

/** An http(s) address as Markdown's link destination; null for anything else, for one with credentials or overlong. */
export function linkDestination(address: string): string | null {
  if (address.length > 2000) return null
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  // Markdown could still read these characters; spaces and controls the parser has encoded already.
  return url.href
    .replace(/[()\\|<>`]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;')
}

/** A row of a table; the cells are Markdown. Pipes in them are the table's business, so they are escaped here. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map(escapePipes).join(' | ')} |`
}

// GitHub unescapes `\|` in a cell before it reads code spans. Parsers disagree on a pipe after an odd number of
// backslashes, so a space parts them.
function escapePipes(cell: string): string {
  return cell.replace(/(\\*)\|/g, (_, before: string) => `${before}${before.length % 2 === 1 ? ' ' : ''}\\|`)
}

/** `numbers`: so many columns at the end are aligned to the right. */
export function tableHead(cells: readonly string[], numbers = 0): string {
  return `${tableRow(cells)}\n|${' --- |'.repeat(cells.length - numbers)}${' --: |'.repeat(numbers)}`
}

/** A block of code, whatever stands in it. `language`: as GitHub names it. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** A folded part. The summary is our own words, without Markdown: GitHub reads that line as HTML. */
export function fold(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`
}

/** A value as JSON that may stand inside an HTML comment and holds nothing that a scanner of raw text could act on. */
export function commentSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /--|[<>&@#`]|[^\x20-\x7e]/g,
    (found) =>
      found.slice(0, -1) +
      `\\u${found
        .charCodeAt(found.length - 1)
        .toString(16)
        .padStart(4, '0')}`,
  )
}
