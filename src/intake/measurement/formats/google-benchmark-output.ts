import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'
import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { betterOfName, toolUnit } from '../units.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'
import { wholeLines } from './output-lines.ts'
import { saidNumber, saidText } from './said-environment.ts'

/** Reads what `google-benchmark.ts` recognises, and is loaded only where there is such a file. */

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
  /** Which of the rows of its name it is, where the file says it. */
  readonly family: string | null
  readonly repetition: number | null
}

/** What Google Benchmark itself has of a row. The other numbers are the user's counters. */
const OWN = new Set(
  `name family_index per_family_instance_index run_name run_type repetitions repetition_index threads iterations real_time cpu_time
  time_unit items_per_second bytes_per_second label aggregate_name aggregate_unit error_occurred error_message skipped skip_message
  allocs_per_iter max_bytes_used total_allocated_bytes net_heap_growth cpu_coefficient real_coefficient big_o rms complexity_n
  iteration_type`.split(/\s+/),
)

function countersOf(row: Readonly<Record<string, unknown>>): Row['values'] {
  const counters = Object.entries(row).filter(([key]) => !OWN.has(key))
  return Object.fromEntries(
    counters.flatMap(([key, value]) => {
      const { data } = decimal.safeParse(value)
      return data === undefined ? [] : [[key, data]]
    }),
  )
}

