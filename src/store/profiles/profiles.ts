import type { QueryId, StackCount } from '../../measurement/run.ts'
import type { TraceType } from '../../measurement/trace-type.ts'

/** The profile of a head that is asked for. */
export interface ProfileWanted extends QueryId {
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  readonly architecture: string | null
}

export interface ProfileSummary {
  readonly traceType: TraceType
  /** Sums of the counts of a side, in the unit of the trace type. */
  readonly old: number
  readonly new: number
  /**
   * The runs that the profile was read from, sorted, as the source names them: with the same runs and sums it is the
   * same profile.
   */
  readonly runs: readonly string[]
}

/** The stacks of profilers, of the newest attempt of each check. Methods throw `StoreUnavailable`. */
export interface Profiles {
  /** The profiles that there are of a query, in the order of `TRACE_TYPES`; empty: none. */
  summariesOf(wanted: ProfileWanted): Promise<readonly ProfileSummary[]>
  /** The stacks of one query; null: there are none. */
  stacksOf(
    wanted: ProfileWanted,
    traceType: TraceType,
  ): Promise<{ readonly old: readonly StackCount[]; readonly new: readonly StackCount[] } | null>
}
