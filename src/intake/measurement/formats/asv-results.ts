import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'
import type { Side } from '../run.ts'
import { betterOfName } from '../units.ts'
import { type Benchmark, Benchmarks, metricOfUnit, type Summary } from './benchmarks.ts'
import { type Contribution, type FilePart, MemberError, NOTHING, type ReaderContext } from './format.ts'
import { goodEntries, parseDocument } from './json-document.ts'
import { pythonOf, saidText } from './said-environment.ts'

/** Combinations of the parameters of one benchmark. */
const MOST_COMBINATIONS = 10_000

const text = z.string().max(10_000)
const texts = z.array(text).max(MOST_COMBINATIONS)
const number = z.number().nullable()
const numbers = z.array(number).max(MOST_COMBINATIONS).nullable()
const samples = z.array(z.array(number).max(100_000).nullable()).max(MOST_COMBINATIONS).nullable()

/** What is in the place of a result: NaN was skipped and null has failed, which the reader of JSON does not tell apart. */
const result = z.union([number, numbers])
const oneStat = z.object({ ci_99: z.array(number).nullish(), q_25: number.nullish(), q_75: number.nullish() })
const stats = z.array(oneStat.nullable())

const entry = z.union([
  number,
  // by the columns of the file
  z.array(z.unknown()).max(100),
  // of version 1
  z.object({
    result,
    params: z.array(texts).max(100).nullish(),
    samples: samples.optional(),
    stats: stats.max(MOST_COMBINATIONS).nullish(),
  }),
])
const resultFile = z.object({
  commit_hash: text,
  date: z.number().nullish(),
  env_name: text.nullish(),
  params: z
    .object({
      machine: text.nullish(),
      cpu: saidText,
      num_cpu: z.union([z.number(), text]).nullish().catch(null),
      os: saidText,
      arch: saidText,
      python: saidText,
    })
    .nullish(),
  result_columns: z.array(text).max(100).optional(),
  results: z.record(text, z.unknown()),
})

const benchmark = z.union([z.number(), z.object({ unit: text.nullish(), type: text.nullish() })])
const benchmarkList = z.record(text, z.unknown())

/** What asv says of a benchmark, of each combination of its parameters. */
interface Result {
  readonly values: readonly (number | null)[]
  readonly params: readonly (readonly string[])[]
  readonly samples: readonly (readonly (number | null)[] | null)[]
  readonly lower: readonly (number | null)[]
  readonly upper: readonly (number | null)[]
  readonly lowerQuarter: readonly (number | null)[]
  readonly upperQuarter: readonly (number | null)[]
  readonly repeat: readonly (number | null)[]
}

class AsvPart implements FilePart {
  readonly context: ReaderContext
  readonly commit: string
  readonly date: number
  readonly machine: string
  /** `virtualenv-py3.12-numpy`. */
  readonly environment: string
  readonly place: SaidEnvironment
  readonly results: ReadonlyMap<string, Result>
  /** The units of `benchmarks.json`, by benchmark. */
  readonly units: ReadonlyMap<string, string>
  readonly assemble = assembleResults

  constructor(
    context: ReaderContext,
    said: Pick<AsvPart, 'commit' | 'date' | 'machine' | 'environment' | 'place' | 'results' | 'units'>,
  ) {
    this.context = context
    this.commit = said.commit
    this.date = said.date
    this.machine = said.machine
    this.environment = said.environment
    this.place = said.place
    this.results = said.results
    this.units = said.units
  }

  get side(): Side | null {
    return this.context.side ?? this.context.sideOfName
  }
}

