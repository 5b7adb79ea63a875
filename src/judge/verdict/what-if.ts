import type { Evidence, EvidenceKind } from './evidence/evidence.ts'
import { MOVES_MINIMUM, STILL_MINIMUM_RUNS } from './evidence/trunk-moves.ts'
import type { Subject } from './facts.ts'
import { isGuarded } from './guard.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/** What may be found out about a row, or could be otherwise. */
export type Possibility =
  | { readonly kind: PossibleKind }
  /** This evidence were not there. */
  | { readonly kind: 'without'; readonly evidence: Evidence }

export type PossibleKind =
  | 'not-ignored'
  | 'below-threshold'
  | 'no-overlap'
  | 'rerun-shows'
  | 'rerun-does-not'
  | 'other-architecture'
  | 'never-on-trunk'
  | 'often-on-trunk'

/** Evidence that a row may still get, and what it takes the place of. Verdicts ask for kinds, not for these numbers. */
const NEW_EVIDENCE: readonly (readonly [PossibleKind, Evidence, EvidenceKind])[] = [
  ['rerun-shows', { kind: 'confirmed', architecture: null, difference: null }, 'not-reproduced'],
  ['rerun-does-not', { kind: 'not-reproduced', architecture: null, difference: null, threshold: null }, 'confirmed'],
  ['other-architecture', { kind: 'replicated', architectures: [null] }, 'one-architecture'],
  [
    'never-on-trunk',
    { kind: 'still-on-trunk', architecture: null, runs: STILL_MINIMUM_RUNS, lowest: 0, highest: 0 },
    'moves-on-trunk',
  ],
  [
    'often-on-trunk',
    {
      kind: 'moves-on-trunk',
      architecture: null,
      times: MOVES_MINIMUM,
      runs: STILL_MINIMUM_RUNS,
      lowest: 0,
      highest: 0,
    },
    'still-on-trunk',
  ],
]

/**
 * The possibilities that give a row another verdict, each with that verdict: the same table is asked again.
 *
 * `needs-rerun` for want of a second witness becomes `regression` where a rerun shows it again.
 */
export function otherVerdicts(
  subject: Subject,
): readonly { readonly if: Possibility; readonly verdict: Verdict | null }[] {
  const now = verdictOfSubject(subject)
  return possibilities(subject)
    .map(([possibility, changed]) => ({ if: possibility, verdict: verdictOfSubject(changed) }))
    .filter(({ verdict }) => verdict !== now)
}

export function verdictOfSubject({ result, guarded, evidence, others, ignored }: Subject): Verdict | null {
  return verdictOf(result, guarded, evidence, others, ignored)
}

function possibilities(subject: Subject): (readonly [Possibility, Subject])[] {
  const { result, evidence, ignored } = subject
  const without = (...kinds: readonly EvidenceKind[]) => evidence.filter(({ kind }) => !kinds.includes(kind))
  if (ignored) return [[{ kind: 'not-ignored' }, { ...subject, ignored: false, guarded: isGuarded(result) }]]
  if (result.outcome !== 'changed') return []
  const separated = { ...result, separated: true }
  return [
    [{ kind: 'below-threshold' }, { ...subject, result: { ...result, outcome: 'too-small' }, guarded: false }],
    [
      { kind: 'no-overlap' },
      {
        ...subject,
        result: separated,
        guarded: subject.guarded || isGuarded(separated),
        evidence: without('too-few-repetitions'),
      },
    ],
    ...NEW_EVIDENCE.map(([kind, item, opposite]): [Possibility, Subject] => [
      { kind },
      { ...subject, evidence: [...without(item.kind, opposite), item] },
    ]),
    ...evidence.map((item): [Possibility, Subject] => [
      { kind: 'without', evidence: item },
      { ...subject, evidence: evidence.filter((other) => other !== item) },
    ]),
  ]
}