const rowSchema = z
  .object({
    name,
    run_name: name.optional(),
    run_type: z.string().max(100).optional(),
    family_index: z.number().nullish(),
    per_family_instance_index: z.number().nullish(),
    repetition_index: z.number().nullish(),
    aggregate_name: z.string().max(1000).optional(),
    aggregate_unit: z.string().max(100).optional(),
    error_occurred: z.boolean().optional(),
    error_message: z.string().optional(),
    skipped: z.boolean().optional(),
    skip_message: z.string().optional(),
    time_unit: unit,
    real_time: decimal.nullish(),
    cpu_time: decimal.nullish(),
    items_per_second: decimal.nullish(),
    bytes_per_second: decimal.nullish(),
    allocs_per_iter: decimal.nullish(),
    max_bytes_used: decimal.nullish(),
  })
  .catchall(z.unknown())
  .transform((row): Row => {
    const counters = { ...countersOf(row), items: row.items_per_second, bytes: row.bytes_per_second }
    const isTimed = [row.real_time, row.cpu_time].some((time) => Number(time ?? 0) !== 0)
    // a benchmark that has set its time to nothing is measured by what it counts
    const isSpread = row.aggregate_name === 'stddev' || row.aggregate_name === 'cv'
    const isByCounters = !isTimed && !isSpread && Object.values(counters).some((value) => Number(value ?? 0) !== 0)
    return {
      name: row.name,
      runName: row.run_name ?? row.name,
      aggregate: (row.run_type === 'aggregate' && row.aggregate_name) || null,
      isShare: row.aggregate_unit === 'percentage',
      unit: row.time_unit,
      values: {
        ...countersOf(row),
        time: isByCounters ? undefined : (row.real_time ?? undefined),
        cpu_time: isByCounters ? undefined : (row.cpu_time ?? undefined),
        items_per_second: row.items_per_second ?? undefined,
        bytes_per_second: row.bytes_per_second ?? undefined,
        allocations: row.allocs_per_iter ?? undefined,
        max_bytes_used: row.max_bytes_used ?? undefined,
      },
      // what was skipped has a time of 0
      error:
        row.error_occurred === true
          ? (row.error_message ?? 'an error occurred')
          : row.skipped === true
            ? `skipped, ${row.skip_message ?? 'by itself'}`
            : null,
      family: row.family_index == null ? null : `${row.family_index} ${row.per_family_instance_index ?? 0}`,
      repetition: row.repetition_index ?? null,
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
      cpu: saidText,
      cpu_model: saidText,
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
  benchmarks: z.array(z.unknown()).max(MOST_ROWS),
})

const comparisonSchema = z.array(z.unknown()).max(MOST_ROWS)
const comparedSchema = z.object({
  name,
  run_type: z.string().max(100).optional(),
  aggregate_name: z.string().max(1000).optional(),
  time_unit: unit,
  measurements: z
    .array(z.object({ real_time: decimal, cpu_time: decimal, real_time_other: decimal, cpu_time_other: decimal }))
    .max(MOST_ROWS),
})

/** The units of what is no time and no counter of the user. */
const OTHERS: Readonly<Record<string, Pick<Benchmark, 'unit' | 'better'>>> = {
  items_per_second: { unit: '1/s', better: 'higher' },
  bytes_per_second: { unit: 'bytes/s', better: 'higher' },
  allocations: { unit: '1' },
  max_bytes_used: { unit: 'bytes' },
}

const TIMES: ReadonlySet<string> = new Set(['time', 'cpu_time'])

/** A counter that is a rate (`kIsRate`) is divided by the time already, and its name alone says so: `frames_per_second`. */
const PER_SECOND = /(?:per_?s(?:ec(?:ond)?)?|\/s(?:ec)?)$/i

function unitOf(metric: string): Pick<Benchmark, 'unit' | 'better'> {
  if (TIMES.has(metric)) return { unit: 's' }
  if (Object.hasOwn(OTHERS, metric)) return OTHERS[metric]!
  return { unit: PER_SECOND.test(metric) ? '1/s' : null, better: betterOfName(metric) }
}

export function googleBenchmarkResult(text: string, context: ReaderContext): Contribution {
  const what = 'result of Google Benchmark'
  const data = parseDocument(text, resultSchema, what, { exact: true })
  const rows = goodEntries(data.benchmarks, rowSchema, { at: 'benchmarks', what, warn: context.warn })
  const executable = data.context?.executable?.split(/[/\\]/).at(-1)
  return measured(
    rows.map(([, row]) => row),
    executable || UNNAMED,
    context,
    environmentOfContext(data.context ?? {}),
  )
}

function environmentOfContext(said: NonNullable<z.infer<typeof resultSchema>['context']>): SaidEnvironment {
  return {
    cpu: said.cpu ?? said.cpu_model,
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
  const what = 'comparison of Google Benchmark'
  const list = parseDocument(text, comparisonSchema, what, { exact: true })
  const reports = goodEntries(list, comparedSchema, { at: '', what, warn: context.warn }).map(([, report]) => report)
  const found = new Benchmarks(context)
  const iterated = new Set(reports.filter((report) => report.run_type !== 'aggregate').map((report) => report.name))
  for (const report of reports) {
    const { aggregate_name: aggregate = '', run_type: type, time_unit: timeUnit } = report
    if (report.name === 'OVERALL_GEOMEAN') continue
    const isGiven = type === 'aggregate' && aggregate !== ''
    if (isGiven && iterated.has(withoutEnd(report.name, aggregate))) continue
    const id = found.another({ test: UNNAMED, name: report.name })
    for (const one of report.measurements) {
      const sides = [
        ['old', one.real_time, one.cpu_time],
        ['new', one.real_time_other, one.cpu_time_other],
      ] as const
      for (const [side, time, cpu] of sides) {
        const values = { time, cpu_time: cpu }
        add(found, id, { values, unit: timeUnit, isShare: false }, side, isGiven)
      }
    }
  }
  return found.contribution('benchmark of Google Benchmark')
}

/** `fib_10   215 ns   214 ns   3070566`; aggregates are rows whose names end in `_mean` and so on. */
const LINE = /^(\S.*?)\s+([\d.]+(?:e[+-]?\d+)?) (ns|us|ms|s)\s+([\d.]+(?:e[+-]?\d+)?) (ns|us|ms|s)\s+\d+(?:\s.*)?$/
const HEADER = /^Benchmark +Time +CPU +Iterations/
const FAILED = /^(\S.*?)\s+(?:ERROR OCCURRED|SKIPPED): '(.*)'\s*$/
const AGGREGATE = /^(.*)_(mean|median|stddev|cv|min|max)$/
/** Of the iterations and of what stands behind them nothing is read. */
const isWhole = (line: string) => LINE.test(line) || FAILED.test(line)

export function googleBenchmarkTable(text: string, context: ReaderContext): Contribution {
  const lines = wholeLines(text, isWhole, context)
  // each run of the program begins a table
  let table = 0
  const rows = lines.flatMap((line): Row[] => {
    if (HEADER.test(line)) table += 1
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
          family: null,
          repetition: table,
        },
      ]
    }
    const [, full, time, timeUnit, cpu, cpuUnit] = LINE.exec(line) ?? []
    if (full === undefined) return []
    const [, of = full, aggregate = null] = AGGREGATE.exec(full) ?? []
    // both columns are in the unit of the benchmark
    if (timeUnit !== cpuUnit) return []
    const values = { time, cpu_time: cpu }
    const ofTable = { family: null, repetition: table }
    return [
      {
        name: full,
        runName: of,
        aggregate,
        isShare: false,
        unit: timeUnit as Row['unit'],
        values,
        error: null,
        ...ofTable,
      },
    ]
  })
  // a benchmark may be called so itself: then nothing else is of it
  const runs = Map.groupBy(rows, (row) => row.runName)
  const told = rows.map((row) => {
    const ofRun = runs.get(row.runName)!
    return ofRun.length > 1 && row.aggregate !== null ? row : { ...row, runName: row.name, aggregate: null }
  })
  return measured(withFamilies(told), UNNAMED, context, environmentOf(text))
}

