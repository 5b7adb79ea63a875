import { detached } from '../table-row.ts'

/**
 * A value in quotes, or a bare one, as ClickHouse writes the elements of arrays and maps into a TSV. Its escapes are undone
 * already, so that a quote ends a value only where a separator follows it: `'it's'` is one value.
 */
const ELEMENT = /'((?:[^']|'(?![,:]|$))*)'|[^,:']+/g

/**
 * The elements of `['db.old','db.new']`, or the keys and values of `{'SelectedMarks':9}` in turn; null where the text is
 * neither.
 */
export function elementsOf(text: string): readonly string[] | null {
  const isArray = text.startsWith('[') && text.endsWith(']')
  if (!isArray && !(text.startsWith('{') && text.endsWith('}'))) return null
  const elements: string[] = []
  for (const [whole, quoted] of text.slice(1, -1).matchAll(ELEMENT)) {
    elements.push(quoted ?? whole.trim())
  }
  return elements
}

/** The keys and values of a column that holds a map: of JSON an object, of TSV its text. Null where it is no map. */
export function entriesOf(found: unknown): readonly (readonly [key: string, value: unknown])[] | null {
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return Object.entries(found)
  if (typeof found !== 'string') return null
  const elements = elementsOf(found.trim())
  if (elements === null) return null
  return Array.from({ length: elements.length >> 1 }, (_, i) => [elements[i * 2]!, elements[i * 2 + 1]])
}

/** The keys of the last map: the rows of a log have the same ones, and a text that was met before needs no copy. */
const lastKeys: string[] = []
/** More keys than a map of ClickHouse's events has. */
const MOST_KEYS = 1200

/**
 * Gives each key and number of `{'SelectedMarks':9,'SelectedParts':3}`, which a log of hundreds of events has in every row. False
 * where the text is any other map, of which it may have given some.
 */
export function eachCount(text: string, take: (key: string, value: number) => void): boolean {
  if (!text.startsWith("{'") || !text.endsWith('}')) return false
  let start = 2
  for (let at = 0; ; at += 1) {
    const key = keyAt(text, start, at)
    const from = key === null ? 0 : start + key.length + 2
    if (key === null || text.charCodeAt(from - 1) !== COLON) return false
    let end = from
    let value = 0
    for (let code = text.charCodeAt(end); isDigit(code); code = text.charCodeAt(end)) {
      value = 10 * value + code - ZERO
      end += 1
    }
    if (end === from) return false
    take(key, end - from <= EXACT_DIGITS ? value : Number(text.slice(from, end)))
    if (end === text.length - 1) return true
    if (text.charCodeAt(end) !== COMMA || text.charCodeAt(end + 1) !== QUOTE) return false
    start = end + 2
  }
}

/** As many of them are exact in a number, however they are added up. */
const EXACT_DIGITS = 15
const [ZERO, NINE, COLON, COMMA, QUOTE] = [48, 57, 58, 44, 39]

/** Of a text of digits the number; null of any other. */
export function countOf(text: string): number | null {
  if (text.length === 0 || text.length > EXACT_DIGITS) return null
  let value = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (!isDigit(code)) return null
    value = 10 * value + code - ZERO
  }
  return value
}

/** The key that begins there and ends with a quote; null where none does. `at`: how many came before. */
function keyAt(text: string, start: number, at: number): string | null {
  const last = lastKeys[at]
  if (last !== undefined && text.startsWith(last, start) && text.charCodeAt(start + last.length) === QUOTE) return last
  const quote = text.indexOf("'", start)
  if (quote === -1) return null
  const key = text.slice(start, quote)
  if (at <= lastKeys.length && at < MOST_KEYS && key.length <= LONGEST_KEY) lastKeys[at] = detached(key)
  return key
}

const LONGEST_KEY = 200

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
