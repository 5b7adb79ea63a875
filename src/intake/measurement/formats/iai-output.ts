import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { COUNT } from './iai-lines.ts'
import { wholeLines } from './output-lines.ts'

/** Metrics with the names that other tools have for them; the others keep theirs. */
const METRICS: Readonly<Record<string, string>> = {
  Instructions: 'instructions',
  Ir: 'instructions',
  'Total bytes': 'bytes',
}

/** Of these more is better: hits of a cache are no work, but a share of them is. */
const HIGHER = /Hit Rate/

export function iaiOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context)
  let name: string | null = null
  // what follows a count ends it: `1734|1700   (+2.0`
  const isWhole = (last: string) => COUNT.test(last) && /\d\s+\(/.test(last)
  for (const [index, line] of wholeLines(text, isWhole, context).entries()) {
    const count = COUNT.exec(line)
    if (count === null) {
      // a name begins the line; what is indented is a tool's heading or a comparison
      if (/^\S/.test(line)) name = line.trim()
      continue
    }
    if (name === null) continue
    const [, label, now, before] = count
    add(benchmarks, name, label!, now!, before, index + 1)
  }
  return benchmarks.contribution('count of iai or iai-callgrind')
}

/** A file of no side has the new run, and where the tool knows it the one before. */
function add(
  benchmarks: Benchmarks,
  name: string,
  label: string,
  now: string,
  before: string | undefined,
  number: number,
): void {
  const metric = METRICS[label] ?? label
  const unit = metric === 'bytes' || /bytes/i.test(label) ? 'bytes' : '1'
  const better = HIGHER.test(label) ? 'higher' : 'lower'
  const benchmark: Benchmark = { ...idOf(name), metric, unit, better, isCounted: true }
  const put = (text: string, side: Side) => {
    if (text === 'N/A') return
    const value = parseShifted(text.replaceAll(',', ''), 0)
    if (value === null) benchmarks.warn(`"${text.slice(0, 40)}" is no count of ${label}`, number)
    else benchmarks.given(benchmark, { kind: 'value', value }, side)
  }
  if (benchmarks.side !== null) {
    put(now, benchmarks.side)
    return
  }
  put(now, 'new')
  if (before !== undefined) put(before, 'old')
}

/** `file::group::function id:argument`: the file and the group are the test, what stands behind them is the benchmark. */
function idOf(name: string): Pick<Benchmark, 'test' | 'name'> {
  const [path = name] = name.split(' ', 1)
  const end = path.lastIndexOf('::')
  return end > 0 ? { test: name.slice(0, end), name: name.slice(end + 2) } : { test: 'iai', name }
}
