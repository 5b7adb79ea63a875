import { PRIMARY_METRIC } from '../measurement/run.ts'

/** Times in query_metrics_v2 are seconds. */
const TIMES: ReadonlySet<string> = new Set([PRIMARY_METRIC, 'real_time', 'cpu_time', 'server_time'])

/** The names of a query's peak memory over the versions of ClickHouse's runner. */
const BYTES: ReadonlySet<string> = new Set(['memory_usage', 'memory', 'MemoryTrackerPeakUsage', 'peak_memory_usage'])

/** The unit of a metric by its name, which is all that a history says; null: nobody knows. */
export function metricUnit(metric: string): string | null {
  return TIMES.has(metric) ? 's' : BYTES.has(metric) ? 'bytes' : null
}
