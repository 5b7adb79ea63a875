import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { outputLines } from './output-lines.ts'
import { javascriptOf } from './said-environment.ts'

/** Reads what `benchmarkjs.ts` recognises, and is loaded only where there is such a file. */

export function benchmarkjsOutput(text: string, context: ReaderContext, result: RegExp): Contribution {
  const benchmarks = new Benchmarks(context, { isToldOnce: true })
  for (const line of outputLines(text, context)) {
    const platform = javascriptOf(line)
    if (platform !== null) benchmarks.in(platform)
    const found = result.exec(line)
    if (found === null) continue
    const [, name, rate, spread, repetitions] = found
    const benchmark: Benchmark = {
      test: 'benchmarkjs',
      name: name!.trim(),
      metric: 'throughput',
      unit: '1/s',
      better: 'higher',
    }
    const value = parseShifted(rate!.replaceAll(',', ''), 0)
    if (value === null) continue
    benchmarks.given(benchmark, {
      kind: 'mean',
      value,
      spread: spread === undefined ? null : parseShifted(spread, -2),
      repetitions: Number(repetitions),
    })
  }
  return benchmarks.contribution('benchmark of benchmark.js')
}
