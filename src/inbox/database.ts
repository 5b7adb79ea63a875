import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** A statement of a file in `sql/`, whose parameters stand in it as `:name`. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export type Value = null | number | string | Uint8Array

export type Parameters = Readonly<Record<string, Value>>

export interface TransactionOptions {
  /**
   * False, for what is done again where it is lost: what is written need not be on disk when the promise resolves. The death of
   * the process loses none of it; a loss of power may lose it together with all that was written after it, and nothing from before.
   */
  readonly isDurable?: boolean
  /**
   * False, for what needs no look at what others write meanwhile: where several processes share the database it waits for none of
   * their transactions, but for the rows that both write. One within it that must be serial makes it so from there on.
   */
  readonly isSerial?: boolean
}

export interface DatabaseSize {
  /** On the disk, with indexes. */
  readonly bytes: number
  readonly tables: readonly { readonly table: string; readonly rows: number }[]
}

/**
 * What the inbox is kept in. A statement outside of a transaction is one of its own, and on disk when its promise resolves.
 * Integers come back as numbers, bytes as `Uint8Array`; truth may be 0 or 1 (`flag`).
 */
export interface Database {
  /** Every row, as the schema says. Rejects with `RowUnusable` where one is not of that shape. */
  rows<Row>(statement: Statement, schema: z.ZodType<Row>, parameters?: Parameters): Promise<Row[]>
  /** The first row, as the schema says; null: there is none. Rejects as `rows`. */
  row<Row>(statement: Statement, schema: z.ZodType<Row>, parameters?: Parameters): Promise<Row | null>
  /** How many rows were changed. */
  run(statement: Statement, parameters?: Parameters): Promise<number>
  /**
   * All of it or nothing, and one transaction after the other, those of other processes among them: what it reads still holds
   * when it writes. All that `work` awaits is part of it, another transaction too, whose durability is that of the outer one.
   * It awaits nothing but the database, since everybody else waits meanwhile.
   */
  transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Writes, and rejects when that can't be done. */
  ping(): Promise<void>
  /** Asks for no lock, and for no time that grows with the rows where they may be millions. */
  size(): Promise<DatabaseSize>
  /** Nothing may be called afterwards. */
  close(): Promise<void>
}

/** The database can't be used as it is. The message says what is wrong with it and what to do. */
export class InboxUnusable extends Error {
  override readonly name = 'InboxUnusable'
}

/** The database is one of a newer version. The message says which, and what to do. */
export class InboxNewer extends Error {
  override readonly name = 'InboxNewer'
}

/** The database can't be reached, or takes nothing at the moment: the same may succeed later. The message says why. */
export class InboxUnavailable extends Error {
  override readonly name = 'InboxUnavailable'
}

/** What `InboxNewer` says of a file or an address, and what to do. */
export function writtenByNewer(place: string, version: number, known: number): string {
  return (
    `${place} was written by a newer perf-triage (table version ${version}; this one knows ${known}). Start ` +
    'the newer version again, or restore a backup from before the update ("perf-triage restore --help")'
  )
}

/** A row of the inbox is not one that perf-triage writes: the file was edited, or is damaged. */
export class RowUnusable extends Error {
  override readonly name = 'RowUnusable'
}

/** A row as the schema says. Throws `RowUnusable`. */
export function usable<Row>(row: unknown, schema: z.ZodType<Row>): Row {
  const read = schema.safeParse(row)
  if (read.success) return read.data
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  throw new RowUnusable(
    `a row of the inbox can't be read (${problems}): restore a backup ("perf-triage restore --help")`,
  )
}

/** True and false of either engine. */
export const flag = z.union([z.boolean(), z.literal([0, 1]).transform((value) => value === 1)])

/** Statements of a file in `sql/`; each begins with a line `-- name: …`. */
export function statementsOf<Name extends string>(
  file: string,
  names: readonly Name[],
): Readonly<Record<Name, Statement>> {
  const texts = new Map(sectionsOf(file, 'name'))
  const statements = names.map((name): [Name, Statement] => {
    const text = texts.get(name)
    if (text === undefined) throw new Error(`${file} has no statement "${name}"`)
    return [name, { name, text }]
  })
  return Object.fromEntries(statements) as Record<Name, Statement>
}

/** The sections of a file in `sql/`, each with the rest of the line `-- name: …` that it begins with. */
export function sectionsOf(file: string, begin: 'name' | 'migration'): (readonly [name: string, text: string])[] {
  const text = readFileSync(new URL(`sql/${file}`, import.meta.url), 'utf8')
  const sections = text.split(new RegExp(`^-- ${begin}: `, 'm')).slice(1)
  return sections.map((section) => {
    const end = section.indexOf('\n')
    return [section.slice(0, end).trim(), section.slice(end + 1)]
  })
}
