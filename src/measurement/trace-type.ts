import type { Unit } from './unit.ts'

/** What a profiler looked at: processor time, time on the clock, or allocations. The names that ClickHouse's traces have. */
export const TRACE_TYPES = ['CPU', 'Real', 'MemorySample', 'JemallocSample'] as const
export type TraceType = (typeof TRACE_TYPES)[number]

/** What the counts of each are. */
export const TRACE_UNITS: Record<TraceType, Unit> = {
  CPU: 'samples',
  Real: 'samples',
  MemorySample: 'bytes',
  JemallocSample: 'bytes',
}
