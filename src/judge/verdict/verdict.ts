import type { ClassifiedQuery } from './classified-query.ts'
import type { Evidence, EvidenceKind } from './evidence/evidence.ts'
import { mayExplain, type ShardShifted } from './evidence/shard-shift.ts'
import { DOUBTS, FACTS, type FactName, type Subject } from './facts.ts'

/**
 * A verdict says what the author should do about a row. It is derived from outcome, guard and evidence by `RULES`;
 * never a score.
 */
export type Verdict =
  | 'regression'
  | 'improvement'
  | 'needs-rerun'
  | 'likely-noise'
  | 'already-on-trunk'
  | 'acknowledged'
  | 'ignored'

export interface Rule {
  /** All of these facts are so; others may be either. */
  readonly when: Partial<Readonly<Record<FactName, boolean>>>
  /** null: none is given. */
  readonly verdict: Verdict | null
  /** The reason, a sentence. */
  readonly words: string
  /** The guard does not overrule it: a person has decided. */
  readonly isFinal?: true
}

/**
 * The first rule that fits decides. `floor-threshold`, `stale-reference`, `one-architecture` and `takes-back` narrow what is
 * claimed or inform, and decide nothing.
 */
export const RULES: readonly Rule[] = [
  {
    when: { ignored: true },
    verdict: 'ignored',
    words:
      'The repository’s file says so, with a reason and an end date, or a person did on this pull request. It is shown but doesn’t count, even where it is guarded.',
    isFinal: true,
  },
  {
    when: { asksAgain: true },
    verdict: 'needs-rerun',
    words: 'One job of the head alone decides nothing; two jobs that agree do.',
  },
  {
    when: { changed: false, leans: true, noise: false },
    verdict: 'needs-rerun',
    words:
      'It shows no change but may hide one. Whatever the evidence, it isn’t a regression yet: measure again to find out.',
  },
  {
    when: { changed: false },
    verdict: null,
    words: 'There is no change to judge.',
  },
  {
    when: { undirected: true },
    verdict: null,
    words: 'It changed, but it isn’t known whether that is better or worse. The repository’s file can say.',
  },
  {
    when: { slower: true, otherMachine: true },
    verdict: 'needs-rerun',
    words:
      'The difference may be that of the machines, or of a debug build, whatever the other evidence. Measure both builds on one machine.',
  },
  {
    when: { slower: false, otherMachine: true },
    verdict: 'likely-noise',
    words: 'A different machine is faster; the change gets no credit.',
  },
  {
    when: { explainedByTrunk: true },
    verdict: 'already-on-trunk',
    words: 'The main branch made the same step after the old build.',
  },
  {
    when: { slower: false, mayBeChance: true, spokenFor: false },
    verdict: 'likely-noise',
    words: 'It may be chance, so the change gets no credit: it isn’t open, sets no label and doesn’t affect the check.',
  },
  {
    when: { tooFewRepetitions: true },
    verdict: 'needs-rerun',
    words: 'So few repetitions can’t support a verdict.',
  },
  {
    when: { slower: true, shardShifted: true, standsAgainstShift: true },
    verdict: 'needs-rerun',
    words: 'The machine moved, and something else saw the change as well.',
  },
  {
    when: { shardShifted: true },
    verdict: 'likely-noise',
    words: 'The machine moved, and the row with it.',
  },
  {
    when: { slower: true, noise: true, standsAgainstNoise: true },
    verdict: 'needs-rerun',
    words: 'There is evidence both ways.',
  },
  {
    when: { noise: true },
    verdict: 'likely-noise',
    words: 'The row also moves without the change. Nobody needs to look at a faster one that may be noise.',
  },
  {
    when: { slower: true, hostMayBeWhy: true },
    verdict: 'needs-rerun',
    words: 'The same build measured twice may differ as much. Another job starts new processes.',
  },
  {
    when: { hostMayBeWhy: true },
    verdict: 'likely-noise',
    words: 'The same build measured twice may differ as much.',
  },
  {
    when: { slower: true, flaggedElsewhere: true, confirmed: false },
    verdict: 'needs-rerun',
    words:
      'Others moved the same way at the time: measure again to find out. In a gating check it is as red as a regression.',
  },
  {
    when: { slower: false, flaggedElsewhere: true },
    verdict: 'likely-noise',
    words: 'Others gained as much without the change.',
  },
  {
    when: { slower: true, onlyShardShifted: true, witnessed: false },
    verdict: 'needs-rerun',
    words:
      'The machine can’t be told from a change that slows everything. Samples that don’t overlap prove nothing: a slow machine shifts all of them.',
  },
  {
    when: { slower: false, onlyShardShifted: true, witnessed: false },
    verdict: 'likely-noise',
    words: 'A query that is faster only because everything is has gained nothing of its own.',
  },
  {
    when: { twoModes: true, overlaps: true, confirmed: false },
    verdict: 'needs-rerun',
    words:
      'The repetitions may have fallen into the modes by chance. That can’t put every new repetition beyond every old one.',
  },
  {
    when: { slower: true, offPath: true, overlaps: true, replicated: false, confirmed: false },
    verdict: 'needs-rerun',
    words:
      'It was seen once, and the profile shows nothing of what the pull request changes. That is a doubt, not an excuse.',
  },
  {
    when: { slower: true, guarded: false, mayBeChance: true, spokenFor: false },
    verdict: 'needs-rerun',
    words: 'It needs a second witness.',
  },
  {
    when: { slower: true },
    verdict: 'regression',
    words: 'No evidence of noise.',
  },
  {
    when: { slower: false },
    verdict: 'improvement',
    words: 'No evidence of noise.',
  },
]

