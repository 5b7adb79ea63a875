import type { z } from 'zod'
import type { QueryParameters } from './client.ts'
import { type ExternalDatabase, ExternalDatabaseUnavailable, quotedTable, UNKNOWN_COLUMN } from './external-database.ts'

/** How the statements want one column of a table that others made. */
export interface Column {
  /** Types that are taken as they are. */
  readonly type: RegExp
  /** How one of another type is read. */
  readonly read: string
  /** The expression in the column's place where the table lacks it; null: without it there is nothing to ask. */
  readonly absent: string | null
}

export type Columns = Readonly<Record<string, Column>>

/** Every type of text; of a column that may be missing its place is taken by an empty one. */
export function textColumn(name: string, isEssential = false): Column {
  return {
    type: /^(String|LowCardinality\(String\))$/,
    read: `ifNull(toString(${name}), '')`,
    absent: isEssential ? null : "''",
  }
}

/** Seconds; without it there is nothing to ask. */
export function timeColumn(name: string): Column {
  return {
    type: /^DateTime(\(.*\))?$/,
    read: `toDateTime(ifNull(${name}, toDateTime(0)), 'UTC')`,
    absent: null,
  }
}

/** How long the columns of the table are taken for known. Milliseconds. */
const COLUMNS_KNOWN = 10 * 60_000

/** A table of a server of others, read in the columns that the statements name, whatever it has and in whichever types. */
export class ExternalTable {
  readonly #database: ExternalDatabase
  readonly #table: string
  readonly #quoted: string
  readonly #columns: Columns
  #known: { readonly sql: string; readonly at: number } | null = null

  /** @throws ExternalDatabaseUnavailable for a name of a table that is none */
  constructor(database: ExternalDatabase, table: string, columns: Columns) {
    this.#database = database
    this.#table = table
    this.#quoted = quotedTable(table)
    this.#columns = columns
  }

  /** `sqlOf`: the statement over a SELECT of the columns. @throws ExternalDatabaseUnavailable */
  async read<T>(
    name: string,
    sqlOf: (columns: string) => string,
    parameters: QueryParameters,
    row: z.ZodType<T>,
  ): Promise<T[]> {
    for (;;) {
      const known = this.#known
      try {
        return await this.#database.read(name, sqlOf(await this.columns()), parameters, row)
      } catch (error) {
        const isOutdated = error instanceof ExternalDatabaseUnavailable && error.code === UNKNOWN_COLUMN
        // The table may have changed since its columns were read.
        if (!isOutdated || known === null) throw error
        this.#known = null
      }
    }
  }

  /** A SELECT of the columns, whatever the table has. @throws ExternalDatabaseUnavailable */
  async columns(): Promise<string> {
    const known = this.#known
    if (known !== null && Date.now() - known.at < COLUMNS_KNOWN) return known.sql
    const types = await this.#database.columnsOf(this.#table)
    const columns = Object.entries(this.#columns)
    const missing = columns.filter(([name, { absent }]) => absent === null && !types.has(name)).map(([name]) => name)
    if (missing.length > 0) {
      throw new ExternalDatabaseUnavailable(
        'missing-column',
        `Table ${this.#quoted} of ${this.#database.called} has no column ${missing.join(', ')}.`,
      )
    }
    const selected = columns.map(([name, { type, read, absent }]) => {
      const stated = types.get(name)
      if (stated === undefined) return `${absent} AS ${name}`
      return type.test(stated) ? name : `${read} AS ${name}`
    })
    const sql = `SELECT ${selected.join(', ')} FROM ${this.#quoted}`
    this.#known = { sql, at: Date.now() }
    return sql
  }
}
