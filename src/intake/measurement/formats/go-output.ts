import type { EnvironmentField } from '../environment.ts'
import { isJson } from '../is-json.ts'
import type { Side } from '../run.ts'
import { sideOfWord } from '../side-of-name.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { type Contribution, NOTHING, type ReaderContext, type TestError } from './format.ts'
import { withoutColours, withoutCutLine } from './output-lines.ts'

/** The test of a benchmark whose package the output does not name. */
const UNNAMED = 'go'

const RESULT = /^(Benchmark\S*)\s+(\d+)\s+(\S.*)$/
/** What a benchmark itself prints comes between its name and its result. */
const NAME = /^(Benchmark\S*)(?:\s|$)/
const LATE_RESULT = /^\s*(\d+)\s+([\d.]+(?:e[+-]?\d+)? ns\/op.*)$/
const CONFIGURATION = /^([a-z][^\s:A-Z]*):\s*(.*)$/
/** A benchmark or a test that says itself that it failed; of one that panics the name may stand before it. */
const FAILED = /^(?:Benchmark\S*\s+)?--- FAIL: (\S+)/
const PANIC = /^(?:(Benchmark\S*)\s+)?((?:panic|fatal error): .*)$/
/** `example.com/pkg.BenchmarkSum.func1(0x6efb95e8608)` in the stack of a panic. */
const FRAME = /^\S*\.(Benchmark\w+)(?:\.[\w.]+)?\(/
/** Characters of such a line that are looked at. */
const LONGEST_FRAME = 1000
/** A package that failed, with its time or why: `[build failed]`. */
const PACKAGE = /^(FAIL|ok {2})\s+(\S+)\s*(.*)$/
/** `Unit ns/op better=lower assume=exact` */
const UNIT = /^Unit\s+(\S+)\s+(.*)$/

export function goOutput(text: string, context: ReaderContext): Contribution {
  const output = new GoOutput(context)
  for (const { lines, test } of partsOf(text, context)) output.read(lines, test)
  return output.contribution()
}

class GoOutput {
  readonly #found: Benchmarks
  readonly #better = new Map<string, 'lower' | 'higher'>()
  /** Units that are said or known not to vary. */
  readonly #counted = new Set(['allocs/op'])
  readonly #side: Side | null
  readonly #context: ReaderContext
  readonly #testErrors: TestError[] = []

  constructor(context: ReaderContext) {
    this.#found = new Benchmarks(context)
    this.#side = context.side
    this.#context = context
  }

  read(lines: readonly string[], testOfAll: string): void {
    let test = testOfAll
    let side = this.#side
    let pending: string | null = null
    const environment: Record<string, string> = {}
    this.#found.in(environment)
    const failures = failuresOf(lines, testOfAll)
    for (const failure of failures) this.#failed(failure)
    const failed = new Set(failures.map(({ from, name }) => `${from} ${name}`))
    let from = 0
    for (const [index, line] of lines.entries()) {
      if (isStart(line, lines[index - 1] ?? '')) from = index
      const isFailed = (name: string) => failed.has(`${from} ${name}`)
      const result = RESULT.exec(line)
      const late: RegExpExecArray | null = result === null && pending !== null ? LATE_RESULT.exec(line) : null
      if (result !== null) {
        pending = null
        if (!isFailed(result[1]!)) this.#result(test, result[1]!, result[3]!, side, index + 1)
      } else if (late !== null) {
        if (!isFailed(pending!)) this.#result(test, pending!, late[2]!, side, index + 1)
        pending = null
      } else {
        pending = NAME.exec(line)?.[1] ?? pending
        const [, key, value = ''] = CONFIGURATION.exec(line) ?? []
        const [field, said = value] = environmentLine(line, key)
        if (key === 'goos') this.#found.beginProcess()
        if (key === 'goos') for (const other of FIELDS.values()) delete environment[other]
        if (field !== undefined) this.#found.in(Object.assign(environment, { [field]: said }))
        if (key === 'pkg') test = value.trim() || testOfAll
        else if (key !== undefined && this.#side === null) side = sideOfWord(value.trim()) ?? side
        const unit = UNIT.exec(line)
        const better = unit === null ? undefined : /(?:^|\s)better=(lower|higher)(?:\s|$)/.exec(unit[2]!)?.[1]
        if (better !== undefined) this.#better.set(unit![1]!, better as 'lower' | 'higher')
        if (unit !== null && /(?:^|\s)assume=exact(?:\s|$)/.test(unit[2]!)) this.#counted.add(unit[1]!)
      }
    }
  }

  /** A benchmark that failed has no result there, and neither has what its package did not come to. */
  #failed({ test, name, message, at }: Failure): void {
    const side = this.#side ?? this.#found.side
    if (name === null) {
      const { where } = this.#context
      this.#testErrors.push({ test, queryIndex: null, side, message, where, line: at + 1 })
    } else {
      this.#context.warn('run-error', at + 1, `${name.slice(0, 100)}: ${message.slice(0, 200)}`)
      if (side !== null) this.#found.failed(this.#benchmarkOf(test, name, 'ns/op'), message, side)
    }
  }

  /** `325 ns/op	 16 B/op`: a value and its unit, and so on. */
  #result(test: string, name: string, text: string, side: Side | null, line: number): void {
    const fields = text.trim().split(/\s+/)
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [value, unit] = [fields[at]!, fields[at + 1]!]
      const benchmark = this.#benchmarkOf(test, name, unit)
      const number = inBaseUnit(value, benchmark)
      if (number === null) this.#found.warn(`"${value.slice(0, 40)}" is not a value of ${unit.slice(0, 40)}`, line)
      else if (side === null) this.#found.sample(benchmark, number)
      else this.#found.sample(benchmark, number, side)
    }
  }

  /** A time, a rate and so on of another thing than an operation is a metric of its own. */
  #benchmarkOf(test: string, name: string, unit: string): Benchmark & { readonly by: number; readonly factor: number } {
    const known = metricOfUnit(unit)
    const better = this.#better.get(unit) ?? known.better
    const metric = COMMON.has(unit) ? known.metric : unit
    return { test, name, ...known, metric, ...(better !== undefined && { better }), isCounted: this.#counted.has(unit) }
  }

  contribution(): Contribution {
    const testErrors = this.#testErrors
    if (this.#found.isEmpty && testErrors.length > 0) return { ...NOTHING, testErrors }
    return this.#found.contribution('Go benchmark', { testErrors })
  }
}

