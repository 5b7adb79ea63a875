import { BAD, binOf } from './bins.ts'

/** Rows of a piece of memory: 64 Ki, so that none is copied when there are more. */
const PIECE_BITS = 16
const PIECE = 2 ** PIECE_BITS

/** The cells (a query in a group) that two bytes tell apart, times the variants. */
const MOST_CODES = 2 ** 16

/** Bytes of a row beside its values: the minute in four, cell and variant in two. */
const ROW_BYTES = 6

/** The most that all rows may take: 8 million rows of eight metrics take a third of it. */
const MOST_BYTES = 512_000_000
/** Rows beyond are refused whatever they take. */
export const MOST_ROWS = 8_000_000

/** More than memory is given for: of rows, of metrics, of both together, of queries and groups. */
export class TooManyExecutions extends Error {
  override readonly name = 'TooManyExecutions'
  readonly of: 'rows' | 'metrics' | 'memory' | 'cells'

  constructor(of: TooManyExecutions['of'], message: string) {
    super(message)
    this.of = of
  }
}

/** Executions of queries as a log has them, in columns: `6 + 2 × metrics` bytes each, whatever their values. */
export class Executions {
  /** How many variants ran; the first is what the others are compared with. */
  readonly variants: number
  /** A metric for each column. */
  readonly #columns = new Map<string, Uint16Array[]>()
  readonly #minutes: Uint32Array[] = []
  readonly #cells: Uint16Array[] = []
  rows = 0

  constructor(variants = 2) {
    this.variants = variants
  }

  /** The cells that can be told apart. */
  get mostCells(): number {
    return Math.floor(MOST_CODES / this.variants)
  }

  get metrics(): readonly string[] {
    return [...this.#columns.keys()]
  }

  /**
   * Adds an execution. `minute` counts from 1970. A metric that is not among its values is 0: a log names only the events that
   * happened. Throws `TooManyExecutions`.
   */
  add(minute: number, cell: number, variant: number, values: Iterable<readonly [metric: string, value: number]>): void {
    this.open(minute, cell, variant)
    for (const [metric, value] of values) this.put(metric, value)
    this.close()
  }

  /** Begins an execution, of which `put` gives the values and `close` the end: what `add` does without a list of them. */
  open(minute: number, cell: number, variant: number): void {
    if (this.rows >= MOST_ROWS) {
      throw new TooManyExecutions('rows', `more than ${MOST_ROWS.toLocaleString('en')} executions`)
    }
    const place = this.rows & (PIECE - 1)
    if (place === 0) this.#grow()
    const piece = this.rows >>> PIECE_BITS
    this.#minutes[piece]![place] = minute
    this.#cells[piece]![place] = cell * this.variants + variant
  }

  put(metric: string, value: number): void {
    const column = this.#columns.get(metric) ?? this.#addColumn(metric)
    column[this.rows >>> PIECE_BITS]![this.rows & (PIECE - 1)] = binOf(value)
  }

  close(): void {
    this.rows += 1
  }

  has(metric: string): boolean {
    return this.#columns.has(metric)
  }

  minute(row: number): number {
    return this.#minutes[row >>> PIECE_BITS]![row & (PIECE - 1)]!
  }

  cell(row: number): number {
    return Math.floor(this.#code(row) / this.variants)
  }

  variant(row: number): number {
    return this.#code(row) % this.variants
  }

  #code(row: number): number {
    return this.#cells[row >>> PIECE_BITS]![row & (PIECE - 1)]!
  }

  /** The bins of a metric: `BAD` where the value is none. */
  bins(metric: string): (row: number) => number {
    const column = this.#columns.get(metric)!
    return (row) => column[row >>> PIECE_BITS]![row & (PIECE - 1)]!
  }

  /** How many values of a metric are none. */
  badValues(metric: string): number {
    let count = 0
    for (const piece of this.#filled(metric)) {
      for (const bin of piece) if (bin === BAD) count += 1
    }
    return count
  }

  /** Takes out the metrics of which no execution has a value. */
  dropEmpty(): void {
    for (const metric of this.metrics) {
      if (this.#filled(metric).every((piece) => piece.every((bin) => bin === BAD))) this.#columns.delete(metric)
    }
  }

  /** The bins of a metric without the room for further rows: a small log of many metrics is mostly that. */
  #filled(metric: string): readonly Uint16Array[] {
    return this.#columns.get(metric)!.map((piece, index) => piece.subarray(0, this.rows - index * PIECE))
  }

  /** The rows by cell, within it by minute. */
  order(): Uint32Array {
    let order = Uint32Array.from({ length: this.rows }, (_, row) => row)
    let spare = new Uint32Array(this.rows)
    const digits: readonly ((row: number) => number)[] = [
      (row) => this.minute(row) & 0xffff,
      (row) => this.minute(row) >>> 16,
      (row) => this.cell(row),
    ]
    for (const digit of digits) {
      sortBy(digit, order, spare)
      ;[order, spare] = [spare, order]
    }
    return order
  }

  #grow(): void {
    this.#refuseBeyond(this.#minutes.length + 1, this.#columns.size)
    this.#minutes.push(new Uint32Array(PIECE))
    this.#cells.push(new Uint16Array(PIECE))
    for (const column of this.#columns.values()) column.push(new Uint16Array(PIECE))
  }

  #addColumn(metric: string): Uint16Array[] {
    this.#refuseBeyond(this.#minutes.length, this.#columns.size + 1)
    const column = this.#minutes.map(() => new Uint16Array(PIECE))
    this.#columns.set(metric, column)
    return column
  }

  #refuseBeyond(pieces: number, metrics: number): void {
    const bytes = pieces * PIECE * (ROW_BYTES + metrics * 2)
    if (metrics > MOST_METRICS) {
      throw new TooManyExecutions('metrics', `more than ${MOST_METRICS.toLocaleString('en')} metrics`)
    }
    if (bytes <= MOST_BYTES) return
    const size = `${this.rows.toLocaleString('en')} executions with ${metrics.toLocaleString('en')} metrics`
    throw new TooManyExecutions('memory', `${size} and more take more than ${MOST_BYTES / 1e6} MB`)
  }
}

/** ClickHouse has some 1,000 events; a hostile log as many as it likes. */
const MOST_METRICS = 1200

/** A stable counting sort from one array into the other by a digit of 16 bits. */
function sortBy(digit: (row: number) => number, from: Uint32Array, to: Uint32Array): void {
  const starts = new Uint32Array(2 ** 16 + 1)
  for (const row of from) starts[digit(row) + 1]! += 1
  for (let i = 1; i < starts.length; i += 1) starts[i]! += starts[i - 1]!
  for (const row of from) {
    const value = digit(row)
    to[starts[value]!] = row
    starts[value]! += 1
  }
}
