import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'

/** vitest's times are milliseconds. */
const MILLI = -3

const text = z.string().max(10_000)
const figure = decimal.nullish()
const schema = z.object({ files: z.array(z.unknown()).max(50_000) })
const fileSchema = z.object({ filepath: text.optional(), groups: z.array(z.unknown()).max(50_000) })
const groupSchema = z.object({ fullName: text, benchmarks: z.array(z.unknown()).max(50_000) })
const benchmarkSchema = z.object({
  name: text,
  samples: z.array(decimal).max(2_000_000).nullish(),
  sampleCount: z.number().nullish(),
  mean: figure,
  median: figure,
  rme: figure,
  min: figure,
})

export function vitestOutput(document: string, context: ReaderContext): Contribution {
  const what = 'report of vitest bench'
  const { files: all } = parseDocument(document, schema, what, { exact: true })
  const of = (at: string) => ({ at, what, warn: context.warn, mayBeNone: at !== 'files' })
  const files = goodEntries(all, fileSchema, of('files'))
  const benchmarks = new Benchmarks(context)
  for (const [, { fullName, benchmarks: list }] of files.flatMap(([, { groups }]) =>
    goodEntries(groups, groupSchema, of('groups')),
  )) {
    for (const [, { name, samples, sampleCount, mean, median, rme }] of goodEntries(
      list,
      benchmarkSchema,
      of(fullName),
    )) {
      const benchmark: Benchmark = { ...benchmarks.another({ test: fullName, name }), metric: 'time', unit: 's' }
      const values = (samples ?? []).flatMap((value) => parseShifted(value, MILLI) ?? [])
      if (values.length > 0) {
        benchmarks.samples(benchmark, values)
        continue
      }
      const kind = median == null ? 'mean' : 'median'
      const value = parseShifted(median ?? mean ?? '', MILLI)
      // one that was skipped or has failed has a name alone
      if (value === null) {
        benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: ': vitest has no result for it' })
        continue
      }
      const summary: Summary = {
        kind,
        value,
        spread: rme == null ? null : parseShifted(rme, -2),
        repetitions: sampleCount ?? null,
      }
      benchmarks.given(benchmark, summary)
    }
  }
  return benchmarks.contribution('time of a benchmark of vitest')
}
