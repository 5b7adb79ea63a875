import { z } from 'zod'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'
import { saidText } from './said-environment.ts'

/** Reads what `jmh.ts` recognises, and is loaded only where there is such a file. */

const LONGEST = 10_000
const text = z.string().max(LONGEST)
/** A score that there is none of is the text `NaN`. */
const score = z.union([decimal, z.string().max(20)]).nullish()

const metric = z.object({
  score,
  scoreError: score,
  scoreConfidence: z.array(score).max(2).nullish(),
  scoreUnit: z.string().max(50),
  rawData: z.array(z.array(score).max(100_000)).max(10_000).nullish(),
  rawDataHistogram: z
    .array(z.array(z.array(z.tuple([decimal, z.number().nonnegative()])).max(1_000_000)).max(100_000))
    .max(10_000)
    .nullish(),
})
const resultSchema = z.object({
  benchmark: text.min(1),
  mode: z.string().max(50).optional(),
  threads: z.number().optional(),
  jdkVersion: saidText,
  vmName: saidText,
  vmVersion: saidText,
  jvmArgs: z.array(text).max(10_000).nullish().catch(null),
  params: z.record(text, text).nullish(),
  primaryMetric: metric,
  secondaryMetrics: z.record(text, metric).nullish(),
})
const schema = z.array(z.unknown()).max(50_000)
type Metric = z.infer<typeof metric>

/** `JDK 21.0.2`, `JDK 8_392` of 1.8.0_392; of another virtual machine than HotSpot with its name. */
function runtimeOf({ jdkVersion, vmName, vmVersion }: z.infer<typeof resultSchema>): string | null {
  if (!jdkVersion) return null
  const jdk = `JDK ${jdkVersion.replace(/^1\.(\d+)\.0/, '$1')}`
  if (/jvmci/i.test(vmVersion ?? '')) return `${jdk} of GraalVM`
  return !vmName || /OpenJDK|HotSpot/i.test(vmName) ? jdk : `${jdk} of ${vmName}`
}

/** Those of the virtual machine, and of JMH how many threads ran the benchmark. */
function flagsOf({ jvmArgs, threads = 1 }: z.infer<typeof resultSchema>): string | null {
  if (jvmArgs == null) return null
  return [...jvmArgs, ...(threads === 1 ? [] : [`-t ${threads}`])].join(' ') || 'none'
}

/** Percentiles of one distribution, which the samples hold already: `p0.50`, before JMH 1.37 `sort·p0.50`. */
const PERCENTILE = /^(?:.*[:·])?p[01]\.\d+$/

/** What the allocation profiler (`-prof gc`) measures of an operation; its other figures are of the whole process. */
const BYTES_PER_OPERATION = /gc\.alloc\.rate\.norm$/

export function jmhResult(document: string, context: ReaderContext): Contribution {
  const what = 'result of JMH'
  const list = parseDocument(document, schema, what, { exact: true })
  const results = goodEntries(list, resultSchema, { at: '', what, warn: context.warn }).map(([, result]) => result)
  const benchmarks = new Benchmarks(context)
  const modes = Map.groupBy(results, ({ benchmark, params }) => JSON.stringify([benchmark, params]))
  const threads = new Set(results.map((result) => result.threads))
  for (const result of results) {
    const { benchmark, params, primaryMetric, secondaryMetrics } = result
    benchmarks.in({ runtime: runtimeOf(result), flags: flagsOf(result) })
    const dot = benchmark.lastIndexOf('.')
    const test = dot > 0 ? benchmark.slice(0, dot) : 'jmh'
    const marks = Object.entries(params ?? {}).map(([name, value]) => `${name} = ${value}`)
    // the same benchmark once more in another mode, or by another number of threads
    const ofSame = modes.get(JSON.stringify([benchmark, params]))!
    const units = ofSame.map((other) => metricOfUnit(other.primaryMetric.scoreUnit).metric)
    if (new Set(units).size < new Set(ofSame.map(({ mode }) => mode)).size) marks.push(`${result.mode}`)
    if (threads.size > 1) marks.push(`threads = ${result.threads}`)
    const whole = `${benchmark.slice(dot + 1)}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
    // one that is measured by a time and by a rate is one benchmark
    const ofMode = metricOfUnit(primaryMetric.scoreUnit).metric
    const { name } = benchmarks.another({ test, name: whole }, undefined, ofMode)
    add(benchmarks, { test, name }, primaryMetric, null)
    for (const [label, secondary] of Object.entries(secondaryMetrics ?? {})) {
      if (PERCENTILE.test(label)) continue
      // the methods of a group are measured on their own as well; a figure of the machine is compared under its name
      const isMethod =
        metricOfUnit(secondary.scoreUnit).metric === metricOfUnit(primaryMetric.scoreUnit).metric && /^\w+$/.test(label)
      if (isMethod) add(benchmarks, { test, name: `${name}:${label}` }, secondary, null)
      else
        add(benchmarks, { test, name }, secondary, BYTES_PER_OPERATION.test(label) ? 'bytes' : label.replace(/^·/, ''))
    }
  }
  return benchmarks.contribution('score of a benchmark of JMH')
}

function add(benchmarks: Benchmarks, id: Pick<Benchmark, 'test' | 'name'>, found: Metric, named: string | null): void {
  const of = metricOfUnit(found.scoreUnit)
  const inBase = (value: string | null | undefined) => (value == null ? null : inBaseUnit(value, of))
  // a figure of a profiler, such as the rate of allocation, is no throughput: more of it is not better
  const isOfProfiler = named !== null && !/^\w+$/.test(named)
  const better = !isOfProfiler ? of.better : of.better === 'higher' ? null : 'lower'
  const benchmark: Benchmark = {
    ...id,
    metric: named ?? of.metric,
    unit: of.unit,
    ...(better !== undefined && { better }),
  }
  const iterations = byFork(found.rawData, inBase)
  const samples = iterations.filter(({ value }) => value !== null)
  const means = byFork(found.rawDataHistogram, (counted) => meanOf(counted, inBase))
  const values = [...samples, ...means].flatMap(({ fork, value }) => (value === null ? [] : [{ fork, value }]))
  if (samples.length < iterations.length) {
    benchmarks.warn(`${iterations.length - samples.length} iterations of ${id.name} have no ${benchmark.metric}`)
  }
  if (values.length > 0) {
    benchmarks.samples(
      benchmark,
      values.map(({ value }) => value),
      undefined,
      values.map(({ fork }) => fork),
    )
    return
  }
  const value = inBase(found.score)
  if (value === null) benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: ': JMH has no score for it' })
  if (value === null || iterations.length > 0) return
  const [lower = null, upper = null] = (found.scoreConfidence ?? []).map(inBase)
  const error = inBase(found.scoreError)
  benchmarks.given(benchmark, {
    kind: 'mean',
    value,
    lower,
    upper,
    spread: error === null || value <= 0 ? null : error / value,
  })
}

/** Each iteration with its fork, a process of its own. */
function byFork<T>(forks: readonly (readonly T[])[] | null | undefined, read: (iteration: T) => number | null) {
  return (forks ?? []).flatMap((iterations, fork) => iterations.map((iteration) => ({ fork, value: read(iteration) })))
}

/** The mean of an iteration of the mode that measures single operations, of which JMH counts equal times. */
function meanOf(
  counted: readonly (readonly [string, number])[],
  inBase: (value: string) => number | null,
): number | null {
  let sum = 0
  let count = 0
  for (const [value, times] of counted) {
    sum += (inBase(value) ?? 0) * times
    count += times
  }
  return count === 0 ? null : sum / count
}
