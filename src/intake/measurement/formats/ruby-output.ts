import { parseShifted } from '../fields.ts'
import { Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'
import { RATE, TIMES } from './ruby-lines.ts'

/** Thousands, millions, billions, … of iterations. */
const THOUSANDS: Readonly<Record<string, number>> = { '': 0, k: 3, M: 6, B: 9, T: 12, Q: 15 }

export function rubyOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context)
  // `bmbm` runs all once before it measures
  let isRehearsal = false
  for (const line of wholeLines(text, (last) => TIMES.test(last) || RATE.test(last), context)) {
    const [, version, jit = '', architecture, os] = INTERPRETER.exec(line) ?? []
    if (version !== undefined) benchmarks.in({ runtime: `Ruby ${version}${jit}`, architecture, os })
    if (/^Rehearsal -+\s*$/.test(line)) isRehearsal = true
    else if (/^-+ total: [\d.]+sec\s*$/.test(line)) isRehearsal = false
    else if (!isRehearsal) measuredLine(line, benchmarks)
  }
  return benchmarks.contribution('result of Ruby’s Benchmark')
}

/** `ruby 3.3.0 (2023-12-25 revision 5124f9ac75) +YJIT [x86_64-linux]`, above the results of benchmark-ips. */
const INTERPRETER = /^ruby (\d\S*) \([^)]*\)( \+\w+)? \[([^\]-]+)-([a-z]+)[^\]]*\]\s*$/

function measuredLine(line: string, benchmarks: Benchmarks): void {
  const times = TIMES.exec(line)
  if (times !== null) {
    const [, label, user, system, , real] = times
    // `Benchmark.measure` has no label
    const id = { test: 'ruby', name: label!.trim() || 'measure', unit: 's' }
    for (const [metric, value] of [
      ['time', real],
      ['user', user],
      ['sys', system],
    ] as const) {
      benchmarks.sample({ ...id, metric }, parseShifted(value!, 0)!)
    }
    return
  }
  const rate = RATE.exec(line)
  if (rate === null) return
  const [, name, number, thousands, spread] = rate
  const value = parseShifted(number!, THOUSANDS[thousands!]!)!
  const benchmark = { test: 'ruby', name: name!, metric: 'throughput', unit: '1/s', better: 'higher' } as const
  benchmarks.given(benchmark, { kind: 'mean', value, spread: parseShifted(spread!, -2) })
}
