import type { ClassifiedQuery } from './classified-query.ts'
import type { Evidence } from './evidence/evidence.ts'

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
 * | outcome     | direction | guarded | evidence                       | verdict      |
 * |-------------|-----------|---------|--------------------------------|--------------|
 * | not changed | -         | no      | -                              | none         |
 * | not changed | -         | yes     | -                              | needs-rerun  |
 * | changed     | -         | -       | too-few-repetitions            | needs-rerun  |
 * | changed     | -         | yes     | shard-shift, not elsewhere     | needs-rerun  |
 * | changed     | -         | -       | the same, and replicated       | needs-rerun  |
 * | changed     | -         | -       | shard-shift, not elsewhere     | likely-noise |
 * | changed     | slower    | -       | the only shard, overlapping    | needs-rerun  |
 * | changed     | -         | -       | bimodal, samples overlap       | needs-rerun  |
 * | changed     | slower    | -       | -                              | regression   |
 * | changed     | faster    | -       | -                              | improvement  |
 *
 * A whole shard that moved is its machine only where the others did not: alone, it may be a change that slows everything.
 * Two modes ask for a rerun and excuse nothing: whether the trunk has them too is not known here. Where the samples do
 * not overlap at all they do not even ask: no mix of two modes that both sides share puts every new repetition beyond
 * every old one. `floor-threshold`, `stale-reference` and `one-architecture` narrow what is claimed and decide nothing.
 */
export function verdictOf(result: ClassifiedQuery, guarded: boolean, evidence: readonly Evidence[]): Verdict | null {
  const verdict = verdictByTable(result, guarded, evidence)
  // Another architecture of the query may be the guarded one.
  return guarded && !isOpen(verdict) ? 'needs-rerun' : verdict
}

function verdictByTable(result: ClassifiedQuery, guarded: boolean, evidence: readonly Evidence[]): Verdict | null {
  if (result.outcome !== 'changed') return guarded ? 'needs-rerun' : null

  const has = (kind: Evidence['kind']) => evidence.some((item) => item.kind === kind)
  if (has('too-few-repetitions')) return 'needs-rerun'
  const shift = evidence.find((item) => item.kind === 'shard-shift')
  if (shift !== undefined && shift.elsewhere !== null) {
    return guarded || has('replicated') ? 'needs-rerun' : 'likely-noise'
  }
  if (shift !== undefined && result.direction === 'slower' && result.separated !== true) return 'needs-rerun'
  if (has('bimodal') && result.separated !== true) return 'needs-rerun'
  return result.direction === 'slower' ? 'regression' : 'improvement'
}

/** A row that somebody should still do something about. */
export function isOpen(verdict: Verdict | null): boolean {
  return verdict === 'regression' || verdict === 'needs-rerun'
}
