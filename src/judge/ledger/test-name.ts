import { statedStackTraceId } from './stack-trace-id.ts'

/**
 * The names by which failures are compared. A test that gets a random id, a port or today's date as its parameter has
 * another name in each run, and its failures would have no history; a name that states a stack trace id (STID) is known
 * by that, and its other numbers are how the crash was met.
 *
 * The name of a test itself is never touched: only what stands in brackets of any kind, after `with data set`, `with id`
 * and the like, or after the index that JUnit gives (`adds(int)[1] 3fa85f64-…`). Outside of these at least one letter has to
 * be left. The name that is shown is always the whole one.
 *
 * Compared as one: `test_write[20012170-d418-4c0b-…]` and `test_write[7e57d004-2b97-…]`; `'Bucket 58 is pushed twice' (STID:
 * 2508-468c)` and `'Bucket 7 …' (STID: 2508-468c)`. Not: `[utc-1]` and `[utc-2]`, `sort(10)` and `sort(100)`, `[3.11]` and
 * `[3.12]`; nor `test_write_20012170` and `test_write_7e57d004`.
 */

/** Longer names, and those with more varying parts, are compared as they stand: no runner gives them. */
const LONGEST_NAME = 2000
const MOST_PARTS = 20

/**
 * What varies, by the word that takes its place: the first that fits. An expression stands on both sides, here and in a
 * statement (RE2), so it has neither looks around nor references back. `isRandom` takes away what fits and was written by a
 * person; a statement can't say that and finds more, of which the failures are compared here again.
 */
interface Varying {
  readonly source: string
  readonly isRandom?: (text: string) => boolean
}

const CLOCK = String.raw`[0-2]\d:?[0-5]\d(?::?[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-][0-2]\d:?[0-5]\d)?`
const DATE = String.raw`(?:19|20)\d{2}(?:-[01]\d-|/[01]\d/)[0-3]\d`
/** Kubernetes makes its random names of consonants and digits that can't be confused. */
const POD = '[bcdfghjklmnpqrstvwxz2456789]'

const VARYING = {
  TIME: { source: `${DATE}[T _]${CLOCK}|20[0-9]{2}[01][0-9][0-3][0-9][T_-]?[0-2][0-9][0-5][0-9][0-5][0-9]Z?` },
  DATE: { source: DATE },
  // Not the one of zeros alone.
  UUID: { source: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}', isRandom: hasManyCharacters },
  // A port of five digits was given by the system; `127.0.0.1:8080` was chosen.
  HOST: { source: String.raw`(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1?\]):\d{5}` },
  PORT: { source: String.raw`[Pp]ort[=:_ -]?\d{5}` },
  // `0x7f8c2d3e4f50`. Not `0xdeadbeef`, which has fewer digits, nor a mask such as `0xffffffff00000000`.
  ADDRESS: { source: '0x[0-9a-fA-F]{9,16}', isRandom: (text) => hasManyCharacters(text.slice(2)) },
  TMP: {
    source: String.raw`tmp[a-z0-9_]{8}|tmp\.[A-Za-z0-9]{6,10}|(?:junit|tmp|temp)[_-]?\d{6,20}|pytest-of-[A-Za-z0-9_.-]{1,64}/pytest-\d{1,6}`,
    isRandom: (text) => /\d/.test(text) || /^tmp\..*[A-Z]/.test(text),
  },
  // The database that ClickHouse's runner makes for one test.
  DATABASE: { source: 'test_[a-z0-9]{6,8}', isRandom: (text) => /^test_[a-z]*\d[a-z\d]*[a-z]/.test(text) },
  POD: { source: `${POD}{8,10}-${POD}{5}`, isRandom: (text) => /\d.*-.*\d/.test(text) },
  // Hypothesis, fast-check and RSpec print theirs; one of few digits was chosen.
  SEED: { source: String.raw`[Ss]eed[=:_ (-]{0,2}\d{5,40}` },
  PID: { source: String.raw`pid[=:_ -]{1,2}\d{2,8}` },
  // Seconds since 1970 from 2017 to 2033, or thousandths and less of one. Not `1600000000`, which somebody chose.
  UNIX: { source: String.raw`1[5-9]\d{8}(?:\d{3}){0,3}`, isRandom: (text) => !text.endsWith('00000') },
  ULID: { source: '[0-7][0-9A-HJKMNP-TV-Z]{25}', isRandom: alternates },
  HEX: { source: '[0-9a-fA-F]{8,64}', isRandom: alternates },
  // The worker of pytest-xdist, part of the names that its fixtures make.
  WORKER: { source: String.raw`gw\d{1,3}` },
} satisfies Record<string, Varying>

