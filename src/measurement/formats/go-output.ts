import type { EnvironmentField } from '../environment.ts'
import type { Side } from '../run.ts'
import { sideOfWord } from '../side-of-name.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'

/** The test of a benchmark whose package the output does not name. */
const UNNAMED = 'go'

const RESULT = /^(Benchmark\S*)\s+(\d+)\s+(\S.*)$/
/** What a benchmark itself prints comes between its name and its result. */
const NAME = /^(Benchmark\S*)(?:\s|$)/
const LATE_RESULT = /^\s*(\d+)\s+([\d.]+(?:e[+-]?\d+)? ns\/op.*)$/
const CONFIGURATION = /^([a-z][^\s:A-Z]*):\s*(.*)$/
/** `Unit ns/op better=lower assume=exact` */
const UNIT = /^Unit\s+(\S+)\s+(.*)$/

export function goOutput(text: string, context: ReaderContext): Contribution {
  const output = new GoOutput(context)
  for (const { lines, test } of partsOf(text)) output.read(lines, test)
  return output.contribution()
}

class GoOutput {
  readonly #found: Benchmarks
  readonly #better = new Map<string, 'lower' | 'higher'>()
  /** Units that are said or known not to vary. */
  readonly #counted = new Set(['allocs/op'])
  readonly #side: Side | null

  constructor(context: ReaderContext) {
    this.#found = new Benchmarks(context)
    this.#side = context.side
  }

  read(lines: readonly string[], testOfAll: string): void {
    let test = testOfAll
    let side = this.#side
    let pending: string | null = null
    const environment: Record<string, string> = {}
    this.#found.in(environment)
    for (const [index, line] of lines.entries()) {
      const result = RESULT.exec(line)
      const late: RegExpExecArray | null = result === null && pending !== null ? LATE_RESULT.exec(line) : null
      if (result !== null) {
        pending = null
        this.#result(test, result[1]!, result[3]!, side, index + 1)
      } else if (late !== null) {
        this.#result(test, pending!, late[2]!, side, index + 1)
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

  /** `325 ns/op	 16 B/op`: a value and its unit, and so on. */
  #result(test: string, name: string, text: string, side: Side | null, line: number): void {
    const fields = text.trim().split(/\s+/)
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [value, unit] = [fields[at]!, fields[at + 1]!]
      const benchmark = this.#benchmarkOf(test, name, unit)
      const number = inBaseUnit(value, benchmark)
      if (number === null) this.#found.warn(`"${value.slice(0, 40)}" is no value of ${unit.slice(0, 40)}`, line)
      else if (side === null) this.#found.sample(benchmark, number)
      else this.#found.sample(benchmark, number, side)
    }
  }

  /** A time, a rate and so on of another thing than an operation is a metric of its own. */
  #benchmarkOf(test: string, name: string, unit: string): Benchmark & { readonly by: number; readonly factor: number } {
    const known = metricOfUnit(unit)
    const better = this.#better.get(unit) ?? known.better ?? 'lower'
    const metric = COMMON.has(unit) ? known.metric : unit
    return { test, name, ...known, metric, better, isCounted: this.#counted.has(unit) }
  }

  contribution(): Contribution {
    return this.#found.contribution('Go benchmark')
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

/** The units that Go itself prints. */
const COMMON: ReadonlySet<string> = new Set(['ns/op', 'MB/s', 'B/op', 'allocs/op'])

interface Part {
  readonly test: string
  readonly lines: readonly string[]
}

/** The output as it is, or that of each package out of the events of `go test -json`, whose packages run side by side. */
function partsOf(text: string): readonly Part[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (!lines.some((line) => line.startsWith('{"'))) return [{ test: UNNAMED, lines: withoutCutLine(lines) }]
  const outputs = new Map<string, string[]>()
  for (const line of withoutCutLine(lines)) {
    const { Package: name = UNNAMED, Output: output } = eventOf(line)
    if (typeof name !== 'string' || typeof output !== 'string') continue
    const known = outputs.get(name)
    if (known === undefined) outputs.set(name, [output])
    else known.push(output)
  }
  return [...outputs].map(([test, texts]) => ({ test, lines: texts.join('').split('\n') }))
}

function eventOf(line: string): { readonly Package?: unknown; readonly Output?: unknown } {
  if (!line.startsWith('{')) return {}
  try {
    return JSON.parse(line) as object
  } catch {
    throw new MemberError(`this is no event of go test -json: "${line.slice(0, 60)}"`)
  }
}

/** The last one is empty where the file ends in an end of line. A result without one may have been cut in its last number. */
function withoutCutLine(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1)!
  if (RESULT.test(last) || last.startsWith('{')) throw new MemberError('its last line has no end: it was cut')
  return lines
}
