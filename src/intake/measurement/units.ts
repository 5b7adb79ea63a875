import { type Better, PRIMARY_METRIC, type QueryId } from './run.ts'

/** A unit of a tool, as a multiple of a base unit: `ms` is 10 ** -3 s, `KiB` is 1,024 bytes. */
export interface ToolUnit {
  /** The base unit: `s`, `bytes`, `1/s`, `bytes/s` or `1`. */
  readonly unit: string
  /** How far the decimal point of a value is shifted. */
  readonly by: number
  /** A power of 1,024 on top of it, 1 for decimal units. A multiplication by it does not round. */
  readonly factor: number
  /** The metric that the unit alone tells. */
  readonly metric: 'time' | 'throughput' | 'bytes' | 'allocations'
  readonly better: Better
}

/** The metrics that decide, of a tool that has times, and of one that has rates alone. */
export const DECIDING_METRICS = ['time', 'throughput'] as const

/**
 * The metric that a benchmark is judged by in a run that is judged by `counted`: that one where it was measured, else a time, a
 * rate, or what its tool has of it. Of a query with `client_time`, and of a test as a whole, nothing stands in the place of what was chosen.
 *
 * Triggers: `widgets/s` of a Go benchmark that takes back its `ns/op`, `bytes` of a `mem_` of asv. Does not: `ReadRows` of a query that
 * failed, the size of the data that all queries of ClickBench read.
 */
export function metricInPlaceOf(
  counted: string,
  measured: readonly (Pick<QueryId, 'queryIndex' | 'queryName'> & { readonly metric: string })[],
): string {
  const metrics = new Set(measured.map(({ metric }) => metric))
  const deciding = [counted, ...DECIDING_METRICS].find((metric) => metrics.has(metric))
  if (deciding !== undefined) return deciding
  const isWhole = measured.every(({ queryIndex, queryName }) => queryIndex === null && queryName === null)
  if (isWhole || counted === PRIMARY_METRIC || metrics.has(PRIMARY_METRIC)) return counted
  return mostTelling(metrics) ?? counted
}

/** Of metrics that no format decides by: a rate, then whatever it is, and last what memory it took. */
export function mostTelling(metrics: Iterable<string>): string | null {
  const rank = (metric: string) =>
    betterOfName(metric) === 'higher' ? 0 : /^(?:bytes|allocations|memory|\S*_bytes)$|\/op$/i.test(metric) ? 2 : 1
  const [first = null] = [...metrics].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return first
}

const TIMES: Readonly<Record<string, number>> = {
  ...powers(0, 's', 'sec', 'secs', 'second', 'seconds'),
  ...powers(-3, 'ms', 'msec', 'msecs', 'milli', 'millis', 'millisecond', 'milliseconds'),
  ...powers(-6, 'us', 'µs', 'μs', 'usec', 'usecs', 'micro', 'micros', 'microsecond', 'microseconds'),
  ...powers(-9, 'ns', 'nsec', 'nsecs', 'nano', 'nanos', 'nanosecond', 'nanoseconds'),
  ...powers(-12, 'ps', 'picosecond', 'picoseconds'),
}
const PER_TIMES: Readonly<Record<string, number>> = {
  ...TIMES,
  ...powers(0, 'min', 'mins', 'minute', 'minutes', 'h', 'hr', 'hour', 'hours', 'day', 'days'),
}
const BYTES: Readonly<Record<string, { readonly by: number; readonly factor: number }>> = {
  b: { by: 0, factor: 1 },
  byte: { by: 0, factor: 1 },
  bytes: { by: 0, factor: 1 },
  kb: { by: 3, factor: 1 },
  mb: { by: 6, factor: 1 },
  gb: { by: 9, factor: 1 },
  tb: { by: 12, factor: 1 },
  kib: { by: 0, factor: 1024 },
  mib: { by: 0, factor: 1024 ** 2 },
  gib: { by: 0, factor: 1024 ** 3 },
  tib: { by: 0, factor: 1024 ** 4 },
}
const HERTZ: Readonly<Record<string, number>> = { hz: 0, khz: 3, mhz: 6, ghz: 9, rps: 0, qps: 0, ops: 0, tps: 0 }
const COUNTS =
  /^(?:([kmgt]) ?)?(?:1|ops?|operations?|it|iters?|iterations?|items?|elem|elems|elements?|req|reqs|requests?|calls?|runs?|rounds?|rows?|queries|query|samples?|events?|msgs?|messages?)$|^([kmg])$/
