import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { nameWithoutSide } from '../side-of-name.ts'
import { areTooMany, type Benchmark, Benchmarks, inBaseUnit, metricOfUnit } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, parseDocument } from './json-document.ts'
import { wholeLines } from './output-lines.ts'

/** Reads what `oha.ts` recognises, and is loaded only where there is such a file. */

const figure = decimal.nullish()
const counts = z.record(z.string().max(1000), z.number()).nullish()
const schema = z.object({
  summary: z.object({ requestsPerSec: figure, average: figure }),
  latencyPercentiles: z.object({ p50: figure, p99: figure }).nullish(),
  statusCodeDistribution: counts,
  errorDistribution: counts,
})

interface Result {
  readonly rate: number | null
  readonly mean: number | null
  readonly median: number | null
  readonly late: number | null
  /** Answers by their status, and requests by the error that they ended in. */
  readonly statuses: readonly (readonly [status: string, count: number])[]
  readonly errors: number
}

export function ohaResult(document: string, context: ReaderContext): Contribution {
  const { summary, latencyPercentiles, statusCodeDistribution, errorDistribution } = parseDocument(
    document,
    schema,
    'result of oha',
    { exact: true },
  )
  const benchmarks = new Benchmarks(context, { isEachAProcess: true })
  const number = (text: string | null | undefined) => parseShifted(text ?? '', 0)
  add(benchmarks, context, {
    rate: number(summary.requestsPerSec),
    mean: number(summary.average),
    median: number(latencyPercentiles?.p50),
    late: number(latencyPercentiles?.p99),
    statuses: Object.entries(statusCodeDistribution ?? {}),
    errors: Object.values(errorDistribution ?? {}).reduce((sum, count) => sum + count, 0),
  })
  return benchmarks.contribution('result of oha')
}

const RATE = /^ {2}Requests\/sec:\s+([\d.]+)\s*$/
const AVERAGE = /^ {2}Average:\s+([\d.]+) (\S+)\s*$/
const PERCENTILE = /^ {2}(50|99)\.00% in ([\d.]+) (\S+)\s*$/
const STATUS = /^ {2}\[(\d{3})\] (\d+) responses\s*$/
const ERROR = /^ {2}\[(\d+)\] \D/

export function ohaOutput(text: string, context: ReaderContext): Contribution {
  const benchmarks = new Benchmarks(context, { isEachAProcess: true })
  const isWhole = (last: string) => STATUS.test(last) || ERROR.test(last)
  const lines = wholeLines(text, isWhole, context)
  const starts = lines.flatMap((line, index) => (/^Summary:\s*$/.test(line) ? [index] : []))
  for (const [place, start] of starts.entries()) {
    const part = lines.slice(start, starts[place + 1])
    const all = (pattern: RegExp) =>
      part.flatMap((line) => {
        const found = pattern.exec(line)
        return found === null ? [] : [found]
      })
    const percentiles = new Map(all(PERCENTILE).map(([, percent, digits, unit]) => [percent, inSeconds(digits, unit)]))
    const [average] = all(AVERAGE)
    add(benchmarks, context, {
      rate: parseShifted(all(RATE)[0]?.[1] ?? '', 0),
      mean: inSeconds(average?.[1], average?.[2]),
      median: percentiles.get('50') ?? null,
      late: percentiles.get('99') ?? null,
      statuses: all(STATUS).map(([, status, count]) => [status!, Number(count)]),
      errors: all(ERROR).reduce((sum, [, count]) => sum + Number(count), 0),
    })
  }
  return benchmarks.contribution('result of oha')
}

/** The address is not in the output: what the file is called tells several apart. */
function add(
  benchmarks: Benchmarks,
  context: ReaderContext,
  { rate, mean, median, late, statuses, errors }: Result,
): void {
  const id = { test: 'oha', name: nameWithoutSide(context.fileName) }
  const throughput: Benchmark = { ...id, metric: 'throughput', unit: '1/s', better: 'higher' }
  const bad = statuses.filter(([status]) => !/^[23]/.test(status)).reduce((sum, [, count]) => sum + count, errors)
  const good = statuses.filter(([status]) => /^[23]/.test(status)).reduce((sum, [, count]) => sum + count, 0)
  const isVoid = areTooMany({ failed: bad, of: good + bad })
  if (bad > 0) {
    benchmarks.failedRuns(throughput, { failed: bad, of: good + bad, what: 'request', why: '', isCounted: !isVoid })
  }
  if (!isVoid && rate !== null) benchmarks.given(throughput, { kind: 'mean', value: rate })
  const time = median ?? mean
  if (time !== null && good > 0 && !isVoid) {
    benchmarks.given({ ...id, metric: 'time', unit: 's' }, { kind: median === null ? 'mean' : 'median', value: time })
  }
  if (late !== null && good > 0 && !isVoid)
    benchmarks.given({ ...id, metric: 'p99', unit: 's' }, { kind: 'value', value: late })
  if (good + bad > 0) benchmarks.given({ ...id, metric: 'errors', unit: '1' }, { kind: 'value', value: bad })
}

function inSeconds(digits: string | undefined, unit: string | undefined): number | null {
  const of = metricOfUnit(unit ?? '')
  return digits === undefined || of.unit !== 's' ? null : inBaseUnit(digits, of)
}
