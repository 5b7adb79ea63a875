/** ClickHouse's TabSeparatedWithNames: numbers unrounded, `\N` where there is none. */

export type TsvValue = string | number | boolean | null

export type TsvColumn<Row> = readonly [name: string, value: (row: Row) => TsvValue]

/** UTF-8, every line ended, a line of names first. */
export function tsvTable<Row>(columns: readonly TsvColumn<Row>[], rows: Iterable<Row>): string {
  const lines = [columns.map(([name]) => name).join('\t')]
  for (const row of rows) lines.push(columns.map(([, value]) => tsvValue(value(row))).join('\t'))
  return lines.join('\n') + '\n'
}

function tsvValue(value: TsvValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escapeTsv(value)
  if (typeof value === 'number') return tsvNumber(value)
  return String(value)
}

function tsvNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return String(value)
}

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\0': '\\0',
}

const CONTROLS = /[\\\p{Cc}]/gu

/** ClickHouse reads `\xHH` as one byte, so that a control above 0x7F is the two bytes of its UTF-8. */
function escapeTsv(text: string): string {
  return text
    .toWellFormed()
    .replace(
      CONTROLS,
      (character) =>
        NAMED[character] ??
        [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    )
}
