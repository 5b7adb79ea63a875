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

/** The value of a column that holds a map: of JSON the object itself, of TSV its text. Null where it is no map. */
export function mapOf(found: unknown): ReadonlyMap<string, unknown> | null {
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return new Map(Object.entries(found))
  if (typeof found !== 'string') return null
  const elements = elementsOf(found.trim())
  if (elements === null) return null
  const map = new Map<string, string>()
  for (let i = 0; i + 1 < elements.length; i += 2) map.set(detached(elements[i]!), elements[i + 1]!)
  return map
}
