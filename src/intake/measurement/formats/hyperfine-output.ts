import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { sideOfWord } from '../side-of-name.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import { type Contribution, MemberError, NOTHING, type ReaderContext, type TestError } from './format.ts'
import { HYPERFINE_ENDS, HYPERFINE_RUNS } from './hyperfine-lines.ts'
import { goodEntries, parseDocument } from './json-document.ts'
import { outputLines } from './output-lines.ts'

/** Reads what `hyperfine.ts` recognises, and is loaded only where there is such a file. */

const TEST = 'hyperfine'
const MOST_COMMANDS = 100_000
const MOST_RUNS = 1_000_000

const figure = z.number().nullish()

const resultSchema = z.object({
  command: z.string().max(100_000),
  mean: figure,
  stddev: figure,
  median: figure,
  user: figure,
  system: figure,
  min: figure,
  max: figure,
  times: z.array(z.number().nullable()).max(MOST_RUNS).nullish(),
  memory_usage_byte: z.array(z.number().nullable()).max(MOST_RUNS).nullish(),
  // null: killed by a signal
  exit_codes: z.array(z.number().nullable()).max(MOST_RUNS).nullish(),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])).nullish(),
})
type Result = z.infer<typeof resultSchema>

const schema = z.object({ results: z.array(z.unknown()).max(MOST_COMMANDS) })

/** Units are seconds and bytes. */
export function hyperfineResult(text: string, context: ReaderContext): Contribution {
  const what = 'result of hyperfine'
  const { results } = parseDocument(text, schema, what, { exact: false })
  const good = goodEntries(results, resultSchema, { at: 'results', what, warn: context.warn })
  return contributionOf(
    good.map(([, result]) => result),
    context,
  )
}

export function hyperfineTable(text: string, context: ReaderContext): Contribution {
  const [header, ...rows] = csvRows(text, context)
  const results = rows.flatMap((row, index): Result[] => {
    if (row.length !== header!.length) {
      context.warn('malformed-line', index + 2, 'it doesn’t have the columns of the first line: skipped')
      return []
    }
    const parameters = header!.flatMap((column, at): [string, string][] =>
      column.startsWith('parameter_') ? [[column.slice('parameter_'.length), row[at]!]] : [],
    )
    const bad: string[] = []
    const number = (column: string) => {
      const value = row[header!.indexOf(column)] ?? ''
      if (value === '') return null
      const parsed = parseShifted(value, 0)
      if (parsed === null) bad.push(`"${value.slice(0, 40)}" is not a number`)
      return parsed
    }
    const result = {
      command: row[0]!,
      mean: number('mean'),
      stddev: number('stddev'),
      median: number('median'),
      user: number('user'),
      system: number('system'),
      min: number('min'),
      max: number('max'),
      parameters: Object.fromEntries(parameters),
    }
    if (bad.length > 0) context.warn('invalid-value', index + 2, `${bad[0]}: skipped`)
    return bad.length > 0 ? [] : [result]
  })
  return contributionOf(results, context)
}

/** At which command it ended, and why. All that come after it have no result either. */
export function hyperfineEnding(text: string, context: ReaderContext): Contribution {
  let running = ''
  const testErrors = outputLines(text, context).flatMap((line, index): TestError[] => {
    running = HYPERFINE_RUNS.exec(line)?.[1]?.trimEnd() ?? running
    const why = HYPERFINE_ENDS.exec(line)?.[1]?.split('. Use ', 1)[0]?.trimEnd().replace(/\.$/, '')
    if (why === undefined) return []
    const side = context.side ?? context.sideOfName
    const message = `it ended at ${running.slice(0, 100)}: ${why.slice(0, 200)} (-i continues after failures)`
    return [{ test: TEST, queryIndex: null, side, message, where: context.where, line: index + 1 }]
  })
  return { ...NOTHING, testErrors }
}

function contributionOf(results: readonly Result[], context: ReaderContext): Contribution {
  const found = new Benchmarks(context, { isEachAProcess: true })
  const named = context.side === null ? namedSides(results) : []
  const all = results.map((result, index) => ({
    ...(named[index] ?? { name: result.command, side: undefined }),
    result,
  }))
  const alike = Map.groupBy(all, ({ name, side }) => JSON.stringify([name, side]))
  for (const { name, side, parameter, result } of all) {
    const { length } = alike.get(JSON.stringify([name, side]))!
    const marks = parametersOf(result, parameter, length > 1)
    const whole = marks === '' ? name : name === null ? marks : `${name} (${marks})`
    add(found, found.another({ test: TEST, name: whole }, side ?? found.side), result, side)
  }
  return found.contribution('command measured by hyperfine')
}

/**
 * `n = 1` of a command whose text does not have the value in it, as with `-n sleep -L n 1,2`; all but the parameter of the side where
 * others have the same text.
 */
function parametersOf({ command, parameters }: Result, ofSide: string | undefined, all: boolean): string {
  return Object.entries(parameters ?? {})
    .filter(([name, value]) => name !== ofSide && (all || !command.includes(String(value))))
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')
}

/** A command without what tells the sides apart; `name` is null where nothing is left. */
interface Named {
  readonly name: string | null
  readonly side: Side | undefined
  /** The parameter that says the side. */
  readonly parameter?: string
}

