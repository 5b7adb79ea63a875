import type { ClassifiedQuery } from './classified-query.ts'
import { stepExplains } from './evidence/already-on-trunk.ts'
import type { Evidence, EvidenceKind, ShardShifted } from './evidence/evidence.ts'
import { mayExplain } from './evidence/shard-shift.ts'

/** What the author should do about a row. Derived from outcome, guard and evidence by the table below; never a score. */
export type Verdict =
  | 'regression'
  | 'improvement'
  | 'needs-rerun'
  | 'likely-noise'
  | 'already-on-trunk'
  | 'acknowledged'

/**
 * The decision table, first match wins. `-` is "whatever".
 *
 * | outcome     | direction | guarded | evidence                                            | verdict          |
 * |-------------|-----------|---------|-----------------------------------------------------|------------------|
 * | not changed | -         | no      | -                                                   | none             |
 * | not changed | -         | yes     | -                                                   | needs-rerun      |
 * | changed     | -         | yes     | the trunk made the same step, which explains it     | needs-rerun      |
 * | changed     | -         | no      | the trunk made the same step, which explains it     | already-on-trunk |
 * | changed     | faster    | no      | may be chance, and nothing speaks for it            | likely-noise     |
 * | changed     | -         | -       | too few repetitions                                 | needs-rerun      |
 * | changed     | -         | yes     | this shard shifted, others did not                  | needs-rerun      |
 * | changed     | slower    | no      | the same, and replicated, confirmed or on-path      | needs-rerun      |
 * | changed     | -         | no      | this shard shifted, others did not                  | likely-noise     |
 * | changed     | -         | yes     | noise                                               | needs-rerun      |
 * | changed     | slower    | no      | noise, and something that stands against it         | needs-rerun      |
 * | changed     | -         | no      | noise                                               | likely-noise     |
 * | changed     | slower    | -       | the only shard shifted, and no witness              | needs-rerun      |
 * | changed     | -         | -       | two modes, samples overlap, not confirmed           | needs-rerun      |
 * | changed     | slower    | -       | off-path, samples overlap, seen once                | needs-rerun      |
 * | changed     | slower    | no      | may be chance, and nothing speaks for it            | needs-rerun      |
 * | changed     | slower    | -       | -                                                   | regression       |
 * | changed     | faster    | yes     | -                                                   | needs-rerun      |
 * | changed     | faster    | no      | -                                                   | improvement      |
 *
 * *Noise* is `moves-on-trunk`, `flagged-elsewhere`, `not-reproduced`, `no-code-changed` or `rotating`. For the pull request
 * speak `replicated`, `confirmed`, `different-work`, `on-path` and `still-on-trunk`. The first four stand against any noise.
 * `on-path` counts only where a changed function has grown: that something in a touched file has is said, and decides nothing.
 * Against `flagged-elsewhere` and `rotating`, which say how often such things happen, stand `still-on-trunk`, which says it
 * too, and samples that do not overlap. Those say how large the noise within a run is, whose repetitions share two processes
 * and their memory; of the noise between runs, which `moves-on-trunk` and a rerun measure, they know nothing.
 * A faster row that may be noise is nothing that somebody has to look at.
 *
 * *May be chance*: the samples overlap and the rank p is above `CHANCE_P`. Of something slower that asks for a second
 * witness; of something faster it says that there is nothing to praise.
 *
 * A whole shard that moved is its machine only where the others did not: alone, it may be a change that slows everything.
 * Nobody can tell the two apart then, and samples that do not overlap say nothing: a machine does that to all of them. A
 * *witness* has seen more than this machine: `replicated`, `confirmed`, `different-work` or `on-path`.
 * Two modes ask for a rerun and excuse nothing; where a rerun has confirmed the change they do not even ask. Nor where the
 * samples do not overlap at all: no mix of two modes that both sides share puts every new repetition beyond every old
 * one. `off-path` excuses nothing either: it asks for a rerun of what was *seen once*, neither `replicated` nor
 * `confirmed`. `floor-threshold`, `stale-reference` and `one-architecture` narrow what is claimed and decide nothing.
 *
 * `others` are the results of the other architectures: the trunk's step excuses the row only where it explains each of
 * them that changed the same way.
 */
export function verdictOf(
  result: ClassifiedQuery,
  guarded: boolean,
  evidence: readonly Evidence[],
  others: readonly ClassifiedQuery[] = [],
): Verdict | null {
  const verdict = verdictByTable(result, guarded, evidence, others)
  // Another architecture of the query may be the guarded one.
  return guarded && !isOpen(verdict) ? 'needs-rerun' : verdict
}

