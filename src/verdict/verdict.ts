import type { ClassifiedQuery } from './classified-query.ts'
import { stepExplains } from './evidence/already-on-trunk.ts'
import type { Evidence, EvidenceKind } from './evidence/evidence.ts'

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
 * | changed     | -         | -       | too few repetitions                                 | needs-rerun      |
 * | changed     | -         | yes     | this shard shifted, others did not                  | needs-rerun      |
 * | changed     | -         | no      | the same, and replicated or confirmed               | needs-rerun      |
 * | changed     | -         | no      | this shard shifted, others did not                  | likely-noise     |
 * | changed     | -         | yes     | noise                                               | needs-rerun      |
 * | changed     | -         | no      | noise, and something that stands against it         | needs-rerun      |
 * | changed     | -         | no      | noise                                               | likely-noise     |
 * | changed     | slower    | -       | the only shard shifted, samples overlap             | needs-rerun      |
 * | changed     | -         | -       | two modes, samples overlap, not confirmed           | needs-rerun      |
 * | changed     | slower    | -       | -                                                   | regression       |
 * | changed     | faster    | yes     | -                                                   | needs-rerun      |
 * | changed     | faster    | no      | -                                                   | improvement      |
 *
 * *Noise* is `moves-on-trunk`, `flagged-elsewhere`, `not-reproduced`, `no-code-changed` or `rotating`. Against any of it
 * stands what was seen twice or cannot be chance: samples that do not overlap, `replicated`, `confirmed`,
 * `different-work`. `still-on-trunk` stands against `flagged-elsewhere` and `rotating`, which speak of how often such
 * things happen, as it does itself; it cannot stand against a rerun that showed nothing or a binary that is the same.
 *
 * A whole shard that moved is its machine only where the others did not: alone, it may be a change that slows everything.
 * Two modes ask for a rerun and excuse nothing; where a rerun has confirmed the change they do not even ask. Nor where the
 * samples do not overlap at all: no mix of two modes that both sides share puts every new repetition beyond every old
 * one. `floor-threshold`, `stale-reference`, `one-architecture` and, alone, `different-work` and `still-on-trunk` narrow
 * or explain what is claimed and decide nothing.
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

  const has = (kind: EvidenceKind) => evidence.some((item) => item.kind === kind)
  const overlaps = result.separated !== true
  if (isExplainedByTrunk(result, others, evidence)) return guarded ? 'needs-rerun' : 'already-on-trunk'
  if (has('too-few-repetitions')) return 'needs-rerun'
  const shifts = evidence.filter((item) => item.kind === 'shard-shift')
  if (shifts.some(({ elsewhere }) => elsewhere !== null)) {
    return guarded || has('replicated') || has('confirmed') ? 'needs-rerun' : 'likely-noise'
  }
  if (NOISE.some(has)) return guarded || standsAgainstNoise(result, has) ? 'needs-rerun' : 'likely-noise'
  if (shifts.length > 0 && result.direction === 'slower' && overlaps) return 'needs-rerun'
  if (has('bimodal') && overlaps && !has('confirmed')) return 'needs-rerun'
  return result.direction === 'slower' ? 'regression' : 'improvement'
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

/** Of this very measurement, and of how often such things happen. */
const NOISE_HERE: readonly EvidenceKind[] = ['moves-on-trunk', 'not-reproduced', 'no-code-changed']
const NOISE_BY_RATE: readonly EvidenceKind[] = ['flagged-elsewhere', 'rotating']
const NOISE: readonly EvidenceKind[] = [...NOISE_HERE, ...NOISE_BY_RATE]

const STANDS: readonly EvidenceKind[] = ['replicated', 'confirmed', 'different-work']

function standsAgainstNoise(result: ClassifiedQuery, has: (kind: EvidenceKind) => boolean): boolean {
  if (result.separated === true || STANDS.some(has)) return true
  return has('still-on-trunk') && !NOISE_HERE.some(has)
}

/** A row that somebody should still do something about. */
export function isOpen(verdict: Verdict | null): boolean {
  return verdict === 'regression' || verdict === 'needs-rerun'
}
