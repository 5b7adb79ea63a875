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
  const numbers = numbersOf(found)
  if (numbers !== null) return numbers
  const elements = elementsOf(found.trim())
  if (elements === null) return null
  return Array.from({ length: elements.length >> 1 }, (_, i) => [elements[i * 2]!, elements[i * 2 + 1]])
}

/** The keys of the last map: the rows of a log have the same ones, and a text that was met before needs no copy. */
const lastKeys: string[] = []
/** More keys than a map of ClickHouse's events has. */
const MOST_KEYS = 1200

/** The same of `{'SelectedMarks':9,'SelectedParts':3}`, which a log of hundreds of events has in every row; null of any other map. */
function numbersOf(text: string): readonly (readonly [key: string, value: string])[] | null {
  if (!text.startsWith("{'") || !text.endsWith('}')) return null
  const entries: (readonly [string, string])[] = []
  for (let start = 2; ; ) {
    const key = keyAt(text, start, entries.length)
    const from = key === null ? 0 : start + key.length + 2
    if (key === null || text[from - 1] !== ':') return null
    let end = from
    while (isDigit(text.charCodeAt(end))) end += 1
    if (end === from) return null
    entries.push([key, text.slice(from, end)])
    if (end === text.length - 1) return entries
    if (text[end] !== ',' || text[end + 1] !== "'") return null
    start = end + 2
  }
}

/** The key that begins there and ends with a quote; null where none does. `at`: how many came before. */
function keyAt(text: string, start: number, at: number): string | null {
  const last = lastKeys[at]
  if (last !== undefined && text.startsWith(last, start) && text[start + last.length] === "'") return last
  const quote = text.indexOf("'", start)
  if (quote === -1) return null
  const key = text.slice(start, quote)
  if (at <= lastKeys.length && at < MOST_KEYS && key.length <= LONGEST_KEY) lastKeys[at] = detached(key)
  return key
}

const LONGEST_KEY = 200

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
