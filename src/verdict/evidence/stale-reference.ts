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
 */
export function staleReference(
  architecture: string | null,
  references: readonly ReferenceBuild[],
): StaleReference | null {
  const reference = referenceOf(architecture, references)
  if (!reference?.commitsBeforeMergeBase) return null
  return {
    kind: 'stale-reference',
    commit: reference.commit,
    commitsBeforeMergeBase: reference.commitsBeforeMergeBase,
  }
}

/** The build that the results of an architecture were measured against; undefined where none is known. */
export function referenceOf(
  architecture: string | null,
  references: readonly ReferenceBuild[],
): ReferenceBuild | undefined {
  // Where the run names no architecture, its reference is that of all its measurements.
  return references.find(({ architectures }) => architectures.includes(architecture) || architectures.includes(null))
}
