import { z } from 'zod'
import type { ClickHouse } from './client.ts'
import { count, bool as storedBool, float as storedFloat } from './column-values.ts'

/**
 * A table is declared once: each column with its type and with what a row has in it. The insert, the reading, and the comparison with
 * the database's own DESCRIBE follow from that. Tables are created and changed by migrations alone.
 */

/** What a column holds: as ClickHouse calls it, as a value is written into it, and as it comes back. */
export interface ColumnType<Value, Read extends z.ZodType = z.ZodType> {
  readonly type: string
  readonly write: (value: Value) => unknown
  readonly read: Read
}

export interface Column<Row, Read extends z.ZodType = z.ZodType> {
  readonly type: string
  /** The value in the JSON of an insert. */
  readonly of: (row: Row) => unknown
  readonly read: Read
}

/** Columns of rows of one kind. */
export function columnOf<Row>() {
  return <Value, Read extends z.ZodType>(
    { type, write, read }: ColumnType<Value, Read>,
    valueIn: (row: Row) => Value,
  ): Column<Row, Read> => ({ type, read, of: write === asIs ? valueIn : (row) => write(valueIn(row)) })
}

export interface Table<Row, Columns = unknown> {
  readonly name: string
  readonly columns: Columns
  readonly columnNames: readonly string[]
  /** In the order of `columnNames`, like the next. */
  readonly columnList: readonly Column<Row>[]
  readonly valuesOf: (row: Row) => unknown[]
}

/** Columns that ClickHouse fills in by itself have no place in it. */
export function table<Row, Columns extends Readonly<Record<string, Column<Row>>>>(
  name: string,
  columns: Columns & Readonly<Record<string, Column<Row>>>,
): Table<Row, Columns> {
  const columnList = Object.values<Column<Row>>(columns)
  const valuesOf = (row: Row) => columnList.map(({ of }) => of(row))
  return { name, columns, columnNames: Object.keys(columns), columnList, valuesOf }
}

/** Rows are made one by one while they are written. @throws StoreUnavailable */
export async function insertInto<Row>(clickhouse: ClickHouse, of: Table<Row>, rows: Iterable<Row>): Promise<void> {
  const values = { [Symbol.iterator]: () => Iterator.from(rows).map(of.valuesOf) }
  await clickhouse.insert(of.name, of.columnNames, values)
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

type Readable = Readonly<Record<string, Pick<Column<never>, 'read'>>>

type Reading<Columns extends Readable, Name extends keyof Columns & string> = {
  -readonly [N in Name as CamelCase<N>]: Columns[N]['read']
}

/** A row of a statement that selects these columns, each under its name in camelCase. */
export function reading<Columns extends Readable, Name extends keyof Columns & string>(
  { columns }: { readonly columns: Columns },
  ...names: readonly Name[]
): z.ZodObject<Reading<Columns, Name>> {
  const shape = names.map((name) => [camelCase(name), columns[name]!.read])
  return z.object(Object.fromEntries(shape)) as unknown as z.ZodObject<Reading<Columns, Name>>
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

const asIs = <Value>(value: Value) => value
const integer = <Read extends z.ZodType>(type: string, read: Read): ColumnType<number, Read> => ({
  type,
  write: asIs,
  read,
})

export const uint8 = integer('UInt8', z.number())
export const uint16 = integer('UInt16', z.number())
export const uint32 = integer('UInt32', z.number())
export const uint64 = integer('UInt64', count)
/** Seconds since 1970. */
export const dateTime = integer("DateTime('UTC')", z.number())

export const float64: ColumnType<number, typeof storedFloat> = { type: 'Float64', write: float, read: storedFloat }
export const bool: ColumnType<boolean, typeof storedBool> = { type: 'Bool', write: asIs, read: storedBool }
export const uuid: ColumnType<string, z.ZodString> = { type: 'UUID', write: asIs, read: z.string() }
export const string: ColumnType<string, z.ZodString> = {
  type: 'String',
  write: (value) => value.toWellFormed(),
  read: z.string(),
}

/** Written from a date, milliseconds or ISO 8601; statements select it as milliseconds (`toUnixTimestamp64Milli`). */
export const dateTime64: ColumnType<Date | number | string, typeof count> = {
  type: "DateTime64(3, 'UTC')",
  write: isoTime,
  read: count,
}

export function nullable<Value, Read extends z.ZodType>({
  type,
  write,
  read,
}: ColumnType<Value, Read>): ColumnType<Value | null, z.ZodNullable<Read>> {
  return {
    type: `Nullable(${type})`,
    write: (value) => (value === null ? null : write(value)),
    read: read.nullable(),
  }
}

/** Of few different values, which are stored once each. */
export function few<Value, Read extends z.ZodType>(of: ColumnType<Value, Read>): ColumnType<Value, Read> {
  return { ...of, type: `LowCardinality(${of.type})` }
}

export function array<Value, Read extends z.ZodType>({
  type,
  write,
  read,
}: ColumnType<Value, Read>): ColumnType<readonly Value[], z.ZodArray<Read>> {
  return { type: `Array(${type})`, write: (values) => values.map(write), read: z.array(read) }
}

/** The same column, read as these alone. */
export function readAs<Value, Read extends z.ZodType>(of: ColumnType<Value>, read: Read): ColumnType<Value, Read> {
  return { ...of, read }
}

/** Each value with its number. */
export function enum8<const Values extends readonly [string, ...string[]]>(
  ...values: Values
): ColumnType<Values[number], z.ZodEnum<{ [Value in Values[number]]: Value }>> {
  const numbers = values.map((value, number) => `'${value}' = ${number}`)
  return {
    type: `Enum8(${numbers.join(', ')})`,
    write: asIs,
    read: z.enum(values),
  }
}

/** JSON has no NaN, no infinity and no negative zero; the database reads them as text. */
function float(value: number): number | string {
  if (Number.isFinite(value) && !Object.is(value, -0)) return value
  if (Number.isNaN(value)) return 'nan'
  return Object.is(value, -0) ? '-0' : value > 0 ? 'inf' : '-inf'
}

/** Half a surrogate pair is no text that a database can hold; it comes back as U+FFFD. */
export function text<T extends string | null>(value: T): T {
  return (value === null ? null : value.toWellFormed()) as T
}

function isoTime(value: Date | number | string): string {
  const time = new Date(value)
  if (Number.isNaN(time.getTime())) throw new RangeError(`Not a time: ${JSON.stringify(value)}`)
  return time.toISOString()
}
