import { z } from 'zod'
import { betterOfName } from '../units.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { goodEntries, parseDocument } from './json-document.ts'

const metadata = z.object({
  name: z.string().max(10_000).optional(),
  unit: z.string().max(50).optional(),
  cpu_model_name: z.string().max(1000).optional(),
})
const schema = z.object({ metadata: metadata.optional(), benchmarks: z.array(z.unknown()).max(20_000) })
const benchmarkSchema = z.object({
  metadata: metadata.optional(),
  // a run that only finds out how many loops to do has no values
  runs: z.array(z.object({ values: z.array(z.number().nullable()).max(100_000).optional() })).max(100_000),
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
    const name = own?.name ?? common?.name ?? 'benchmark'
    const unit = own?.unit ?? common?.unit ?? 'second'
    const of = Object.hasOwn(UNITS, unit) ? UNITS[unit]! : { metric: unit, unit, better: betterOfName(unit) }
    // each run is a process of its own
    const values = runs.flatMap((run, process) => (run.values ?? []).map((value) => ({ value, process })))
    const finite = values.flatMap(({ value, process }) => (value === null ? [] : [{ value, process }]))
    if (finite.length < values.length)
      benchmarks.warn(`${values.length - finite.length} values of ${name} are no numbers`)
    // the test is the tool: a file of pyperf says neither its module nor its suite
    const benchmark: Benchmark = { ...benchmarks.another({ test: 'pyperf', name }), ...of }
    if (finite.length > 0)
      benchmarks.samples(
        benchmark,
        finite.map(({ value }) => value),
        undefined,
        finite.map(({ process }) => process),
      )
    else if (values.length > 0) benchmarks.failed(benchmark, 'its values are no numbers')
  }
  const machine = common?.cpu_model_name ?? list[0]?.metadata?.cpu_model_name
  return benchmarks.contribution(
    'value of a benchmark of pyperf',
    machine ? { machine: context.budget.keep(machine) } : {},
  )
}