/**
 * A file has both sides where they are a parameter (`-L build old,new`) or the names of the commands (`-n old … -n new …`), or where
 * each command has one of a side with the same words beside it (`./old/sort x` and `./new/sort x`).
 */
function namedSides(results: readonly Result[]): readonly Named[] {
  const named = results.map(namedSide)
  if (named.every(({ side }) => side !== undefined)) return named
  const byWord = results.map(({ command }) => sideInWords(command))
  const sides = Map.groupBy(byWord, ({ name }) => name).values()
  const isPaired = sides.every((ofName) => ['old', 'new'].every((which) => ofName.some(({ side }) => side === which)))
  return isPaired ? byWord : named
}

function namedSide({ command, parameters }: Result): Named {
  const own = sideOfWord(command)
  if (own !== null) return { name: null, side: own }
  for (const [parameter, value] of Object.entries(parameters ?? {})) {
    const side = sideOfWord(String(value))
    if (side === null) continue
    const name = command.replaceAll(SIDE_WORD, (word) => (word === String(value) ? `{${parameter}}` : word))
    return { name, side, parameter }
  }
  return { name: command, side: undefined }
}

/** Not the part of a word, nor an option: `gold` and `sort --head 5` name no side. */
const SIDE_WORD = /(?<![a-z\d]|\s--?)(?:old|new|base|head|before|after)(?![a-z\d])/gi

function sideInWords(command: string): Named {
  const words = new Set(command.match(SIDE_WORD))
  const [word = ''] = words
  if (words.size !== 1) return { name: command, side: undefined }
  const name = command.replaceAll(SIDE_WORD, '{side}').replace(/[-_. ]\{side\}$/, '')
  return { name, side: sideOfWord(word) ?? undefined }
}

/** `exit code 1, 127`, `ended by a signal`: then there is no code. */
function endOf(codes: readonly (number | null)[]): string {
  const known = [...new Set(codes)].filter((code) => code !== null).slice(0, 3)
  return known.length === 0 ? 'ended by a signal' : `exit code ${known.join(', ')}`
}

function add(found: Benchmarks, of: Pick<Benchmark, 'test' | 'name'>, result: Result, side: Side | undefined): void {
  const { mean, stddev, min = null, max = null, exit_codes: codes } = result
  const time: Benchmark = { ...of, metric: 'time', unit: 's' }
  const failed = (codes ?? []).filter((code) => code !== 0)
  const ofGoodRuns = (values: readonly (number | null)[] | null | undefined) =>
    (values ?? []).filter((value, run) => value !== null && (codes == null || (codes[run] ?? null) === 0)) as number[]
  const [times, memory] = [ofGoodRuns(result.times), ofGoodRuns(result.memory_usage_byte)]
  if (failed.length > 0) {
    found.failedRuns(time, { failed: failed.length, of: codes!.length, why: ` (${endOf(failed)})` }, side)
  }
  if (times.length > 0) found.samples(time, times, side)
  else if (failed.length > 0) return
  else if (mean != null) {
    const spread = stddev == null || mean === 0 ? null : stddev / mean
    found.given(time, { kind: 'mean', value: mean, lower: min, upper: max, spread }, side)
  } else found.warn(`${of.name ?? TEST} has neither times nor a mean`)
  if (memory.length > 0) found.samples({ ...of, metric: 'memory', unit: 'bytes' }, memory, side)
  // the means are of all runs
  if (failed.length > 0) return
  const repetitions = result.times?.length ?? null
  for (const [metric, value] of [
    ['user_time', result.user],
    ['system_time', result.system],
  ] as const) {
    if (value != null) found.given({ ...of, metric, unit: 's' }, { kind: 'mean', value, repetitions }, side)
  }
}

/** Rows of comma-separated values, quoted where a value has a comma, a quote or an end of line. */
function csvRows(text: string, { warn }: Pick<ReaderContext, 'warn'>): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const quoted = text[at] === '"' ? /"((?:[^"]|"")*)"/y : null
    const plain = /[^",\r\n]*/y
    const pattern = quoted ?? plain
    pattern.lastIndex = at
    const field = pattern.exec(text)
    if (field === null) return cutAfter(rows, warn)
    row.push(quoted === null ? field[0] : field[1]!.replaceAll('""', '"'))
    at = pattern.lastIndex
    if (text[at] === ',') {
      at += 1
      if (at === text.length) return cutAfter(rows, warn)
    } else {
      const end = /\r?\n/y
      end.lastIndex = at
      if (end.exec(text) === null) {
        if (at === text.length) return cutAfter(rows, warn)
        throw new MemberError('it is not CSV')
      }
      at = end.lastIndex
      rows.push(row)
      row = []
      if (rows.length > MOST_COMMANDS)
        throw new MemberError(`it has more than ${MOST_COMMANDS.toLocaleString('en')} lines`)
    }
  }
  return rows
}

/** The rows before one that was cut. */
function cutAfter(rows: string[][], warn: ReaderContext['warn']): string[][] {
  if (rows.length === 0) throw new MemberError('its first line has no newline, so it was cut off')
  warn('truncated-line', rows.length + 1, 'the last line has no newline, so it may be cut off: skipped')
  return rows
}
