import { z } from 'zod'
import type { Benchmarks } from './benchmarks.ts'
import { MemberError, type ReaderContext } from './format.ts'

/** Objects, lists and members in it: what a parsed document takes in memory grows with them, not with its characters. */
const MOST_VALUES = 4_000_000
const DEEPEST = 64

/** Before the text of a number that `JSON.parse` would round: no tool writes it. */
const MARK = '\u0000number '

export interface JsonOptions {
  /** Numbers keep their text (`decimal` reads them), for a format whose values are not in base units. */
  readonly exact: boolean
}

/**
 * A document of JSON that a tool wrote, checked by its schema. Python's `NaN` and `Infinity` are taken for null. Throws `MemberError`
 * with `what` the document should be: `this is no output of hyperfine: results.0.command: …`.
 */
export function parseDocument<T>(text: string, schema: z.ZodType<T>, what: string, { exact }: JsonOptions): T {
  let value: unknown
  try {
    value = JSON.parse(withNumbersAsText(text, exact)) as unknown
  } catch (error) {
    if (error instanceof MemberError) throw error
    throw new MemberError('this is not JSON: it was cut off, or is something else')
  }
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  const { path, message } = error!.issues[0]!
  throw new MemberError(
    `this is not a valid ${what}: ${path.join('.').slice(0, 200) || 'the document'}: ${message.slice(0, 200)}`,
  )
}

/** What one line of a file of such lines has; a bad one costs itself alone. */
export function goodLine<T>(read: () => T, { warn }: Pick<Benchmarks, 'warn'>, line: number): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof MemberError)) throw error
    warn(error.message, line)
    return null
  }
}

interface EntriesOf {
  /** Where they stand in the document. */
  readonly at: string
  readonly what: string
  readonly warn: ReaderContext['warn']
  /** They are a part of the document: that none is good says nothing of the others. */
  readonly mayBeNone?: boolean
}

/** The names that tools give an entry. */
const NAMES = ['name', 'fullname', 'FullName', 'benchmark', 'command'] as const

/**
 * The entries of a list, or the values of an object, that are what they should be. A bad one costs itself alone and is told with its
 * name: `"b" (benchmarks.1): value: no number`. Throws `MemberError` where none is good.
 */
export function goodEntries<T>(
  entries: readonly unknown[] | Readonly<Record<string, unknown>>,
  schema: z.ZodType<T>,
  { at, what, warn, mayBeNone = false }: EntriesOf,
): (readonly [key: string, entry: T])[] {
  const good: (readonly [string, T])[] = []
  let worst: string | null = null
  for (const [key, entry] of Object.entries(entries)) {
    const { data, error } = schema.safeParse(entry)
    if (error === undefined) {
      good.push([key, data])
      continue
    }
    const { path, message } = error.issues[0]!
    const place = [at, key].filter((part) => part !== '').join('.')
    const name = nameOf(entry)
    const shown = name === null ? place.slice(0, 100) : `"${name.slice(0, 100)}" (${place.slice(0, 100)})`
    const problem = `${path.map(String).join('.').slice(0, 200) || 'the document'}: ${message.slice(0, 200)}`
    worst ??= `${place.slice(0, 100)}.${problem}`
    warn('invalid-value', null, `${shown}: ${problem}: skipped`)
  }
  if (good.length === 0 && worst !== null && !mayBeNone) throw new MemberError(`this is not a valid ${what}: ${worst}`)
  return good
}

/** null: it has none. */
function nameOf(entry: unknown): string | null {
  if (typeof entry !== 'object' || entry === null) return null
  // pyperf has the name among its metadata
  const parts = [entry, (entry as { readonly metadata?: unknown }).metadata]
  const name: unknown = parts
    .flatMap((part) => NAMES.map((key) => (part as Readonly<Record<string, unknown>> | null | undefined)?.[key]))
    .find((value) => typeof value === 'string')
  return typeof name === 'string' ? name : null
}

/** The text of a number, as it stands in a document that was read `exact`, for `parseShifted`. */
export const decimal = z
  .union([z.number(), z.string().startsWith(MARK, 'no number')], { error: 'no number' })
  .transform((value) => (typeof value === 'number' ? String(value) : value.slice(MARK.length)))

const QUOTE = 34
const MINUS = 45
const BACKSLASH = 92

/**
 * Checks the bounds of a document and writes `NaN` and `Infinity` as null. With `exact` numbers of more than 15 digits, which are
 * rounded when they are read, become texts.
 */
function withNumbersAsText(text: string, exact: boolean): string {
  const parts: string[] = []
  let written = 0
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(text, at)
    } else if (code === 0x5b || code === 0x7b || code === 0x2c) {
      values += 1
      if (code !== 0x2c) depth += 1
      if (depth > DEEPEST) throw new MemberError(`it has more than ${DEEPEST} nested lists and objects`)
      if (values > MOST_VALUES) throw new MemberError(`it has more than ${MOST_VALUES.toLocaleString('en')} values`)
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1
    } else if (code === MINUS || isDigit(code) || code === 0x4e || code === 0x49) {
      const end = endOfWord(text, at)
      const word = text.slice(at, Math.min(end, at + 400))
      const replaced = /^-?(?:NaN|Infinity)$/.test(word)
        ? 'null'
        : exact && digitsOf(word) > 15 && NUMBER.test(word)
          ? JSON.stringify(MARK + word)
          : null
      if (replaced !== null) {
        parts.push(text.slice(written, at), replaced)
        written = end
      }
      at = end - 1
    }
  }
  return written === 0 ? text : parts.join('') + text.slice(written)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return text.length
}

function endOfWord(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && isOfWord(text.charCodeAt(at))) at += 1
  return at
}

/** Digits, letters, `.`, `+` and `-`. */
function isOfWord(code: number): boolean {
  return (
    isDigit(code) || code === 0x2e || code === 0x2b || code === MINUS || ((code | 32) >= 0x61 && (code | 32) <= 0x7a)
  )
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function digitsOf(word: string): number {
  let digits = 0
  for (const character of word) {
    if (character === 'e' || character === 'E') break
    if (isDigit(character.charCodeAt(0))) digits += 1
  }
  return digits
}

/** `: boom`, of what JavaScript threw and a tool wrote as JSON: a text, or an object with one; empty where it says nothing. */
export function messageOf(error: unknown): string {
  const { data } = z
    .union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)])
    .safeParse(error)
  return data === undefined || data === '' ? '' : `: ${data.slice(0, 200)}`
}
