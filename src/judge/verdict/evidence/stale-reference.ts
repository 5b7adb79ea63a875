import type { StaleReference } from './evidence.ts'

/** The build that a result was measured against; the report's `Reference` has this shape. */
export interface ReferenceBuild {
  readonly commit: string
  readonly architectures: readonly (string | null)[]
  readonly commitsBeforeMergeBase: number | null
}

/**
 * The old server was built from a commit before the merge base, so what the trunk changed in between is in the
 * difference too.
 *
 * Triggers: the reference is 2 commits before the merge base. Does not: it is the merge base, or nobody could say.
 *
 * @param oldCommit as in `referenceOf`
 */
export function staleReference(
  architecture: string | null,
  references: readonly ReferenceBuild[],
  oldCommit: string | null = null,
): StaleReference | null {
  const reference = referenceOf(architecture, references, oldCommit)
  if (!reference?.commitsBeforeMergeBase) return null
  return {
    kind: 'stale-reference',
    commit: reference.commit,
    commitsBeforeMergeBase: reference.commitsBeforeMergeBase,
  }
}

/**
 * The build that a result was measured against: `oldCommit` of the run that measured it. Where that is null it is the only
 * one of its architecture: shards may have different ones, and of several nobody can say. Undefined where none is known.
 */
export function referenceOf(
  architecture: string | null,
  references: readonly ReferenceBuild[],
  oldCommit: string | null = null,
): ReferenceBuild | undefined {
  if (oldCommit !== null) return references.find(({ commit }) => commit === oldCommit)
  // Where the run names no architecture, its reference is that of all its measurements.
  const fitting = references.filter(
    ({ architectures }) => architectures.includes(architecture) || architectures.includes(null),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}
