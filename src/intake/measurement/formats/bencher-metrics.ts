import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { betterOfName } from '../units.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'

/** Reads what `bencher.ts` recognises, and is loaded only where there is such a file. */

const TEST = 'bencher'

const schema = z.record(z.string(), z.unknown())
const measures = z.record(z.string(), z.unknown())
const measure = z.object({ value: decimal, lower_value: decimal.nullish(), upper_value: decimal.nullish() })

/** The measures that Bencher has by itself, with its units; others are numbers of themselves. */
const MEASURES: Readonly<Record<string, Pick<Benchmark, 'unit' | 'better'> & { readonly by: number }>> = {
  latency: { unit: 's', by: -9 },
  throughput: { unit: '1/s', better: 'higher', by: 0 },
  'build-time': { unit: 's', by: 0 },
  'file-size': { unit: 'bytes', by: 0 },
  instructions: { unit: '1', by: 0 },
  'estimated-cycles': { unit: '1', by: 0 },
}

export function bencherMetrics(text: string, context: ReaderContext): Contribution {
  const what = 'Bencher Metric Format'
  const { warn } = context
  const benchmarks = goodEntries(parseDocument(text, schema, what, { exact: true }), measures, { at: '', what, warn })
  const found = new Benchmarks(context)
  for (const [name, ofBenchmark] of benchmarks) {
    for (const [metric, metrics] of goodEntries(ofBenchmark, measure, { at: name, what, warn, mayBeNone: true })) {
      const { by, ...known } = (Object.hasOwn(MEASURES, metric) ? MEASURES[metric] : undefined) ?? {
        unit: null,
        by: 0,
        better: betterOfName(metric),
      }
      const number = (digits: string | null | undefined) => (digits == null ? null : parseShifted(digits, by))
      const value = number(metrics.value)
      const [lower, upper] = [number(metrics.lower_value), number(metrics.upper_value)]
      if (value === null) found.warn(`${metric.slice(0, 100)} of ${name.slice(0, 100)} is not a finite number`)
      else found.given({ test: TEST, name, metric, ...known }, { kind: 'value', value, lower, upper })
    }
  }
  return found.contribution('benchmark of Bencher')
}
