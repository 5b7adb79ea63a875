import { z } from 'zod'
import { isJson } from '../is-json.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { BENCHMARK_COMPLETE, TIME_LINE } from './criterion-lines.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { goodLine, parseDocument } from './json-document.ts'
import { wholeLines, withoutCutLine } from './output-lines.ts'

/** Reads what `criterion.ts` recognises, and is loaded only where there is such a file. */

const numbers = z.array(z.number()).max(100_000)
const message = z.object({
  reason: z.string(),
  id: z.string().max(10_000).optional(),
  iteration_count: numbers.optional(),
  measured_values: numbers.optional(),
  unit: z.string().max(50).optional(),
})

export function criterionOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context, { isToldOnce: true })
  if (BENCHMARK_COMPLETE.test(text)) messages(text, benchmarks, context)
  else lines(text, benchmarks, context)
  return benchmarks.contribution('benchmark of criterion')
}

function lines(text: string, benchmarks: Benchmarks, context: ReaderContext): void {
  let before = ''
  for (const [index, line] of wholeLines(text, (last) => TIME_LINE.test(last), context).entries()) {
    const found = TIME_LINE.exec(line)
    if (found !== null) {
      const [, ownName, lower, lowerUnit, middle, unit, upper, upperUnit] = found
      const name = ownName ?? /^Benchmarking (.+?)(?:: Analyzing)?$/.exec(before)?.[1] ?? before
      const of = metricOfUnit(unit!)
      const value = inBaseUnit(middle!, of)
      if (value === null || name === '') benchmarks.warn('a time of criterion without a name or a number', index + 1)
      else {
        const bounds = {
          lower: inBaseUnit(lower!, metricOfUnit(lowerUnit!)),
          upper: inBaseUnit(upper!, metricOfUnit(upperUnit!)),
        }
        benchmarks.given(benchmarkOf(name, of), { kind: 'mean', value, ...bounds })
      }
    }
    const running = /^Benchmarking (.+?)(?:: .*)?$/.exec(before)?.[1]
    if (/^thread '.*' .*panicked at /.test(line) && running !== undefined) {
      benchmarks.failedRuns(benchmarkOf(running, metricOfUnit('ns')), { failed: 1, of: null, why: ': it panicked' })
    }
    if (line.trim() !== '') before = line.trim()
  }
}

function messages(text: string, benchmarks: Benchmarks, context: ReaderContext): void {
  for (const [index, line] of withoutCutLine(text.split('\n'), isJson, context).entries()) {
    if (!BENCHMARK_COMPLETE.test(line)) continue
    const what = `message of cargo criterion (line ${index + 1})`
    const found = goodLine(() => parseDocument(line, message, what, { exact: false }), benchmarks, index + 1)
    if (found === null) continue
    const { reason, id, iteration_count: counts = [], measured_values: values = [], unit = 'ns' } = found
    if (reason !== 'benchmark-complete' || id === undefined) continue
    if (counts.length !== values.length) {
      benchmarks.warn(`${id.slice(0, 100)} has a different number of iterations and values`, index + 1)
      continue
    }
    const of = metricOfUnit(unit)
    const samples = values.flatMap((value, place) => inBaseUnit(String(value / counts[place]!), of) ?? [])
    benchmarks.samples(benchmarkOf(id, of), samples)
  }
}

/** What stands before the first `/` is the group, as far as the text can say. */
function benchmarkOf(name: string, { metric, unit, better }: ReturnType<typeof metricOfUnit>): Benchmark {
  const test = name.split('/')[0] || name
  return { test, name, metric, unit, ...(better !== undefined && { better }) }
}
