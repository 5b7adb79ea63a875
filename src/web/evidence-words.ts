import { plainText } from '../render/markdown.ts'
import { count, counted, list, signedPercent, thresholdPercent, values } from '../render/numbers.ts'
import type { Evidence } from '../verdict/evidence/evidence.ts'

type Words = {
  readonly [Kind in Evidence['kind']]: (evidence: Extract<Evidence, { kind: Kind }>, unit: string | null) => string
}

const WORDS: Words = {
  replicated: ({ architectures }) => `moves the same way on ${list(architectures.map(architectureName))} as well`,
  'one-architecture': ({ architecture, others }) =>
    `moves on ${architectureName(architecture)} only, not on ${list(others.map(architectureName))}`,
  bimodal: ({ architecture, side, modes: [low, high] }, unit) =>
    `the samples of ${side === 'both' ? 'both sides' : `the ${side} side`} on ${architectureName(architecture)} fall into two modes, ${values([low.median, high.median], unit)} (${count(low.samples)} and ${count(high.samples)} samples)`,
  'shard-shift': ({ architecture, shard, shift, elsewhere, queries }) =>
    `everything in ${shard === null ? 'this run' : `shard ${shard}`} on ${architectureName(architecture)} moved by ${signedPercent(shift)} (${counted(queries, 'query', 'queries')}), ${elsewhere === null ? 'and there is no other shard to compare with' : `the other shards by ${signedPercent(elsewhere)}`}`,
  'too-few-repetitions': ({ old, new: fresh, needed }) =>
    `too few repetitions: ${old} old and ${fresh} new, ${needed} a side would do`,
  'floor-threshold': ({ threshold }) =>
    `judged by the floor of ${thresholdPercent(threshold)}, no threshold of its own was available`,
  'stale-reference': ({ commit, commitsBeforeMergeBase }) =>
    `the old build ${plainText(commit, 40).slice(0, 12)} is ${counted(commitsBeforeMergeBase, 'commit', 'commits')} before the merge base`,
}

/** One item of evidence as a clause, not escaped. `unit` is that of the row's metric. */
export function evidenceWords(evidence: Evidence, unit: string | null): string {
  // The table has for each kind the function that takes it; TypeScript does not follow the key through the union.
  const words = WORDS[evidence.kind] as (evidence: Evidence, unit: string | null) => string
  return words(evidence, unit)
}

/** The name of an architecture where a sentence needs one. */
export function architectureName(architecture: string | null): string {
  return architecture === null ? 'the unnamed architecture' : plainText(architecture, 40)
}