type Kind = keyof typeof VARYING

/** Numbers of a name that states a stack trace id. */
const NUMBER = String.raw`\d+(?:\.\d+)*`

const ALTERNATIVES = Object.entries(VARYING).map(([kind, { source }]) => `(?<${kind}>${source})`)
/** A part is no part of a longer word. */
const PARAMETER = new RegExp(`(?<![A-Za-z0-9])(?:${ALTERNATIVES.join('|')})(?![A-Za-z0-9])`, 'g')
const ANY_NUMBER = new RegExp(NUMBER, 'g')

/** Four different characters; in a random text of nine hexadecimal digits there are fewer once in 3,000. */
function hasManyCharacters(text: string): boolean {
  return new Set(text.toLowerCase().replaceAll('-', '')).size >= 4
}

/**
 * Digits and letters take turns twice at least: `20012170d418`, `3fa85f64`. Not `20260911`, `deadbeef` or `decade2024`, and of
 * eight random digits one in 13 is not known as such.
 */
function alternates(text: string): boolean {
  return /\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]/.test(text)
}

/** A piece of a name: as it stands, or what takes the place of any text that fits. */
type Part = string | { readonly placeholder: string; readonly source: string }

/** The name with a word in the place of each part that varies. The same once more changes nothing; never throws. */
export function comparedName(name: string): string {
  return partsOf(name)
    .map((part) => (typeof part === 'string' ? part : part.placeholder))
    .join('')
}

/** What a statement looks for where a test's name varies. */
export interface VaryingName {
  /** RE2: every name that is compared as this one fits, and few others. */
  readonly pattern: string
  /** All of them begin with this. */
  readonly prefix: string
}

/** Null: no part varies, and the name is looked up as it stands. */
export function varyingName(name: string): VaryingName | null {
  const parts = partsOf(name)
  if (parts.every((part) => typeof part === 'string')) return null
  const pattern = parts.map((part) => (typeof part === 'string' ? escaped(part) : `(?:${part.source})`)).join('')
  const [first] = parts
  return { pattern: `^${pattern}$`, prefix: typeof first === 'string' ? first : '' }
}

/** The names that state this stack trace id, whatever else they say. */
export function namesOfStack(stackTraceId: string): VaryingName {
  return { pattern: String.raw`(?i)\bSTID:?\s?${stackTraceId}(?:[^0-9a-f]|$)`, prefix: '' }
}

function partsOf(name: string): readonly Part[] {
  if (name.length > LONGEST_NAME) return [name]
  const parts = statedStackTraceId(name) === null ? ofParameters(name) : ofStack(name)
  return parts.filter((part) => typeof part !== 'string').length > MOST_PARTS ? [name] : parts
}

const STATED = /\bSTID:?\s?\d{4}-[0-9a-f]{4}/i

/**
 * RE2, for a statement that gathers names: a part that may vary, wherever it stands, and a stated stack trace id. Names that
 * are compared as one are one with a word in the place of each such part, and a few others are.
 */
export const VARYING_PART = Object.values(VARYING)
  .map(({ source }) => `(?:${source})`)
  .join('|')
export const STATED_STACK = `(?i)${STATED.source}`

