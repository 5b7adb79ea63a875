import { TRACE_TYPES, TRACE_UNITS, type TraceType } from '../measurement/trace-type.ts'
import { FEWEST_STACK_SAMPLES } from './chance.ts'

/** How much there is of a trace type on each side, in its unit. */
export interface TraceSums {
  readonly traceType: TraceType
  readonly old: number
  readonly new: number
}

/**
 * The profile to speak of. Processor time says most of a program's own code, so it comes first where it has enough stack
 * samples on both sides; then time on the clock, then memory. Where none has enough it is the fullest of stack samples on
 * its emptier side, and too few is what is said of it; null: there is nothing.
 */
export function chooseTraceType(sums: readonly TraceSums[]): TraceType | null {
  const ordered = TRACE_TYPES.flatMap((type) => sums.find(({ traceType }) => traceType === type) ?? [])
  const isEnough = ({ traceType, old, new: fresh }: TraceSums) =>
    Math.min(old, fresh) >= (TRACE_UNITS[traceType] === 'samples' ? FEWEST_STACK_SAMPLES : 1)
  const enough = ordered.find(isEnough)
  if (enough !== undefined) return enough.traceType
  const fuller = ordered
    .filter((one) => one.old + one.new > 0)
    .toSorted((a, b) => Math.min(b.old, b.new) - Math.min(a.old, a.new))
  return fuller[0]?.traceType ?? null
}
