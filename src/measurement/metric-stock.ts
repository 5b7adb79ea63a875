import { LimitReached, type Limits } from './limits.ts'
import { type MetricAllowance, MetricTable } from './metric-table.ts'

/** The same values in two files: a line for each of them, or one for each repetition. */
export type MetricFile = 'values' | 'repetitions'

/** What one member says of the metrics of queries. */
export interface MemberMetrics {
  readonly file: MetricFile
  readonly where: string
  /** It was read to its end, the end is there, and so is something before it. */
  readonly isWhole: boolean
  readonly table: MetricTable
}

/** Keeps the metrics of all members of a source within its limits, and of two files with the same values one. */
export class MetricStock implements MetricAllowance {
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
