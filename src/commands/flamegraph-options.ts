import { InvalidArgumentError } from 'commander'
import { TRACE_TYPES, type TraceType, UNITS, type Unit } from '../measurement/trace-type.ts'

/** What `flamegraph` can print. */
export const FLAMEGRAPH_OUTPUTS = ['text', 'svg', 'folded', 'json'] as const
export type FlamegraphOutput = (typeof FLAMEGRAPH_OUTPUTS)[number]

/** Two files of folded stacks. */
export interface ProfileFiles {
  readonly kind: 'files'
  /** `-` is stdin. */
  readonly old: string
  readonly new: string
}

/** One query of a run. */
export interface ProfileOfRun {
  readonly kind: 'run'
  /** A folder or an archive. */
  readonly path: string
  /** null where not given, like the next two: what is left must be one query. */
  readonly test: string | null
  readonly query: number | null
  readonly traceType: TraceType | null
}

/** `flamegraph`, as the command line gives it. */
export interface FlamegraphOptions {
  readonly source: ProfileFiles | ProfileOfRun
  readonly as: FlamegraphOutput
  readonly normalize: boolean
  readonly stripHex: boolean
  readonly fractions: boolean
  readonly icicle: boolean
  /** null: samples, or what the trace type of a run counts. */
  readonly unit: Unit | null
  /** The heading of the graph; null: made from the names of the files or that of the query. */
  readonly title: string | null
}

export function parseOutput(text: string): FlamegraphOutput {
  return oneOf(FLAMEGRAPH_OUTPUTS, text)
}

export function parseUnit(text: string): Unit {
  return oneOf(UNITS, text)
}

export function parseTraceType(text: string): TraceType {
  return oneOf(TRACE_TYPES, text)
}

function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text.trim())
  if (found === undefined) throw new InvalidArgumentError(`There are: ${names.join(', ')}.`)
  return found
}
