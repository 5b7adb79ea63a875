import { LimitReached, type Limits } from './limits.ts'
import type { Side } from './run.ts'
import { ownCopy } from './stack-counts.ts'

/** A repetition of a query on one side. */
export interface MetricRepetition {
  readonly side: Side
  /** The number of the repetition, or the query id where that has another form, as in `RepetitionId`. */
  readonly id: number | string
}

/** The allowance of a table: called before the table takes that much more, and throws `LimitReached`. */
interface MetricAllowance {
  values(count: number): void
  text(count: number): void
}

/** A place without a value; NaN itself is none. */
const NONE = Number.NaN

/** A query has a hundred metrics and more, and seven repetitions a side. */
const FIRST_METRICS = 32
const FIRST_REPETITIONS = 8

/** The metrics of one query: one line of places for each metric, one column for each repetition, in one block of memory. */
export class QueryMetrics {
  readonly test: string
  readonly queryIndex: number
  /** The repetitions in the order in which they came. */
  readonly repetitions: MetricRepetition[] = []
  readonly #allowance: MetricAllowance
  /** The line of each metric, by the metric's number. */
  readonly #lines = new Map<number, number>()
  readonly #columns = new Map<string, number>()
  #values: Float64Array
  #width = FIRST_REPETITIONS
  #height = FIRST_METRICS

  constructor(test: string, queryIndex: number, allowance: MetricAllowance) {
    this.test = test
    this.queryIndex = queryIndex
    this.#allowance = allowance
    this.#values = this.#block(this.#height, this.#width)
  }

  /** The column of a repetition, a new one where it is not there yet; `key` tells it apart within the query. */
  column(key: string, repetition: () => MetricRepetition): number {
    const known = this.#columns.get(key)
    if (known !== undefined) return known
    const column = this.repetitions.length
    if (column === this.#width) this.#resize(this.#height, Math.ceil((this.#width * 1.25) / 4) * 4)
    this.#columns.set(ownCopy(key), column)
    this.repetitions.push(repetition())
    return column
  }

  /** False when there is a value already: the first one stands. `value` is a number, not NaN. */
  set(metric: number, column: number, value: number): boolean {
    let line = this.#lines.get(metric)
    if (line === undefined) {
      line = this.#lines.size
      if (line === this.#height) this.#resize(Math.ceil(this.#height * 1.5), this.#width)
      this.#lines.set(metric, line)
    }
    const place = line * this.#width + column
    if (!Number.isNaN(this.#values[place]!)) return false
    // some versions write -0 for what was not counted
    this.#values[place] = value === 0 ? 0 : value
    return true
  }

  /** The numbers of its metrics, in the order in which they came. */
  metrics(): Iterable<number> {
    return this.#lines.keys()
  }

  /** The values in these columns, without those that are not there. */
  values(metric: number, columns: readonly number[]): number[] {
    const line = this.#lines.get(metric)
    if (line === undefined) return []
    const start = line * this.#width
    return columns.map((column) => this.#values[start + column]!).filter((value) => !Number.isNaN(value))
  }

  #resize(height: number, width: number): void {
    const values = this.#block(height, width)
    for (let line = 0; line < this.#height; line += 1) {
      values.set(this.#values.subarray(line * this.#width, (line + 1) * this.#width), line * width)
    }
    this.#allowance.values(-this.#values.length)
    this.#values = values
    this.#height = height
    this.#width = width
  }

  #block(height: number, width: number): Float64Array {
    this.#allowance.values(height * width)
    return new Float64Array(height * width).fill(NONE)
  }
}

/** All that one file says of the metrics of queries while it is read. */
export class MetricTable {
  /** The name of each metric, by its number. */
  readonly names: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #queries = new Map<string, QueryMetrics>()
  readonly #allowance: MetricAllowance

  constructor(allowance: MetricAllowance) {
    this.#allowance = allowance
  }

  get size(): number {
    return this.#queries.size
  }

  query(test: string, queryIndex: number): QueryMetrics {
    const key = keyOf(test, queryIndex)
    const known = this.#queries.get(key)
    if (known !== undefined) return known
    this.#allowance.text(key.length)
    const query = new QueryMetrics(test, queryIndex, this.#allowance)
    this.#queries.set(key, query)
    return query
  }

  /** The number that stands for a name, so that each name is held once. */
  metric(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#allowance.text(name.length)
    this.#numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }

  at(test: string, queryIndex: number): QueryMetrics | null {
    return this.#queries.get(keyOf(test, queryIndex)) ?? null
  }

  /** Lets go of everything. */
  clear(): void {
    this.names.length = 0
    this.#numbers.clear()
    this.#queries.clear()
  }
}

function keyOf(test: string, queryIndex: number): string {
  return `${queryIndex} ${test}`
}

/** The two files that hold the same values: one has a line for each value, the other one for each repetition. */
export type MetricFile = 'values' | 'repetitions'

/** The metrics of queries in one member. */
export interface MemberMetrics {
  readonly file: MetricFile
  readonly where: string
  /** The member was read to its end, the end is there, and so is something before it. */
  readonly isWhole: boolean
  readonly table: MetricTable
}

/** Keeps the metrics of all members of a source within its limits, and of two files with the same values one. */
export class SourceMetrics implements MetricAllowance {
  readonly #limits: Pick<Limits, 'metricValues' | 'metricText'>
  #values = 0
  #text = 0
  #repetitions: MetricTable | null = null
  #hasValues = false

  constructor(limits: Pick<Limits, 'metricValues' | 'metricText'>) {
    this.#limits = limits
  }

  /** The file with a line for each value was read as a whole: the other one says nothing more. */
  get hasValues(): boolean {
    return this.#hasValues
  }

  open(file: MetricFile): MetricTable {
    const table = new MetricTable(this)
    if (file === 'repetitions') this.#repetitions = table
    return table
  }

  gotValues(): void {
    this.#hasValues = true
    this.#repetitions?.clear()
  }

  values(count: number): void {
    const { metricValues } = this.#limits
    this.#values += count
    if (this.#values > metricValues) throw new LimitReached('metricValues', metricValues, false)
  }

  text(count: number): void {
    const { metricText } = this.#limits
    this.#text += count
    if (this.#text > metricText) throw new LimitReached('metricText', metricText, false)
  }
}
