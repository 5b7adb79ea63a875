import type { ClassifiedQuery } from './classified-query.ts'
import { stepExplains } from './evidence/already-on-trunk.ts'
import type { Evidence, EvidenceKind } from './evidence/evidence.ts'

/** What the verdict table asks of a row, each a named fact. `docs/verdicts.md` is printed from their words. */

/** As much as a verdict follows from. */
export interface Subject {
  readonly result: ClassifiedQuery
  /** Of the row: another architecture of the query may be the guarded one. */
  readonly guarded: boolean
  readonly evidence: readonly Evidence[]
  /** The results of the row's other architectures. */
  readonly others: readonly ClassifiedQuery[]
}

export interface Fact {
  /** As the table says that it holds. */
  readonly words: string
  /** As it says that it does not; left out: `not` and the words. */
  readonly otherwise?: string
  /** When it holds, in Markdown. */
  readonly meaning: string
  readonly holds: (subject: Subject) => boolean
}

/**
 * The rank p up to which a change needs no second witness: where nothing changed, two of 2,000 queries reach it, one of
 * them slower. T alone lets eleven slower ones of 2,000 pass at 7 + 7 repetitions, more than half of what a project
 * forgives.
 *
 * Triggers: 7 + 7 repetitions that do not overlap (0.0006), 13 + 13 of which three pairs are in the other order (0.0001).
 * Does not: 7 + 7 with T reached and five pairs in the other order (0.011).
 */
export const CHANCE_P = 0.001

/** Noise of this very measurement, and noise by how often such things happen. */
const NOISE_HERE: readonly EvidenceKind[] = ['moves-on-trunk', 'not-reproduced', 'no-code-changed']
const NOISE_BY_RATE: readonly EvidenceKind[] = ['flagged-elsewhere', 'rotating']
const NOISE: readonly EvidenceKind[] = [...NOISE_HERE, ...NOISE_BY_RATE]

/** Seen on another machine, in another process, or in what the query did. */
const WITNESSES: readonly EvidenceKind[] = ['replicated', 'confirmed', 'different-work', 'on-path']
const FOR: readonly EvidenceKind[] = [...WITNESSES, 'still-on-trunk']

/** What one shard's machine can't do to a row. */
const AGAINST_SHIFT: readonly EvidenceKind[] = ['replicated', 'confirmed', 'on-path']