function verdictByTable(
  result: ClassifiedQuery,
  guarded: boolean,
  evidence: readonly Evidence[],
  others: readonly ClassifiedQuery[],
): Verdict | null {
  if (result.outcome !== 'changed') return guarded ? 'needs-rerun' : null

  const has = (kind: EvidenceKind) => evidence.some((item) => item.kind === kind && !isByFileAlone(item))
  const overlaps = result.separated !== true
  if (isExplainedByTrunk(result, others, evidence)) return guarded ? 'needs-rerun' : 'already-on-trunk'
  const isChance = !guarded && mayBeChance(result) && !FOR.some(has)
  if (isChance && result.direction === 'faster') return 'likely-noise'
  if (has('too-few-repetitions')) return 'needs-rerun'
  const shifts = evidence.filter((item) => item.kind === 'shard-shift')
  if (shifts.some(({ elsewhere }) => elsewhere !== null)) {
    const isSeenTwice = has('replicated') || has('confirmed') || has('on-path')
    return guarded || (result.direction === 'slower' && isSeenTwice) ? 'needs-rerun' : 'likely-noise'
  }
  if (NOISE.some(has)) return guarded || standsAgainstNoise(result, has) ? 'needs-rerun' : 'likely-noise'
  if (shifts.length > 0 && result.direction === 'slower' && !WITNESSES.some(has)) return 'needs-rerun'
  if (has('bimodal') && overlaps && !has('confirmed')) return 'needs-rerun'
  const isSeenOnce = !has('replicated') && !has('confirmed')
  if (has('off-path') && result.direction === 'slower' && overlaps && isSeenOnce) return 'needs-rerun'
  if (result.direction !== 'slower') return 'improvement'
  return isChance ? 'needs-rerun' : 'regression'
}

/** Nobody knows whether the functions that have grown are changed: another one of their file is, or a line beside them. */
function isByFileAlone(item: Evidence): boolean {
  return item.kind === 'on-path' && item.functions.every(({ onlyFile }) => onlyFile === true)
}

/** The samples overlap, and the rank p is above `CHANCE_P`. */
export function mayBeChance({ separated, rankPValue }: ClassifiedQuery): boolean {
  return separated !== true && (rankPValue === null || rankPValue > CHANCE_P)
}

/** Here and on every other architecture that changed the same way: they may have been measured against other builds. */
function isExplainedByTrunk(
  result: ClassifiedQuery,
  others: readonly ClassifiedQuery[],
  evidence: readonly Evidence[],
): boolean {
  const steps = evidence.filter((item) => item.kind === 'already-on-trunk')
  const alike = others.filter(({ outcome, direction }) => outcome === 'changed' && direction === result.direction)
  return [result, ...alike].every((one) =>
    steps.some((step) => step.architecture === one.architecture && stepExplains(step, one)),
  )
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

/** Of this very measurement, and of how often such things happen. */
const NOISE_HERE: readonly EvidenceKind[] = ['moves-on-trunk', 'not-reproduced', 'no-code-changed']
const NOISE_BY_RATE: readonly EvidenceKind[] = ['flagged-elsewhere', 'rotating']
const NOISE: readonly EvidenceKind[] = [...NOISE_HERE, ...NOISE_BY_RATE]

/** Seen on another machine, in another process, or in what the query did. */
const WITNESSES: readonly EvidenceKind[] = ['replicated', 'confirmed', 'different-work', 'on-path']
const FOR: readonly EvidenceKind[] = [...WITNESSES, 'still-on-trunk']

function standsAgainstNoise({ direction, separated }: ClassifiedQuery, has: (kind: EvidenceKind) => boolean): boolean {
  if (direction !== 'slower') return false
  if (WITNESSES.some(has)) return true
  return !NOISE_HERE.some(has) && (separated === true || has('still-on-trunk'))
}

/**
 * The shift of everything that may be all there is to a slower row, as far as anybody knows. The row is open as a part of its
 * whole run then, which is said once.
 *
 * Triggers: +7 % in a run that moved by +6 %. Does not: +33 % of a threshold of 30 % in a run that moved by +3 %.
 */
export function wholeRunOf(
  verdict: Verdict | null,
  result: Pick<ClassifiedQuery, 'direction' | 'difference' | 'changedThreshold'>,
  evidence: readonly Evidence[],
): ShardShifted | null {
  if (verdict !== 'needs-rerun' || result.direction !== 'slower') return null
  if (evidence.some((item) => WITNESSES.includes(item.kind) && !isByFileAlone(item))) return null
  const shift = evidence.find((item) => item.kind === 'shard-shift')
  return shift?.elsewhere === null && mayExplain(shift.shift, result) ? shift : null
}

/** A row that somebody should still do something about. */
export function isOpen(verdict: Verdict | null): boolean {
  return verdict === 'regression' || verdict === 'needs-rerun'
}
