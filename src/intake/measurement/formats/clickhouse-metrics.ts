import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import type { MetricFile, MetricRepetition, MetricTable, QueryMetrics } from '../metric-table.ts'
import { PRIMARY_METRIC } from '../run.ts'
import { ownCopy } from '../stack-counts.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/**
 * Every metric of every repetition, in `analyze/` beside the raw files: the time that the client and the server saw, the
 * memory, and the ProfileEvents of the query log, 0 where a query does not have an event that another one has. The first of
 * the two files is made from the second and is preferred; both have no header.
 */
export const clickhouseMetrics: readonly Format[] = [
  { ...format('query-run-metrics-denorm.tsv', (context) => new ValueReader(context)), fields: { metric: 2 } },
  format('query-run-metric-arrays.tsv', (context) => new RepetitionReader(context)),
]

function format(name: string, reader: (context: ReaderContext) => MemberReader): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    looksFor: name,
    oneSided: false,
    matchesName: (fileName) => (fileName === name ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: () => name,
    reader,
  }
}

/** Names of tests are those of files, query ids begin with them. The longest name of a ProfileEvent has 70 characters. */
const LONGEST_TEST = 1000
const LONGEST_ID = 1100
const LONGEST_METRIC = 200

const CUT = 'the last line has no newline, so it may be cut off: skipped'
const NO_QUERY = 'no test and query: skipped'
const NO_REPETITION = 'no version 0 or 1 and query ID: skipped'

/** The parts that both files have in common. */
abstract class MetricsReader implements MemberReader {
  protected readonly context: ReaderContext
  protected readonly table: MetricTable
  readonly #file: MetricFile
  #isCut = false