/** `goos: linux` and the like are of what follows; `go version go1.22.3 linux/amd64` is what the command of that name prints, and
 * `goversion: go1.22.3` what people write above the results of benchstat. */
function environmentLine(line: string, key: string | undefined): readonly [field?: EnvironmentField, said?: string] {
  if (key !== undefined && FIELDS.has(key)) return [FIELDS.get(key)!]
  const version = /^(?:go version|goversion:|toolchain:)\s+(go\d\S*|devel \S+)/.exec(line)?.[1]
  return version === undefined ? [] : ['runtime', version]
}

const FIELDS: ReadonlyMap<string, EnvironmentField> = new Map([
  ['goos', 'os'],
  ['goarch', 'architecture'],
  ['cpu', 'cpu'],
])

/** `name` null: the package as a whole. `from`: the first line of the process that failed. */
interface Failure {
  readonly test: string
  readonly name: string | null
  readonly message: string
  readonly at: number
  readonly from: number
}

/** What failed in the output of a package, or of several runs that stand one after the other. */
function failuresOf(lines: readonly string[], testOfAll: string): readonly Failure[] {
  const starts = lines.flatMap((line, at) => (isStart(line, lines[at - 1] ?? '') ? [at] : []))
  return [0, ...starts.filter((at) => at > 0)].flatMap((from, index, all) => {
    return failuresOfRun(lines.slice(from, all[index + 1]), testOfAll).map((one) => ({
      ...one,
      at: from + one.at,
      from,
    }))
  })
}

function isStart(line: string, before: string): boolean {
  return line.startsWith('goos: ') || (line.startsWith('pkg: ') && !/^go(?:os|arch): /.test(before))
}

