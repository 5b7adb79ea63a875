import { type ColumnValue, detached } from '../table-row.ts'
import { countOf, elementsOf, entriesOf } from './clickhouse-text.ts'

/** A column of a query log, or a key inside it: `tables`, `Settings.max_threads`, `log_comment.time_window_in_mins`. */
export interface LogField {
  readonly column: string
  readonly key: string | null
}

/** Null where the text is no field. */
export function parseLogField(text: string): LogField | null {
  const match = /^([A-Za-z_]\w*)(?:\.(.+))?$/s.exec(text.trim())
  return match === null ? null : { column: match[1]!, key: match[2] ?? null }
}

/** How a person names it: by the key, where it has one. */
export function fieldName({ column, key }: LogField): string {
  return key ?? column
}

/** Reads one field of every row. */
export class FieldValues {
  /** What a column of text has inside, which few texts say: `{"time_window_in_mins":60}`. */
  readonly #inside = new RecentTexts<readonly string[]>()

  /** The texts that a row has in the field: several of an array, none where there is no value. */
  values({ column, key }: LogField, value: ColumnValue): readonly string[] {
    const found = value(column)
    if (typeof found !== 'string') return key === null ? textsOf(found) : textsOf(inside(found, key))
    const known = this.#inside.get(found)
    if (known !== undefined) return known
    const texts = textsOf(key === null ? found : inside(found, key)).map(detached)
    this.#inside.set(found, texts)
    return texts
  }
}

function inside(found: unknown, key: string): unknown {
  const container = typeof found === 'string' ? parsed(found) : found
  if (typeof container !== 'object' || container === null) return null
  if (Object.hasOwn(container, key)) return (container as Readonly<Record<string, unknown>>)[key]
  const dot = key.indexOf('.')
  if (dot === -1 || !Object.hasOwn(container, key.slice(0, dot))) return null
  return inside((container as Readonly<Record<string, unknown>>)[key.slice(0, dot)], key.slice(dot + 1))
}

/** NaN where there is none. */
export function numberOf(found: unknown): number {
  if (typeof found === 'number') return found
  if (typeof found !== 'string') return Number.NaN
  return countOf(found) ?? (found.trim() === '' ? Number.NaN : Number(found))
}

/** JSON, as people write it into `log_comment`, or a map as ClickHouse writes it into a TSV. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return Object.fromEntries(entriesOf(text) ?? [])
  }
}

/** Arrays in arrays that are looked into; a hostile log has a million. */
const DEEPEST = 4

function textsOf(found: unknown, depth = 0): readonly string[] {
  if (Array.isArray(found)) {
    if (depth === DEEPEST) return []
    // most queries read one table
    return found.length === 1 ? textsOf(found[0], depth + 1) : found.flatMap((one) => textsOf(one, depth + 1))
  }
  if (typeof found === 'number' || typeof found === 'boolean' || typeof found === 'bigint') return [String(found)]
  if (typeof found !== 'string') return []
  return found.startsWith('[') ? (elementsOf(found) ?? [found]) : [found]
}

/** Texts that are kept at most, and characters of one: together 16 MB. */
const MOST_TEXTS = 4096
const LONGEST_TEXT = 2000

/** What was computed of texts that come again and again. All are forgotten when there are too many. */
export class RecentTexts<Value> {
  #known = new Map<string, Value>()

  get(text: string): Value | undefined {
    return this.#known.get(text)
  }

  set(text: string, value: Value): void {
    if (text.length > LONGEST_TEXT) return
    if (this.#known.size === MOST_TEXTS) this.#known = new Map()
    this.#known.set(detached(text), value)
  }
}
