import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'
import { betterOfName } from '../units.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { goodEntries, parseDocument } from './json-document.ts'
import { pythonOf, saidNumber, saidText } from './said-environment.ts'

/** Reads what `pyperf.ts` recognises, and is loaded only where there is such a file. */

const metadata = z.object({
  name: z.string().max(10_000).optional(),
  unit: z.string().max(50).optional(),
  cpu_model_name: saidText,
  cpu_count: saidNumber,
  hostname: saidText,
  platform: saidText,
  python_implementation: saidText,
  python_version: saidText,
  python_compiler: saidText,
})
const schema = z.object({ metadata: metadata.optional(), benchmarks: z.array(z.unknown()).max(20_000) })
const benchmarkSchema = z.object({
  metadata: metadata.optional(),
  // a run that only finds out how many loops to do has no values
  runs: z
    .array(
      z.object({
        metadata: metadata.optional().catch(undefined),
        values: z.array(z.number().nullable()).max(100_000).optional(),
      }),
    )
    .max(100_000),
})

/** pyperf's units: all others are numbers without one. */
const UNITS: Readonly<Record<string, Pick<Benchmark, 'metric' | 'unit' | 'better'>>> = {
  second: { metric: 'time', unit: 's' },
  byte: { metric: 'bytes', unit: 'bytes' },
  integer: { metric: 'value', unit: '1', better: null },
}

export function pyperfResult(text: string, context: ReaderContext): Contribution {
  const what = 'result of pyperf'
  const { metadata: common, benchmarks: all } = parseDocument(text, schema, what, { exact: false })
  const good = goodEntries(all, benchmarkSchema, { at: 'benchmarks', what, warn: context.warn })
  const list = good.map(([, benchmark]) => benchmark)
  const benchmarks = new Benchmarks(context)
  for (const { metadata: own, runs } of list) {
    // what all runs have in common stands above them
    benchmarks.in(environmentOf({ ...common, ...own, ...runs[0]?.metadata }))
    const name = own?.name ?? common?.name ?? 'benchmark'
    const unit = own?.unit ?? common?.unit ?? 'second'
    const of = Object.hasOwn(UNITS, unit) ? UNITS[unit]! : { metric: unit, unit, better: betterOfName(unit) }
    // each run is a process of its own
    const values = runs.flatMap((run, process) => (run.values ?? []).map((value) => ({ value, process })))
    const finite = values.flatMap(({ value, process }) => (value === null ? [] : [{ value, process }]))
    if (finite.length < values.length)
      benchmarks.warn(`${values.length - finite.length} values of ${name} are not numbers`)
    // the test is the tool: a file of pyperf says neither its module nor its suite
    const benchmark: Benchmark = { ...benchmarks.another({ test: 'pyperf', name }), ...of }
    if (finite.length > 0)
      benchmarks.samples(
        benchmark,
        finite.map(({ value }) => value),
        undefined,
        finite.map(({ process }) => process),
      )
    else if (values.length > 0) benchmarks.failed(benchmark, 'its values are not numbers')
  }
  return benchmarks.contribution('value of a benchmark of pyperf')
}

/** The platform is `Linux-6.1.0-18-amd64-x86_64-with-glibc2.36`, `macOS-14.5-arm64-arm-64bit`; the version `3.12.1 (64-bit)`. */
function environmentOf(said: Partial<z.infer<typeof metadata>>): SaidEnvironment {
  const { platform, python_implementation: implementation, python_version: version } = said
  return {
    cpu: said.cpu_model_name,
    cpus: said.cpu_count,
    host: said.hostname,
    os: platform?.split('-')[0],
    architecture: /-(x86_64|aarch64|arm64|AMD64)\b/.exec(platform ?? '')?.[1],
    runtime: pythonOf(implementation, version?.split(' ')[0]),
    compiler: said.python_compiler,
  }
}
