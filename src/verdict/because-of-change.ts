import type { EvidenceKind } from './evidence/evidence.ts'
import type { Verdict } from './verdict.ts'

/** That the query never moved as far on the trunk, or that it moved on another machine as well. One of them is needed. */
const FOR: readonly EvidenceKind[] = ['still-on-trunk', 'replicated']

/**
 * Whatever raises a doubt, also where it decides no verdict: a regression with any of it may still be one, but nobody can
 * say yet that this change is why.
 */
const DOUBT: readonly EvidenceKind[] = [
  'moves-on-trunk',
  'flagged-elsewhere',
  'not-reproduced',
  'no-code-changed',
  'rotating',
  'off-path',
  'shard-shift',
  'bimodal',
  'too-few-repetitions',
  'already-on-trunk',
  'stale-reference',
  'floor-threshold',
]

/**
 * A regression of which the trunk's history says that it is the change's: it speaks for it, and nothing speaks against it.
 * Only where the history is there: `hasHistory` false, and it is measured slower and no more.
 *
 * Triggers: +20 %, never moved as far in 214 trunk runs. Does not: the same against an old build from before the merge
 * base; the same judged by the floor; +20 % on two architectures without a history.
 */
export function isBecauseOfChange(
  verdict: Verdict | null,
  evidence: readonly { readonly kind: EvidenceKind }[],
  hasHistory: boolean,
): boolean {
  if (verdict !== 'regression' || !hasHistory) return false
  const kinds = evidence.map(({ kind }) => kind)
  return kinds.some((kind) => FOR.includes(kind)) && !kinds.some((kind) => DOUBT.includes(kind))
}
