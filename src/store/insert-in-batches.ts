import type { ClickHouse } from './client.ts'
import { nativeBlocks } from './native-block.ts'
import { insertInto, type Table } from './table.ts'

/** Characters of one insert: what is held in memory, twice while one is written and the next is read. */
const BATCH_CHARACTERS = 16 * 2 ** 20
/** Months of one insert: ClickHouse takes 100 partitions, and rows of any time may come. */
const BATCH_MONTHS = 60

export interface BatchedInsert<Row, Stored> {
  readonly table: Table<Stored>
  /** Rows of one insert at most. */
  readonly batchRows: number
  readonly rowOf: (row: Row) => Stored
  /** The characters of a row, about. */
  readonly charactersOf: (row: Row) => number
  /** The time of a row, by which the table is partitioned by months; seconds since 1970. */
  readonly secondsOf: (row: Row) => number
  /** Told after each insert how many rows are stored. */
  readonly onProgress?: ((rows: number) => void) | undefined
}

/**
 * Stores rows as they come and gives their number; one insert is written while the next is read. Memory does not grow with
 * the number of rows. @throws StoreUnavailable; what was stored before that stays.
 */
export async function insertInBatches<Row, Stored>(
  clickhouse: ClickHouse,
  rows: AsyncIterable<Row> | Iterable<Row>,
  insert: BatchedInsert<Row, Stored>,
): Promise<number> {
  const { table, batchRows, rowOf, charactersOf, secondsOf, onProgress } = insert
  // few rows need no block: a column that has no place in one is to be seen all the same
  const blockOf = nativeBlocks(table)
  const store = async (batch: readonly Stored[]) => {
    if (batch.length < MANY_ROWS) await insertInto(clickhouse, table, batch)
    else await clickhouse.insertBlock(table.name, table.columnNames, blockOf(batch))
  }
  let stored = 0
  let writing: Promise<void> = Promise.resolve()
  let batch = new Batch<Stored>(batchRows)

  const flush = async () => {
    const full = batch.rows
    batch = new Batch<Stored>(batchRows)
    await writing
    writing = store(full).then(() => {
      stored += full.length
      onProgress?.(stored)
    })
    // Read while it is written; its error comes with the next await.
    writing.catch(() => {})
  }

  for await (const row of rows) {
    const [characters, month] = [charactersOf(row), monthOf(secondsOf(row))]
    if (!batch.takes(characters, month)) await flush()
    batch.add(rowOf(row), characters, month)
  }
  if (batch.rows.length > 0) await flush()
  await writing
  return stored
}

/** Fewer rows go as JSON, which a person can read. */
const MANY_ROWS = 1000

class Batch<Row> {
  readonly rows: Row[] = []
  readonly #most: number
  #characters = 0
  readonly #months = new Set<number>()

  constructor(most: number) {
    this.#most = most
  }

  takes(characters: number, month: number): boolean {
    if (this.rows.length === 0) return true
    return (
      this.rows.length < this.#most &&
      this.#characters + characters <= BATCH_CHARACTERS &&
      (this.#months.size < BATCH_MONTHS || this.#months.has(month))
    )
  }

  add(row: Row, characters: number, month: number): void {
    this.rows.push(row)
    this.#characters += characters
    this.#months.add(month)
  }
}

function monthOf(seconds: number): number {
  const date = new Date(seconds * 1000)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
