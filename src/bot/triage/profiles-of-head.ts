import type { Logger } from 'pino'
import { type Run, resultKey, type StackCount } from '../../intake/measurement/run.ts'
import { TRACE_UNITS } from '../../intake/measurement/trace-type.ts'
import { chooseTraceType, grownFunctions } from '../../judge/profile/grown-functions.ts'
import type { StackDifference } from '../../judge/profile/stack-difference.ts'
import { StackTree } from '../../judge/profile/stack-tree.ts'
import { profileWords } from '../../judge/profile/words.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import type { HeadProfiles, ResultProfile } from '../../report/judge-rows.ts'
import { decisive } from '../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import type { ProfileCopies } from '../../store/profiles/profile-copies.ts'
import type { Profiles, ProfileWanted } from '../../store/profiles/profiles.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { TooLate, withDeadline } from './with-deadline.ts'

/**
 * Rows whose profiles are read, open ones first, the worst first. The comment shows ten of them, and a pull request that
 * slows more than twenty queries slows them by the same functions.
 */
export const MOST_PROFILES = 20

/** The time for all profiles together; a row whose profile is not there by then goes without. */
const PROFILES_MS = 30_000

export interface ProfilesAsking {
  readonly profiles: Profiles
  /** False: there is no profile of any query, and none is asked for. Absent: each is. */
  readonly mayHaveAny?: () => Promise<boolean>
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  readonly log: Logger
  /** Milliseconds; absent: `PROFILES_MS`. */
  readonly deadline?: number
}

/**
 * The profiles of the deciding results of rows with a verdict. Never fails: a store that does not answer is a line in the
 * log, and rows without a profile.
 */
export async function profilesOfHead(
  { rows }: Pick<TriageReport, 'rows'>,
  { profiles, mayHaveAny = async () => true, repositoryId, head, log, deadline = PROFILES_MS }: ProfilesAsking,
): Promise<HeadProfiles> {
  const found = new Map<string, ResultProfile | null>()
  const end = performance.now() + deadline
  let isAskedFor: boolean | null = null
  for (const result of resultsOf(rows)) {
    const { test, queryIndex, queryName, ordinal, architecture } = result
    const wanted: ProfileWanted = {
      ...{ repositoryId, head, test, queryIndex, queryName, architecture },
      ...(ordinal !== undefined && { ordinal }),
    }
    try {
      isAskedFor ??= await withDeadline(mayHaveAny, end - performance.now())
      const left = end - performance.now()
      found.set(resultKey(result), isAskedFor ? await withDeadline(() => profileOf(profiles, wanted, log), left) : null)
    } catch (error) {
      log.warn({ err: error, test, queryIndex }, 'the profile of a query could not be read')
      // The others would wait as long.
      if (error instanceof StoreUnavailable || error instanceof TooLate) break
    }
  }
  return found
}

/** The rows of a report whose profiles are read, worst first: slower and faster ones alike, but those that are open before the rest. */
function resultsOf(rows: readonly ReportRow[]): ClassifiedQuery[] {
  return rows
    .filter(({ verdict }) => verdict !== null)
    .slice(0, MOST_PROFILES)
    .map(decisive)
}

/** Results whose profiles are copied: some ten times what a head with regressions has. */
const MOST_COPIED = 200

/** The time for all copies together; the next judging goes on with the rest. */
const COPIES_MS = 60_000

export interface ProfilesCopying {
  readonly copies: Pick<ProfileCopies, 'copy'>
  readonly runOf: (result: ClassifiedQuery) => Run | null
  /** What was just found: where there was nothing, the CI database is not asked again. */
  readonly known: HeadProfiles
  readonly log: Logger
  /** Milliseconds; absent: `COPIES_MS`. */
  readonly deadline?: number
}

/**
 * Copies the profiles of rows with a verdict out of the CI database, so that their flame graphs stay when it is down or has dropped
 * them: deciding results first, then those of the other architectures. Never fails: what is not copied can still be asked there.
 */
export async function copyProfilesOfHead(
  { rows }: Pick<TriageReport, 'rows'>,
  { copies, runOf, known, log, deadline = COPIES_MS }: ProfilesCopying,
): Promise<void> {
  const judged = rows.filter(({ verdict }) => verdict !== null)
  const others = judged.flatMap((row) => row.results.filter((result) => result !== decisive(row)))
  const wanted = [...judged.map(decisive), ...others].filter((result) => known.get(resultKey(result)) !== null)
  const end = performance.now() + deadline
  for (const result of wanted.slice(0, MOST_COPIED)) {
    const run = runOf(result)
    // Profiles are of a run's own architecture; its measurements may name others.
    if (run === null || run.architecture !== result.architecture) continue
    try {
      await withDeadline(() => copies.copy(run, result), end - performance.now())
    } catch (error) {
      const { test, queryIndex } = result
      log.warn({ err: error, test, queryIndex }, 'the profile of a query could not be copied')
      if (error instanceof StoreUnavailable || error instanceof TooLate) break
    }
  }
}

async function profileOf(profiles: Profiles, wanted: ProfileWanted, log: Logger): Promise<ResultProfile | null> {
  const sums = (await profiles.summariesOf(wanted)).filter((one) => one.old + one.new > 0)
  const traceType = chooseTraceType(sums)
  const stacks = traceType === null ? null : await profiles.stacksOf(wanted, traceType)
  if (traceType === null || stacks === null) return null
  const unit = TRACE_UNITS[traceType]
  const { difference, refused } = differenceOf(stacks)
  if (refused > 0) log.warn({ test: wanted.test, refused }, 'a profile has too many stacks')
  const grown = grownFunctions(difference, unit)
  return {
    shown: {
      architecture: wanted.architecture,
      traceType,
      traceTypes: sums.map((one) => one.traceType),
      words: profileWords(difference, unit),
    },
    // Stacks were left out, and a function in them may have grown as well: no evidence is taken from the rest.
    grown: refused > 0 ? { isEnough: false, grown: [], near: [], seen: [] } : grown,
  }
}

/** Of stacks of both sides; `refused`: how many were too many. */
export function differenceOf(stacks: { readonly old: readonly StackCount[]; readonly new: readonly StackCount[] }): {
  readonly difference: StackDifference
  readonly refused: number
} {
  const tree = new StackTree()
  let refused = 0
  for (const side of ['old', 'new'] as const) {
    for (const { stack, count } of stacks[side]) if (tree.add(stack, side, count) !== null) refused += 1
  }
  return { difference: tree.finish(), refused }
}
