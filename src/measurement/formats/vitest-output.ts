import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, parseDocument } from './json-document.ts'

/** vitest's times are milliseconds. */
const MILLI = -3

const text = z.string().max(10_000)
const figure = decimal.nullish()
const schema = z.object({
  files: z
    .array(
      z.object({
        filepath: text.optional(),
        groups: z
          .array(
            z.object({
              fullName: text,
              benchmarks: z
                .array(
                  z.object({
                    name: text,
                    samples: z.array(decimal).max(2_000_000).nullish(),
                    sampleCount: z.number().nullish(),
                    mean: figure,
                    median: figure,
                    rme: figure,
                    min: figure,
                  }),
                )
                .max(50_000),
            }),
          )
          .max(50_000),
      }),
    )
    .max(50_000),
})

export function vitestOutput(document: string, context: ReaderContext): Contribution {
  const { files } = parseDocument(document, schema, 'report of vitest bench', { exact: true })
  const benchmarks = new Benchmarks(context)
  for (const { fullName, benchmarks: list } of files.flatMap(({ groups }) => groups)) {
    for (const { name, samples, sampleCount, mean, median, rme } of list) {
      const benchmark: Benchmark = { test: fullName, name, metric: 'time', unit: 's' }
      const values = (samples ?? []).flatMap((value) => parseShifted(value, MILLI) ?? [])
      if (values.length > 0) {
        benchmarks.samples(benchmark, values)
        continue
      }
      const kind = median == null ? 'mean' : 'median'
      const value = parseShifted(median ?? mean ?? '', MILLI)
      // one that was skipped or has failed has a name alone
      if (value === null) continue
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
