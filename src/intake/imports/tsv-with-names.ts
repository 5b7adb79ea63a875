import { unescapeTsv } from '../measurement/fields.ts'
import type { GivenValues } from './checks/given-values.ts'
import type { CiResultsFormat, ReadContext } from './format.ts'
import { type Line, lineBatches, TOO_LONG } from './line-batches.ts'
import { detached, RowError, type RowOf, tableRows } from './table-row.ts'

/** Characters. Of a longer line the values are copied, so that a row does not hold what nobody asked for. */
const LONG_LINE = 8192

/** ClickHouse's `TSVWithNames` (and `TSVWithNamesAndTypes`): the columns of `checks` in any order, with its escapes. */
export const tsvWithNames: CiResultsFormat = {
  name: 'TSVWithNames',
  looksFor: 'a TSV with the names of the columns of checks in its first line',
  matches(head) {
    const names = columnsOf(firstLine(head))
    return names.includes('test_name') && names.length > 1
  },
  problem(head, given) {
    const missing = missingColumns(columnsOf(firstLine(head)), given)
    return missing.length === 0 ? null : `the columns ${missing.join(', ')} are missing`
  },
  read: (bytes, context) =>
    tableRows(context, (rowOf) => readTsvRows(bytes, context, rowOf, { timeColumn: 'check_start_time' })),
}

/** Every column that is missing, at once. */
function missingColumns(names: readonly string[], given: GivenValues): readonly string[] {
  const missing: string[] = []
  const need = (column: string, option: string) => {
    if (!names.includes(column)) missing.push(option === '' ? column : `${column} (or ${option})`)
  }
  if (given.checkName === null) need('check_name', '--check')
  if (given.commitSha === null) need('commit_sha', '--sha')
  need('test_name', '')
  if (!names.includes('check_status')) need('test_status', 'check_status')
  need('check_start_time', '')
  return missing
}

/**
 * The rows of a file, some at a time. `rowOf` throws `RowError` for one that is not read: a warning. `timeColumn` is a
 * column that holds times: its type tells a line of types from a row.
 */
export async function* readTsvRows<T>(
  bytes: AsyncIterable<Uint8Array>,
  context: Pick<ReadContext, 'warn'>,
  rowOf: RowOf<T>,
  { timeColumn }: { readonly timeColumn: string },
): AsyncGenerator<readonly T[]> {
  let table: Table | null = null
  const tooLong = (number: number) => context.warn('limit-reached', number, TOO_LONG)
  for await (const lines of lineBatches(bytes, tooLong)) {
    const rows: T[] = []
    for (const line of lines) {
      if (table === null) table = new Table(line.text, timeColumn)
      else {
        const row = table.row(line, context, rowOf)
        if (row !== null) rows.push(row)
      }
    }
    yield rows
  }
}

class Table {
  readonly #timeColumn: string
  readonly #positions: ReadonlyMap<string, number>
  readonly #width: number
  /** Where each field of the line that is being read ends. */
  readonly #ends: number[]
  /** Windows wrote the file: each line ends with a CR that is no part of the last value. */
  readonly #carriageReturns: boolean

  constructor(header: string, timeColumn: string) {
    this.#timeColumn = timeColumn
    const names = columnsOf(header)
    this.#positions = new Map(names.map((name, position) => [name, position]))
    this.#width = names.length
    this.#ends = names.map(() => 0)
    this.#carriageReturns = header.endsWith('\r')
  }

  row<T>({ text, number, ended }: Line, { warn }: Pick<ReadContext, 'warn'>, rowOf: RowOf<T>): T | null {
    const line = this.#carriageReturns && text.endsWith('\r') ? text.slice(0, -1) : text
    if (line === '') return null
    const width = this.#split(line)
    if (width !== this.#width) {
      if (ended) warn('malformed-line', number, `${width} columns, but ${this.#width} are named: skipped`)
      else warn('truncated-line', number, 'the last line was cut off: skipped')
      return null
    }
    if (number === 2 && this.#areTypes(line)) return null
    // the last value of a file without an end may have been cut where no one can tell
    if (!ended) warn('truncated-line', number, 'the last line has no newline, so its last value may be cut off')
    try {
      const isLong = line.length > LONG_LINE
      const isEscaped = line.includes('\\')
      const columns = () => this.#positions.keys()
      return rowOf((column) => {
        const field = this.#field(line, column)
        if (field === null || field === '\\N') return null
        const value = isEscaped ? unescapeTsv(field) : field
        return isLong ? detached(value) : value
      }, columns)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      warn('malformed-line', number, `${error.message}: skipped`)
      return null
    }
  }

  /** Finds where the fields of a line end, and gives their number. Only those that somebody asks for become texts. */
  #split(line: string): number {
    let width = 0
    let start = 0
    for (let tab = line.indexOf('\t'); tab !== -1; tab = line.indexOf('\t', start)) {
      if (width < this.#width) this.#ends[width] = tab
      width += 1
      start = tab + 1
    }
    if (width < this.#width) this.#ends[width] = line.length
    return width + 1
  }

  /** As it stands in the line that was split last; null where the file has no such column. */
  #field(line: string, column: string): string | null {
    const position = this.#positions.get(column)
    if (position === undefined) return null
    return line.slice(position === 0 ? 0 : this.#ends[position - 1]! + 1, this.#ends[position])
  }

  #areTypes(line: string): boolean {
    return /^(?:Nullable\()?DateTime/.test(this.#field(line, this.#timeColumn) ?? '')
  }
}

/** The first line of the head of a file. */
export function firstLine(head: string): string {
  const end = head.indexOf('\n')
  return end === -1 ? head : head.slice(0, end)
}

/** The names in a header. */
export function columnsOf(header: string): readonly string[] {
  return header
    .replace(/^\ufeff/, '')
    .replace(/\r$/, '')
    .split('\t')
    .map((name) => unescapeTsv(name))
}
