import type { Draft } from './draft.ts'
import type { EqualBuilds, QueryId } from './run.ts'

/** A run whose outputs were measured in turns, as the `measure.json` beside them says it. */

/** Why the base and the head were not compared. Closed. */
export const UNMEASURED_REASONS = [
  'same-trees',
  /** All that differs is listed as not built. */
  'unbuilt-paths',
  'base-not-built',
  'head-not-built',
  /** No turn ended well. */
  'turns-failed',
] as const
export type UnmeasuredReason = (typeof UNMEASURED_REASONS)[number]

export interface Unmeasured {
  readonly reason: UnmeasuredReason
  /** For a person, in one line; what a failed build or benchmark said is in it. */
  readonly message: string
}

/** What the reader of a `measure.json` gives to the run that its folder is. */
export interface MeasuredTurns {
  /** Members by their names, in the order of measurement. */
  readonly outputs: readonly string[]
  readonly equalBuilds: readonly (QueryId & EqualBuilds & { readonly metric: string })[]
  /** Why base and head were not compared; null: they were. */
  readonly unmeasured: Unmeasured | null
}

interface Member {
  readonly name: string
  readonly contribution: { readonly drafts: readonly Draft[]; readonly turns?: MeasuredTurns }
}

/**
 * The members in the order in which they were measured, each as what one process gave, all of one clock. Members that no `measure.json` names
 * stay before the others, as they were.
 */
export function inMeasuredOrder<One extends Member>(members: readonly One[]): readonly One[] {
  const outputs = members.flatMap(({ contribution: { turns } }) => turns?.outputs ?? [])
  if (outputs.length === 0) return members
  const placeOf = new Map(outputs.map((name, place) => [name, place]))
  for (const { name, contribution } of members) {
    if (placeOf.has(name)) for (const draft of contribution.drafts) draft.ofOneTurn()
  }
  return members.toSorted((a, b) => (placeOf.get(a.name) ?? -1) - (placeOf.get(b.name) ?? -1))
}

/** Gives each query what the base and its copy measured of it. */
export function attachEqualBuilds(members: readonly Member[], drafts: Iterable<Draft>): void {
  const found = members.flatMap(({ contribution: { turns } }) => turns?.equalBuilds ?? [])
  if (found.length === 0) return
  const keyOf = ({ test, queryIndex, queryName, metric }: QueryId & { readonly metric: string }) =>
    JSON.stringify([test, queryIndex, queryName, metric])
  const byKey = new Map(found.map((one) => [keyOf(one), one]))
  for (const draft of drafts) {
    const { base, copy } = byKey.get(keyOf(draft)) ?? {}
    if (base !== undefined && copy !== undefined) draft.equalBuilds = { base, copy }
  }
}
