import { unescapeTsv } from '../tsv.ts'

/** Names and numbers have fewer characters. */
const LONGEST_ELEMENT = 1000

/**
 * The elements of an array as it stands in a field of ClickHouse's TSV: `['a','b']`, `[1,2.5,-0]`. null where it is none, or
 * where one of its elements is an array or has more than 1,000 characters. Time is that of its length.
 */
export function parseArray(field: string): string[] | null {
  if (field === '[]') return []
  if (!field.startsWith('[') || !field.endsWith(']') || field.length < 3) return null
  const elements: string[] = []
  const last = field.length - 1
  for (let start = 1; ; ) {
    const end = field[start] === "'" ? endOfQuoted(field, start) : endOfBare(field, start)
    if (end === null || end > last || end === start || end - start > LONGEST_ELEMENT) return null
    const element = field.slice(start, end)
    if (element.startsWith("'")) elements.push(unescapeTsv(element.slice(1, -1)))
    else if (/['[\]]/.test(element)) return null
    else elements.push(element)
    if (end === last) return elements
    if (field[end] !== ',') return null
    start = end + 1
  }
}

/** Behind the quote that ends it; a backslash escapes what follows. */
function endOfQuoted(field: string, start: number): number | null {
  for (let at = start + 1; at < field.length; at += 1) {
    if (field[at] === '\\') at += 1
    else if (field[at] === "'") return at + 1
  }
  return null
}

function endOfBare(field: string, start: number): number {
  const comma = field.indexOf(',', start)
  return comma === -1 ? field.length - 1 : comma
}
