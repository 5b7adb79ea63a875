import { counted, list } from '../../../text/numbers.ts'
import { parseSample } from '../../measurement/fields.ts'
import { readLines } from '../../measurement/lines.ts'
import { SourceError } from '../../measurement/source.ts'
import { ReadStopped } from '../format.ts'
import { parseHistoryTime } from '../parse-time.ts'
import { plainBytes } from '../plain-bytes.ts'
import { type Delimiter, delimiterOf, splitFields } from './delimited.ts'

/** A point of a series, its texts as they stand in the file. */
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

/**
 * The most that a history may cost to read: ten years of hourly runs are 90,000 points; a million of them take 0.5 GB.
 */
export interface SeriesLimits {
  readonly bytes: number
  readonly lineLength: number
  /** The points of all series. */
  readonly points: number
  readonly series: number
}

export const SERIES_LIMITS: SeriesLimits = {
  bytes: 256 * 1024 * 1024,
  lineLength: 64 * 1024,
  points: 1_000_000,
  series: 100_000,
}

/** The columns that hold each part. Names in any case. */
export interface SeriesColumns {
  /** Empty: `value`. */
  readonly values?: readonly string[]
  /** Columns that name the series of a row, in this order; empty: `series`, where it is there. */
  readonly series?: readonly string[]
  /** null: `time` and `commit`, where they are there. */
  readonly time?: string | null
  readonly commit?: string | null
}

/** The column of the values where none is named. */
const VALUE_COLUMN = 'value'

/** Columns of tables of measurements that tell series apart, so that a row alone does not say which it is of. */
const TELLING_COLUMNS = ['test', 'query_index', 'metric', 'metric_name', 'arch']

/**
 * Reads series from text with a header: CSV, with semicolons as well, or TSV, also compressed by gzip or zstd. Columns, in
 * any order and case: `value`, `time`, `commit` and `series`, or those of other names in `wanted`; each column of values is
 * a series of its own. Others are passed over. Lines before the header that start with `#` and empty lines are passed over.
 *
 * A value that is empty, NaN, null or infinite is a point without a value. Points are put in the order of time where
 * every time of the series can be understood, else they stay in the order of the file.
 *
 * `source` names the input in messages; `warn` is told, in one line, what the file looks like and was not asked for. Throws
 * a SourceError with one line that says what, where and what to do.
 */
export async function readSeries(
  bytes: AsyncIterable<Uint8Array>,
  source: string,
  wanted: SeriesColumns = {},
  { limits = SERIES_LIMITS, warn = () => {} }: { limits?: SeriesLimits; warn?: (message: string) => void } = {},
): Promise<Series[]> {
  const rows = new Rows(source, wanted, limits, warn)
  const plain = await plainBytes(source, bytes)
  try {
    await readLines(
      bounded(plain.bytes, source, limits.bytes),
      limits.lineLength,
      (line, number) => rows.take(line, number),
      (number) => rows.fail(number, `a line has more than ${limits.lineLength.toLocaleString('en')} characters`),
    )
  } catch (error) {
    if (error instanceof ReadStopped) throw new SourceError('unreadable', `${source}: ${error.message}`)
    throw error
  }
  return rows.series()
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, source: string, most: number): AsyncIterable<Uint8Array> {
  let read = 0
  for await (const chunk of bytes) {
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

interface Columns {
  readonly count: number
  readonly delimiter: Delimiter
  readonly values: readonly { readonly at: number; readonly name: string }[]
  readonly time: number
  readonly commit: number
  readonly series: readonly number[]
}

/** Collects points line by line. */
class Rows {
  readonly #source: string
  readonly #wanted: SeriesColumns
  readonly #limits: SeriesLimits
  readonly #warn: (message: string) => void
  readonly #series = new Map<string, { readonly name: string | null; readonly points: SeriesPoint[] }>()
  #columns: Columns | null = null
  #points = 0

  constructor(source: string, wanted: SeriesColumns, limits: SeriesLimits, warn: (message: string) => void) {
    this.#source = source
    this.#wanted = wanted
    this.#limits = limits
    this.#warn = warn
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
    if (fields === null) this.fail(number, 'a quoted field does not end on its line; remove the line break from it')
    if (fields.length !== count) {
      const advice =
        fields.length < count
          ? 'the line is cut off, or has a different separator than the header'
          : 'quote fields that contain the separator'
      this.fail(number, `${counted(fields.length, 'field', 'fields')} but the header has ${count}; ${advice}`)
    }
    for (const { at, name } of values) {
      const value = parseValue(fields[at]!)
      if (value === null) {
        const shown = JSON.stringify(fields[at]!.slice(0, 40))
        this.fail(number, `${name} ${shown} is not a number; leave it empty where nothing was measured`)
      }
      const own = values.length > 1 ? [name] : []
      const path = [...series.map((column) => fields[column]!), ...own]
      this.#add(path.length === 0 ? null : path.join(' '), number, {
        commit: commit === -1 ? null : fields[commit]!,
        time: time === -1 ? null : fields[time]!,
        value,
      })
    }
  }

  #readHeader(line: string, number: number): Columns {
    const looks = otherThanHeader(line)
    if (looks !== null) {
      this.fail(number, `${looks}; a CSV or TSV starts with a line that names its columns: time, commit, value, series`)
    }
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
    const { values = [], series = [], time = null, commit = null } = this.#wanted
    const named = (name: string): number => {
      const index = at(name)
      if (index === -1) this.fail(number, `no column ${JSON.stringify(name)}: ${advice(names, values)}`)
      return index
    }
    const ofValues = (values.length === 0 ? [VALUE_COLUMN] : values).map((name) => {
      const index = named(name)
      return { at: index, name: names[index]! }
    })
    const ofSeries = series.length === 0 ? [at('series')].filter((index) => index !== -1) : series.map(named)
    const telling = TELLING_COLUMNS.filter((name) => lower.includes(name))
    if (ofSeries.length === 0 && telling.length > 0) {
      const options = telling.map((name) => `--series ${name}`).join(' ')
      this.#warn(
        `all rows count as one series, although there ${telling.length === 1 ? 'is a column' : 'are columns'} ${list(telling)}; separate them with ${options}`,
      )
    }
    return {
      count: names.length,
      delimiter,
      values: ofValues,
      time: time === null ? at('time') : named(time),
      commit: commit === null ? at('commit') : named(commit),
      series: ofSeries,
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

/** The reason why a first line names no columns; null: it may. */
function otherThanHeader(line: string): string | null {
  if (/^\s*[[{]/.test(line)) return 'this is JSON'
  return /[^\P{Cc}\t\r]|\ufffd/u.test(line) ? 'this is not text' : null
}

function advice(names: readonly string[], valueColumns: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => name.slice(0, 40))
  const there = `the header has ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
  return valueColumns.length === 0 ? `${there}; name the column with the values with --value` : there
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
    const parsed = time === null ? null : parseHistoryTime(time.trim())
    if (parsed === null) return { name, points, sorted: false }
    times[i] = parsed
    if (i > 0 && parsed < times[i - 1]!) ascending = false
  }
  if (ascending) return { name, points, sorted: false }
  const order = Uint32Array.from(points, (_, i) => i).sort((a, b) => times[a]! - times[b]! || a - b)
  return { name, points: Array.from(order, (i) => points[i]!), sorted: true }
}
