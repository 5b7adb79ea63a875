import { z } from 'zod'
import type { SaidEnvironment } from '../environment.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { goodEntries, parseDocument } from './json-document.ts'
import { pythonOf, saidNumber, saidText } from './said-environment.ts'

/** Reads what `pytest-benchmark.ts` recognises, and is loaded only where there is such a file. */

const UNNAMED = 'pytest-benchmark'
const MOST_BENCHMARKS = 200_000
const MOST_ROUNDS = 3_000_000

const figure = z.number().nullish()
const text = z.string().max(10_000)

const schema = z.object({
  machine_info: z
    .object({
      node: saidText,
      system: saidText,
      machine: saidText,
      python_implementation: saidText,
      python_implementation_version: saidText,
      python_version: saidText,
      python_compiler: saidText,
      cpu: z.object({ brand_raw: saidText, brand: saidText, count: saidNumber }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  benchmarks: z.array(z.unknown()).max(MOST_BENCHMARKS),
})
const benchmarkSchema = z.object({
  name: text,
  fullname: text.nullish(),
  stats: z.object({
    mean: figure,
    stddev: figure,
    min: figure,
    max: figure,
    rounds: figure,
    data: z
      .array(z.union([z.number(), z.string().max(100), z.null()]))
      .max(MOST_ROUNDS)
      .nullish(),
  }),
})

/** Times are seconds, of one iteration each. */
export function pytestBenchmarkResult(document: string, context: ReaderContext): Contribution {
  const what = 'result of pytest-benchmark'
  const data = parseDocument(document, schema, what, { exact: false })
  const good = goodEntries(data.benchmarks, benchmarkSchema, { at: 'benchmarks', what, warn: context.warn })
  const found = new Benchmarks(context)
  found.in(environmentOf(data.machine_info))
  for (const [, { name, fullname, stats }] of good) {
    const time: Benchmark = { ...found.another(namesOf(fullname ?? name)), metric: 'time', unit: 's' }
    const { mean, stddev, min = null, max = null, rounds = null } = stats
    const samples = stats.data?.filter((value) => typeof value === 'number') ?? []
    // somebody has shortened the file: what is left are no samples of it
    const isWhole = samples.length > 0 && samples.length === (rounds ?? stats.data!.length)
    if (isWhole) found.samples(time, samples)
    else if (mean == null) {
      found.warn(`${name} has neither data nor a mean`)
      found.failedRuns(time, { failed: 1, of: null, why: ': pytest-benchmark has no result for it' })
    } else {
      const spread = stddev == null || mean === 0 ? null : stddev / mean
      found.given(time, { kind: 'mean', value: mean, lower: min, upper: max, spread, repetitions: rounds })
    }
  }
  return found.contribution('benchmark of pytest')
}

function environmentOf(said: z.infer<typeof schema>['machine_info']): SaidEnvironment {
  const { cpu } = said ?? {}
  const version = said?.python_implementation_version ?? said?.python_version
  return {
    cpu: cpu?.brand_raw ?? cpu?.brand,
    cpus: cpu?.count,
    host: said?.node,
    os: said?.system,
    architecture: said?.machine,
    runtime: pythonOf(said?.python_implementation, version),
    compiler: said?.python_compiler,
  }
}

/** `tests/test_sort.py::TestSort::test_fast[0]` is `TestSort::test_fast[0]` of `tests/test_sort.py`. */
function namesOf(fullname: string): Pick<Benchmark, 'test' | 'name'> {
  const at = fullname.indexOf('::')
  return at <= 0 ? { test: UNNAMED, name: fullname } : { test: fullname.slice(0, at), name: fullname.slice(at + 2) }
}
