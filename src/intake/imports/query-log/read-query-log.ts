import { count, counted } from '../../../text/numbers.ts'
import { Executions, TooManyExecutions } from '../../measurement/executions.ts'
import { QUERY_DURATION, type QueryLog, type QueryLogCell } from '../../measurement/query-log.ts'
import { SourceError } from '../../measurement/source.ts'
import type { Warnings } from '../../measurement/warnings.ts'
import { ReadStopped } from '../format.ts'
import { readJsonRows } from '../json-each-row.ts'
import { parseTime } from '../parse-time.ts'
import { closeBytes, plainBytes } from '../plain-bytes.ts'
import { type ColumnValue, cutName, detached, RowError } from '../table-row.ts'
import { columnsOf, firstLine, readTsvRows } from '../tsv-with-names.ts'
import { eachCount, entriesOf } from './clickhouse-text.ts'
import { FieldValues, fieldName, type LogField, numberOf, RecentTexts } from './field.ts'
import { normalizeQuery, withOneTable } from './normalize-query.ts'
import { SideCosts, sourceOfRow, tableOfRow } from './side-costs.ts'

/** Reads rows of `system.query_log` into executions of two sides. The comparison is in `judge/`. */

export interface QueryLogOptions {
  /** The field by which a row is of a variant, and the values of the variants, the first of them the old side. */
  readonly side: { readonly field: LogField; readonly variants: readonly string[] }
  /** Null: the queries alone are the groups. */
  readonly group: LogField | null
  /** The only metric that is kept; null: every one. */
  readonly metric: string | null
  readonly warnings: Pick<Warnings, 'add'>
}

/** Columns of `system.query_log` that are metrics by themselves, with the name of the metric. */
const COLUMNS: readonly (readonly [column: string, metric: string])[] = [
  ['query_duration_ms', QUERY_DURATION],
  ['read_rows', 'read_rows'],
  ['read_bytes', 'read_bytes'],
  ['memory_usage', 'memory_usage'],
]

/** Characters of the names of all queries and groups. */
const LONGEST_NAMES = 64 * 1024 * 1024
/** Values of the side's field that are told where none of them is a variant. */
const VALUES_TOLD = 5
const LONGEST_METRIC = 200

/**
 * Rows of `system.query_log`, as ClickHouse's JSONEachRow or TSVWithNames, compressed or not, from any number of files; where
 * tables are the sides, also of `system.part_log` and `system.parts`, each known by its columns. Memory is a few lines and what
 * `Executions` takes. All throw `SourceError`, one line for a person.
 */
export class QueryLogReader {
  readonly #options: QueryLogOptions
  readonly #executions: Executions
  readonly #cells: QueryLogCell[] = []
  /** By the test, then by the group. */
  readonly #cellNumbers = new Map<string, Map<string | null, number>>()
  readonly #seen: number[]
  readonly #otherValues = new Set<string>()
  readonly #toOneTable: ((query: string) => string) | null
  readonly #queryNames = new Map<string, string>()
  /** By the query as it was sent: a service sends the same ones again and again. */
  readonly #normalized = new RecentTexts<string>()
  readonly #sides = new FieldValues()
  readonly #groups = new FieldValues()
  /** The values of a text that was met before are the same array. */
  readonly #groupNames = new WeakMap<readonly string[], string>()
  readonly #costs: SideCosts
  #names = 0
  #rows = 0
  #notFinished = 0
  #firstWarning: string | null = null
  #lastTime: readonly [text: string, minute: number] = ['', 0]

  constructor(options: QueryLogOptions) {
    this.#options = options
    const { field, variants } = options.side
    this.#executions = new Executions(variants.length)
    this.#seen = variants.map(() => 0)
    this.#costs = new SideCosts(variants)
    this.#toOneTable = field.column === 'tables' && field.key === null ? withOneTable(variants) : null
  }

  get rows(): number {
    return this.#rows
  }

  async read(where: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const plain = await plainBytes(where, bytes)
    const { warnings } = this.#options
    const warn: Warn = (code, line, message) => {
      this.#firstWarning ??= `${where}${line === null ? '' : `:${line}`}: ${message}`
      warnings.add(code, where, line, message)
    }
    const rowOf = (value: ColumnValue) => this.#take(value)
    try {
      const isJson = isJsonRows(new TextDecoder().decode(plain.head), where)
      const batches = isJson
        ? readJsonRows(plain.bytes, { warn }, rowOf)
        : readTsvRows(plain.bytes, { warn }, rowOf, { timeColumn: 'event_time' })
      for await (const _ of batches) {
        // the rows are in `#executions`
      }
    } catch (error) {
      await closeBytes(plain.bytes)
      if (error instanceof ReadStopped) return warn(error.code, error.line, error.message)
      if (!(error instanceof TooManyExecutions)) throw error
      throw new SourceError('unreadable', `${where}: ${error.message}; ${WHAT_TO_DO[error.of]}`)
    }
  }

