import type { QueryId, StackCount } from '../../intake/measurement/run.ts'
import type { TraceType } from '../../intake/measurement/trace-type.ts'
import { StoreUnavailable } from '../store-unavailable.ts'

/** The profile of a head that is asked for. */
export interface ProfileWanted extends QueryId {
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  readonly architecture: string | null
  /** Of the newest attempt that has one, of the bot's own alone: where the newest attempt has none. Absent: of the newest attempt. */
  readonly isEarlier?: true
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

/** The profiles of a CI database. */
export interface ProfilesBeside extends Profiles {
  /** The address and table that they are read from, as copies are known by; null: nothing may be copied. */
  readonly copiedFrom: string | null
}

/** The profiles that a repository may use beside its own; null: there are none. */
export type ProfilesBesideOf = (wanted: Pick<ProfileWanted, 'repositoryId'>) => Promise<ProfilesBeside | null>

/** Milliseconds for which a source that could not be asked is left alone: of twenty queries not each need wait for it. */
const LEFT_ALONE = 60_000

/**
 * Two sources of profiles as one: where `first` has nothing, the one that the repository has beside it is asked; null: it
 * has none. One beside it that can't be asked has nothing, and `warn` is told: nobody waits for a profile.
 */
export function chainedProfiles(
  first: Profiles,
  secondOf: (wanted: ProfileWanted) => Promise<Profiles | null>,
  warn: (details: Record<string, unknown>, message: string) => void,
  now: () => Date = () => new Date(),
): Profiles {
  const failedAt = new WeakMap<Profiles, number>()
  const askSecond = async <T>(wanted: ProfileWanted, ask: (second: Profiles) => Promise<T>): Promise<T | null> => {
    const second = wanted.isEarlier === true ? null : await secondOf(wanted)
    if (second === null || now().getTime() - (failedAt.get(second) ?? Number.NEGATIVE_INFINITY) < LEFT_ALONE)
      return null
    try {
      return await ask(second)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      failedAt.set(second, now().getTime())
      warn({ reason: error.message }, 'The profiles of the CI database can’t be queried')
      return null
    }
  }
  return {
    async summariesOf(wanted) {
      const here = await first.summariesOf(wanted)
      return here.length > 0 ? here : ((await askSecond(wanted, (second) => second.summariesOf(wanted))) ?? [])
    },
    async stacksOf(wanted, traceType) {
      const here = await first.stacksOf(wanted, traceType)
      return here ?? (await askSecond(wanted, (second) => second.stacksOf(wanted, traceType)))
    },
  }
}
