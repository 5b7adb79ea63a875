import type { QueryId } from './run.ts'
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

/** `frame;frame;frame`, outermost first, and how often it was seen (or how many bytes). */
export interface StackCount {
  readonly stack: string
  readonly count: number
}

/** The folded stacks of one query in one run. A side without stacks is empty, never absent; each stack is there once. */
export interface QueryProfile extends QueryId {
  readonly traceType: TraceType
  readonly old: readonly StackCount[]
  readonly new: readonly StackCount[]
}
