import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import { LimitReached } from '../limits.ts'
import {
  type OwnPart,
  type PublishedQuery,
  type PublishedRow,
  PublishedRows,
  type PublishedTable,
} from '../own-report.ts'
import { PRIMARY_METRIC } from '../run.ts'
import { ownCopy } from '../stack-counts.ts'
import { withoutSuffix } from './clickhouse-raw.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/**
 * The tables of ClickHouse's report: what it measured, flagged and by which thresholds. Beside the raw files they say how the check
 * itself judged; without them the one with a line for each query, or for each query and metric, is the run.
 */
export const clickhouseReport: readonly Format[] = [
  table('queries.tsv', { flags: [0, 2], old: 4, test: 8 }, true),
  table('all-queries.tsv', { flags: [0, 1], old: 2, difference: 5, test: 7 }, false),
  {
    ...table('all-query-metrics.tsv', { metric: 0, old: 1, threshold: 5, test: 6, thresholds: [9, 10] }, false),
    fields: { metric: 0, test: 6 },
    matchesContent: isMetricsTable,
  },
  format('thresholds.tsv', (context) => new ThresholdsReader(context)),
  format('historical-thresholds.tsv', () => new LearnedReader()),
]

function format(name: string, reader: (context: ReaderContext) => MemberReader): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    // nothing was learned, or nothing flagged
    mayBeEmpty: true,
    looksFor: name,
    oneSided: false,
    matchesName: (fileName) => (fileName === name ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: () => name,
    reader,
  }
}

/** The positions of the fields: D behind the two values and T behind D, index and text behind the test, where nothing else is said. */
interface Columns {
  readonly metric?: number
  readonly old: number
  readonly difference?: number
  readonly threshold?: number
  readonly test: number
  readonly flags?: readonly [changed: number, unstable: number]
  readonly thresholds?: readonly [changed: number, unstable: number]
}

function table(name: PublishedTable, columns: Columns, hasHeader: boolean): Format {
  return format(name, (context) => new PublishedReader(context, name, columns, hasHeader))
}

/** A file by another name, such as one that was downloaded from an address. */
function isMetricsTable(head: string): boolean {
  const fields = head.slice(0, head.indexOf('\n')).split('\t')
  const numbers = fields.slice(1, 6).map(parseSample)
  return (
    (fields.length === 9 || fields.length === 11) &&
    /^\w+$/.test(fields[0]!) &&
    numbers.length === 5 &&
    numbers.every((value) => value !== null) &&
    parseIndex(fields[7]) !== null
  )
}

/** `text`: the name as it stands in the line. */
type NamedQuery = PublishedQuery & { readonly text: string }

const CUT = 'the last line has no newline, so it may be cut off: skipped'

class PublishedReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #table: PublishedTable
  readonly #columns: Columns
  readonly #hasHeader: boolean
  readonly #rows = new PublishedRows()
  /** Queries by test and index, and metrics: a table names each some hundred times. */
  readonly #queries = new Map<string, NamedQuery>()
  readonly #metrics = new Map<string, string>()
  /** Another file of this name has another header. */
  #isOther = false

  constructor(context: ReaderContext, name: PublishedTable, columns: Columns, hasHeader: boolean) {
    this.#context = context
    this.#table = name
    this.#columns = columns
    this.#hasHeader = hasHeader
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '' || this.#isOther) return
    if (this.#hasHeader && number <= 2) {
      if (number === 1) this.#isOther = !text.startsWith('changed_fail\t')
      return
    }
    if (!ended) {
      this.#context.warn('truncated-line', number, CUT)
      return
    }
    const fields = text.split('\t')
    const query = this.#query(fields, this.#columns.test)
    const row = query === null ? null : this.#row(fields, query)
    if (query === null || row === null) {
      this.#context.warn('malformed-line', number, `this is not a line of ${this.#table}: skipped`)
      return
    }
    const { measurements } = this.#context.budget.limits
    if (this.#rows.length >= measurements) throw new LimitReached('measurements', measurements, false)
    this.#rows.push(query, row)
  }

  end(): Contribution {
    if (this.#isOther) return NOTHING
    return { ...NOTHING, own: { kind: 'rows', table: this.#table, rows: this.#rows } }
  }

  #row(fields: readonly string[], { test, queryIndex, queryName }: NamedQuery): PublishedRow | null {
    const { metric: ofMetric, old, difference = old + 2, threshold = difference + 1, flags, thresholds } = this.#columns
    const before = parseSample(fields[old]!)
    const after = parseSample(fields[old + 1]!)
    const d = parseSample(fields[difference]!)
    const t = parseSample(fields[threshold]!)
    if (before === null || after === null || d === null || t === null) return null
    const metric = ofMetric === undefined ? PRIMARY_METRIC : this.#metric(fields[ofMetric]!)
    // by other metrics the report flags nothing
    const own = metric === PRIMARY_METRIC ? thresholds : undefined
    return {
      test,
      queryIndex,
      queryName,
      metric,
      old: before,
      new: after,
      difference: d,
      threshold: t,
      changedThreshold: own === undefined ? null : finite(fields[own[0]]),
      unstableThreshold: own === undefined ? null : finite(fields[own[1]]),
      changed: flags === undefined ? null : fields[flags[0]] === '1',
      unstable: flags === undefined ? null : fields[flags[1]] === '1',
    }
  }

  #query(fields: readonly string[], at: number): NamedQuery | null {
    const [test, index, name] = [fields[at], fields[at + 1], fields[at + 2]]
    const queryIndex = parseIndex(index)
    if (test === undefined || test === '' || queryIndex === null || name === undefined) return null
    const key = `${index}\t${test}`
    const known = this.#queries.get(key)
    // texts are compared, and not looked up: they are long, and each would be summed up first
    if (known?.text === name) return known
    const { budget } = this.#context
    const queryName = withoutSuffix(unescapeTsv(name), queryIndex)
    const query = {
      test: budget.keep(unescapeTsv(test)),
      queryIndex,
      queryName: queryName === '' ? null : budget.keep(queryName),
      text: budget.keep(name),
    }
    this.#queries.set(ownCopy(key), query)
    return query
  }

  #metric(name: string): string {
    let metric = this.#metrics.get(name)
    if (metric === undefined) {
      metric = this.#context.budget.keep(unescapeTsv(name))
      this.#metrics.set(ownCopy(name), metric)
    }
    return metric
  }
}

function finite(text: string | undefined): number | null {
  const value = text === undefined ? null : parseSample(text)
  return value !== null && Number.isFinite(value) ? value : null
}

/** test, query_index, changed_threshold, unstable_threshold, query_display_name, below two lines of names and types. */
class ThresholdsReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #rows: Extract<OwnPart, { kind: 'thresholds' }>['rows'][number][] = []
  #isOther = false

  constructor(context: ReaderContext) {
    this.#context = context
  }

  line(text: string, number: number, ended: boolean): void {
    if (number === 1) this.#isOther = !text.startsWith('test\tquery_index\tchanged_threshold\t')
    if (number <= 2 || text === '' || this.#isOther) return
    if (!ended) {
      this.#context.warn('truncated-line', number, CUT)
      return
    }
    const [test, index, changed, unstable] = text.split('\t')
    const queryIndex = parseIndex(index)
    if (test === undefined || queryIndex === null) {
      this.#context.warn('malformed-line', number, 'this is not a line of thresholds.tsv: skipped')
      return
    }
    const { measurements } = this.#context.budget.limits
    if (this.#rows.length >= measurements) throw new LimitReached('measurements', measurements, false)
    this.#rows.push({
      test: this.#context.budget.keep(unescapeTsv(test)),
      queryIndex,
      changedThreshold: finite(changed),
      unstableThreshold: finite(unstable),
    })
  }

  end(): Contribution {
    return this.#isOther ? NOTHING : { ...NOTHING, own: { kind: 'thresholds', rows: this.#rows } }
  }
}

/** A line for each query of which history has taught a threshold: empty where the history could not be asked. */
class LearnedReader implements MemberReader {
  #queries = 0

  line(text: string): void {
    if (text !== '') this.#queries += 1
  }

  end(): Contribution {
    return { ...NOTHING, own: { kind: 'learned', queries: this.#queries } }
  }
}