/**
 * Lines of one name in a table are repetitions up to their aggregates; without aggregates each is a benchmark of its own. The next table
 * has the same benchmarks again.
 */
function withFamilies(rows: readonly Row[]): readonly Row[] {
  const repeated = new Set(rows.flatMap(({ aggregate, runName }) => (aggregate === null ? [] : [runName])))
  const states = new Map<string, { readonly number: number; readonly isOver: boolean }>()
  return rows.map((row) => {
    const key = JSON.stringify([row.repetition, row.runName])
    const { number, isOver } = states.get(key) ?? { number: -1, isOver: true }
    // of errors without aggregates nothing tells whether they are of one
    const isNext = row.aggregate === null && isOver && (row.error === null || number < 0)
    const here = { number: isNext ? number + 1 : number, isOver: row.aggregate !== null || !repeated.has(row.runName) }
    states.set(key, here)
    return { ...row, family: String(Math.max(0, here.number)) }
  })
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
  const numberOf = numbersOfRows()
  for (const row of rows) {
    const number = numberOf(row)
    const key = JSON.stringify([row.runName, number])
    if (row.aggregate === null) {
      iterated.add(key)
      const id = found.numbered({ test, name: row.name }, number)
      if (row.error === null) {
        if (Object.values(row.values).every((value) => value === undefined)) found.warn(`${id.name} has no time`)
        add(found, id, row, undefined, false)
      } else found.failedRuns({ ...id, metric: 'time', unit: 's' }, { failed: 1, of: null, why: `: ${row.error}` })
    } else {
      const known = aggregates.get(key)
      if (known === undefined) aggregates.set(key, [row])
      else known.push(row)
    }
  }
  for (const [key, ofRun] of aggregates) {
    if (iterated.has(key)) continue
    const [, number] = JSON.parse(key) as [string, number]
    const known = (kind: string) => ofRun.find(({ aggregate }) => aggregate === kind)
    const best = known('median') ?? known('mean')
    if (best === undefined)
      for (const row of ofRun.filter(({ aggregate }) => !NO_VALUES.has(aggregate!)))
        add(found, found.numbered({ test, name: row.name }, number), row, undefined, true)
    else summarize(found, found.numbered({ test, name: ofRun[0]!.runName }, number), best, known('stddev'))
  }
  return found.contribution('benchmark of Google Benchmark')
}

/**
 * How many benchmarks of its name come before that of a row. Repetitions of one benchmark are of one family, before there were families
 * counted.
 */
function numbersOfRows(): (row: Row) => number {
  const families = new Map<string, string[]>()
  const seen = new Map<string, number>()
  return ({ name: full, runName, family, aggregate, repetition }) => {
    if (family !== null) {
      const ofName = families.get(runName) ?? []
      if (!ofName.includes(family)) families.set(runName, [...ofName, family])
      return families.get(runName)!.indexOf(family)
    }
    if (aggregate === null && repetition === null) return 0
    const key = JSON.stringify([full, repetition])
    const before = seen.get(key) ?? 0
    seen.set(key, before + 1)
    return before
  }
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
    found.given({ ...of, metric, ...unitOf(metric) }, { kind, value, spread: share })
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
    const benchmark = { ...of, metric, ...unitOf(metric), ...(row.isShare && TIMES.has(metric) && { unit: '1' }) }
    if (value === null) found.warn(`${metric} of ${of.name} is not a finite number`)
    else if (isGiven) found.given(benchmark, { kind: 'value', value }, side)
    else found.sample(benchmark, value, side)
  }
}

function numberOf(metric: string, text: string | undefined, row: Values): number | null {
  const isTime = !row.isShare && TIMES.has(metric)
  return text === undefined ? null : parseShifted(text, isTime ? toolUnit(row.unit)!.by : 0)
}

function withoutEnd(text: string, aggregate: string): string {
  return text.endsWith(`_${aggregate}`) ? text.slice(0, -aggregate.length - 1) : text
}
