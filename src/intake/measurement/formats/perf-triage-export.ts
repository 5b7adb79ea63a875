import { z } from 'zod'
import { textOfSpreadsheet } from '../../../text/table.ts'
import type { Origin } from '../draft.ts'
import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import type { Better, Side } from '../run.ts'
import { type Benchmark, Benchmarks, type Summary } from './benchmarks.ts'
import { type Contribution, MemberError, type MemberReader, type ReaderContext } from './format.ts'
import { goodEntries, parseDocument } from './json-document.ts'

/** Reads what `perf-triage.ts` recognises, and is loaded only where there is such a file. */

const WHAT = 'measurement of a query'
const SIDES: readonly Side[] = ['old', 'new']

const text = z.string().max(1_000_000)
/** What is no finite number is a text there. */
const figure = z.union([z.number(), text]).nullish()
const better = z.enum(['lower', 'higher']).nullish()
const side = z.object({
  median: figure,
  repetitions: z.number().nullish(),
  given: z
    .object({
      kind: z.enum(['mean', 'median', 'minimum', 'value']),
      value: figure,
      lower: figure,
      upper: figure,
      spread: figure,
      repetitions: z.number().nullish(),
    })
    .nullish(),
})
const query = z.object({
  test: text,
  queryIndex: z.number().int().nonnegative().nullish(),
  queryName: text.nullish(),
  metric: text,
  unit: text.nullish(),
  better,
  architecture: text.nullish(),
  old: side.optional(),
  new: side.optional(),
})
type Query = z.infer<typeof query>

const row = z.object({ results: z.array(z.unknown()).max(1000) })
const rows = z.array(z.unknown()).max(200_000)
const samples = z.array(figure).max(2_000_000)
/** A number for each sample. */
const placed = z.object({ processes: z.array(z.int()).optional(), places: z.array(z.int()).optional() }).optional()
const metric = z.object({
  metric: text,
  unit: text.nullish(),
  better,
  measurement: z.number().nullish(),
  samples: z.object({ old: samples, new: samples }).nullish(),
  taken: z.object({ old: placed, new: placed, clock: z.boolean().optional() }).optional(),
})
const schema = z.union([
  z.object({
    row: row.and(query.pick({ test: true, queryIndex: true, queryName: true })),
    measured: z.array(z.object({ architecture: text.nullish(), metrics: z.array(metric).max(20_000) })).max(1000),
  }),
  z.object({ queries: z.array(z.unknown()).max(1_000_000) }),
  z.object({ rows }),
  z.object({ report: z.object({ rows }) }),
])

export function perfTriageJson(document: string, context: ReaderContext): Contribution {
  const what = 'JSON of perf-triage'
  const found = parseDocument(document, schema, what, { exact: false })
  const queriesOf = (list: readonly unknown[], at: string, mayBeNone = true) =>
    goodEntries(list, query, { at, what, warn: context.warn, mayBeNone }).map(([, one]) => one)
  const measured = new Exported(context)
  if ('measured' in found) {
    const { row: id, measured: results } = found
    for (const { architecture, metrics } of results) {
      // a ratio is computed from two others, which are there too
      for (const one of metrics.filter(({ measurement }) => measurement != null)) {
        const benchmark = benchmarkOf({ ...id, ...one, architecture })
        for (const which of SIDES) {
          const { processes, places } = one.taken?.[which] ?? {}
          for (const [at, value] of (one.samples?.[which] ?? []).entries()) {
            measured.sample(benchmark, value, which, {
              process: processes?.[at],
              place: places?.[at],
              repetition: at,
            })
          }
        }
        if (one.taken?.clock === true) measured.onOneClock(benchmark)
      }
    }
    if (!measured.isEmpty) return measured.contribution()
    for (const result of queriesOf(id.results, 'row.results')) measured.medians(result)
  } else {
    const results =
      'queries' in found
        ? queriesOf(found.queries, 'queries', false)
        : goodEntries('rows' in found ? found.rows : found.report.rows, row, {
            at: 'rows',
            what,
            warn: context.warn,
          }).flatMap(([key, { results }]) => queriesOf(results, `rows.${key}`))
    for (const result of results) measured.medians(result)
  }
  return measured.contribution()
}

function benchmarkOf(id: Query): Benchmark {
  const { test, queryName = null, queryIndex = null, unit = null, architecture = null } = id
  return {
    test,
    name: queryName,
    queryIndex,
    architecture,
    metric: id.metric,
    unit,
    better: id.better === undefined ? 'lower' : id.better,
  }
}

/** The measurements of an export of our own, each of the side that it names. */
class Exported {
  readonly #benchmarks: Benchmarks
  readonly #given = new Set<string>()
  isEmpty = true

