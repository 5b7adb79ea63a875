import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { LINE } from './dart-lines.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'
import { outputLines } from './output-lines.ts'

export function dartOutput(text: string, context: ReaderContext): Contribution {
  if (!text.endsWith('\n') && !/\.\s*$/.test(text)) throw new MemberError('its last line was cut')
  const benchmarks = new Benchmarks(context)
  for (const [index, line] of outputLines(text).entries()) {
    const found = LINE.exec(line)
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
    if (value === null) benchmarks.warn(`${number!.slice(0, 40)} is no number`, index + 1)
    else benchmarks.given(benchmark, { kind: 'mean', value })
  }
  return benchmarks.contribution('result of benchmark_harness')
}
