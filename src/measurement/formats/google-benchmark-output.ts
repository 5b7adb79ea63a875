import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'
import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { toolUnit } from '../units.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'
import { decimal, parseDocument } from './json-document.ts'
import { saidNumber, saidText } from './said-environment.ts'

const UNNAMED = 'google-benchmark'
const MOST_ROWS = 500_000

const UNITS = ['ns', 'us', 'ms', 's'] as const
const unit = z.enum(UNITS).default('ns')
const name = z.string().max(10_000)

/** One line of the result: an iteration, or an aggregate of several. */
interface Row {
  readonly name: string
  /** The name of what an aggregate is of. */
  readonly runName: string
  /** null: an iteration. */
  readonly aggregate: string | null
  readonly isShare: boolean
  readonly unit: (typeof UNITS)[number]
  /** Values by their metric, as texts. */
  readonly values: Readonly<Record<string, string | undefined>>
  readonly error: string | null
}

const rowSchema = z
  .object({
    name,
    run_name: name.optional(),
    run_type: z.string().max(100).optional(),
    aggregate_name: z.string().max(1000).optional(),
    aggregate_unit: z.string().max(100).optional(),
    error_occurred: z.boolean().optional(),
    error_message: z.string().optional(),
    time_unit: unit,
    real_time: decimal.nullish(),
    cpu_time: decimal.nullish(),
    items_per_second: decimal.nullish(),
    bytes_per_second: decimal.nullish(),
    allocs_per_iter: decimal.nullish(),
    max_bytes_used: decimal.nullish(),
  })
  .transform((row): Row => {
    return {
      name: row.name,
      runName: row.run_name ?? row.name,
      aggregate: (row.run_type === 'aggregate' && row.aggregate_name) || null,
      isShare: row.aggregate_unit === 'percentage',
      unit: row.time_unit,
      values: {
        time: row.real_time ?? undefined,
        cpu_time: row.cpu_time ?? undefined,
        items_per_second: row.items_per_second ?? undefined,
        bytes_per_second: row.bytes_per_second ?? undefined,
        allocations: row.allocs_per_iter ?? undefined,
        max_bytes_used: row.max_bytes_used ?? undefined,
      },
      error: row.error_occurred === true ? (row.error_message ?? 'an error occurred') : null,
    }
  })

const resultSchema = z.object({
  context: z
    .object({
      executable: z.string().max(10_000).optional(),
      num_cpus: saidNumber,
      mhz_per_cpu: saidNumber,
      host_name: saidText,
      library_build_type: saidText,
      // these say what `--benchmark_context=compiler=gcc-12` gives them
      build_type: saidText,
      os: saidText,
      arch: saidText,
      compiler: saidText,
      caches: z
        .array(z.object({ type: z.string(), level: z.number(), size: z.number() }))
        .max(100)
        .nullish()
        .catch(null),
    })
    .optional(),
  benchmarks: z.array(rowSchema).max(MOST_ROWS),
})

const comparisonSchema = z
  .array(
    z.object({
      name,
      run_type: z.string().max(100).optional(),
      aggregate_name: z.string().max(1000).optional(),
      time_unit: unit,
      measurements: z
        .array(z.object({ real_time: decimal, cpu_time: decimal, real_time_other: decimal, cpu_time_other: decimal }))
        .max(MOST_ROWS),
    }),
  )
  .max(MOST_ROWS)

/** The units of what is no time. */
const OTHERS: Readonly<Record<string, Pick<Benchmark, 'unit' | 'better'>>> = {
  items_per_second: { unit: '1/s', better: 'higher' },
  bytes_per_second: { unit: 'bytes/s', better: 'higher' },
  allocations: { unit: '1' },
  max_bytes_used: { unit: 'bytes' },
}

export function googleBenchmarkResult(text: string, context: ReaderContext): Contribution {
  const data = parseDocument(text, resultSchema, 'result of Google Benchmark', { exact: true })
  const executable = data.context?.executable?.split(/[/\\]/).at(-1)
  return measured(data.benchmarks, executable || UNNAMED, context, environmentOfContext(data.context ?? {}))
}

