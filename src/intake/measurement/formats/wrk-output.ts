import { parseShifted } from '../fields.ts'
import { areTooMany, type Benchmark, Benchmarks, inBaseUnit, metricOfUnit, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { wholeLines } from './output-lines.ts'

/** Reads what `wrk.ts` recognises, and is loaded only where there is such a file. */

const LATENCY = /^\s+Latency\s+([\d.]+)([a-z]+)\s+([\d.]+)([a-z]+)\s/
const LATE = /^\s+99(?:\.0+)?%\s+([\d.]+)([a-z]+)\s*$/
const REQUESTS = /^\s+(\d+) requests in /
const UNANSWERED = /^\s+Non-2xx or 3xx responses: (\d+)\s*$/
const SOCKETS = /^\s+Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)\s*$/
const RATE = /^Requests\/sec:\s+([\d.]+)\s*$/

/** What was printed of a run so far. */
interface Run {
  readonly address: string
  time: Summary | null
  late: Summary | null
  requests: number
  errors: number
}

export function wrkOutput(text: string, context: ReaderContext, runs: RegExp): Contribution {
  const benchmarks = new Benchmarks(context, { isEachAProcess: true })
  let run: Run | null = null
  // the last line of a run, of which nothing is read
  const isWhole = (last: string) => last.startsWith('Transfer/sec:')
  for (const line of wholeLines(text, isWhole, context)) {
    const running = runs.exec(line)
    if (running !== null) run = { address: running[1]!, time: null, late: null, requests: 0, errors: 0 }
    if (run === null) continue
    read(run, line)
    const rate = parseShifted(RATE.exec(line)?.[1] ?? '', 0)
    if (rate === null) continue
    add(benchmarks, run, rate)
    run = null
  }
  return benchmarks.contribution('result of wrk')
}

function read(run: Run, line: string): void {
  const [, average, unit, deviation, unitOfDeviation] = LATENCY.exec(line) ?? []
  const mean = inSeconds(average, unit)
  if (mean !== null) {
    const off = inSeconds(deviation, unitOfDeviation)
    run.time = { kind: 'mean', value: mean, spread: off === null || mean === 0 ? null : off / mean }
  }
  const [, late, unitOfLate] = LATE.exec(line) ?? []
  const p99 = inSeconds(late, unitOfLate)
  if (p99 !== null) run.late = { kind: 'value', value: p99 }
  run.requests = Number(REQUESTS.exec(line)?.[1] ?? run.requests)
  for (const count of [UNANSWERED, SOCKETS].flatMap((pattern) => pattern.exec(line)?.slice(1) ?? [])) {
    run.errors += Number(count)
  }
}

function add(benchmarks: Benchmarks, { address, time, late, requests, errors }: Run, rate: number): void {
  const id = { test: 'wrk', name: nameOfAddress(address) }
  const throughput: Benchmark = { ...id, metric: 'throughput', unit: '1/s', better: 'higher' }
  benchmarks.given({ ...id, metric: 'errors', unit: '1' }, { kind: 'value', value: errors })
  if (errors > 0) {
    const failed = Math.min(errors, requests)
    const isCounted = !areTooMany({ failed, of: requests })
    benchmarks.failedRuns(throughput, { failed, of: requests, what: 'request', why: '', isCounted })
    if (!isCounted) return
  }
  benchmarks.given(throughput, { kind: 'mean', value: rate })
  if (time !== null) benchmarks.given({ ...id, metric: 'time', unit: 's' }, time)
  if (late !== null) benchmarks.given({ ...id, metric: 'p99', unit: 's' }, late)
}

/** Two builds of a server on one machine have two ports: `http://127.0.0.1:8080/items` is `/items`. */
function nameOfAddress(address: string): string {
  const local = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?::\d+)?(?=\/|$)/i
  return address.replace(local, '') || '/'
}

/** Minutes and hours are rounded to some digits. */
function inSeconds(digits: string | undefined, unit: string | undefined): number | null {
  const of = metricOfUnit(unit ?? '')
  return digits === undefined || of.unit !== 's' ? null : inBaseUnit(digits, of)
}
