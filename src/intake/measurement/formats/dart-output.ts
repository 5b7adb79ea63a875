import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'

/** Reads what `dart.ts` recognises, and is loaded only where there is such a file. */

export function dartOutput(text: string, context: ReaderContext, result: RegExp): Contribution {
  const benchmarks = new Benchmarks(context, { isToldOnce: true })
  const isWhole = (last: string) => result.test(last) && /\.\s*$/.test(last)
  for (const [index, line] of wholeLines(text, isWhole, context).entries()) {
    const found = result.exec(line)
    if (found === null) continue
    const [, name, kind, number, unit] = found
    const of = metricOfUnit(unit!)
    const value = inBaseUnit(number!, of)
    const metric = /^RunTime/.test(kind!) ? of.metric : kind!
    const benchmark: Benchmark = {
      test: 'dart',
      name: name!,
      metric,
      unit: of.unit,
      ...(of.better !== undefined && { better: of.better }),
    }
    if (value === null) benchmarks.warn(`${number!.slice(0, 40)} is not a number`, index + 1)
    else benchmarks.given(benchmark, { kind: 'mean', value })
  }
  return benchmarks.contribution('result of benchmark_harness')
}
