import { unescapeTsv } from '../../measurement/fields.ts'

/** The separator of the fields of a line. */
export type Delimiter = '\t' | ',' | ';'

/** The separator of a file with this header: a tab where there is one, else a comma, else a semicolon. */
export function delimiterOf(header: string): Delimiter {
  if (header.includes('\t')) return '\t'
  return header.includes(',') || !header.includes(';') ? ',' : ';'
}

/**
 * The fields of one line: TSV with ClickHouse's escapes and `\N` as an empty field, CSV with fields in double quotes where
 * they hold the separator or a quote, which is doubled (RFC 4180). Null where a quoted field does not end on its line.
 */
export function splitFields(line: string, delimiter: Delimiter): string[] | null {
  if (delimiter === '\t') return line.split('\t').map((field) => (field === '\\N' ? '' : unescapeTsv(field)))
  if (!line.includes('"')) return line.split(delimiter)
  const fields: string[] = []
  let start = 0
  for (;;) {
    if (line[start] === '"') {
      const end = closingQuote(line, start + 1)
      if (end === -1) return null
      fields.push(line.slice(start + 1, end).replaceAll('""', '"'))
      if (end + 1 === line.length) return fields
      if (line[end + 1] !== delimiter) return null
      start = end + 2
    } else {
      const end = line.indexOf(delimiter, start)
      fields.push(line.slice(start, end === -1 ? line.length : end))
      if (end === -1) return fields
      start = end + 1
    }
  }
}

/** The first quote from `start` on that is not doubled; -1 where there is none. */
function closingQuote(line: string, start: number): number {
  let end = line.indexOf('"', start)
  while (end !== -1 && line[end + 1] === '"') end = line.indexOf('"', end + 2)
  return end
}
