/**
 * The group of a metric and its unit are told by its name: ClickHouse's ProfileEvents, its query log's columns and the names of other
 * tools.
 */

export const METRIC_GROUPS = ['time', 'cpu', 'memory', 'io', 'cache', 'network', 'work', 'other'] as const
export type MetricGroup = (typeof METRIC_GROUPS)[number]

/**
 * The first one that fits stands: a name is about its most particular part. `ReadBufferFromS3Bytes` is network before it is
 * I/O, `MarkCacheMisses` is cache before it is anything, `SelectedBytes` is work, `DiskReadElapsedMicroseconds` I/O, not time.
 */
const RULES: readonly (readonly [MetricGroup, ...RegExp[]])[] = [
  ['network', /network|s3|azure|hdfs|http|tcp|dnsError|socket|connection|interserver|^interface|zookeeper|packets/i],
  ['cache', /cache|prefetch/i],
  ['memory', /memory|arena|alloc|jemalloc|page_?faults|overcommit|\brss\b|(?:^|_)rss|heap|\bgc\b/i],
  [
    'cpu',
    /cpu|usertime|systemtime|user_time|system_time|contextswitch|context_switch|instructions|cycles|branch|(?:global|local)threadpool|compil|^perf[A-Z]/i,
  ],
  [
    'work',
    /^bytes-per-row$|^(?:selected|inserted|merged|mutated|filter|filtering|rowsread|functionexecute|query$|.*queries|.*query$|join|sort|aggregat|indexanalysis)|(?:^|_)(?:read|written|result|inserted)_(?:rows|bytes)/i,
    words('rows', 'marks', 'parts', 'ranges', 'granules'),
  ],
  [
    'io',
    /^io|fsync|compress|decompress|externa|spill|temporary|^os(?:read|write)|buffer|syscall/i,
    words('read', 'write', 'disk', 'file', 'seek'),
  ],
  ['time', /time|microseconds|milliseconds|nanoseconds|seconds|duration|latency|elapsed|(?:^|_)(?:wall|real)$/i],
]

/**
 * Any of these where a word begins: `read_rows`, `RowsRead`, `OSReadBytes`, `READ ROWS`. Not inside of one, as in `threads`,
 * `profile` or `bookmarks`.
 */
function words(...texts: readonly string[]): RegExp {
  const starts = texts.flatMap((text) => {
    const capital = text[0]!.toUpperCase() + text.slice(1)
    return [`(?<![A-Za-z])${text}`, capital, `(?<![A-Za-z])${text.toUpperCase()}`]
  })
  return new RegExp(starts.join('|'))
}

const TIME_UNITS: ReadonlySet<string> = new Set(['s', 'ms', 'us', 'µs', 'ns'])

/** Time on the clock, whole: not a part of what the query did. */
const WHOLE_TIMES: ReadonlySet<string> = new Set([
  'client_time',
  'server_time',
  'real_time',
  'query_duration_ms',
  'RealTimeMicroseconds',
])

export function metricGroup(metric: string, unit: string | null): MetricGroup {
  if (WHOLE_TIMES.has(metric)) return 'time'
  // The name is from outside: what matters of it is at its beginning.
  const name = metric.slice(0, 200)
  const found = RULES.find(([, ...patterns]) => patterns.some((pattern) => pattern.test(name)))
  if (found !== undefined) return found[0]
  return unit !== null && TIME_UNITS.has(unit) ? 'time' : 'other'
}

/** Times of ClickHouse's runner over its versions, in seconds: of the client, and of the query log, from milliseconds. */
const SECONDS: ReadonlySet<string> = new Set(['client_time', 'server_time', 'real_time', 'cpu_time'])

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/Microseconds$/, 'us'],
  [/Milliseconds$/, 'ms'],
  [/Nanoseconds$/, 'ns'],
  [/Bytes(?:Total)?$|^(?:memory|memory_usage|peak_memory_usage|MemoryTrackerPeakUsage)$/, 'bytes'],
]

/**
 * The unit of a metric by its name, which is all that a ProfileEvent or a history says; null where it is not in it, which
 * are numbers of something.
 */
export function unitOf(metric: string): string | null {
  if (SECONDS.has(metric)) return 's'
  return UNITS.find(([pattern]) => pattern.test(metric))?.[1] ?? null
}
