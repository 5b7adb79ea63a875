import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { HEADER } from './divan-lines.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'

/** The third of six columns. */
const MEDIAN = 2
const COLUMNS = 6
/** The columns are cut where the output was. */
const CELLS_OF_TIME = /^[\d.]+ \S+$/

/** `│  ├─ 1000   82.58 ns  │ 1.915 µs │ …`: each level has three characters. */
const ROW = /^((?:│ {2}| {3})*)[├╰]─ (\S.*?)(?:\s{2,}(.*))?$/
/** A row without a branch goes on with the benchmark above: counters, and the allocations that are counted. */
const MORE = /^[│ ]+? {2,}(?=[^│ ])/
const VALUE = /^([\d.]+(?:e[+-]?\d+)?)(?: (\S+))?$/

/** What a panic prints, behind the name of what was running where both streams were kept. */
const PANIC = /thread '.*' (?:\(\d+\) )?panicked at /

/** What the rows below a heading are: how often, and how many bytes. */
const HEADINGS: Readonly<Record<string, readonly [count: string | null, bytes: string | null]>> = {
  'max alloc:': [null, 'max_bytes_used'],
  'alloc:': ['allocations', 'bytes'],
}

/** Rates are named as elsewhere: `Mitem/s` is items. */
const RATES: readonly (readonly [pattern: RegExp, metric: string])[] = [
  [/item\/s$/, 'items_per_second'],
  [/char\/s$/, 'chars_per_second'],
  [/Hz$/, 'cycles_per_second'],
  [/B\/s$/, 'bytes_per_second'],
]
const PREFIXES: Readonly<Record<string, number>> = { K: 3, M: 6, G: 9, T: 12, P: 15 }

export function divanOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context)
  // the last column is a number, of which nothing is read
  const isWhole = (last: string) => last.split('│').length >= COLUMNS
  let test = 'divan'
  // the benchmark that is running: its numbers come where it ends
  let running: Id | null = null
  let path: readonly string[] = []
  let heading: string | null = null
  let isBelowBytes = false
  for (const line of wholeLines(text, isWhole, context)) {
    const isPanic = PANIC.test(line)
    const header = HEADER.exec(line)
    const row = header === null ? ROW.exec(line) : null
    if (header !== null) {
      // each program is a process, also where its output was appended
      benchmarks.beginProcess()
      test = header[1]!
      path = []
    } else if (row !== null) {
      const [, before, name, cells = ''] = row
      path = [...path.slice(0, before!.length / 3), name!.trim()]
      heading = null
      const id = { test, name: path.join('::') }
      running = time(benchmarks, id, cellsOf(cells)) ? null : id
    } else if (path.length > 0 && MORE.test(line)) {
      const cells = cellsOf(line.replace(MORE, ''))
      const [first = ''] = cells
      if (first.endsWith(':')) {
        heading = first
        isBelowBytes = false
      } else if (heading === null) rate(benchmarks, { test, name: path.join('::') }, cells)
      else {
        const metric = HEADINGS[heading]?.[isBelowBytes ? 1 : 0] ?? null
        if (metric !== null) counted(benchmarks, { test, name: path.join('::'), metric }, cells)
        isBelowBytes = true
      }
    }
    if (isPanic && running !== null) {
      benchmarks.failedRuns({ ...running, metric: 'time', unit: 's' }, { failed: 1, of: null, why: ': it panicked' })
      running = null
    }
  }
  return benchmarks.contribution('benchmark of divan')
}

function cellsOf(text: string): readonly string[] {
  return text.split('│').map((cell) => cell.trim())
}

type Id = Pick<Benchmark, 'test' | 'name'>

/** false: the row has no time. */
function time(benchmarks: Benchmarks, id: Id, cells: readonly string[]): boolean {
  if (cells.length < COLUMNS - 1 || !CELLS_OF_TIME.test(cells[MEDIAN]!)) return false
  const [, digits, unit] = VALUE.exec(cells[MEDIAN]!) ?? []
  const of = metricOfUnit(unit ?? '')
  const value = digits === undefined || of.unit !== 's' ? null : inBaseUnit(digits, of)
  if (value === null) return false
  const repetitions = parseShifted(cells[4]!, 0)
  benchmarks.given({ ...id, metric: 'time', unit: 's' }, { kind: 'median', value, repetitions })
  return true
}

function rate(benchmarks: Benchmarks, id: Id, cells: readonly string[]): void {
  const [, digits, unit = ''] = VALUE.exec(cells[MEDIAN] ?? '') ?? []
  const metric = RATES.find(([pattern]) => pattern.test(unit))?.[1]
  if (digits === undefined || metric === undefined) return
  const of =
    metric === 'bytes_per_second' ? metricOfUnit(unit) : { unit: '1/s', by: PREFIXES[unit[0]!] ?? 0, factor: 1 }
  const value = inBaseUnit(digits, of)
  if (value !== null) {
    benchmarks.given({ ...id, metric, unit: of.unit, better: 'higher' }, { kind: 'median', value })
  }
}

function counted(benchmarks: Benchmarks, id: Id & Pick<Benchmark, 'metric'>, cells: readonly string[]): void {
  const [, digits, unit] = VALUE.exec(cells[MEDIAN] ?? '') ?? []
  if (digits === undefined) return
  const of = unit === undefined ? { unit: '1', by: 0, factor: 1 } : metricOfUnit(unit)
  const value = inBaseUnit(digits, of)
  if (value !== null) benchmarks.given({ ...id, unit: of.unit, isCounted: true }, { kind: 'median', value })
}