/** The last step: a guarded row whose verdict is not open gets this one, unless a person has decided. */
export const GUARD = {
  verdict: 'needs-rerun',
  words: 'Dismissing a real regression as noise costs more than a false alarm.',
} as const satisfies Pick<Rule, 'verdict' | 'words'>

/** The verdict that follows from the facts, the guard last. */
export function decide(holds: (fact: FactName) => boolean): Verdict | null {
  const { verdict, isFinal = false } = ruleFor(holds)
  return !isFinal && !isOpen(verdict) && holds('guarded') ? GUARD.verdict : verdict
}

/** The first rule that fits; the last two fit whatever is left. Facts that no rule before it asks for are not asked. */
export function ruleFor(holds: (fact: FactName) => boolean): Rule {
  return RULES.find(({ when }) => factsIn(when).every((fact) => holds(fact) === when[fact]))!
}

/** The facts that a rule asks for, in its order. */
export function factsIn(when: Rule['when']): readonly FactName[] {
  // A literal has no other keys than those of its type.
  return Object.keys(when) as FactName[]
}

/**
 * `others` are the results of the row's other architectures: the trunk's step excuses the row only where it explains each of
 * them that changed the same way.
 */
export function verdictOf(
  result: ClassifiedQuery,
  guarded: boolean,
  evidence: readonly Evidence[],
  others: readonly ClassifiedQuery[] = [],
  ignored = false,
): Verdict | null {
  const subject: Subject = { result, guarded, ignored, evidence, others }
  return decide((fact) => FACTS[fact].holds(subject))
}

/**
 * The shift of everything that may be all there is to a slower row, as far as anybody knows. The row is open as a part of its
 * whole run then, which is said once.
 *
 * Triggers: +7% in a run that moved by +6%. Does not: +33% of a threshold of 30% in a run that moved by +3%.
 */
export function wholeRunOf(
  verdict: Verdict | null,
  result: Pick<ClassifiedQuery, 'direction' | 'difference' | 'changedThreshold'>,
  evidence: readonly Evidence[],
): ShardShifted | null {
  if (verdict !== 'needs-rerun' || result.direction !== 'slower') return null
  if (FACTS.witnessed.holds({ evidence })) return null
  const shift = evidence.find((item) => item.kind === 'shard-shift')
  return shift?.elsewhere === null && mayExplain(shift.shift, result) ? shift : null
}

/**
 * A regression but for flags in other pull requests, which anybody can bring about: they ask for a rerun, and open no gate.
 *
 * Is: +20% without an overlap, flagged in two others. Is not: the same with an overlap and nothing that speaks for it, which
 * needs its rerun anyway.
 */
export function isHeldByFlags({ results, decidedBy, verdict, guarded, evidence }: HeldRow): boolean {
  if (verdict !== 'needs-rerun' || !evidence.some(({ kind }) => kind === 'flagged-elsewhere')) return false
  const others = results.filter((_, index) => index !== decidedBy)
  const without = evidence.filter(({ kind }) => kind !== 'flagged-elsewhere')
  return verdictOf(results[decidedBy]!, guarded, without, others) === 'regression'
}

interface HeldRow {
  readonly results: readonly ClassifiedQuery[]
  readonly decidedBy: number
  readonly verdict: Verdict | null
  readonly guarded: boolean
  readonly evidence: readonly Evidence[]
}

/** A row that somebody should still do something about. */
export function isOpen(verdict: Verdict | null): boolean {
  return verdict === 'regression' || verdict === 'needs-rerun'
}

/**
 * Kinds of evidence of which one is needed: the query never moved as far on the trunk, or it moved on another machine
 * as well.
 */
const BECAUSE_OF_CHANGE: readonly EvidenceKind[] = ['still-on-trunk', 'replicated']

/**
 * A regression of which the trunk's history says that it is the change's: it speaks for it, and nothing speaks against it.
 * Only where the history is there: `hasHistory` false, and it is measured slower and no more.
 *
 * Triggers: +20%, never moved as far in 214 trunk runs. Does not: the same against an old build from before the merge
 * base; the same judged by the floor; +20% on two architectures without a history.
 */
export function isBecauseOfChange(
  verdict: Verdict | null,
  evidence: readonly { readonly kind: EvidenceKind }[],
  hasHistory: boolean,
): boolean {
  if (verdict !== 'regression' || !hasHistory) return false
  const kinds = evidence.map(({ kind }) => kind)
  return kinds.some((kind) => BECAUSE_OF_CHANGE.includes(kind)) && !kinds.some((kind) => DOUBTS.includes(kind))
}

/**
 * A regression of which nothing is left to doubt but that there is no history: where the two builds differ by the change alone
 * it looks like the change's, which only the history could know.
 *
 * Triggers: +20% without an overlap, judged by the floor. Does not: the same in two modes, against an older build, or where the
 * history knows it.
 */
export function looksLikeChange({ verdict, evidence, becauseOfChange }: LooksLike): boolean {
  if (verdict !== 'regression' || becauseOfChange === true) return false
  return evidence.every(({ kind }) => kind === 'floor-threshold' || !DOUBTS.includes(kind))
}

interface LooksLike {
  readonly verdict: Verdict | null
  readonly evidence: readonly { readonly kind: EvidenceKind }[]
  readonly becauseOfChange?: true
}