  constructor(context: ReaderContext) {
    this.#benchmarks = new Benchmarks(context)
  }

  sample(benchmark: Benchmark, value: number | string | null | undefined, which: Side, origin: Origin): void {
    const number = numberOf(value)
    if (number === null) return
    this.isEmpty = false
    this.#benchmarks.sample(benchmark, number, which, origin)
  }

  onOneClock(benchmark: Benchmark): void {
    this.#benchmarks.onOneClock(benchmark)
  }

  /** What is left of both sides where samples are not exported: a median, or what the tool gave. */
  medians(result: Query): void {
    const benchmark = benchmarkOf(result)
    for (const which of SIDES) {
      const { median, given, repetitions = null } = result[which] ?? {}
      const value = numberOf(given?.value ?? median)
      if (value === null) continue
      const summary: Summary = {
        kind: given?.kind ?? 'median',
        value,
        lower: numberOf(given?.lower),
        upper: numberOf(given?.upper),
        spread: numberOf(given?.spread),
        repetitions: given == null ? repetitions : (given.repetitions ?? null),
      }
      this.#summary(benchmark, summary, which)
    }
  }

  /** Equal texts of a test have no name of their own: of two of them the first stands, and is no repetition of the other. */
  #summary(benchmark: Benchmark, summary: Summary, which: Side): void {
    const key = JSON.stringify([benchmark, which])
    if (this.#given.has(key)) {
      this.#benchmarks.warn(`${benchmark.name ?? benchmark.test} appears twice`)
      return
    }
    this.#given.add(key)
    this.#benchmarks.given(benchmark, summary, which)
  }

  contribution(): Contribution {
    return this.#benchmarks.contribution(WHAT)
  }
}

/** Nothing where nobody knows. */
function betterOf(text: string | null): Better | null {
  return text === 'higher' || text === 'lower' ? text : null
}

function numberOf(value: number | string | null | undefined): number | null {
  return typeof value === 'string' ? parseSample(value) : (value ?? null)
}

/** A line per sample, or per query and architecture, by the names of the columns. */
export class PerfTriageTsv implements MemberReader {
  readonly #context: ReaderContext
  readonly #measured: Exported
  #columns: readonly string[] | null = null

  constructor(context: ReaderContext) {
    this.#context = context
    this.#measured = new Exported(context)
  }

  line(line: string, number: number, ended: boolean): void {
    const fields = line.split('\t')
    if (this.#columns === null) {
      this.#columns = fields
      const missing = ['test', 'metric'].find((name) => !fields.includes(name))
      if (missing !== undefined) throw new MemberError(`it has no column ${missing}`)
      return
    }
    if (!ended) {
      this.#context.warn('truncated-line', number, 'the last line was cut off: skipped')
      return
    }
    const columns = this.#columns
    if (fields.length !== columns.length) {
      this.#context.warn('malformed-line', number, `it has ${fields.length} fields, not ${columns.length}: skipped`)
      return
    }
    const found = new Map(columns.map((name, index) => [name, fields[index]!]))
    const of = (name: string): string | null => {
      const field = found.get(name)
      return field === undefined || field === '\\N' ? null : textOfSpreadsheet(unescapeTsv(field))
    }
    const test = of('test')
    const named = of('metric')
    if (test === null || named === null) {
      this.#context.warn('malformed-line', number, 'it names no test or no metric: skipped')
      return
    }
    const id: Query = {
      test,
      queryIndex: parseIndex(of('query_index') ?? undefined),
      queryName: of('query_name'),
      metric: named,
      unit: of('unit'),
      better: columns.includes('better') ? betterOf(of('better')) : 'lower',
      architecture: of('architecture'),
    }
    if (!columns.includes('value')) {
      const sideOf = (which: Side) => ({
        median: of(`${which}_median`),
        repetitions: parseIndex(of(`${which}_repetitions`) ?? undefined),
      })
      this.#measured.medians({ ...id, old: sideOf('old'), new: sideOf('new') })
      return
    }
    const which = SIDES.find((name) => name === of('side'))
    const value = of('value')
    if (which === undefined || value === null || numberOf(value) === null) {
      this.#context.warn('invalid-value', number, 'it has no number, or no side: skipped')
      return
    }
    const origin = {
      process: parseIndex(of('process') ?? undefined) ?? undefined,
      place: parseIndex(of('place') ?? undefined) ?? undefined,
      repetition: parseIndex(of('repetition') ?? undefined) ?? undefined,
    }
    this.#measured.sample(benchmarkOf(id), value, which, origin)
    if (of('one_clock') === 'true') this.#measured.onOneClock(benchmarkOf(id))
  }

  end(): Contribution {
    return this.#measured.contribution()
  }
}