export function asvFile(document: string, context: ReaderContext): Contribution {
  if (!/"commit_hash"\s*:/.test(document)) {
    const what = 'benchmarks.json of asv'
    const list = parseDocument(document, benchmarkList, what, { exact: false })
    const units = new Map(
      goodEntries(list, benchmark, { at: '', what, warn: context.warn }).flatMap(([name, one]) =>
        typeof one === 'object' && one.unit != null ? [[context.budget.keep(name), context.budget.keep(one.unit)]] : [],
      ),
    )
    return {
      ...NOTHING,
      part: new AsvPart(context, { ...NO_RESULTS, units }),
    }
  }
  const what = 'result of asv'
  const data = parseDocument(document, resultFile, what, { exact: false })
  const results = new Map<string, Result>()
  for (const [name, one] of goodEntries(data.results, entry, { at: 'results', what, warn: context.warn })) {
    try {
      results.set(context.budget.keep(name), resultOf(one, data.result_columns ?? [], name))
    } catch (error) {
      if (!(error instanceof MemberError)) throw error
      context.warn('invalid-value', null, `${error.message}: skipped`)
    }
  }
  const { commit_hash: commit, date, params, env_name: environment } = data
  const keep = (of: string | null | undefined) => context.budget.keep(of ?? '')
  const place = {
    host: params?.machine,
    cpu: params?.cpu,
    cpus: params?.num_cpu,
    // `Linux 6.1.0-18-amd64`
    os: params?.os?.split(' ')[0],
    architecture: params?.arch,
    runtime: pythonOf(null, params?.python),
  }
  const said = { commit: keep(commit), machine: keep(params?.machine), environment: keep(environment), place }
  return { ...NOTHING, part: new AsvPart(context, { ...said, date: date ?? 0, results, units: new Map() }) }
}

const NO_RESULTS = { commit: '', date: 0, machine: '', environment: '', place: {}, results: new Map() } as const

function resultOf(one: z.infer<typeof entry>, columns: readonly string[], name: string): Result {
  if (one === null || typeof one === 'number') return { ...EMPTY, values: [one] }
  if (!Array.isArray(one)) {
    const { stats: list } = one
    const ofStats = <T>(get: (stat: z.infer<typeof oneStat>) => T) =>
      (list ?? []).map((stat) => (stat === null ? null : (get(stat) ?? null)))
    return {
      ...EMPTY,
      values: Array.isArray(one.result) ? one.result : [one.result],
      params: one.params ?? [],
      samples: one.samples ?? [],
      lower: ofStats((stat) => stat.ci_99?.[0] ?? null),
      upper: ofStats((stat) => stat.ci_99?.[1] ?? null),
      lowerQuarter: ofStats((stat) => stat.q_25 ?? null),
      upperQuarter: ofStats((stat) => stat.q_75 ?? null),
    }
  }
  const column = <T>(label: string, schema: z.ZodType<T>): T | null => {
    const { data, error } = schema.nullable().safeParse(one[columns.indexOf(label)] ?? null)
    if (error) throw new MemberError(`"${label}" of ${name.slice(0, 100)} is not a column of a result of asv`)
    return data
  }
  return {
    values: column('result', numbers) ?? [null],
    params: column('params', z.array(texts).max(100)) ?? [],
    samples: column('samples', samples) ?? [],
    lower: column('stats_ci_99_a', numbers) ?? [],
    upper: column('stats_ci_99_b', numbers) ?? [],
    lowerQuarter: column('stats_q_25', numbers) ?? [],
    upperQuarter: column('stats_q_75', numbers) ?? [],
    repeat: column('stats_repeat', numbers) ?? [],
  }
}

const EMPTY: Result = {
  values: [],
  params: [],
  samples: [],
  lower: [],
  upper: [],
  lowerQuarter: [],
  upperQuarter: [],
  repeat: [],
}

function assembleResults(all: readonly FilePart[]): Contribution {
  const parts = all.filter((part) => part instanceof AsvPart)
  const files = parts.filter(({ commit }) => commit !== '')
  const units = new Map(parts.flatMap((part) => [...part.units]))
  const benchmarks = new Benchmarks(parts[0]!.context, { isUnordered: true })
  const sideOf = sidesOfCommits(files)
  const placeOf = placesOf(files, sideOf)
  for (const file of files) {
    const said = { side: sideOf(file), place: placeOf(file) }
    benchmarks.in(file.place)
    for (const [name, found] of file.results) addResult(benchmarks, name, found, unitOf(name, units), said)
  }
  return benchmarks.contribution('result of asv')
}

/** Of files that say no side: the two commits that there are, by their dates, or the only one, which is new. */
function sidesOfCommits(files: readonly AsvPart[]): (file: AsvPart) => Side {
  const dates = new Map(files.filter(({ side }) => side === null).map(({ commit, date }) => [commit, date]))
  const [first, second, ...more] = [...dates].sort(([, a], [, b]) => a - b)
  if (more.length > 0 || (second !== undefined && first![1] === second[1])) {
    const names = [...dates.keys()].map((commit) => commit.slice(0, 8)).slice(0, 5)
    throw new MemberError(
      `results of ${dates.size} commits (${names.join(', ')}), and nothing says which two to compare; put one into a folder old/ and one into new/`,
    )
  }
  const old = second === undefined ? null : first![0]
  return ({ side, commit }) => side ?? (commit === old ? 'old' : 'new')
}

