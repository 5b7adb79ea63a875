import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { COMPARE_HEADER, CONSOLE_LINE } from './asv-lines.ts'
import { idOf, unitOf } from './asv-results.ts'
import { type Benchmark, Benchmarks, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'

/** `745±100μs`, `8.06k`, `42`, `5.73m` (minutes): a number, what asv shows as its spread, and a unit of time or a prefix. */
const VALUE = /^~?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:±(\d+(?:\.\d+)?))?([pnuµμm]?s|[mhdwy]|[kMGT])?$/

const TIMES: Readonly<Record<string, number>> = { ps: -12, ns: -9, us: -6, µs: -6, μs: -6, ms: -3, s: 0 }
const PREFIXES: Readonly<Record<string, number>> = { k: 3, M: 6, G: 9, T: 12 }

export function asvOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context)
  const lines = wholeLines(text, isWhole, context)
  // `asv continuous` prints what it ran, of both commits, and then the table
  if (COMPARE_HEADER.test(text)) table(lines, benchmarks)
  else for (const [index, line] of lines.entries()) consoleLine(line, index, lines, benchmarks)
  return benchmarks.contribution('result of asv')
}

/** `745±100ms` and `8.06k` end a line, and so does a bar; `745±100m` may be the beginning of `ms`. */
function isWhole(line: string): boolean {
  const value = CONSOLE_LINE.exec(line)?.[2]
  if (value === undefined) return /[|)]\s*$/.test(line) && cellsOf(line) !== null
  return value === 'failed' || (VALUE.test(value) && /[skMGT]$/.test(value))
}

/** A row has both sides. A file of one side has none, so its side is not asked. */
function table(lines: readonly string[], benchmarks: Benchmarks): void {
  for (const line of lines) {
    const cells = cellsOf(line)
    if (cells === null) continue
    const { name, before, after } = cells
    for (const [side, value] of [
      ['old', before],
      ['new', after],
    ] as const)
      add(benchmarks, name, value, side)
  }
}

interface Cells {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** `| + | 745±100μs | 856±100μs | ~1.15 | name(1) |`, and `+  745±100μs  856±100μs  1.15  name(1)` of asv before 0.6. */
function cellsOf(line: string): Cells | null {
  const barred = /^\|[^|]*\|\s*([^|]*?)\s*\|\s*([^|]*?)\s*\|\s*~?(?:[\d.]+|n\/a)\s*\|\s*(.*?)\s*\|\s*$/.exec(line)
  const plain = /^[ +\-!x]{0,3}\s+(\S+)\s+(\S+)\s+~?(?:[\d.]+|n\/a)\s{1,20}(\S.*?)\s*$/.exec(line)
  const [, before, after, name] = barred ?? plain ?? []
  return name === undefined ? null : { name, before: before!, after: after! }
}

function consoleLine(line: string, index: number, lines: readonly string[], benchmarks: Benchmarks): void {
  const found = CONSOLE_LINE.exec(line)
  if (found === null) return
  const [, name, value] = found
  const side = benchmarks.side ?? 'new'
  const isTable = /={3,}/.test(lines[index + 1] ?? '')
  if (isTable)
    for (const [params, cell] of parameterTable(lines, index + 1)) add(benchmarks, `${name}(${params})`, cell, side)
  else if (VALUE.test(value!) || value === 'failed') add(benchmarks, name!, value!, side)
}

/**
 * The values of a benchmark with parameters: a row for each combination of all but the last one, whose values are the columns; of
 * one parameter the two columns are its value and the result.
 */
function* parameterTable(lines: readonly string[], start: number): Generator<readonly [params: string, value: string]> {
  const ruler = lines[start]!
  const columns = [...ruler.matchAll(/={2,}/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  const cells = (line: string) =>
    columns.map(([from, to], place) => line.slice(from, place === columns.length - 1 ? undefined : to + 1).trim())
  const isRuler = (line: string) => /^[^=]*={3,}[ =]*$/.test(line)
  let header: readonly string[] = []
  let params = 1
  let place = start + 1
  for (; place < lines.length && !isRuler(lines[place]!); place += 1) {
    const line = lines[place]!
    const dashes = /-{3,}/.exec(line)
    // the dashes below the names of the parameters end where the values of the last one begin
    if (dashes === null) header = cells(line)
    else params = columns.filter(([from]) => from < dashes.index + dashes[0].length).length
  }
  for (place += 1; place < lines.length && !isRuler(lines[place]!); place += 1) {
    const row = cells(lines[place]!)
    if (row.every((cell) => cell === '')) return
    const before = row.slice(0, params)
    for (const [column, cell] of row.entries()) {
      // of one parameter the column of the results has no name
      const last = header[column] ?? ''
      if (column >= params) yield [[...before, ...(last === '' ? [] : [last])].join(', '), cell]
    }
  }
}

function add(benchmarks: Benchmarks, whole: string, text: string, side: Side): void {
  const { test, name } = idOf(whole)
  const found = VALUE.exec(text)
  const guessed = unitOf(whole, new Map())
  if (text === 'failed') benchmarks.failed({ test, name, ...guessed }, 'asv says it failed', side)
  if (found === null) return
  const [, digits, spread, unit = ''] = found
  const isTime = Object.hasOwn(TIMES, unit)
  // minutes and more are rounded so far that nothing can be said of them
  if (!isTime && unit !== '' && !Object.hasOwn(PREFIXES, unit)) return
  const by = TIMES[unit] ?? PREFIXES[unit] ?? 0
  const value = parseShifted(digits!, by)
  if (value === null) return
  const off = spread === undefined ? null : parseShifted(spread, by)
  const of: Pick<Benchmark, 'metric' | 'unit'> = isTime ? { metric: 'time', unit: 's' } : guessed
  const summary: Summary = {
    kind: off === null ? 'value' : 'median',
    value,
    spread: off === null || value === 0 ? null : off / value,
  }
  benchmarks.given({ test, name, ...of }, summary, side)
}
