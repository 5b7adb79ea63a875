import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, messageOf, parseDocument } from './json-document.ts'
import { javascriptOf, saidText } from './said-environment.ts'

/** Reads what `mitata.ts` recognises, and is loaded only where there is such a file. */

const NANO = -9

const text = z.string().max(10_000)
const figure = decimal.nullish()
const stats = z.object({
  samples: z.array(decimal).max(4_000_000).nullish(),
  avg: figure,
  p50: figure,
  heap: z.object({ avg: figure }).nullish(),
})
const schema = z.object({
  // the name of what is in no group is null, or 0 in the second run of a process
  layout: z
    .array(
      z
        .object({
          name: z
            .union([text, z.literal(0)])
            .nullish()
            .catch(null),
        })
        .catch({}),
    )
    .max(50_000),
  context: z
    .object({
      arch: saidText,
      runtime: saidText,
      version: saidText,
      cpu: z.object({ name: saidText }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  benchmarks: z.array(z.unknown()).max(50_000),
})
const benchmarkSchema = z.object({ group: z.number().nullish(), runs: z.array(z.unknown()).max(50_000) })
const runSchema = z.object({ name: text, stats: stats.nullish(), error: z.unknown().optional() })

export function mitataOutput(document: string, context: ReaderContext): Contribution {
  const what = 'result of mitata'
  const { layout, benchmarks: all, context: of } = parseDocument(document, schema, what, { exact: true })
  const list = goodEntries(all, benchmarkSchema, { at: 'benchmarks', what, warn: context.warn })
  // it sorts its samples
  const benchmarks = new Benchmarks(context, { isUnordered: true })
  // `x64-linux`
  const [architecture, os] = of?.arch?.split('-') ?? []
  const runtime = javascriptOf(`${of?.runtime} ${of?.version}`)?.runtime
  benchmarks.in({ cpu: of?.cpu?.name, architecture, os, runtime })
  for (const [key, { group, runs }] of list) {
    const at = `benchmarks.${key}.runs`
    const test = (group == null ? null : layout[group]?.name) || 'mitata'
    for (const [, { name, stats: found, error }] of goodEntries(runs, runSchema, {
      at,
      what,
      warn: context.warn,
      mayBeNone: true,
    })) {
      const id = benchmarks.another({ test, name })
      if (error !== undefined)
        benchmarks.failedRuns({ ...id, metric: 'time', unit: 's' }, { failed: 1, of: null, why: messageOf(error) })
      else if (found != null) add(benchmarks, id, found)
    }
  }
  return benchmarks.contribution('time of a benchmark of mitata')
}

function add(benchmarks: Benchmarks, id: Pick<Benchmark, 'test' | 'name'>, found: z.infer<typeof stats>): void {
  const benchmark: Benchmark = { ...id, metric: 'time', unit: 's' }
  const values = (found.samples ?? []).flatMap((value) => parseShifted(value, NANO) ?? [])
  const value = parseShifted(found.p50 ?? found.avg ?? '', NANO)
  if (values.length > 0) benchmarks.samples(benchmark, values)
  else if (value !== null) benchmarks.given(benchmark, { kind: found.p50 == null ? 'mean' : 'median', value })
  const bytes = parseShifted(found.heap?.avg ?? '', 0)
  if (bytes !== null) benchmarks.given({ ...id, metric: 'bytes', unit: 'bytes' }, { kind: 'mean', value: bytes })
}
