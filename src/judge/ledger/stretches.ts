import { DAY } from '../../text/time.ts'
import type { CheckExecutions, FailingExecution } from './failure.ts'

/**
 * Trunk failures with no trunk run between them in which this failure did not occur: one broken commit makes one stretch,
 * however many commits are built on it. Times are milliseconds.
 */
export interface Stretch {
  readonly first: number
  readonly last: number
  /** Failing commits. */
  readonly commits: readonly string[]
  /** The first run without the failure after it; null where it has not ended, or nobody knows. */
  readonly cleanAfter: number | null
}

/** The stretches of a failure on the trunk, oldest first. */
export interface Stretches {
  readonly all: readonly Stretch[]
}

/**
 * Hits of one check belong together unless a clean run of that check lies between them; of two checks unless one of either
 * does. Of a check without a known clean run each UTC day is one: nobody can tell there. Stretches that overlap in time are
 * one: a commit that breaks six checks is one cause.
 *
 * One stretch: four failing runs from Monday to Tuesday and then passes, in one check or in six. Two: a failure on Monday,
 * passes, and a failure on Thursday.
 */
export function stretchesOf(trunkHits: readonly FailingExecution[], checks: readonly CheckExecutions[]): Stretches {
  const hits = trunkHits.toSorted((a, b) => a.time - b.time)
  const clean = new Map(
    checks.map(({ checkName, trunkClean }) => [checkName, trunkClean.toSorted((a, b) => a - b)] as const),
  )
  const firstClean = (hit: FailingExecution, after: number): number | null =>
    firstAfter(clean.get(hit.checkName) ?? [], after)
  const isBetween = (one: FailingExecution, other: FailingExecution): boolean =>
    [one, other].some(({ checkName }) => !clean.get(checkName)?.length)
      ? dayOf(one.time) !== dayOf(other.time)
      : [one, other].some((hit) => (firstClean(hit, one.time) ?? Number.POSITIVE_INFINITY) < other.time)

  const groupOf = hits.map((_, index) => index)
  const lastOfCheck = new Map<string, number>()
  for (const [index, hit] of hits.entries()) {
    const earlier = [lastOfCheck.get(hit.checkName), index === 0 ? undefined : index - 1]
    for (const at of earlier) {
      if (at === undefined || isBetween(hits[at]!, hit)) continue
      const [from, to] = [groupOf[at]!, groupOf[index]!]
      if (from !== to) for (let i = 0; i <= index; i += 1) if (groupOf[i] === to) groupOf[i] = from
    }
    lastOfCheck.set(hit.checkName, index)
  }
  const groups = [...Map.groupBy(hits.entries(), ([index]) => groupOf[index]!).values()].map((members) =>
    members.map(([, hit]) => hit),
  )
  const joined: FailingExecution[][] = []
  for (const group of groups.toSorted((a, b) => a[0]!.time - b[0]!.time)) {
    const before = joined.at(-1)
    if (before !== undefined && group[0]!.time <= before.at(-1)!.time) {
      before.push(...group)
      before.sort((a, b) => a.time - b.time)
    } else joined.push([...group])
  }
  return {
    all: joined.map((group) => {
      const last = group.at(-1)!.time
      const ends = group.flatMap((hit) => firstClean(hit, last) ?? [])
      return stretch(group, ends.length === 0 ? null : Math.min(...ends))
    }),
  }
}

function stretch(group: readonly FailingExecution[], cleanAfter: number | null): Stretch {
  return {
    first: group[0]!.time,
    last: group.at(-1)!.time,
    commits: [...new Set(group.map(({ commitSha }) => commitSha))],
    cleanAfter,
  }
}

/** The first of ascending times that is after one; null: none. */
function firstAfter(times: readonly number[], after: number): number | null {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! > after) high = middle
    else low = middle + 1
  }
  return times[low] ?? null
}

/** Different UTC days on which stretches began. */
export function daysBegun({ all }: Stretches): number {
  return new Set(all.map(({ first }) => dayOf(first))).size
}

/**
 * The failure of a pull request is the trunk's where it lies in a stretch of at least two failing commits that has ended, up
 * to the first run without it: who builds on a broken commit fails alike, and shows nothing of its own.
 *
 * Is: one on the two days on which the trunk failed too. Is not: one a week later; nor one on the day of a single failing
 * commit, which may be a flake there as well.
 */
export function isOfStretch({ time }: { readonly time: number }, { all }: Stretches): boolean {
  return all.some(
    ({ commits, first, cleanAfter }) =>
      commits.length >= 2 && cleanAfter !== null && first <= time && time < cleanAfter,
  )
}

/** The trunk has run without the failure since its last stretch. */
export interface CleanSince {
  /** The first run without it. */
  readonly since: number
  /** Runs without it, in the checks in which it failed there. */
  readonly runs: number
  /** Runs without it before that, in the same checks. */
  readonly runsBefore: number
}

/** Null where it failed in the latest known run, or never failed on the trunk. */
export function cleanSince(
  trunkHits: readonly FailingExecution[],
  checks: readonly CheckExecutions[],
): CleanSince | null {
  const last = Math.max(...trunkHits.map(({ time }) => time))
  const failedIn = new Set(trunkHits.map(({ checkName }) => checkName))
  const clean = checks.flatMap(({ checkName, trunkClean }) => (failedIn.has(checkName) ? trunkClean : []))
  const since = clean.filter((time) => time > last)
  if (trunkHits.length === 0 || since.length === 0) return null
  return {
    since: since.reduce((least, time) => Math.min(least, time)),
    runs: since.length,
    runsBefore: clean.length - since.length,
  }
}

function dayOf(time: number): number {
  return Math.floor(time / DAY)
}
