import type { Measurement } from '../../intake/measurement/run.ts'
import { isWorkMetric } from './evidence/different-work.ts'

/** Which of the hundred counters that a query may have are kept for long. */

const TIME_AND_MEMORY_METRICS = new Set([
  'client_time',
  'server_time',
  'real_time',
  'cpu_time',
  'memory',
  'memory_usage',
  'RealTimeMicroseconds',
  'UserTimeMicroseconds',
  'SystemTimeMicroseconds',
  'OSCPUVirtualTimeMicroseconds',
])
const TIME_AND_MEMORY_UNITS = new Set(['s', 'ms', 'us', 'µs', 'ns', 'bytes', 'B', 'KiB', 'MiB', 'GiB'])

/** Names of ClickHouse's ProfileEvents. Some eighty of those that a query has are of a time or of bytes. */
const PROFILE_EVENT = /^[A-Z][A-Za-z0-9]*$/

/**
 * Metrics that somebody may ask for one day, of the hundred counters that a query may have: ProfileEvents by name,
 * others by unit.
 */
export function isTimeMemoryOrWork({ metric, unit }: Pick<Measurement, 'metric' | 'unit'>): boolean {
  return (
    isWorkMetric(metric) ||
    TIME_AND_MEMORY_METRICS.has(metric) ||
    (unit !== null && TIME_AND_MEMORY_UNITS.has(unit) && !PROFILE_EVENT.test(metric))
  )
}
