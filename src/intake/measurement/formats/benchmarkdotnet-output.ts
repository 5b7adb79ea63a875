import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'
import { saidNumber, saidText } from './said-environment.ts'

/** Reads what `benchmarkdotnet.ts` recognises, and is loaded only where there is such a file. */

const NANO = -9

const text = z.string().max(10_000)
const figure = decimal.nullish()
const statistics = z.object({
  OriginalValues: z.array(decimal).max(100_000).nullish(),
  N: z.number().nullish(),
  Mean: figure,
  StandardDeviation: figure,
  ConfidenceInterval: z.object({ Lower: figure, Upper: figure }).nullish(),
})
/** An object before version 0.10. */
const processor = z.union([text, z.object({ Value: text.nullish() }).transform(({ Value }) => Value)])
const entrySchema = z.object({
  DisplayInfo: text.nullish(),
  Namespace: text.nullish(),
  Type: text.nullish(),
  Method: text.nullish(),
  Parameters: text.nullish(),
  FullName: text,
  Statistics: statistics.nullish(),
  Memory: z.object({ BytesAllocatedPerOperation: decimal.nullish() }).nullish(),
  Measurements: z
    .array(
      z.object({
        LaunchIndex: z.number().int().nullish(),
        IterationMode: text.nullish(),
        IterationStage: text.nullish(),
        Operations: decimal.transform(Number),
        Nanoseconds: decimal.transform(Number),
      }),
    )
    .max(1_000_000)
    .nullish(),
})
type Entry = z.infer<typeof entrySchema>
const schema = z.object({
  HostEnvironmentInfo: z
    .object({
      ProcessorName: processor.nullish().catch(null),
      LogicalCoreCount: saidNumber,
      OsVersion: saidText,
      Architecture: saidText,
      RuntimeVersion: saidText,
      Configuration: saidText,
    })
    .nullish()
    .catch(null),
  Benchmarks: z.array(z.unknown()).max(50_000),
})

export function benchmarkdotnetOutput(document: string, context: ReaderContext): Contribution {
  const what = 'report of BenchmarkDotNet'
  const { Benchmarks: all, HostEnvironmentInfo: host } = parseDocument(document, schema, what, { exact: true })
  const list = goodEntries(all, z.preprocess(withName, entrySchema), {
    at: 'Benchmarks',
    what,
    warn: context.warn,
  }).map(([, entry]) => entry)
  const benchmarks = new Benchmarks(context)
  benchmarks.in({
    cpu: host?.ProcessorName,
    cpus: host?.LogicalCoreCount,
    os: withoutBuild(host?.OsVersion),
    architecture: host?.Architecture,
    runtime: withoutBuild(host?.RuntimeVersion),
    build: host?.Configuration,
  })
  // the same method under several jobs (runtimes, settings) has one name
  const jobs = new Map<string, Set<string>>()
  const parameters = new Map<string, Set<string>>()
  for (const { FullName, DisplayInfo, Parameters: given } of list) {
    parameters.set(FullName, (parameters.get(FullName) ?? new Set()).add(given ?? ''))
    const ofMethod = jobs.get(FullName) ?? new Set()
    jobs.set(FullName, ofMethod.add(jobOf(DisplayInfo)))
  }
  for (const entry of list) {
    const { FullName: whole, Namespace: namespace, Type: type, DisplayInfo: shown } = entry
    const prefix = [namespace, type].filter((part) => part != null && part !== '').join('.')
    const isInside = prefix !== '' && whole.startsWith(`${prefix}.`)
    const job = jobs.get(whole)!.size > 1 ? jobOf(shown) : ''
    const own = isInside ? whole.slice(prefix.length + 1) : whole
    // a long value is shortened in the name, where another one may look the same
    const marks = [job, parameters.get(whole)!.size > 1 ? (entry.Parameters ?? '') : ''].filter((mark) => mark !== '')
    const name = marks.length === 0 ? own : `${own} [${marks.join(', ')}]`
    const id = benchmarks.another({ test: isInside ? prefix : 'benchmarkdotnet', name })
    addTime(benchmarks, { ...id, metric: 'time', unit: 's' }, entry)
    const allocated = parseShifted(entry.Memory?.BytesAllocatedPerOperation ?? '', 0)
    if (allocated !== null) {
      benchmarks.given({ ...id, metric: 'bytes', unit: 'bytes', isCounted: true }, { kind: 'value', value: allocated })
    }
  }
  return benchmarks.contribution('time of a benchmark of BenchmarkDotNet')
}

/** `Windows 11` of `Windows 11 (10.0.22621.2715/22H2/2022Update)`, `.NET 8.0.1` of `.NET 8.0.1 (8.0.123.58001)`. */
function withoutBuild(text: string | null | undefined): string | undefined {
  return text?.split(' (')[0]
}

/** Before version 0.10 an entry has neither its full name nor that of its job, but the parts of both. */
function withName(entry: unknown): unknown {
  const parts = z
    .object({
      FullName: z.undefined().optional(),
      Namespace: text.nullish(),
      Type: text,
      Method: text,
      Parameters: text.nullish(),
      Properties: z.record(z.string(), z.unknown()).nullish(),
    })
    .safeParse(entry).data
  if (parts === undefined) return entry
  const { Namespace, Type, Method, Parameters, Properties } = parts
  const name = [Namespace, Type, Method].filter((part) => part != null && part !== '').join('.')
  const chosen = Object.entries(Properties ?? {}).filter(([, value]) => value !== 'Host' && value !== 'Auto')
  const job = chosen.map(([key, value]) => `${key}=${String(value)}`).join(' ')
  return {
    ...(entry as object),
    FullName: Parameters ? `${name}(${Parameters})` : name,
    DisplayInfo: `${Type}.${Method}: ${job}`,
  }
}

/** `DefaultJob` of `Benchmarks.Sum: DefaultJob [n=10]`. */
function jobOf(shown: string | null | undefined): string {
  return /: ([^[]*?)\s*(?:\[|$)/.exec(shown ?? '')?.[1] ?? ''
}

function addTime(benchmarks: Benchmarks, benchmark: Benchmark, { Statistics: found, Measurements: all }: Entry): void {
  const values = (found?.OriginalValues ?? []).flatMap((value) => parseShifted(value, NANO) ?? [])
  // a report without its statistics has the results of the iterations, of which the overhead is taken off
  const results = (all ?? []).filter(
    ({ IterationMode: mode, IterationStage: stage, Operations: count }) =>
      count > 0 && (mode === 'Workload' || mode === 'Result') && stage === 'Result',
  )
  const launches = results.map(({ LaunchIndex: launch }) => launch ?? 0)
  const samples =
    values.length > 0
      ? values
      : results.flatMap(({ Nanoseconds, Operations }) => parseShifted(String(Nanoseconds / Operations), NANO) ?? [])
  if (samples.length > 0) {
    // the values of the statistics are those of the results, in their order
    benchmarks.samples(benchmark, samples, undefined, launches.length === samples.length ? launches : [])
    return
  }
  const value = parseShifted(found?.Mean ?? '', NANO)
  if (value === null) {
    benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: ': BenchmarkDotNet has no result for it' })
    return
  }
  const bound = (text: string | null | undefined) => parseShifted(text ?? '', NANO)
  const deviation = bound(found?.StandardDeviation)
  benchmarks.given(benchmark, {
    kind: 'mean',
    value,
    lower: bound(found?.ConfidenceInterval?.Lower),
    upper: bound(found?.ConfidenceInterval?.Upper),
    spread: deviation === null || value <= 0 ? null : deviation / value,
    repetitions: found?.N ?? null,
  })
}
