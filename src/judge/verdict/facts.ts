import type { ClassifiedQuery } from './classified-query.ts'
import { stepExplains } from './evidence/already-on-trunk.ts'
import {
  DECLARED_EVIDENCE,
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceKind,
  type EvidenceSide,
} from './evidence/evidence.ts'
import { AGREEING_PROCESSES } from './evidence/one-process.ts'

/** Facts that the verdict table asks of a row, each with a name. `docs/verdicts.md` is printed from their words. */

/** The part of a row that its verdict follows from. */
export interface Subject {
  readonly result: ClassifiedQuery
  /** The row is guarded: another architecture of the query may be why. */
  readonly guarded: boolean
  /** An entry of the repository's file ignores the row, or a person does. */
  readonly ignored: boolean
  readonly evidence: readonly Evidence[]
  /** The results of the row's other architectures. */
  readonly others: readonly ClassifiedQuery[]
}

export interface Fact {
  /** The words of the table where the fact holds. */
  readonly words: string
  /** The words where it does not; left out: `not` and the words. */
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

function kindsOn(...sides: readonly EvidenceSide[]): readonly EvidenceKind[] {
  return EVIDENCE_KINDS.filter((kind) => sides.includes(DECLARED_EVIDENCE[kind].side))
}

function isRate(kind: EvidenceKind): boolean {
  return DECLARED_EVIDENCE[kind].isRate === true
}

const NOISE = kindsOn('noise')
const [NOISE_BY_RATE, NOISE_HERE] = [NOISE.filter(isRate), NOISE.filter((kind) => !isRate(kind))]

/** Evidence of another machine, another process, or of what the query did. */
const FOR = kindsOn('change')
const WITNESSES = FOR.filter((kind) => !isRate(kind))

/**
 * Kinds of evidence that raise a doubt, also where they decide no verdict: a regression with any of it may still be
 * one, but nobody can say yet that this change is why.
 */
export const DOUBTS = kindsOn('noise', 'machine', 'trunk', 'doubt')

/** Evidence that one shard's machine can't make. */
const AGAINST_SHIFT: readonly EvidenceKind[] = ['replicated', 'confirmed', 'on-path']

export const FACTS = {
  ignored: {
    words: 'ignored',
    meaning:
      'it was compared, and the repository’s [`tests`](configuration.md#single-tests) ignore it until a day still to come, or a [person](commands.md#what-is-ignored) does on this pull request',
    holds: ({ ignored, result }) => ignored && result.outcome !== null,
  },
  changed: {
    words: 'changed',
    meaning: 'the [outcome](classification.md) is `changed`',
    holds: ({ result }) => result.outcome === 'changed',
  },
  asksAgain: {
    words: 'another job must show it',
    otherwise: 'no other job must show it',
    meaning:
      '[only the head](one-sided.md) was measured and is slower than the main branch, by one job or by a job that the main branch’s history puts in doubt',
    holds: ({ result }) => result.history?.asksAgain === true,
  },
  leans: {
    words: 'leans slower',
    otherwise: 'leans neither way',
    meaning: `it has not changed, but is close enough to measure again: *one repetition overlaps* or [*leans slower*](classification.md#leaning)`,
    holds: ({ result }) => result.leans !== undefined,
  },
  slower: {
    words: 'slower',
    otherwise: 'faster',
    meaning: 'the new build is worse: it takes longer, or does less in the same time',
    holds: ({ result }) => result.direction === 'slower',
  },
  undirected: {
    words: 'no known direction',
    otherwise: 'a known direction',
    meaning: 'whether more of the metric is better or worse is unknown, as for a score',
    holds: ({ result }) => result.better === null,
  },
  guarded: {
    words: 'guarded',
    meaning: 'the [guard](#the-guard) applies to one of its architectures',
    holds: ({ guarded }) => guarded,
  },
  explainedByTrunk: {
    words: 'the main branch explains it',
    meaning:
      '`already-on-trunk`, and without the main branch’s step the row is below its threshold: +20% here and +15% there leave 4.3%. Where other architectures changed the same way, the main branch must explain each of them',
    holds: isExplainedByTrunk,
  },
  otherMachine: {
    words: 'not measured alike',
    otherwise: 'measured alike',
    meaning: kinds(['other-machine']),
    holds: hasAny(['other-machine']),
  },
  tooFewRepetitions: {
    words: 'too few repetitions',
    meaning: kinds(['too-few-repetitions']),
    holds: hasAny(['too-few-repetitions']),
  },
  hostMayBeWhy: {
    words: 'the host may be the cause',
    otherwise: 'the host is not the cause',
    meaning: `\`host-spell\`, \`moved-meanwhile\` or \`equal-builds-differ\` without a witness; or \`one-process\`, while fewer than three jobs, machines or pairs of processes show the change, each at least half as large`,
    holds: ({ evidence }) =>
      isOfTooFewProcesses(evidence) ||
      (hasAny(['host-spell', 'moved-meanwhile', 'equal-builds-differ'])({ evidence }) &&
        !hasAny(WITNESSES)({ evidence })),
  },
  overlaps: {
    words: 'samples overlap',
    meaning: 'some repetitions of one build lie among those of the other',
    holds: ({ result }) => overlaps(result),
  },
  mayBeChance: {
    words: 'may be chance',
    meaning: `the samples overlap, and the rank p is above ${CHANCE_P}`,
    holds: ({ result }) => mayBeChance(result),
  },
  spokenFor: {
    words: 'evidence for it',
    otherwise: 'no evidence for it',
    meaning: `${kinds(FOR)}; \`on-path\` only where a changed function grew, here and below`,
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
    words: 'this shard shifted unlike the others',
    meaning: '`shard-shift`, while other shards did not move the same way',
    holds: ({ evidence }) => evidence.some((item) => item.kind === 'shard-shift' && item.elsewhere !== null),
  },
  standsAgainstShift: {
    words: 'evidence against the shift',
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
    words: 'evidence against noise',
    meaning: `a witness; against ${kinds(NOISE_BY_RATE, 'and')} also \`still-on-trunk\` and samples that do not overlap`,
    holds: standsAgainstNoise,
  },
  flaggedElsewhere: {
    words: 'flagged elsewhere',
    meaning: kinds(['flagged-elsewhere']),
    holds: hasAny(['flagged-elsewhere']),
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

/** A fact as the table says it. */
export function factWords(name: FactName, holds: boolean): string {
  const { words, otherwise = `not ${words}` }: Fact = FACTS[name]
  return holds ? words : otherwise
}

function kinds(names: readonly EvidenceKind[], conjunction = 'or'): string {
  const [last, ...others] = names.map((name) => `\`${name}\``).toReversed()
  return others.length === 0 ? last! : `${others.toReversed().join(', ')} ${conjunction} ${last}`
}

function hasAny(names: readonly EvidenceKind[]): (row: Pick<Subject, 'evidence'>) => boolean {
  return ({ evidence }) => evidence.some((item) => names.includes(item.kind) && !isByFileAlone(item))
}

/**
 * Only the file is known of all functions that have grown: another function in it is changed, or a line beside them, and
 * nobody knows whether they are.
 */
function isByFileAlone(item: Evidence): boolean {
  return item.kind === 'on-path' && item.functions.every(({ onlyFile }) => onlyFile === true)
}

/** Fewer than three processes, jobs or machines show the change each by itself. */
export function isOfTooFewProcesses(evidence: readonly Evidence[]): boolean {
  const found = evidence.find((item) => item.kind === 'one-process')
  if (found === undefined || found.agreeing >= AGREEING_PROCESSES) return false
  const others = evidence.map((item) => {
    if (item.kind === 'confirmed') return item.runs ?? 1
    return item.kind === 'replicated' ? item.architectures.length : 0
  })
  return 1 + others.reduce<number>((sum, jobs) => sum + jobs, 0) < AGREEING_PROCESSES
}

function overlaps({ separated }: ClassifiedQuery): boolean {
  return separated !== true
}

/** The samples overlap, and the rank p is above `CHANCE_P`. */
export function mayBeChance(result: ClassifiedQuery): boolean {
  // two jobs agree, or a third is asked for
  if (result.history !== undefined) return false
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
