import { numberWord, type TextInPieces } from './text-pieces.ts'

/** ClickHouse's TabSeparatedWithNames: numbers unrounded, `\N` where there is none. */

export type TsvValue = string | number | boolean | null

export type TsvColumn<Row> = readonly [name: string, value: (row: Row) => TsvValue]

/** Characters of a text that stands on many lines, such as that of a query; the JSON has all of it, once. */
export const LONGEST_TEXT = 4096

/** The beginning of a text of more than `LONGEST_TEXT` characters, with `…` at its end. */
export function tsvText(text: string): string
export function tsvText(text: string | null): string | null
export function tsvText(text: string | null): string | null {
  if (text === null || text.length <= LONGEST_TEXT) return text
  // Half a character is none.
  return text.slice(0, LONGEST_TEXT - 1).replace(/[\ud800-\udbff]$/, '') + '…'
}

/** UTF-8, every line ended, a line of names first. */
export function tsvTable<Row>(columns: readonly TsvColumn<Row>[], rows: () => Iterable<Row>): TextInPieces {
  return {
    *pieces() {
      yield columns.map(([name]) => name).join('\t') + '\n'
      for (const row of rows()) yield columns.map(([, value]) => tsvValue(value(row))).join('\t') + '\n'
    },
  }
}

function tsvValue(value: TsvValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escapeTsv(value)
  if (typeof value === 'number') return numberWord(value) ?? String(value)
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
