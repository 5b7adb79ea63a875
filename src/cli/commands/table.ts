import type { Column } from '../../text/table.ts'
import type { CommandIO, Output } from './command.ts'
import { displayWidth, plainText, truncate, withSpaces } from './terminal-text.ts'

/** Tables and colours of a terminal. What the columns hold comes from the nouns of `report/`. */

export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

/** A column of a table that has other forms too, with its colour on a terminal. */
export interface ColouredColumn<Row> extends Column<Row> {
  readonly colour?: (row: Row) => Colour | undefined
}

/** Its words are those of `text`, else the number that is `shown`. */
export interface TerminalColumn<Row> extends ColouredColumn<Row> {
  readonly heading: string
}

/** Columns that have a text, headed in small letters. */
export function terminalColumns<Row>(columns: readonly ColouredColumn<Row>[]): readonly TerminalColumn<Row>[] {
  return columns.flatMap((column) => {
    const { heading, text } = column
    if (heading === undefined || text === undefined) return []
    return [{ ...column, heading: withSpaces(heading.toLowerCase()), text: (row: Row) => plainText(text(row)) }]
  })
}

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
}

/** Colours for this output: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function painter(output: Output, env: CommandIO['env']): (text: string, colour: Colour | undefined) => string {
  const enabled = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  return (text, colour) => {
    if (!enabled || colour === undefined || text === '') return text
    const [on, off] = CODES[colour]
    return `\x1b[${on}m${text}\x1b[${off}m`
  }
}

const GAP = '  '
/** The last column is not cut to less: a line that is too long wraps, one without the query says nothing. */
const LEAST_LAST_COLUMN = 20

/**
 * Lines of aligned columns. `width`: columns of the terminal, to which the last column is cut; null: nothing is cut.
 * The texts must be plain (`plainText`), but for spaces of our own words that do not break.
 */
export function formatTable<Row>(
  columns: readonly TerminalColumn<Row>[],
  rows: readonly Row[],
  width: number | null,
  paint: (text: string, colour: Colour | undefined) => string,
): string[] {
  const last = columns.length - 1
  const texts = rows.map((row) => columns.map((column) => withSpaces(textOf(column, row))))
  const widths = columns.map(({ heading }) => displayWidth(heading))
  for (const line of texts) {
    for (let i = 0; i < last; i += 1) widths[i] = Math.max(widths[i]!, displayWidth(line[i]!))
  }
  const before = widths.slice(0, last).reduce((sum, columnWidth) => sum + columnWidth + GAP.length, 0)
  const room = width === null ? null : Math.max(LEAST_LAST_COLUMN, width - before)

  const lineOf = (line: readonly string[], colourOf: (column: TerminalColumn<Row>) => Colour | undefined): string =>
    line
      .map((text, i) => {
        const colour = colourOf(columns[i]!)
        if (i === last) return paint(room === null ? text : truncate(text, room), colour)
        const padding = ' '.repeat(widths[i]! - displayWidth(text))
        return columns[i]!.isNumber ? padding + paint(text, colour) : paint(text, colour) + padding
      })
      .join(GAP)
      .trimEnd()

  return [
    lineOf(
      columns.map(({ heading }) => heading),
      () => 'dim',
    ),
    ...rows.map((row, index) => lineOf(texts[index]!, ({ colour }) => colour?.(row))),
  ]
}

function textOf<Row>({ text, value, shown }: Column<Row>, row: Row): string {
  if (text !== undefined) return text(row)
  const number = value?.(row)
  return typeof number === 'number' ? (shown?.(number, row) ?? '') : ''
}
