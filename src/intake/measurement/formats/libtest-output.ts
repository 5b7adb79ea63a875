import { z } from 'zod'
import { isJson } from '../is-json.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodLine, parseDocument } from './json-document.ts'
import { JSON_BENCH, RUNNING, TEXT_BENCH } from './libtest-lines.ts'
import { wholeLines } from './output-lines.ts'

/** The name of the test where the text does not say which file ran. */
const UNNAMED = 'libtest'

/** A benchmark that has panicked, or a test that was run with them. */
const FAILED = /^test (.+?) \.\.\. FAILED\s*$/

const jsonBench = z.object({
  name: z.string().min(1).max(10_000),
  median: decimal,
  deviation: decimal.optional(),
  mib_per_second: decimal.optional(),
})

/** The median of a benchmark and its spread, the largest time minus the smallest. */
interface Line {
  readonly name: string
  readonly median: string
  readonly unit: string
  readonly deviation: string | null
  /** The rate that follows from the median, where the benchmark says how many bytes it works on. */
  readonly rate: { readonly value: string; readonly unit: string } | null
}

export function libtestOutput(text: string, context: ReaderContext): Contribution {
  // a name of a message in JSON has no file
  let test = UNNAMED
  const benchmarks = new Benchmarks(context, { isToldOnce: true })
  for (const [index, line] of wholeLines(text, (last) => TEXT_BENCH.test(last) || isJson(last), context).entries()) {
    const running = RUNNING.exec(line)
    const found = TEXT_BENCH.exec(line)
    if (running !== null) test = running[1]!
    else if (JSON_BENCH.test(line)) {
      const message = goodLine(() => jsonLine(line, index + 1), benchmarks, index + 1)
      if (message !== null) add(benchmarks, test, message, index + 1)
    } else if (found !== null) {
      const [, name, median, unit, deviation, rate, rateUnit] = found
      add(
        benchmarks,
        test,
        {
          name: name!,
          median: withoutMarks(median!),
          unit: unit!,
          deviation: withoutMarks(deviation!),
          rate: rate === undefined ? null : { value: withoutMarks(rate), unit: rateUnit! },
        },
        index + 1,
      )
    } else if (FAILED.test(line)) {
      const benchmark = { test, name: FAILED.exec(line)![1]!, metric: 'time', unit: 's' }
      benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: '' })
    } else if (/^test .*\.\.\. bench:/.test(line)) {
      benchmarks.warn('a line of a benchmark without its numbers', index + 1)
    }
  }
  return benchmarks.contribution('benchmark of cargo bench')
}

function jsonLine(line: string, number: number): Line {
  const what = `message of a Rust benchmark (line ${number})`
  const { name, median, deviation = null, mib_per_second: rate } = parseDocument(line, jsonBench, what, { exact: true })
  return { name, median, unit: 'ns/iter', deviation, rate: rate === undefined ? null : { value: rate, unit: 'MiB/s' } }
}

function add(
  benchmarks: Benchmarks,
  test: string,
  { name, median, unit, deviation, rate }: Line,
  number: number,
): void {
  const of = unitOf(unit)
  const value = inBaseUnit(median, of)
  if (value === null) {
    benchmarks.warn(`${median.slice(0, 40)} is not a number`, number)
    return
  }
  const off = deviation === null ? null : inBaseUnit(deviation, of)
  const spread = off === null || value <= 0 ? null : off / value
  benchmarks.given({ test, name, ...of }, { kind: 'median', value, spread })
  if (rate === null) return
  const ofRate = unitOf(rate.unit)
  const perSecond = inBaseUnit(rate.value, ofRate)
  if (perSecond !== null) benchmarks.given({ test, name, ...ofRate }, { kind: 'median', value: perSecond })
}

/** A unit of its own, such as `cycles/iter`, is its metric; what ends in `/s` is a rate, and more of it is better. */
function unitOf(unit: string): ReturnType<typeof metricOfUnit> {
  const {
    metric,
    unit: base,
    better,
    by,
    factor,
  }: Pick<Benchmark, 'metric' | 'unit' | 'better'> & { by: number; factor: number } = metricOfUnit(unit)
  const isRate = base === unit && /\/s(?:ec)?$/.test(unit)
  return {
    metric: isRate ? 'throughput' : metric,
    unit: base,
    better: isRate ? 'higher' : better === undefined ? 'lower' : better,
    by,
    factor,
  }
}

function withoutMarks(text: string): string {
  return text.replaceAll(',', '')
}