/**
 * Values of two machines, or of two versions of Python, are no repetitions of each other: where a side has several, each has its own
 * rows. Where both sides have one it may be called differently, as the hosts of containers are, and is no part of the name.
 */
function placesOf(files: readonly AsvPart[], sideOf: (file: AsvPart) => Side): (file: AsvPart) => string {
  const parts = (['machine', 'environment'] as const).filter((part) =>
    (['old', 'new'] as const).some(
      (side) => new Set(files.filter((file) => sideOf(file) === side).map((file) => file[part])).size > 1,
    ),
  )
  return (file) => (parts.length === 0 ? '' : ` [${parts.map((part) => file[part]).join(', ')}]`)
}

function addResult(
  benchmarks: Benchmarks,
  whole: string,
  found: Result,
  of: Pick<Benchmark, 'metric' | 'unit' | 'better'>,
  { side, place: where }: { readonly side: Side; readonly place: string },
): void {
  const names = combinations(found.params)
  const { test, name } = idOf(whole)
  // a benchmark that failed as a whole has no value of a combination
  found.values.forEach((value, place) => {
    const params = found.values.length === 1 && names.length !== 1 ? undefined : names[place]
    const own = params === undefined || params === '' ? name : `${name}(${params})`
    const benchmark: Benchmark = { test, name: `${own}${where}`, ...of }
    const samples = (found.samples[place] ?? []).filter((sample) => sample !== null)
    if (samples.length > 0) benchmarks.samples(benchmark, samples, side)
    else if (value !== null) benchmarks.given(benchmark, summaryOf(found, place, value), side)
    else benchmarks.failed(benchmark, 'asv has no value for it: it failed or was skipped', side)
  })
}

/** The median of the repetitions; of what is measured once the value alone. */
function summaryOf(found: Result, place: number, value: number): Summary {
  const [lower, upper] = [found.lower[place] ?? null, found.upper[place] ?? null]
  const [low, high] = [found.lowerQuarter[place] ?? null, found.upperQuarter[place] ?? null]
  const isMedian = low !== null && high !== null
  return {
    kind: isMedian ? 'median' : 'value',
    value,
    lower,
    upper,
    // half of the middle half is what asv shows behind `±`
    spread: isMedian && value > 0 ? (high - low) / 2 / value : null,
    repetitions: found.repeat[place] ?? null,
  }
}

/** `benchmarks.Sums.time_sum` is the benchmark `time_sum` of the class or module `benchmarks.Sums`. */
export function idOf(whole: string): { readonly test: string; readonly name: string } {
  const end = whole.indexOf('(') === -1 ? whole.length : whole.indexOf('(')
  const dot = whole.lastIndexOf('.', end)
  return dot > 0 ? { test: whole.slice(0, dot), name: whole.slice(dot + 1) } : { test: 'asv', name: whole }
}

/** `100, 'list'` for each combination of the values, in asv's order: the last one changes fastest. */
function combinations(params: readonly (readonly string[])[]): readonly string[] {
  let all: readonly string[] = ['']
  for (const [place, values] of params.entries()) {
    if (all.length * values.length > MOST_COMBINATIONS)
      throw new MemberError('it has too many combinations of parameters')
    all = all.flatMap((before) => values.map((value) => (place === 0 ? value : `${before}, ${value}`)))
  }
  return all
}

/** By `benchmarks.json`; without it by the name, which asv takes the kind of a benchmark from. */
export function unitOf(
  whole: string,
  units: ReadonlyMap<string, string>,
): Pick<Benchmark, 'metric' | 'unit' | 'better'> {
  const { name } = idOf(whole)
  const unit = units.get(whole)
  if (/^(?:time|timeraw)_|^Time/.test(name)) return { metric: 'time', unit: 's' }
  if (/^(?:mem|peakmem)_|^(?:Mem|PeakMem)/.test(name)) return { metric: 'bytes', unit: 'bytes' }
  const better = betterOfName(unit ?? '') ?? betterOfName(name)
  if (unit === undefined) return { metric: 'value', unit: null, better }
  // the value of a benchmark that tracks a number is in its own unit, which it names freely
  const of = metricOfUnit(unit)
  if (of.by === 0 && of.factor === 1) return { metric: of.metric, unit: of.unit, better }
  return { metric: unit, unit, better }
}