  /** What was read. */
  finish(): QueryLog {
    const { field, variants } = this.#options.side
    const missing = variants.find((_, index) => this.#seen[index] === 0)
    if (missing !== undefined) throw new SourceError('no-measurements', this.#whyMissing(missing, fieldText(field)))
    this.#executions.dropEmpty()
    const { metrics } = this.#executions
    if (metrics.length === 0) {
      const { metric } = this.#options
      const named =
        metric === null ? 'any metric' : `${metric}: columns and ProfileEvents are metrics, such as SelectedMarks`
      throw new SourceError('no-measurements', `no execution has a value of ${named}`)
    }
    const { group } = this.#options
    if (group !== null && this.#cells.every((cell) => cell.group === groupText(group, []))) {
      throw new SourceError(
        'no-measurements',
        `no execution has a value of ${fieldText(group)}, by which --group groups`,
      )
    }
    for (const metric of metrics) {
      const bad = this.#executions.badValues(metric)
      if (bad === 0) continue
      const values = `${counted(bad, 'value', 'values')} of ${metric}`
      this.#options.warnings.add('invalid-value', 'query log', null, `${values}: not a number from 0 to 2^53, left out`)
    }
    const costs = { merges: this.#costs.merges(), parts: this.#costs.parts() }
    return { executions: this.#executions, cells: this.#cells, variants, ...costs }
  }

  #take(value: ColumnValue): null {
    this.#rows += 1
    const source = sourceOfRow(value)
    if (source !== 'query_log') return this.#takeCost(source, value)
    const type = value('type')
    if (type !== null && type !== undefined && type !== 'QueryFinish' && type !== 2 && type !== '2') {
      this.#notFinished += 1
      return null
    }
    const variant = this.#variantOf(value)
    if (variant === null) return null
    const minute = this.#minuteOf(value('event_time'))
    this.#executions.open(minute, this.#cellOf(value), variant)
    this.#putValues(value)
    this.#executions.close()
    this.#seen[variant]! += 1
    return null
  }

  #takeCost(source: 'part_log' | 'parts', value: ColumnValue): null {
    if (this.#toOneTable === null)
      throw new RowError(`rows of system.${source} need --side tables=OLD,NEW to tell the sides apart`)
    const variant = this.#options.side.variants.indexOf(tableOfRow(value))
    if (variant === -1) return null
    if (source === 'parts') this.#costs.addPart(value, variant)
    else this.#costs.addMerge(value, variant, this.#minuteOf(value('event_time')))
    return null
  }

  /** Null: the row is of none of them, or of several, as a query that reads both tables. */
  #variantOf(value: ColumnValue): number | null {
    const { field, variants } = this.#options.side
    const texts = this.#sides.values(field, value)
    let found: number | null = null
    for (let index = 0; index < variants.length; index += 1) {
      const variant = variants[index]!
      if (!(texts.length === 0 ? variant === '' : texts.includes(variant))) continue
      if (found !== null) return null
      found = index
    }
    if (found === null && this.#otherValues.size < VALUES_TOLD) {
      for (const text of texts) this.#otherValues.add(cutName(text).slice(0, 60))
    }
    return found
  }

  #minuteOf(found: unknown): number {
    const text = typeof found === 'number' ? String(found) : found
    if (typeof text === 'string' && isWithin(text, this.#lastTime[0])) return this.#lastTime[1]
    const time = typeof text === 'string' ? parseTime(text) : null
    if (time === null) throw new RowError('event_time is not a time like 2026-10-20 08:15:00 (UTC)')
    const minute = Math.floor(time / 60_000)
    this.#lastTime = [detached(text as string), minute]
    return minute
  }

  #cellOf(value: ColumnValue): number {
    const test = this.#testOf(value)
    const { group } = this.#options
    const name = group === null ? null : this.#groupName(group, this.#groups.values(group, value))
    let ofTest = this.#cellNumbers.get(test)
    const known = ofTest?.get(name)
    if (known !== undefined) return known
    const cell = this.#cells.length
    this.#names += test.length + (name?.length ?? 0)
    if (cell >= this.#executions.mostCells || this.#names > LONGEST_NAMES) {
      throw new TooManyExecutions('cells', `more than ${count(cell)} different queries and groups`)
    }
    this.#cells.push({ test, group: name })
    if (ofTest === undefined) {
      ofTest = new Map()
      this.#cellNumbers.set(test, ofTest)
    }
    ofTest.set(name, cell)
    return cell
  }

  #groupName(group: LogField, values: readonly string[]): string {
    const known = this.#groupNames.get(values)
    if (known !== undefined) return known
    const name = groupText(group, values)
    this.#groupNames.set(values, name)
    return name
  }

  /** Where tables tell the sides apart, the same query has two hashes. */
  #testOf(value: ColumnValue): string {
    const query = value('query')
    if (this.#toOneTable !== null) {
      return typeof query === 'string' ? this.#nameOf(query) : ALL
    }
    const hash = value('normalized_query_hash')
    if (typeof hash !== 'string' && typeof hash !== 'number') {
      return typeof query === 'string' ? this.#nameOf(query) : ALL
    }
    const known = this.#queryNames.get(String(hash))
    if (known !== undefined) return known
    const name = typeof query === 'string' && query !== '' ? this.#nameOf(query) : String(hash)
    // hashes are bounded as cells are: each is in one at least
    this.#queryNames.set(String(hash), name)
    return name
  }