function environmentOfContext(said: NonNullable<z.infer<typeof resultSchema>['context']>): SaidEnvironment {
  return {
    cpus: said.num_cpus,
    clock: clockWords(said.mhz_per_cpu),
    caches: said.caches?.map(({ type, level, size }) => cacheWords(level, type, size)).join(', '),
    host: said.host_name,
    build: said.build_type ?? said.library_build_type,
    os: said.os ?? systemOf(said.executable ?? ''),
    architecture: said.arch,
    compiler: said.compiler,
  }
}

/** The place of a home folder tells the system; null: the path does not. */
function systemOf(path: string): string | null {
  if (/^[A-Z]:\\/i.test(path)) return 'windows'
  return path.startsWith('/Users/') ? 'darwin' : path.startsWith('/home/') ? 'linux' : null
}

/** Of a virtual machine it is not the same number each time. */
function clockWords(megahertz: number | null | undefined): string | null {
  return megahertz ? `${(megahertz / 1000).toFixed(1)} GHz` : null
}

function cacheWords(level: number, type: string, bytes: number): string {
  return `L${level} ${type} ${bytes / 1024} KiB`
}

/** What stands above the table, of programs whose both streams were kept. */
function environmentOf(text: string): SaidEnvironment {
  const [, cpus, megahertz] = /^Run on \((\d+) X ([\d.]+) MHz CPU ?s?\)/m.exec(text) ?? []
  const caches = [...text.matchAll(/^ {2}L(\d) (Data|Instruction|Unified) (\d+) KiB/gm)].slice(0, 20)
  return {
    cpus,
    clock: clockWords(Number(megahertz)),
    caches: caches.map(([, level, type, size]) => cacheWords(Number(level), type!, Number(size) * 1024)).join(', '),
    build: /^\*\*\*WARNING\*\*\* Library was built as DEBUG/m.test(text) ? 'debug' : null,
  }
}

export function googleBenchmarkComparison(text: string, context: ReaderContext): Contribution {
  const reports = parseDocument(text, comparisonSchema, 'comparison of Google Benchmark', { exact: true })
  const found = new Benchmarks(context)
  const iterated = new Set(reports.filter((report) => report.run_type !== 'aggregate').map((report) => report.name))
  for (const report of reports) {
    const { aggregate_name: aggregate = '', run_type: type, time_unit: timeUnit } = report
    if (report.name === 'OVERALL_GEOMEAN') continue
    const isGiven = type === 'aggregate' && aggregate !== ''
    if (isGiven && iterated.has(withoutEnd(report.name, aggregate))) continue
    for (const one of report.measurements) {
      const sides = [
        ['old', one.real_time, one.cpu_time],
        ['new', one.real_time_other, one.cpu_time_other],
      ] as const
      for (const [side, time, cpu] of sides) {
        const values = { time, cpu_time: cpu }
        add(found, { test: UNNAMED, name: report.name }, { values, unit: timeUnit, isShare: false }, side, isGiven)
      }
    }
  }
  return found.contribution('benchmark of Google Benchmark')
}

/** `fib_10   215 ns   214 ns   3070566`; aggregates are rows whose names end in `_mean` and so on. */
const LINE = /^(\S.*?)\s+([\d.]+(?:e[+-]?\d+)?) (ns|us|ms|s)\s+([\d.]+(?:e[+-]?\d+)?) (ns|us|ms|s)\s+\d+(?:\s.*)?$/
const FAILED = /^(\S.*?)\s+ERROR OCCURRED: '(.*)'\s*$/
const AGGREGATE = /^(.*)_(mean|median|stddev|cv|min|max)$/
/** Colours of a terminal. */
const ESCAPE = '\u001b'
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g')