  constructor(context: ReaderContext, file: MetricFile) {
    this.context = context
    this.table = context.metrics.open(file)
    this.#file = file
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '' || this.context.metrics.hasValues) return
    if (ended) {
      const reason = this.read(text, number)
      if (reason !== null) this.context.warn('malformed-line', number, reason)
      return
    }
    this.#isCut = true
    this.context.warn('truncated-line', number, CUT)
  }

  end(stopped: boolean): Contribution {
    const { context, table } = this
    const isWhole = !stopped && !this.#isCut && table.size > 0
    if (isWhole && this.#file === 'values') context.metrics.gotValues()
    return { ...NOTHING, metrics: { file: this.#file, where: context.where, isWhole, table } }
  }

  /** Gives what is wrong with the line, or null. */
  protected abstract read(text: string, number: number): string | null

  protected query(test: string | undefined, index: string | undefined): QueryMetrics | null {
    const queryIndex = parseIndex(index)
    if (test === undefined || test === '' || test.length > LONGEST_TEST || queryIndex === null) return null
    return this.table.query(ownCopy(unescapeTsv(test)), queryIndex)
  }

  /** The column of a repetition; null where version and id name none. */
  protected column(query: QueryMetrics, version: string, id: string): number | null {
    if ((version !== '0' && version !== '1') || id === '' || id.length > LONGEST_ID) return null
    return query.column(`${version}\t${id}`, () => {
      this.context.metrics.text(id.length)
      return repetitionOf(query, version, ownCopy(unescapeTsv(id)))
    })
  }

  /** The metric's number; null: the raw files have it. */
  protected metric(name: string): number | null {
    return name === PRIMARY_METRIC ? null : this.table.metric(ownCopy(name))
  }

  protected set(query: QueryMetrics, metric: number, column: number, text: string, number: number): void {
    // no value, where a query that is no SQL has none
    if (text === '\\N' || text === 'NULL') return
    const value = parseSample(text)
    if (value === null || Number.isNaN(value)) {
      this.context.warn('invalid-value', number, `"${text}" is not a value of ${this.table.names[metric]}: skipped`)
    } else if (!query.set(metric, column, value)) {
      const { side, id } = query.repetitions[column]!
      const what = `${this.table.names[metric]} of ${query.test} #${query.queryIndex}, repetition ${id} of the ${side} build,`
      this.context.warn('duplicate-sample', number, `${what} appears twice: the first one counts`)
    }
  }
}

/** The repetition's number when the id has the usual form `<test>.query<index>.run<number>`, else the id itself. */
function repetitionOf({ test, queryIndex }: QueryMetrics, version: string, id: string): MetricRepetition {
  const prefix = `${test}.query${queryIndex}.run`
  const number = id.startsWith(prefix) ? parseIndex(id.slice(prefix.length)) : null
  return { side: version === '0' ? 'old' : 'new', id: number ?? id }
}

/**
 * test, query_index, metric_name, version, query_id, metric_value. Sorted by all of them: the lines of a metric stand
 * together, and those of the next one have the same repetitions in the same order. Read without that they are slower.
 */
class ValueReader extends MetricsReader {
  /** The first three fields of the line before with the tab behind them. */
  #prefix: string | null = null
  #query: QueryMetrics | null = null
  /** The number of the metric in the lines before; null where it is not wanted. */
  #metric: number | null = null
  /** Repetitions by the query's column: version and query id as they stand in a line, with the tab behind them. */
  #repetitions: string[] = []
  #next = 0

  constructor(context: ReaderContext) {
    super(context, 'values')
  }

  protected read(text: string, number: number): string | null {
    if (this.#prefix === null || !text.startsWith(this.#prefix)) {
      const reason = this.#begin(text)
      if (reason !== null) return reason
    }
    if (this.#metric === null) return null
    const start = this.#prefix!.length
    const expected = this.#repetitions[this.#next]
    let column = this.#next
    let valueAt = start + (expected?.length ?? 0)
    if (expected === undefined || !text.startsWith(expected, start)) {
      const afterVersion = text.indexOf('\t', start)
      const afterId = text.indexOf('\t', afterVersion + 1)
      if (afterVersion === -1 || afterId === -1) return 'fewer than six fields: skipped'
      const found = this.column(this.#query!, text.slice(start, afterVersion), text.slice(afterVersion + 1, afterId))
      if (found === null) return NO_REPETITION
      valueAt = afterId + 1
      column = found
      this.#repetitions[column] ??= ownCopy(text.slice(start, valueAt))
    }
    this.#next = column + 1
    this.set(this.#query!, this.#metric, column, text.slice(valueAt), number)
    return null
  }

  /** Another query or metric; gives what is wrong with the line, or null. */
  #begin(text: string): string | null {
    this.#prefix = null
    const afterTest = text.indexOf('\t')
    const afterIndex = text.indexOf('\t', afterTest + 1)
    const afterMetric = text.indexOf('\t', afterIndex + 1)
    if (afterTest === -1 || afterIndex === -1 || afterMetric === -1) return 'fewer than six fields: skipped'
    const name = text.slice(afterIndex + 1, afterMetric)
    if (name === '' || name.length > LONGEST_METRIC) return 'not a metric name: skipped'
    const query = this.query(text.slice(0, afterTest), text.slice(afterTest + 1, afterIndex))
    if (query === null) return NO_QUERY
    if (query !== this.#query) this.#repetitions = []
    this.#query = query
    this.#metric = this.metric(unescapeTsv(name))
    this.#next = 0
    this.#prefix = text.slice(0, afterMetric + 1)
    return null
  }
}

/** test, query_index, version, query_id, metric_names, metric_values: two arrays of the same length, in no order of lines. */
class RepetitionReader extends MetricsReader {
  /** The names of the line before, which are mostly those of all, and what they stand for. */
  #names = ''
  #metrics: readonly (number | null)[] = []

  constructor(context: ReaderContext) {
    super(context, 'repetitions')
  }

  protected read(text: string, number: number): string | null {
    const fields = text.split('\t')
    const [test, index, version, id, names, given] = fields
    if (fields.length !== 6 || version === undefined || id === undefined || names === undefined) {
      return 'not six fields: skipped'
    }
    if (names !== this.#names) {
      const parsed = parseArray(names)
      if (parsed === null || parsed.some((name) => name === '' || name.length > LONGEST_METRIC)) {
        return 'not an array of metric names: skipped'
      }
      this.#metrics = parsed.map((name) => this.metric(name))
      this.#names = ownCopy(names)
    }
    const values = parseArray(given ?? '')
    if (values?.length !== this.#metrics.length) return 'a different number of values and names: skipped'
    const query = this.query(test, index)
    if (query === null) return NO_QUERY
    const column = this.column(query, version, id)
    if (column === null) return NO_REPETITION
    for (const [place, metric] of this.#metrics.entries()) {
      if (metric !== null) this.set(query, metric, column, values[place]!, number)
    }
    return null
  }
}

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
