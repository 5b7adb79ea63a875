/** The units of the counts of a profile. The names but `samples` are those of speedscope's units. */
export const UNITS = ['samples', 'bytes', 'nanoseconds', 'microseconds', 'milliseconds', 'seconds'] as const
export type Unit = (typeof UNITS)[number]

/**
 * The things that a profiler looks at: processor time, time on the clock, or allocations. The names are those of
 * ClickHouse's traces.
 */
export const TRACE_TYPES = ['CPU', 'Real', 'MemorySample', 'JemallocSample'] as const
export type TraceType = (typeof TRACE_TYPES)[number]

/** The unit of the counts of each trace type. */
export const TRACE_UNITS: Record<TraceType, Unit> = {
  CPU: 'samples',
  Real: 'samples',
  MemorySample: 'bytes',
  JemallocSample: 'bytes',
}
