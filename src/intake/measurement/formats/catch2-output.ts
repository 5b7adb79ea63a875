import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import { type Contribution, MemberError, type ReaderContext } from './format.ts'
import { outputLines } from './output-lines.ts'

/** Reads what `catch2.ts` recognises, and is loaded only where there is such a file. */

const TIME = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?) (ns|us|ms|s|m|h)`
/** `fib 10          100           208     7.1968 ms` */
const FIRST = new RegExp(String.raw`^(.*?)\s+(\d+)\s+(\d+)\s+${TIME}\s*$`)
/** `            344 ns        341 ns        349 ns` */
const THREE = new RegExp(String.raw`^\s+${TIME}\s+${TIME}\s+${TIME}\s*$`)

/** The head of a table without an analysis, whose last column is the mean. */
const MEAN_ONLY = /^benchmark name\s+samples\s+iterations\s+mean/

/** The report in XML gives nanoseconds. */
const NANO = -9

export function catch2Output(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context, { isToldOnce: true })
  if (/<BenchmarkResults\s/.test(text)) xml(text, benchmarks)
  else lines(outputLines(text, context), benchmarks)
  return benchmarks.contribution('benchmark of Catch2')
}

function lines(all: readonly string[], benchmarks: Benchmarks): void {
  let test = 'catch2'
  let isMeanOnly = false
  /** Parts of a name that is longer than its column, which stand on lines of their own. */
  let before: string[] = []
  for (const [index, line] of all.entries()) {
    const first = FIRST.exec(line)
    const three = THREE.exec(all[index + 1] ?? '')
    const title = titleAt(all, index)
    if (title !== null) test = title
    if (/^benchmark name\s/.test(line)) {
      isMeanOnly = MEAN_ONLY.test(line)
      benchmarks.nextPart()
    }
    const failed = FAILED.exec(line)
    if (failed !== null) {
      const name = [...before, failed[1]!.trim()].filter((part) => part !== '').join(' ')
      before = []
      addFailed(benchmarks, benchmarkOf(benchmarks, test, name), failed[2]!)
      continue
    }
    if (first === null) {
      const isName = /^\S/.test(line) && !/^[-=~.]{10}/.test(line) && !/^benchmark name\s/.test(line)
      before = isName ? [...before, line.trim()].slice(-5) : []
      continue
    }
    const name = [...before, first[1]!.trim()].filter((part) => part !== '').join(' ')
    before = []
    if (isMeanOnly) {
      const value = inSeconds(first[4]!, first[5]!)
      if (value !== null)
        benchmarks.given(benchmarkOf(benchmarks, test, name), { kind: 'mean', value, repetitions: Number(first[2]) })
      continue
    }
    if (three === null) {
      benchmarks.warn(`${name.slice(0, 100)} has no mean`, index + 1)
      continue
    }
    const [, mean, unit, low, lowUnit, high, highUnit] = three
    const value = inSeconds(mean!, unit!)
    if (value === null) continue
    const deviation = THREE.exec(all[index + 2] ?? '')
    const off = deviation === null ? null : inSeconds(deviation[1]!, deviation[2]!)
    benchmarks.given(benchmarkOf(benchmarks, test, name), {
      kind: 'mean',
      value,
      lower: inSeconds(low!, lowUnit!),
      upper: inSeconds(high!, highUnit!),
      spread: off === null || value === 0 ? null : off / value,
      repetitions: Number(first[2]),
    })
  }
}

/** The name of a test case with its sections, between two lines of dashes; the second time they stand above a file's name. */
function titleAt(all: readonly string[], index: number): string | null {
  if (!/^-{70,}$/.test(all[index]!.trimEnd())) return null
  const below = all.slice(index + 1, index + 20)
  const end = below.findIndex((line) => /^-{70,}$/.test(line.trimEnd()))
  const parts = below.slice(0, Math.max(0, end))
  // between the rule of a table and the next one are benchmarks, not a title
  if (parts.length === 0 || parts.some((line) => line.trim() === '' || FIRST.test(line) || THREE.test(line)))
    return null
  return parts.map((line) => line.trim()).join(' / ')
}

function xml(text: string, benchmarks: Benchmarks): void {
  if (!/<\/Catch(?:2TestRun)?>\s*$/.test(text)) throw new MemberError('its end is missing, so it was cut off')
  const path: string[] = []
  const open =
    /<(TestCase|Section)\s((?:[^<>"]|"[^"]*")*)>|<\/(?:TestCase|Section)>|<BenchmarkResults\s((?:[^<>"]|"[^"]*")*)>([\s\S]{0,4000}?)<\/BenchmarkResults>/g
  for (const [, element, attributes, ofBenchmark, inside] of text.matchAll(open)) {
    if (element !== undefined) {
      path.push(attribute(attributes!, 'name') ?? '')
      if (element === 'TestCase') benchmarks.nextPart()
    } else if (ofBenchmark === undefined) path.pop()
    else {
      const mean = /<mean\s([^<>]*)\/>/.exec(inside!)?.[1] ?? ''
      const value = parseShifted(attribute(mean, 'value') ?? '', NANO)
      const name = attribute(ofBenchmark, 'name') ?? ''
      const benchmark = benchmarkOf(benchmarks, path.join(' / ') || 'catch2', name)
      const failed = /<failed\s([^<>]*)\/>/.exec(inside!)?.[1]
      if (failed !== undefined) addFailed(benchmarks, benchmark, attribute(failed, 'message') ?? '')
      if (value === null) {
        if (failed === undefined) benchmarks.warn(`${name.slice(0, 100)} has no mean`)
        continue
      }
      const deviation = parseShifted(
        attribute(/<standardDeviation\s([^<>]*)\/>/.exec(inside!)?.[1] ?? '', 'value') ?? '',
        NANO,
      )
      benchmarks.given(benchmark, {
        kind: 'mean',
        value,
        lower: parseShifted(attribute(mean, 'lowerBound') ?? '', NANO),
        upper: parseShifted(attribute(mean, 'upperBound') ?? '', NANO),
        spread: deviation === null || value <= 0 ? null : deviation / value,
        repetitions: Number(attribute(ofBenchmark, 'samples') ?? Number.NaN) || null,
      })
    }
  }
}

/** What it prints in the place of numbers where the benchmark has thrown. */
const FAILED = /^(.*?)\s+Benchmark failed \((.*)\)\s*$/

function addFailed(benchmarks: Benchmarks, benchmark: Benchmark, message: string): void {
  benchmarks.failedRuns(benchmark, { failed: 1, of: null, why: message === '' ? '' : `: ${message}` })
}

/** One of a test case; the output of another run of it, which stands behind, has the same again. */
function benchmarkOf(benchmarks: Benchmarks, test: string, name: string): Benchmark {
  return { ...benchmarks.another({ test, name }), metric: 'time', unit: 's' }
}

/** Minutes and hours are rounded to some digits: no benchmark takes so long. */
function inSeconds(value: string, unit: string): number | null {
  return unit === 'm' || unit === 'h' ? null : inBaseUnit(value, metricOfUnit(unit))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function attribute(attributes: string, name: string): string | null {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]
  return value?.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity]!) ?? null
}
