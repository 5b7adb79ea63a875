import { html } from 'hono/html'
import { plainText } from '../../text/markdown.ts'
import type { Column } from '../../text/table.ts'
import type { Html } from './layout.ts'

/** Characters of words in a cell. */
export const LONGEST_WORDS = 300

/** The headings of those columns that a page shows. */
export function headings<Row>(columns: readonly Column<Row>[]): Html {
  const shown = columns.filter(({ heading }) => heading !== undefined)
  return html`<thead><tr>${shown.map(({ heading, head = heading, isNumber }) => html`<th scope="col"${isNumber ? html` class="n"` : ''}>${head}</th>`)}</tr></thead>`
}

/** In the order of the columns; a column without a heading has none. */
export function cells<Row>(columns: readonly Column<Row>[], row: Row): Html[] {
  return columns.flatMap((column) => (column.heading === undefined ? [] : [cellOf(column, column.heading, row)]))
}

function cellOf<Row>(column: Column<Row>, heading: string, row: Row): Html {
  const { key, value, isNumber, shown, text, cell } = column
  if (cell !== undefined) return cell(row, heading)
  const given = value?.(row) ?? null
  if (shown !== undefined)
    return numberCell(heading, typeof given === 'number' ? given : null, (number) => shown(number, row))
  const words = plainText(text?.(row) ?? String(given ?? '–'), LONGEST_WORDS)
  const kind = isNumber === true ? 'n' : key
  return html`<td${kind === undefined ? '' : html` class="${kind}"`} data-name="${heading}">${words}</td>`
}

export type Cells<Row> = Readonly<Record<string, NonNullable<Column<Row>['cell']>>>

/** The columns with the cells that a page alone has, such as links: by the key of each, or its heading. */
export function withCells<Row>(columns: readonly Column<Row>[], made: Cells<Row>): readonly Column<Row>[] {
  return columns.map((column) => {
    const cell = made[column.key ?? column.heading ?? '']
    return cell === undefined ? column : { ...column, cell }
  })
}

/** A column of names: each heads its row. */
export function nameColumn<Row>(heading: string, content: (row: Row) => Html | string): Column<Row> {
  return { heading, cell: (row) => html`<th scope="row">${content(row)}</th>` }
}

export function textColumn<Row>(heading: string, content: (row: Row) => Html | string): Column<Row> {
  return { heading, cell: textCell(content) }
}

export function textCell<Row>(content: (row: Row) => Html | string): NonNullable<Column<Row>['cell']> {
  return (row, name) => html`<td data-name="${name}">${content(row)}</td>`
}

/** A column of counts and the like, which have no unrounded form. */
export function countColumn<Row>(heading: string, content: (row: Row) => Html | string | number): Column<Row> {
  return { heading, isNumber: true, cell: (row, name) => html`<td class="n" data-name="${name}">${content(row)}</td>` }
}

/** A column of rounded numbers; with a key it is in the TSV too, unrounded. */
export function valueColumn<Row>(
  heading: string,
  value: (row: Row) => number | null,
  shown: (value: number) => string,
): Column<Row> {
  return { heading, isNumber: true, value, shown }
}

/** A table without more than its rows. */
export function plainTable<Row>(caption: Html | string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`<table><caption>${caption}</caption>${headings(columns)}
<tbody>${rows.map((row) => html`<tr>${cells(columns, row)}</tr>`)}</tbody></table>`
}

/** A table of which a phone shows each row as a card: nothing of it lies beside the screen. */
export function cardTable<Row>(caption: Html | string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`<table class="rows"><caption>${caption}</caption>${headings(columns)}
<tbody>${rows.map((row) => html`<tr class="own">${cells(columns, row)}</tr>`)}</tbody></table>`
}

/**
 * A number as a person reads it, with the unrounded one for whoever hovers or copies; a dash where there is none. `name`
 * stands beside it where a phone shows no column heads.
 */
export function numberCell(name: string, value: number | null, shown: (value: number) => string, after?: Html): Html {
  return value === null
    ? html`<td class="n none" data-name="${name}">–${spaced(after)}</td>`
    : html`<td class="n" data-name="${name}"><data value="${value}" title="${value}">${shown(value)}</data>${spaced(after)}</td>`
}

function spaced(after: Html | undefined): Html | string {
  return after === undefined ? '' : html` ${after}`
}
