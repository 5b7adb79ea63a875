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
  return Array.from({ length: elements.length >> 1 }, (_, i) => [detached(elements[i * 2]!), elements[i * 2 + 1]])
}