  /** A query without its literals and, where tables are the sides, with one table. */
  #nameOf(query: string): string {
    const known = this.#normalized.get(query)
    if (known !== undefined) return known
    const normalized = normalizeQuery(query)
    // a part of a text holds the whole of it, which is a piece of the file
    const name = detached(cutName(this.#toOneTable === null ? normalized : this.#toOneTable(normalized)))
    this.#normalized.set(query, name)
    return name
  }

  #putValues(value: ColumnValue): void {
    const { metric: only } = this.#options
    for (const [column, metric] of COLUMNS) {
      if (only === null || only === metric) this.#executions.put(metric, numberOf(value(column)))
    }
    const events = value('ProfileEvents')
    const put = (event: string, number: unknown) => {
      if (only === null || only === event) this.#executions.put(this.#metricName(event), numberOf(number))
    }
    if (isObject(events)) for (const event of Object.keys(events)) put(event, events[event])
    else if (typeof events !== 'string' || !eachCount(events, put))
      for (const [event, number] of entriesOf(events) ?? []) put(event, number)
  }

  /** A name that holds no line of a file. */
  #metricName(event: string): string {
    return this.#executions.has(event) ? event : detached(event.slice(0, LONGEST_METRIC))
  }

  #whyMissing(variant: string, field: string): string {
    const { rows } = this.#executions
    const read = counted(this.#rows, 'row', 'rows')
    const passed = this.#notFinished === 0 ? '' : `, ${count(this.#notFinished)} of them not QueryFinish`
    const named = variant === '' ? `without ${field}` : `with ${field} = ${variant}`
    const values = [...this.#otherValues].slice(0, VALUES_TOLD)
    const others = values.length === 0 ? '' : `; other values of ${field}: ${values.join(', ')}`
    const kept = rows === 0 ? '' : `, ${count(rows)} of other variants`
    const problem = this.#firstWarning === null ? '' : ` (${this.#firstWarning})`
    return `no execution ${named}: ${read}${passed}${kept}${others}${problem}`
  }
}

const WHAT_TO_DO: Readonly<Record<TooManyExecutions['of'], string>> = {
  rows: 'give rows for a shorter period',
  metrics: '--metric NAME keeps one metric',
  memory: '--metric NAME keeps one metric; a shorter period has fewer executions',
  cells: 'give another --group, or the rows of fewer queries',
}

type Warn = Parameters<typeof readJsonRows>[1]['warn']

/** `2026-06-01 08:00:17` lies in the minute of `2026-06-01 08:00:59`; of other forms only the same text does. */
function isWithin(time: string, known: string): boolean {
  if (time === known) return true
  return time.length === 19 && known.length === 19 && SECONDS.test(time) && time.startsWith(known.slice(0, 17))
}

const SECONDS = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:[0-5]\d$/

function isObject(found: unknown): found is Readonly<Record<string, unknown>> {
  return typeof found === 'object' && found !== null && !Array.isArray(found)
}

/** The query of rows that have no text. */
const ALL = 'every query'

function isJsonRows(head: string, where: string): boolean {
  const start = head.replace(/^\ufeff/, '').trimStart()
  if (start === '') throw new SourceError('no-measurements', `${where}: the file is empty`)
  if (/^\{\s*"meta"\s*:/.test(start)) {
    throw new SourceError('no-measurements', `${where}: this is ClickHouse’s FORMAT JSON; give FORMAT JSONEachRow`)
  }
  if (/^(?:\[\s*)?\{/.test(start)) return true
  const columns = columnsOf(firstLine(head))
  if (columns.includes('event_time') || sourceOfRow((column) => (columns.includes(column) ? '' : null)) === 'parts')
    return false
  throw new SourceError(
    'no-measurements',
    `${where}: these are not rows of system.query_log; supported: JSONEachRow (JSON lines with event_time, query_duration_ms, …); TSVWithNames (column names in the first line)`,
  )
}

function fieldText({ column, key }: LogField): string {
  return key === null ? column : `${column}.${key}`
}

/** `time_window_in_mins = 60`, as the row of a group is named. */
function groupText(field: LogField, values: readonly string[]): string {
  const name = fieldName(field)
  return values.length === 0 ? `no ${name}` : cutName(`${name} = ${values.join(', ')}`)
}
