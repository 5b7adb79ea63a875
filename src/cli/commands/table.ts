import { type Column, tsvTable } from '../../text/table.ts'
import { type CommandIO, InputError, type Output } from './command.ts'
import type { TableForm } from './option-values.ts'
import { displayWidth, plainText, truncate, truncateMiddle, withSpaces } from './terminal-text.ts'

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
    return [
      {
        ...column,
        heading: withSpaces(heading === heading.toUpperCase() ? heading : heading.toLowerCase()),
        text: (row: Row) => plainText(text(row)),
      },
    ]
  })
}

/** How a command was told to print what it found. */
interface FormGiven<Form extends string> {
  readonly as?: Form
  readonly json?: boolean
}

/** The form of `--as`, or the usual one where nobody chose. Throws `InputError`. */
export function formOf<Form extends string>({ as, json }: FormGiven<Form>, usual: TableForm): Form | TableForm {
  if (json === true && as !== undefined) throw new InputError('--as and --json can’t be combined; choose one')
  return as ?? usual
}

/** Of a list: other programs read what is piped. What a command finds out is read by people in the logs of a CI system, too. */
export function listForm({ stdout }: CommandIO): TableForm {
  return stdout.isTTY === true ? 'table' : 'tsv'
}

export function printTsv<Row>(columns: readonly Column<Row>[], rows: Iterable<Row>, { stdout }: CommandIO): void {
  for (const piece of tsvTable(columns, () => rows).pieces()) stdout.write(piece)
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
/** A name keeps so many columns of a narrow terminal, or this share of a wider one. */
const LEAST_NAME = 24
const SHARE_OF_NAME = 0.4
/** Words that are cut to less say nothing. */
const LEAST_WORDS = 10
/** Texts of a cell that has nothing to say. */
const NOTHING: readonly string[] = ['', '–']
/** What all names begin with is lifted where it is at least so long. */
const LEAST_PREFIX = 8

interface LaidColumn<Row> {
  readonly column: TerminalColumn<Row>
  readonly texts: readonly string[]
  readonly width: number
}

/**
 * Lines of aligned columns, the first of which is the name. What is the same in every row stands once above them, and so does
 * what every name begins with; a column without a text is left out. `width`: columns of the terminal, which no line exceeds:
 * a long name loses its middle, the last words their end, and columns for which there is no room are named below. null:
 * nothing is cut. The texts must be plain (`plainText`), but for spaces of our own words that do not break.
 */
export function formatTable<Row>(
  columns: readonly TerminalColumn<Row>[],
  rows: readonly Row[],
  width: number | null,
  paint: (text: string, colour: Colour | undefined) => string,
): string[] {
  const [first, ...others] = columns.map((column) => ({
    column,
    texts: rows.map((row) => withSpaces(textOf(column, row))),
  }))
  const isSame = ({ texts }: { readonly texts: readonly string[] }) => rows.length > 1 && new Set(texts).size === 1
  const told = others.filter(({ texts }) => texts.some((text) => !NOTHING.includes(text)))
  const differing = told.filter((one) => one.column.isNumber || !isSame(one))
  // of one benchmark with many metrics those are the names
  const [name, ...columnsBeside] = isSame(first!) && differing.length > 0 ? differing : [first!, ...differing]
  const prefix = sharedPrefix(name!.texts)
  const once = [first!, ...told].filter((one) => one !== name && !differing.includes(one))
  const lifted = [
    ...once.map(({ column: { heading }, texts }) => `${heading}: ${texts[0]!}`),
    ...(prefix === '' ? [] : [`each name begins with ${prefix.trimEnd()}`]),
  ].join(' · ')
  const laid = [
    laidOut({ column: name!.column, texts: name!.texts.map((text) => text.slice(prefix.length)) }),
    ...columnsBeside.map(laidOut),
  ]
  const shown = width === null ? laid : fitted(laid, width)
  const leftOut = laid.slice(shown.length).map(({ column: { heading } }) => heading)
  return [
    ...(lifted === '' ? [] : [paint(cut(lifted, width), 'dim')]),
    lineOf(shown, ({ column: { heading } }) => [heading, 'dim'], paint),
    ...rows.map((row, index) => lineOf(shown, ({ column, texts }) => [texts[index]!, column.colour?.(row)], paint)),
    ...(leftOut.length === 0 ? [] : [paint(cut(`no room here for: ${leftOut.join(', ')}`, width), 'dim')]),
  ]
}

function laidOut<Row>({ column, texts }: Omit<LaidColumn<Row>, 'width'>): LaidColumn<Row> {
  const widest = texts.reduce((most, text) => Math.max(most, displayWidth(text)), displayWidth(column.heading))
  return { column, texts, width: widest }
}

/** As many columns, from the first on, as the terminal has room for. */
function fitted<Row>(laid: readonly LaidColumn<Row>[], width: number): readonly LaidColumn<Row>[] {
  const [name, ...others] = laid as [LaidColumn<Row>, ...LaidColumn<Row>[]]
  const last = others.at(-1)
  const wanted = others.reduce((sum, one) => sum + GAP.length + (one === last ? leastWidth(one) : one.width), 0)
  const room = Math.max(LEAST_NAME, Math.floor(width * SHARE_OF_NAME), width - wanted)
  const shown = [{ ...name, width: Math.min(name.width, room, width) }]
  let left = width - shown[0]!.width
  for (const one of others) {
    left -= GAP.length
    if (left < leastWidth(one)) break
    shown.push({ ...one, width: Math.min(one.width, left) })
    left -= Math.min(one.width, left)
  }
  return shown
}

function leastWidth<Row>({ column, width }: LaidColumn<Row>): number {
  return column.isNumber ? width : Math.min(width, LEAST_WORDS)
}

function lineOf<Row>(
  laid: readonly LaidColumn<Row>[],
  cellOf: (one: LaidColumn<Row>) => readonly [text: string, colour: Colour | undefined],
  paint: (text: string, colour: Colour | undefined) => string,
): string {
  return laid
    .map((one, index) => {
      const [whole, colour] = cellOf(one)
      const text = index === 0 ? truncateMiddle(whole, one.width) : truncate(whole, one.width)
      if (index === laid.length - 1 && !one.column.isNumber) return paint(text, colour)
      const padding = ' '.repeat(one.width - displayWidth(text))
      return one.column.isNumber ? padding + paint(text, colour) : paint(text, colour) + padding
    })
    .join(GAP)
    .trimEnd()
}

function cut(text: string, width: number | null): string {
  return width === null ? text : truncate(text, width)
}

/** What all names begin with, up to the end of a part of them; empty where it is short, or no name would be left. */
export function sharedPrefix([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return ''
  let length = first.length - 1
  for (const other of others) {
    length = Math.min(length, other.length - 1)
    while (length > 0 && !other.startsWith(first.slice(0, length))) length -= 1
  }
  const [prefix] = /^.*[ /\\.:([{,=|]/.exec(first.slice(0, length)) ?? ['']
  return prefix.length < LEAST_PREFIX ? '' : prefix
}

function textOf<Row>({ text, value, shown }: Column<Row>, row: Row): string {
  if (text !== undefined) return text(row)
  const number = value?.(row)
  return typeof number === 'number' ? (shown?.(number, row) ?? '') : ''
}