export const FACTS = {
  changed: {
    words: 'changed',
    meaning: 'the [outcome](classification.md) is `changed`',
    holds: ({ result }) => result.outcome === 'changed',
  },
  slower: {
    words: 'slower',
    otherwise: 'faster',
    meaning: 'the new median is above the old one',
    holds: ({ result }) => result.direction === 'slower',
  },
  guarded: {
    words: 'guarded',
    meaning: 'the [guard](#the-guard) names the row, by whichever of its architectures',
    holds: ({ guarded }) => guarded,
  },
  explainedByTrunk: {
    words: 'the trunk explains it',
    meaning:
      '`already-on-trunk`, and what remains without what the trunk did is below the row’s threshold: +20 % here and +15 % on the trunk leave 4.3 %. A row that is slower than that is judged as if there were no step; the step is said. Where other architectures changed the same way, the trunk must explain each of them: they may have been measured against other builds',
    holds: isExplainedByTrunk,
  },
  tooFewRepetitions: {
    words: 'too few repetitions',
    meaning: kinds(['too-few-repetitions']),
    holds: hasAny(['too-few-repetitions']),
  },
  overlaps: {
    words: 'samples overlap',
    meaning: 'neither build has all of its repetitions beyond all of the other’s',
    holds: ({ result }) => overlaps(result),
  },
  mayBeChance: {
    words: 'may be chance',
    meaning: `the samples overlap, and the rank p is above ${CHANCE_P}. Where nothing changed, T alone lets eleven slower ones of 2,000 queries pass at 7 + 7 repetitions, and as many faster ones: such a row needs a second witness`,
    holds: ({ result }) => mayBeChance(result),
  },
  spokenFor: {
    words: 'something speaks for it',
    otherwise: 'nothing speaks for it',
    meaning: `${kinds(FOR)}; \`on-path\` only where a changed function grew, not where only its file is touched, here and below`,
    holds: hasAny(FOR),
  },
  witnessed: {
    words: 'a witness',
    otherwise: 'no witness',
    meaning: `seen by more than this machine: ${kinds(WITNESSES)}`,
    holds: hasAny(WITNESSES),
  },
  replicated: {
    words: 'replicated',
    meaning: kinds(['replicated']),
    holds: hasAny(['replicated']),
  },
  confirmed: {
    words: 'confirmed',
    meaning: kinds(['confirmed']),
    holds: hasAny(['confirmed']),
  },
  shardShifted: {
    words: 'this shard shifted unlike others',
    meaning: '`shard-shift`, with other shards to compare with, which did not move alike',
    holds: ({ evidence }) => evidence.some((item) => item.kind === 'shard-shift' && item.elsewhere !== null),
  },
  standsAgainstShift: {
    words: 'something stands against the shift',
    meaning: kinds(AGAINST_SHIFT),
    holds: hasAny(AGAINST_SHIFT),
  },
  onlyShardShifted: {
    words: 'the only shard shifted',
    meaning: '`shard-shift`, without another shard to compare with',
    holds: ({ evidence }) => evidence.some((item) => item.kind === 'shard-shift' && item.elsewhere === null),
  },
  noise: {
    words: 'noise',
    meaning: kinds(NOISE),
    holds: hasAny(NOISE),
  },
  standsAgainstNoise: {
    words: 'something stands against the noise',
    meaning: `a witness, against any noise. Against ${kinds(NOISE_BY_RATE, 'and')}, which say how often such things happen, also \`still-on-trunk\`, which says it too, and samples that do not overlap. Those say how large the noise within a run is, whose repetitions share two processes and their memory. Of the noise between runs, which \`moves-on-trunk\` and a rerun measure, they know nothing`,
    holds: standsAgainstNoise,
  },
  twoModes: {
    words: 'two modes',
    meaning: kinds(['bimodal']),
    holds: hasAny(['bimodal']),
  },
  offPath: {
    words: 'off-path',
    meaning: kinds(['off-path']),
    holds: hasAny(['off-path']),
  },
} as const satisfies Record<string, Fact>

export type FactName = keyof typeof FACTS

function kinds(names: readonly EvidenceKind[], conjunction = 'or'): string {
  const [last, ...others] = names.map((name) => `\`${name}\``).toReversed()
  return others.length === 0 ? last! : `${others.toReversed().join(', ')} ${conjunction} ${last}`
}

function hasAny(names: readonly EvidenceKind[]): (row: Pick<Subject, 'evidence'>) => boolean {
  return ({ evidence }) => evidence.some((item) => names.includes(item.kind) && !isByFileAlone(item))
}

/** Nobody knows whether the functions that have grown are changed: another one of their file is, or a line beside them. */
function isByFileAlone(item: Evidence): boolean {
  return item.kind === 'on-path' && item.functions.every(({ onlyFile }) => onlyFile === true)
}

function overlaps({ separated }: ClassifiedQuery): boolean {
  return separated !== true
}

/** The samples overlap, and the rank p is above `CHANCE_P`. */
export function mayBeChance(result: ClassifiedQuery): boolean {
  return overlaps(result) && (result.rankPValue === null || result.rankPValue > CHANCE_P)
}

/** Here and on every other architecture that changed the same way: they may have been measured against other builds. */
function isExplainedByTrunk({ result, others, evidence }: Subject): boolean {
  const steps = evidence.filter((item) => item.kind === 'already-on-trunk')
  const alike = others.filter(({ outcome, direction }) => outcome === 'changed' && direction === result.direction)
  return [result, ...alike].every((one) =>
    steps.some((step) => step.architecture === one.architecture && stepExplains(step, one)),
  )
}

function standsAgainstNoise(subject: Subject): boolean {
  if (hasAny(WITNESSES)(subject)) return true
  return !hasAny(NOISE_HERE)(subject) && (!overlaps(subject.result) || hasAny(['still-on-trunk'])(subject))
}
