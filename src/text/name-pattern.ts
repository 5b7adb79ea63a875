/**
 * Names of checks and artifacts as patterns with named parts:
 * `Performance Comparison ({architecture}_release, {kind}, {shard}/{shards})`.
 *
 * - `{name}` stands for at least one character and for as few as make the whole pattern fit, decided from the left.
 * - `{shard}` and `{shards}` stand for a whole number of at most `INTEGER_DIGITS` digits.
 * - `*` stands for any characters, none included, and is not kept.
 * - Everything else stands for itself, case included. The whole name has to fit.
 *
 * No regular expressions: a pattern comes from a repository and runs on names that anybody may choose. Matching takes
 * time proportional to the length of the name times that of the pattern, whatever they hold.
 */

/** Longest pattern and longest name that are looked at; a longer name fits nothing. GitHub's own names stay below. */
export const LONGEST_PATTERN = 300
const LONGEST_NAME = 1000

/** Parts and `*` of one pattern: a check's name has some five. Time grows with their number. */
const MOST_PARTS = 20

/** Enough for any sharding, and few enough that the number is exact: `{shard}` of `performance-20261121` is not one. */
const INTEGER_DIGITS = 4
const INTEGER_PARTS: ReadonlySet<string> = new Set(['shard', 'shards'])

const PART_NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/

/** The pattern is broken. `position` is the 0-based index of the character that it shows at. */
export class NamePatternError extends Error {
  override readonly name = 'NamePatternError'
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'text'; readonly name: string }
  | { readonly kind: 'integer'; readonly name: string }
  | { readonly kind: 'any' }

/** A pattern that was checked once and may be matched many times. */
export interface NamePattern {
  readonly pieces: readonly Piece[]
  /** Names of the parts in the order in which they stand. */
  readonly parts: readonly string[]
}

/** Throws `NamePatternError` for a pattern that can't be meant. */
export function compileNamePattern(pattern: string): NamePattern {
  if (pattern === '') throw new NamePatternError('the pattern is empty', 0)
  if (pattern.length > LONGEST_PATTERN) {
    throw new NamePatternError(`the pattern is longer than ${LONGEST_PATTERN} characters`, LONGEST_PATTERN)
  }
  const pieces: Piece[] = []
  const parts: string[] = []
  let literal = ''
  let at = 0
  let opened = 0

  const endLiteral = () => {
    if (literal !== '') pieces.push({ kind: 'literal', text: literal })
    literal = ''
  }
  const open = (piece: Piece) => {
    endLiteral()
    const before = pieces.at(-1)
    if (before !== undefined && before.kind !== 'literal') {
      throw new NamePatternError('two parts have nothing between them, so it is unclear where one ends', at)
    }
    pieces.push(piece)
    opened += 1
    if (opened > MOST_PARTS) throw new NamePatternError(`the pattern has more than ${MOST_PARTS} parts and "*"`, at)
  }

  while (at < pattern.length) {
    const character = pattern[at]!
    if (character === '*') {
      open({ kind: 'any' })
      at += 1
    } else if (character === '{') {
      const end = pattern.indexOf('}', at)
      if (end < 0) throw new NamePatternError('"{" is never closed', at)
      const name = pattern.slice(at + 1, end)
      if (!PART_NAME.test(name)) {
        throw new NamePatternError('the name of a part consists of letters, digits and "_", like {architecture}', at)
      }
      if (parts.includes(name)) throw new NamePatternError(`{${name}} appears twice`, at)
      open(INTEGER_PARTS.has(name) ? { kind: 'integer', name } : { kind: 'text', name })
      parts.push(name)
      at = end + 1
    } else if (character === '}') {
      throw new NamePatternError('"}" without a "{" before it', at)
    } else {
      literal += character
      at += 1
    }
  }
  endLiteral()
  return { pieces, parts }
}

/**
 * The named parts when the whole name fits, else null. A pattern in text is compiled first and throws
 * `NamePatternError` when it is broken.
 */
export function matchName(pattern: string | NamePattern, name: string): Record<string, string> | null {
  const { pieces } = typeof pattern === 'string' ? compileNamePattern(pattern) : pattern
  if (name.length > LONGEST_NAME || !hasLiterals(pieces, name)) return null
  const fits = fittingPositions(pieces, name)
  if (!fits[0]![0]) return null

  const found: Record<string, string> = {}
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    const next = fits[index + 1]!
    let end = at + shortest(piece)
    // The first end from which the rest fits; there is one, or this position would not have been marked.
    while (!next[end]) end += 1
    if (piece.kind === 'text' || piece.kind === 'integer') found[piece.name] = name.slice(at, end)
    at = end
  }
  return found
}

/** Whether the name has the pattern's literals in their order, at its ends where they stand there: most names have not. */
function hasLiterals(pieces: readonly Piece[], name: string): boolean {
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind !== 'literal') {
      at += shortest(piece)
      continue
    }
    const { text } = piece
    if (index === pieces.length - 1 && (name.length - text.length < at || !name.endsWith(text))) return false
    const found = index === 0 ? (name.startsWith(text) ? 0 : -1) : name.indexOf(text, at)
    if (found === -1) return false
    at = found + text.length
  }
  return at <= name.length
}

/**
 * `fits[i][p]`: pieces from `i` on can stand for exactly the rest of the name from `p` on. Filled from the end, each
 * cell from the row below it, so that no choice is ever tried twice.
 */
function fittingPositions(pieces: readonly Piece[], name: string): readonly Uint8Array[] {
  const length = name.length
  const fits = Array.from({ length: pieces.length + 1 }, () => new Uint8Array(length + 1))
  fits[pieces.length]![length] = 1
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const piece = pieces[index]!
    const here = fits[index]!
    const next = fits[index + 1]!
    let laterFits = 0
    for (let at = length; at >= 0; at -= 1) {
      if (piece.kind === 'literal') {
        here[at] = next[at + piece.text.length] && name.startsWith(piece.text, at) ? 1 : 0
      } else if (piece.kind === 'integer') {
        here[at] = integerFits(name, at, next) ? 1 : 0
      } else {
        here[at] = piece.kind === 'any' ? laterFits | next[at]! : laterFits
        laterFits |= next[at]!
      }
    }
  }
  return fits
}

function integerFits(name: string, start: number, next: Uint8Array): boolean {
  for (let end = start + 1; end <= start + INTEGER_DIGITS && isDigit(name, end - 1); end += 1) {
    if (next[end]) return true
  }
  return false
}

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57
}

/** How many characters a piece takes at least. */
function shortest(piece: Piece): number {
  if (piece.kind === 'literal') return piece.text.length
  return piece.kind === 'any' ? 0 : 1
}

export function fitsAny(patterns: readonly NamePattern[], name: string): boolean {
  return patterns.some((pattern) => matchName(pattern, name) !== null)
}
