import type { HtmlEscapedString } from 'hono/utils/html'
import { numberWord, type TextInPieces } from './text-pieces.ts'

/** A column is declared once and printed as TSV, on a page and on a terminal. */

type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/**
 * A column of a table in each of the forms that the table has: TSV, a page, a terminal. Where one of them lacks the column,
 * what belongs to that form is left out.
 */
export interface Column<Row> {
  /** The column's name in the TSV: `old_median`. */
  readonly key?: string
  /** Unrounded, as the TSV has it. */
  readonly value?: (row: Row) => TableValue
  /** The column's name on a page or a terminal: `Old`. */
  readonly heading?: string
  /** The heading of a page where it is more than the column's name: a link, a second line. */
  readonly head?: Markup
  /** Numbers stand to the right. */
  readonly isNumber?: boolean
  /** The number that `value` gives, rounded for people. */
  readonly shown?: (value: number, row: Row) => string
  /**
   * The cell of a page, whole: `<td>…</td>`. It has the heading as its name where a phone shows no headings. Without one the page
   * makes it of `shown`, or else of `text` or `value`.
   */
  readonly cell?: (row: Row, heading: string) => Markup
  /** The words of a terminal, and of a page that has no others. */
  readonly text?: (row: Row) => string
}

export type TableValue = string | number | boolean | null

/** A column of words, the same in each form. `text`: where a page and a terminal have other words than the TSV. */
export function wordsColumn<Row>(
  key: string,
  heading: string,
  value: (row: Row) => string,
  text: (row: Row) => string = value,
): Column<Row> {
  return { key, value, heading, text }
}

/** The column of a key. Throws where there is none: the key is misspelt. */
export function columnNamed<Row>(columns: readonly Column<Row>[], name: string): Column<Row> {
  const found = columns.find(({ key }) => key === name)
  if (found === undefined) throw new RangeError(`no column has the key ${name}`)
  return found
}

/** Columns of a part, such as a query, in a table whose rows hold more. */
export function ofPart<Row, Part>(columns: readonly Column<Part>[], part: (row: Row) => Part): readonly Column<Row>[] {
  return columns.map(({ value, shown, cell, text, ...same }) => ({
    ...same,
    ...(value !== undefined && { value: (row: Row) => value(part(row)) }),
    ...(shown !== undefined && { shown: (number: number, row: Row) => shown(number, part(row)) }),
    ...(cell !== undefined && { cell: (row: Row, heading: string) => cell(part(row), heading) }),
    ...(text !== undefined && { text: (row: Row) => text(part(row)) }),
  }))
}

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

/** ClickHouse's TabSeparatedWithNames in UTF-8: numbers unrounded, `\N` where there is none, a line of names first. */
export function tsvTable<Row>(columns: readonly Column<Row>[], rows: () => Iterable<Row>): TextInPieces {
  const written = columns.flatMap(({ key, value }) =>
    key === undefined || value === undefined ? [] : [{ key, value }],
  )
  return {
    *pieces() {
      yield written.map(({ key }) => key).join('\t') + '\n'
      for (const row of rows()) yield written.map(({ value }) => tsvValue(value(row))).join('\t') + '\n'
    },
  }
}

function tsvValue(value: TableValue): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escapeTsv(spreadsheetText(value))
  if (typeof value === 'number') return numberWord(value) ?? String(value)
  return String(value)
}

/**
 * What a spreadsheet would take for a formula, such as a test named `=HYPERLINK(…)`, stands behind an apostrophe; so does what
 * has one there already, so that reading takes away what writing gave. A number is none: `-inf`, `+12.5%`.
 */
export function spreadsheetText(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

/** The text that `spreadsheetText` was given. */
export function textOfSpreadsheet(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text
}

/** A tab or a line break, with which one may begin too, is written as `\t` and `\n`. */
const FORMULA = /^'*[=+@-]/
const NUMBER = /^[+-](?:[\d.,]+%?|inf)$/

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
