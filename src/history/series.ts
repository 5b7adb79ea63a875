import { readLines } from '../measurement/lines.ts'
import { parseSample } from '../measurement/numbers.ts'
import { SourceError } from '../measurement/source-error.ts'
import { type Delimiter, delimiterOf, splitFields } from './delimited.ts'
import { parseTime } from './point-time.ts'

/** One point of a series, its texts as they stand in the file. */
export interface SeriesPoint {
  readonly commit: string | null
  readonly time: string | null
  /** NaN where nothing was measured. */
  readonly value: number
}

/** The values of one thing, one after the other. */
export interface Series {
  /** Null where the file has one series without a name. */
  readonly name: string | null
  readonly points: readonly SeriesPoint[]
  /** The rows were not in the order of time, and were put there. */
  readonly sorted: boolean
}

/** What a history may cost to read: ten years of hourly runs are 90,000 points; a million of them take 0.5 GB. */
export interface SeriesLimits {
  readonly bytes: number
  readonly lineLength: number
  /** Of all series. */
  readonly points: number
  readonly series: number
}

export const SERIES_LIMITS: SeriesLimits = {
  bytes: 256 * 1024 * 1024,
  lineLength: 64 * 1024,
  points: 1_000_000,
  series: 100_000,
}

/** The column of the values where none is named. */
const VALUE_COLUMN = 'value'

/**
 * Reads series from text with a header: CSV, with semicolons as well, or TSV. Columns, in any order and case: `value`, or
 * those named in `valueColumns`, each a series of its own; `time`, `commit` and `series` where they are there; others are
 * passed over. Lines before the header that start with `#` and empty lines are passed over.
 *
 * A value that is empty, NaN, null or infinite is a point without a value. Points are put in the order of time where
 * every time of the series can be understood, else they stay in the order of the file.
 *
 * `source` names the input in messages. Throws a SourceError with one line that says what, where and what to do.
 */
export async function readSeries(
  bytes: AsyncIterable<Uint8Array>,
  source: string,
  valueColumns: readonly string[] = [],
  limits: SeriesLimits = SERIES_LIMITS,
): Promise<Series[]> {
  const rows = new Rows(source, valueColumns, limits)
  await readLines(
    bounded(bytes, source, limits.bytes),
    limits.lineLength,
    (line, number) => rows.take(line, number),
    (number) => rows.fail(number, `a line has more than ${limits.lineLength.toLocaleString('en')} characters`),
  )
  return rows.series()
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, source: string, most: number): AsyncIterable<Uint8Array> {
  let read = 0
  for await (const chunk of bytes) {
    if (read === 0 && isCompressed(chunk)) {
      throw new SourceError('unreadable', `${source} is compressed; unpack it: gzip -dc FILE | … change-points -`)
    }
    read += chunk.length
    if (read > most) {
      throw new SourceError(
        'unreadable',
        `${source} has more than ${most.toLocaleString('en')} bytes; split it by series or take a shorter period`,
      )
    }
    yield chunk
  }
}

function isCompressed(chunk: Uint8Array): boolean {
  return (chunk[0] === 0x1f && chunk[1] === 0x8b) || (chunk[0] === 0x28 && chunk[1] === 0xb5 && chunk[2] === 0x2f)
}

interface Columns {
  readonly count: number
  readonly delimiter: Delimiter
  readonly values: readonly { readonly at: number; readonly name: string }[]
  readonly time: number
  readonly commit: number
  readonly series: number
}

/** Collects points line by line. */
class Rows {
  readonly #source: string
  readonly #valueColumns: readonly string[]
  readonly #limits: SeriesLimits
  readonly #series = new Map<string, { readonly name: string | null; readonly points: SeriesPoint[] }>()
  #columns: Columns | null = null
  #points = 0

  constructor(source: string, valueColumns: readonly string[], limits: SeriesLimits) {
    this.#source = source
    this.#valueColumns = valueColumns
    this.#limits = limits
  }

  fail(line: number, message: string): never {
    throw new SourceError('unreadable', `${this.#source}:${line}: ${message}`)
  }