function ofStack(name: string): readonly Part[] {
  const [stated] = STATED.exec(name)!
  const at = name.indexOf(stated)
  return joined([
    ...split(name.slice(0, at), withNumbers),
    { placeholder: `STID: ${statedStackTraceId(name)!}`, source: `(?i:STID:?\\s?${statedStackTraceId(name)!})` },
    ...split(name.slice(at + stated.length), withNumbers),
  ])
}

function ofParameters(name: string): readonly Part[] {
  const ranges = parametersOf(name)
  const stem = withoutRanges(name, ranges)
  if (ranges.length === 0 || !/\p{L}/u.test(stem)) return [name]
  const parts: Part[] = []
  let end = 0
  for (const range of ranges) {
    parts.push(name.slice(end, range.start), ...split(name.slice(range.start, range.end)))
    end = range.end
  }
  parts.push(name.slice(end))
  return joined(parts)
}

/** @param ofRest what becomes of the text between what varies */
function split(text: string, ofRest: (rest: string) => readonly Part[] = (rest) => [rest]): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const found of text.matchAll(PARAMETER)) {
    const kind = Object.entries(found.groups!).find(([, group]) => group !== undefined)![0] as Kind
    const { source, isRandom }: Varying = VARYING[kind]
    if (isRandom?.(found[0]) === false) continue
    parts.push(...ofRest(text.slice(end, found.index)), { placeholder: `<${kind}>`, source })
    end = found.index + found[0].length
  }
  return [...parts, ...ofRest(text.slice(end))]
}

function withNumbers(text: string): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const found of text.matchAll(ANY_NUMBER)) {
    parts.push(text.slice(end, found.index), { placeholder: 'N', source: NUMBER })
    end = found.index + found[0].length
  }
  return [...parts, text.slice(end)]
}

/** Texts that stand together are one part, and none is empty. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part
    else if (part !== '') all.push(part)
  }
  return all
}

interface Range {
  readonly start: number
  readonly end: number
}

const CLOSES: Readonly<Record<string, string>> = { ']': '[', ')': '(', '}': '{', '>': '<' }
const OPENS = new Set(Object.values(CLOSES))

/** From here on a name that a table of data gave says its row. The end of a placeholder begins none. */
const DATA = new RegExp(
  String.raw`\bwith (?:data set|dataset|parameters?|params?|arguments?|args?|values?|id|uuid|seed|port|input)\b|(?:^|[\s).:#]|(?<!<(?:${Object.keys(VARYING).join('|')}))>)\[\d{1,6}\]:? `,
)

/** The outermost pairs of brackets and what follows `with data set`, in their order. A bracket without its other opens none. */
function parametersOf(name: string): readonly Range[] {
  const tail = DATA.exec(name)
  const tailAt = tail === null ? name.length : tail.index + tail[0].length
  const open: { readonly bracket: string; readonly at: number }[] = []
  const counts = new Map<string, number>()
  const ranges: Range[] = []
  for (let at = 0; at < tailAt; at += 1) {
    const character = name[at]!
    if (OPENS.has(character)) {
      open.push({ bracket: character, at })
      counts.set(character, (counts.get(character) ?? 0) + 1)
      continue
    }
    const opens = CLOSES[character]
    if (opens === undefined || (counts.get(opens) ?? 0) === 0) continue
    let start = at
    for (let bracket = ''; bracket !== opens; ) {
      const last = open.pop()!
      counts.set(last.bracket, counts.get(last.bracket)! - 1)
      ;({ bracket, at: start } = last)
    }
    while (ranges.length > 0 && ranges.at(-1)!.start > start) ranges.pop()
    ranges.push({ start: start + 1, end: at })
  }
  return tailAt < name.length ? [...ranges, { start: tailAt, end: name.length }] : ranges
}

function withoutRanges(name: string, ranges: readonly Range[]): string {
  let end = 0
  let stem = ''
  for (const range of ranges) {
    stem += name.slice(end, range.start)
    end = range.end
  }
  return stem + name.slice(end)
}

/** A text as RE2 reads it as itself. */
function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)
}
