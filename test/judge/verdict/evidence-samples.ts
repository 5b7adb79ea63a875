import type { Evidence, EvidenceKind } from '../../../src/judge/verdict/evidence/evidence.ts'

/** Evidence as a row of `classifiedQuery()` (slower by 20%, threshold 5%) could have it. */
export const EVIDENCE = {
  few: { kind: 'too-few-repetitions', architecture: null, old: 3, new: 3, needed: 5 },
  process: { kind: 'one-process', architecture: null, old: 1, new: 1, bound: 0.3, agreeing: 1, runs: 0 },
  equal: { kind: 'equal-builds', architecture: null, difference: 0.03, turns: 5 },
  equalDiffer: { kind: 'equal-builds-differ', architecture: null, difference: 0.15, turns: 5 },
  spell: {
    kind: 'host-spell',
    architecture: null,
    edge: 'before',
    effect: 0.25,
    first: { test: 'e/x', queryIndex: null, queryName: 'BenchmarkB96-4' },
    last: { test: 'e/x', queryIndex: null, queryName: 'BenchmarkB99-4' },
    rows: 4,
  },
  meanwhile: { kind: 'moved-meanwhile', architecture: null, changed: 12, compared: 40 },
  shift: { kind: 'shard-shift', architecture: null, shard: 1, shift: 0.04, elsewhere: 0.001, queries: 300 },
  onlyShard: { kind: 'shard-shift', architecture: null, shard: 1, shift: 0.04, elsewhere: null, queries: 300 },
  modes: {
    kind: 'bimodal',
    architecture: null,
    side: 'new',
    modes: [
      { median: 0.013, samples: 4 },
      { median: 0.018, samples: 3 },
    ],
  },
  replicated: { kind: 'replicated', architectures: ['amd'] },
  oneArchitecture: { kind: 'one-architecture', architecture: null, others: ['amd'] },
  confirmed: { kind: 'confirmed', architecture: null, difference: 0.18 },
  notReproduced: { kind: 'not-reproduced', architecture: null, difference: 0.01, threshold: 0.05 },
  moves: { kind: 'moves-on-trunk', architecture: null, times: 14, runs: 214, lowest: -0.2, highest: 0.3 },
  still: { kind: 'still-on-trunk', architecture: null, runs: 214, lowest: -0.02, highest: 0.03 },
  flagged: { kind: 'flagged-elsewhere', architecture: null, pullRequests: [11, 12], days: 2 },
  trunk: {
    kind: 'already-on-trunk',
    architecture: null,
    lastGood: 'a',
    firstBad: 'b',
    time: 0,
    step: 0.18,
    recovered: null,
  },
  trunkPart: {
    kind: 'already-on-trunk',
    architecture: null,
    lastGood: 'a',
    firstBad: 'b',
    time: 0,
    step: 0.1,
    recovered: null,
  },
  takesBack: { kind: 'takes-back', architecture: null, commit: 'b', time: 0, step: -0.17 },
  work: {
    kind: 'different-work',
    architecture: null,
    metrics: [{ metric: 'read_rows', old: 1, new: 2, difference: 1 }],
  },
  noCode: { kind: 'no-code-changed', files: 2 },
  rotating: { kind: 'rotating', before: 5, now: 6, inBoth: 0 },
  floor: { kind: 'floor-threshold', threshold: 0.05 },
  onPath: {
    kind: 'on-path',
    architecture: null,
    functions: [
      { name: 'DB::Aggregator::executeImpl', file: 'src/Interpreters/Aggregator.cpp', oldShare: 0.31, newShare: 0.44 },
    ],
  },
  onPathByFile: {
    kind: 'on-path',
    architecture: null,
    functions: [{ name: 'DB::A::run', file: 'src/A.cpp', onlyFile: true, oldShare: 0.31, newShare: 0.44 }],
  },
  offPath: { kind: 'off-path', architecture: null, grown: 3, changed: 5 },
  otherMachine: {
    kind: 'other-machine',
    architecture: null,
    fields: [{ field: 'cpu', old: ['EPYC 9V74'], new: ['EPYC 7763'] }],
  },
  stale: { kind: 'stale-reference', commit: 'abc', commitsBeforeMergeBase: 3 },
} as const satisfies Record<string, Evidence>

export type SampleName = keyof typeof EVIDENCE

/** Fails to compile when a kind of evidence has no sample. */
export const EVERY_KIND: EvidenceKind extends (typeof EVIDENCE)[SampleName]['kind'] ? true : never = true