export function googleBenchmarkTable(text: string, context: ReaderContext): Contribution {
  const lines = text.replaceAll(COLOURS, '').split(/\r?\n/)
  if (lines.at(-1) !== '') throw new MemberError('its last line has no end: it was cut')
  const rows = lines.flatMap((line): Row[] => {
    const failed = FAILED.exec(line)
    if (failed !== null) {
      return [
        {
          name: failed[1]!,
          runName: failed[1]!,
          aggregate: null,
          isShare: false,
          unit: 'ns',
          values: {},
          error: failed[2]!,
        },
      ]
    }
    const [, full, time, timeUnit, cpu, cpuUnit] = LINE.exec(line) ?? []
    if (full === undefined) return []
    const [, of = full, aggregate = null] = AGGREGATE.exec(full) ?? []
    // both columns are in the unit of the benchmark
    if (timeUnit !== cpuUnit) return []
    const values = { time, cpu_time: cpu }
    return [{ name: full, runName: of, aggregate, isShare: false, unit: timeUnit as Row['unit'], values, error: null }]
  })
  // a benchmark may be called so itself: then nothing else is of it
  const runs = Map.groupBy(rows, (row) => row.runName)
  const told = rows.map((row) =>
    runs.get(row.runName)!.length > 1 ? row : { ...row, runName: row.name, aggregate: null },
  )
  return measured(told, UNNAMED, context, environmentOf(text))
}

/** Iterations are samples. Of aggregates without their iterations the median is the summary, else the mean, else what there is. */
function measured(
  rows: readonly Row[],
  test: string,
  context: ReaderContext,
  environment: SaidEnvironment,
): Contribution {
  const found = new Benchmarks(context)
  found.in(environment)
  const iterated = new Set<string>()
  const aggregates = new Map<string, Row[]>()
  for (const row of rows) {
    if (row.aggregate === null) {
      iterated.add(row.runName)
      if (row.error !== null) found.failed({ test, name: row.name, metric: 'time', unit: 's' }, row.error)
      else add(found, { test, name: row.name }, row, undefined, false)
    } else {
      const known = aggregates.get(row.runName)
      if (known === undefined) aggregates.set(row.runName, [row])
      else known.push(row)
    }
  }
  for (const [runName, ofRun] of aggregates) {
    if (iterated.has(runName)) continue
    const known = (kind: string) => ofRun.find(({ aggregate }) => aggregate === kind)
    const best = known('median') ?? known('mean')
    if (best === undefined)
      for (const row of ofRun.filter(({ aggregate }) => !NO_VALUES.has(aggregate!)))
        add(found, { test, name: row.name }, row, undefined, true)
    else summarize(found, { test, name: runName }, best, known('stddev'))
  }
  return found.contribution('benchmark of Google Benchmark')
}

/** Aggregates that are no value of the benchmark. */
const NO_VALUES: ReadonlySet<string> = new Set(['BigO', 'RMS', 'stddev', 'cv'])

function summarize(
  found: Benchmarks,
  of: Pick<Benchmark, 'test' | 'name'>,
  row: Row,
  deviation: Row | undefined,
): void {
  const kind = row.aggregate === 'median' ? 'median' : 'mean'
  for (const [metric, text] of Object.entries(row.values)) {
    const value = numberOf(metric, text, row)
    const spread = deviation === undefined ? null : numberOf(metric, deviation.values[metric], deviation)
    if (value === null) continue
    const share = spread === null || value === 0 ? null : spread / value
    found.given({ ...of, metric, unit: 's', ...OTHERS[metric] }, { kind, value, spread: share })
  }
}

type Values = Pick<Row, 'values' | 'unit' | 'isShare'>

function add(
  found: Benchmarks,
  of: Pick<Benchmark, 'test' | 'name'>,
  row: Values,
  side: Side | undefined,
  isGiven: boolean,
): void {
  for (const [metric, text] of Object.entries(row.values)) {
    if (text === undefined) continue
    const value = numberOf(metric, text, row)
    const benchmark = { ...of, metric, unit: row.isShare ? '1' : 's', ...OTHERS[metric] }
    if (value === null) found.warn(`${metric} of ${of.name} is no finite number`)
    else if (isGiven) found.given(benchmark, { kind: 'value', value }, side)
    else found.sample(benchmark, value, side)
  }
}

function numberOf(metric: string, text: string | undefined, row: Values): number | null {
  const isTime = !row.isShare && !Object.hasOwn(OTHERS, metric)
  return text === undefined ? null : parseShifted(text, isTime ? toolUnit(row.unit)!.by : 0)
}

function withoutEnd(text: string, aggregate: string): string {
  return text.endsWith(`_${aggregate}`) ? text.slice(0, -aggregate.length - 1) : text
}