  take(line: string, number: number): void {
    if (line.trim() === '') return
    if (this.#columns === null) {
      if (!line.startsWith('#')) this.#columns = this.#readHeader(line, number)
      return
    }
    const { count, delimiter, values, time, commit, series } = this.#columns
    const fields = splitFields(line, delimiter)
    if (fields === null) this.fail(number, 'a field in quotes does not end on its line; take the line break out of it')
    if (fields.length !== count) {
      this.fail(
        number,
        `${fields.length} fields where the header has ${count}; put a field with the separator in quotes`,
      )
    }
    for (const { at, name } of values) {
      const value = parseValue(fields[at]!)
      if (value === null) {
        const shown = JSON.stringify(fields[at]!.slice(0, 40))
        this.fail(number, `${name} ${shown} is not a number; leave it empty where nothing was measured`)
      }
      const own = values.length > 1 ? [name] : []
      const path = [...(series === -1 ? [] : [fields[series]!]), ...own]
      this.#add(path.length === 0 ? null : path.join(' '), number, {
        commit: commit === -1 ? null : fields[commit]!,
        time: time === -1 ? null : fields[time]!,
        value,
      })
    }
  }

  #readHeader(line: string, number: number): Columns {
    const delimiter = delimiterOf(line)
    const names = splitFields(line, delimiter)?.map((name) => name.trim()) ?? []
    const lower = names.map((name) => name.toLowerCase())
    const at = (name: string): number => {
      const exact = names.indexOf(name)
      const index = exact === -1 ? lower.indexOf(name.toLowerCase()) : exact
      if (index !== -1 && exact === -1 && lower.lastIndexOf(name.toLowerCase()) !== index) {
        this.fail(number, `the header has ${name} more than once`)
      }
      if (exact !== -1 && names.lastIndexOf(name) !== exact) this.fail(number, `the header has ${name} more than once`)
      return index
    }
    const wanted = this.#valueColumns.length === 0 ? [VALUE_COLUMN] : this.#valueColumns
    const values = wanted.map((name) => {
      const index = at(name)
      if (index === -1) this.fail(number, `no column ${JSON.stringify(name)}: ${advice(names, this.#valueColumns)}`)
      return { at: index, name: names[index]! }
    })
    return {
      count: names.length,
      delimiter,
      values,
      time: at('time'),
      commit: at('commit'),
      series: at('series'),
    }
  }

  #add(name: string | null, line: number, point: SeriesPoint): void {
    const key = name ?? ''
    let series = this.#series.get(key)
    if (series === undefined) {
      if (this.#series.size >= this.#limits.series) {
        this.fail(line, `more than ${this.#limits.series.toLocaleString('en')} series; split the file`)
      }
      series = { name, points: [] }
      this.#series.set(key, series)
    }
    this.#points += 1
    if (this.#points > this.#limits.points) {
      this.fail(
        line,
        `more than ${this.#limits.points.toLocaleString('en')} points; split the file or shorten the period`,
      )
    }
    series.points.push(point)
  }

  series(): Series[] {
    if (this.#columns === null) {
      throw new SourceError(
        'no-measurements',
        `${this.#source} is empty; its first line names the columns: time, commit, value and, for several series, series`,
      )
    }
    return [...this.#series.values()].map(({ name, points }) => inOrderOfTime(name, points))
  }
}

function advice(names: readonly string[], valueColumns: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => name.slice(0, 40))
  const there = `the header has ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
  return valueColumns.length === 0 ? `${there}; name the column of the values with --value` : there
}

const NOT_MEASURED = new Set(['', 'null', '\\n', 'none', 'na', 'n/a', '-'])

/** NaN where nothing was measured, null where it is no number. */
function parseValue(field: string): number | null {
  const text = field.trim()
  if (NOT_MEASURED.has(text.toLowerCase())) return Number.NaN
  const value = parseSample(text)
  return value === null || Number.isFinite(value) ? value : Number.NaN
}

function inOrderOfTime(name: string | null, points: readonly SeriesPoint[]): Series {
  const times = new Float64Array(points.length)
  let ascending = true
  for (const [i, { time }] of points.entries()) {
    const parsed = time === null ? null : parseTime(time.trim())
    if (parsed === null) return { name, points, sorted: false }
    times[i] = parsed
    if (i > 0 && parsed < times[i - 1]!) ascending = false
  }
  if (ascending) return { name, points, sorted: false }
  const order = Uint32Array.from(points, (_, i) => i).sort((a, b) => times[a]! - times[b]! || a - b)
  return { name, points: Array.from(order, (i) => points[i]!), sorted: true }
}