const THOUSANDS: Readonly<Record<string, number>> = { k: 3, m: 6, g: 9, t: 12 }

/**
 * What a tool's unit is in base units, null where it is not known: `ns/op`, `msec` and `us/iter` are times, `MB/s` and `GiB/s`
 * bytes a second, `ops/ms`, `K ops/s` and `iter/sec` rates, `B/op` bytes, `allocs/op` allocations.
 */
export function toolUnit(text: string): ToolUnit | null {
  const [first = '', second, ...more] = text
    .trim()
    .toLowerCase()
    .split('/')
    .map((part) => part.trim())
  if (more.length > 0 || first === '' || second === '') return null
  const time = ownValue(TIMES, first)
  const bytes = ownValue(BYTES, first)
  const perTime = second === undefined ? undefined : ownValue(TIMES, second)
  if (perTime !== undefined) {
    if (bytes !== undefined) return { ...RATE, unit: 'bytes/s', by: bytes.by - perTime, factor: bytes.factor }
    const count = COUNTS.exec(first)
    return count === null ? null : { ...RATE, by: (ownValue(THOUSANDS, count[1] ?? count[2] ?? '') ?? 0) - perTime }
  }
  if (time !== undefined) return { unit: 's', by: time, factor: 1, metric: 'time', better: 'lower' }
  if (bytes !== undefined) return { unit: 'bytes', ...bytes, metric: 'bytes', better: 'lower' }
  const hertz = second === undefined ? ownValue(HERTZ, first) : undefined
  if (hertz !== undefined) return { ...RATE, by: hertz }
  if (/^alloc(?:s|ation|ations)?$/.test(first)) {
    return { unit: '1', by: 0, factor: 1, metric: 'allocations', better: 'lower' }
  }
  return null
}

/** A rate of these is no achievement. */
const UNWANTED = /miss|fault|error|fail|drop|retr|timeout|lost|loss|reject|stall|abort|leak|conflict|pause|\bgc\b/i
const RATE_NAMES =
  /(?:^|[^a-z])[kmgt]?(?:iops|ops|fps|rps|qps|tps|flops?|mips|bps|hz)(?![a-z])|(?:^|[\W_])(?:throughput|bandwidth|goodput)(?![a-z])|(?:^|[\W_])per[\W_]*(?:s|secs?|seconds?|ms|min|minutes?|hours?)(?![a-z])/i
const COSTS =
  /(?:^|[\W_])(?:time|times|latency|latencies|duration|delay|elapsed|overhead|cycles?|instructions?|bytes|allocs?|allocations?|memory|rss|heap|size|cost|syscalls?|switches|wait|lag|jitter|ns|us|µs|ms|secs?|seconds?)(?![a-z])/i

/**
 * Which way the metric of that name or unit is better, null where nobody knows. A rate is better when it is higher, whatever it counts.
 *
 * Higher: `Mgas/s`, `frames/sec`, `fps`, `IOPS`, `items_per_second`. Lower: `p99-ms`, `cycles/byte`. Neither: `score`, `ratio`, `widgets/op`, `errors/s`.
 */
export function betterOfName(text: string): Better | null {
  const whole = text.trim().slice(0, 200)
  const known = toolUnit(whole)?.better
  if (known !== undefined) return known
  // `itemsPerSecond` has its words apart
  const name = whole.replaceAll(/([a-z])([A-Z])/g, '$1_$2')
  const [of = '', ...per] = name.toLowerCase().split('/')
  const isTime = ownValue(TIMES, of.trim()) !== undefined
  const isRate = per.some((part) => ownValue(PER_TIMES, part.trim()) !== undefined) || RATE_NAMES.test(name)
  if (isRate) return isTime || UNWANTED.test(name) ? null : 'higher'
  return COSTS.test(name) || UNWANTED.test(name) ? 'lower' : null
}

const RATE = { unit: '1/s', by: 0, factor: 1, metric: 'throughput', better: 'higher' } as const satisfies ToolUnit

function powers(by: number, ...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, by]))
}

function ownValue<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