function failuresOfRun(lines: readonly string[], testOfAll: string): readonly Omit<Failure, 'from'>[] {
  const test = lines.map((line) => /^pkg: (\S+)/.exec(line)?.[1]).find((found) => found !== undefined) ?? testOfAll
  const processors = lines.map((line) => /-\d+$/.exec(RESULT.exec(line)?.[1] ?? '')?.[0]).find((found) => found) ?? ''
  const named = lines.flatMap((line, at) => {
    const name = FAILED.exec(line)?.[1]
    const [, before, panic] = PANIC.exec(line) ?? []
    if (name === undefined && panic === undefined) return []
    const below = lines.slice(at + 1, at + 200)
    // what the test said stands below it, indented
    const message = panic ?? [`${name} failed`, ...below.slice(0, 1).filter((text) => /^\s/.test(text))].join(': ')
    const frame = below
      .map((text) => FRAME.exec(text.slice(0, LONGEST_FRAME))?.[1])
      .find((found) => found !== undefined)
    const own = name ?? before ?? frame ?? null
    const isNumbered = own === null || /-\d+$/.test(own) || !own.startsWith('Benchmark')
    return [{ test, name: isNumbered ? own : `${own}${processors}`, message: message.replaceAll(/\s+/g, ' '), at }]
  })
  const [first] = named
  const packages = lines.flatMap((line, at): { test: string; message: string | null; at: number }[] => {
    const [, state, name, why = ''] = PACKAGE.exec(line) ?? []
    if (state !== 'FAIL') return state === undefined ? [] : [{ test: name!, message: null, at }]
    const reason = name === test ? first?.message : undefined
    return [{ test: name!, message: reason ?? `the package failed ${why.startsWith('[') ? why : ''}`.trim(), at }]
  })
  const alone = lines.findIndex((line) => /^FAIL\s*$/.test(line))
  const isSaid = packages.some((one) => one.test === test)
  const at = first?.at ?? alone
  const own =
    isSaid || at < 0 || (first === undefined && packages.length > 0)
      ? []
      : [{ test, message: first?.message ?? 'it failed', at }]
  return [
    ...named.filter(({ name }) => name?.startsWith('Benchmark') === true),
    ...[...packages, ...own].flatMap((one) =>
      one.message === null ? [] : [{ ...one, name: null, message: one.message }],
    ),
  ]
}

/** The units that Go itself prints. */
const COMMON: ReadonlySet<string> = new Set(['ns/op', 'MB/s', 'B/op', 'allocs/op'])

interface Part {
  readonly test: string
  readonly lines: readonly string[]
}

/** The output as it is, or that of each package out of the events of `go test -json`, whose packages run side by side. */
function partsOf(text: string, context: ReaderContext): readonly Part[] {
  const lines = withoutColours(text).replaceAll('\r\n', '\n').split('\n')
  if (!lines.some((line) => line.startsWith('{"'))) {
    return [{ test: UNNAMED, lines: withoutCutLine(lines, (last) => isWhole(last, lines), context) }]
  }
  const outputs = new Map<string, string[]>()
  const whole = withoutCutLine(lines, (last) => !last.startsWith('{') || isJson(last), context)
  for (const [index, line] of whole.entries()) {
    const event = eventOf(line)
    if (event === null) {
      context.warn('malformed-line', index + 1, 'this is not an event of go test -json: skipped')
      continue
    }
    const { Package: name = UNNAMED, Output: output } = event
    if (typeof name !== 'string' || typeof output !== 'string') continue
    const known = outputs.get(name)
    if (known === undefined) outputs.set(name, [output])
    else known.push(output)
  }
  return [...outputs].map(([test, texts]) => ({ test, lines: texts.join('').split('\n') }))
}

/** null: it was to be one, and is none. */
function eventOf(line: string): { readonly Package?: unknown; readonly Output?: unknown } | null {
  if (!line.startsWith('{')) return {}
  try {
    return JSON.parse(line) as object
  } catch {
    return null
  }
}

/** A result that ends in a unit: one that Go itself prints, or that another result has. */
function isWhole(last: string, lines: readonly string[]): boolean {
  const result = RESULT.exec(last)?.[3] ?? LATE_RESULT.exec(last)?.[2]
  // a name of which the result did not come is what was cut most often
  if (result === undefined) return !NAME.test(last)
  const unit = result.trimEnd().split(/\s+/).at(-1)!
  return (
    COMMON.has(unit) || lines.some((line) => line !== last && RESULT.test(line) && line.split(/\s+/).includes(unit))
  )
}
