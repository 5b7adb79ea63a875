import { expect, test } from 'vitest'
import { evidenceWords } from '../../src/render/facts.ts'
import type { Evidence } from '../../src/verdict/evidence/evidence.ts'
import { evidenceWords as onPage } from '../../src/web/kit/evidence-words.ts'
import { changed, row } from './report-builder.ts'

const COMMIT = '5b7f2aa3c4d5e6f708192a3b4c5d6e7f80910213'
const LATER = '6c8f2aa3c4d5e6f708192a3b4c5d6e7f80910213'
const trunk: Evidence = {
  kind: 'already-on-trunk',
  architecture: 'arm',
  lastGood: LATER,
  firstBad: COMMIT,
  time: 0,
  step: 0.152,
  recovered: null,
}

/** Evidence from the history, the rerun and the files: in the comment, and on the page. */
const WORDS: readonly (readonly [Evidence, string, string])[] = [
  [
    { kind: 'confirmed', architecture: 'arm', difference: 0.28 },
    'confirmed by a rerun on arm (+28.0 %)',
    'moved again on arm in the rerun after a restart of both servers (+28.0 %)',
  ],
  [
    { kind: 'confirmed', architecture: null, difference: null },
    'confirmed by a rerun',
    'moved again in the rerun after a restart of both servers',
  ],
  [
    { kind: 'not-reproduced', architecture: 'arm', difference: 0.02, threshold: 0.061 },
    'not reproduced by a rerun on arm (+2.0 %)',
    'did not move again on arm in the rerun after a restart of both servers (+2.0 %, threshold 6.1 %)',
  ],
  [
    { kind: 'moves-on-trunk', architecture: 'arm', times: 14, runs: 1214, lowest: -0.12, highest: 0.15 },
    'moved this much in 14 of 1,214 trunk runs on arm (-12.0 % to +15.0 %)',
    'moved this much in 14 of 1,214 runs of the trunk on arm, from -12.0 % to +15.0 %',
  ],
  [
    { kind: 'still-on-trunk', architecture: 'arm', runs: 214, lowest: -0.02, highest: 0.03 },
    'moved this much in 0 of 214 trunk runs on arm (-2.0 % to +3.0 %)',
    'moved this much in none of 214 runs of the trunk on arm, from -2.0 % to +3.0 %',
  ],
  [
    { kind: 'flagged-elsewhere', architecture: 'arm', pullRequests: [11, 12], days: 2 },
    'flagged in 2 other pull requests on arm within 2 days',
    'flagged the same way on arm in 2 other pull requests within 2 days: #11, #12',
  ],
  [
    trunk,
    'already on the trunk on arm since `5b7f2aa` (+15.2 %), which the old build does not have',
    'the trunk stepped by +15.2 % on arm between 6c8f2aa3c4d5 and 5b7f2aa3c4d5, after the old build and before the merge base',
  ],
  [
    { ...trunk, recovered: LATER },
    'already on the trunk on arm since `5b7f2aa` (+15.2 %), which the old build does not have, fixed there since `6c8f2aa`',
    'the trunk stepped by +15.2 % on arm between 6c8f2aa3c4d5 and 5b7f2aa3c4d5, after the old build and before the merge base, fixed there since 6c8f2aa3c4d5',
  ],
  [
    // What the trunk did in all is said where it is more than that step.
    { ...trunk, shift: 0.149 },
    'already on the trunk on arm since `5b7f2aa` (+15.2 %), which the old build does not have',
    'the trunk stepped by +15.2 % on arm between 6c8f2aa3c4d5 and 5b7f2aa3c4d5, after the old build and before the merge base, between which it moved by +14.9 % in all',
  ],
  [
    { ...trunk, shift: 0.296 },
    'already on the trunk on arm since `5b7f2aa` (+15.2 %), which the old build does not have, +29.6 % in all since that build',
    'the trunk stepped by +15.2 % on arm between 6c8f2aa3c4d5 and 5b7f2aa3c4d5, after the old build and before the merge base, between which it moved by +29.6 % in all',
  ],
  [
    { kind: 'takes-back', architecture: 'arm', commit: COMMIT, time: Date.parse('2026-01-03T23:59:00Z'), step: 0.24 },
    'takes back the step of +24.0 % that the trunk made on arm at `5b7f2aa` on 2026-01-03',
    'takes back the step of +24.0 % that the trunk made on arm at 5b7f2aa3c4d5 on 2026-01-03',
  ],
  [
    { kind: 'takes-back', architecture: null, commit: COMMIT, time: Number.NaN, step: -0.2 },
    'takes back the step of -20.0 % that the trunk made at `5b7f2aa`',
    'takes back the step of -20.0 % that the trunk made at 5b7f2aa3c4d5',
  ],
  [
    {
      kind: 'different-work',
      architecture: 'arm',
      metrics: [
        { metric: 'SelectedParts', old: 0, new: 3, difference: null },
        { metric: '[x](http://evil)|', old: 1, new: 2, difference: 1 },
        { metric: 'memory_usage', old: 100, new: 80, difference: -0.2 },
        { metric: 'read_bytes', old: 100, new: 102, difference: 0.02 },
      ],
    },
    'different work on arm: SelectedParts from 0, `[x](http://evil)|` +100 %, memory_usage -20.0 %',
    'the two builds did different work on arm: SelectedParts from 0, [x](http://evil)| +100 %, memory_usage -20.0 %, read_bytes +2.0 %',
  ],
  [
    { kind: 'no-code-changed', files: 1 },
    'no code changed, the one changed file does not reach the build',
    'the one changed file does not reach the build',
  ],
  [
    { kind: 'no-code-changed', files: 12 },
    'no code changed, the 12 changed files do not reach the build',
    'none of the 12 changed files reaches the build',
  ],
  [
    { kind: 'rotating', before: 5, now: 6, inBoth: 1 },
    '1 of the 5 flagged for the previous push is among the 6 of this one',
    'of 5 queries flagged for the previous push and 6 for this one 1 is the same',
  ],
]

test.each(WORDS)('%o', (evidence, comment, page) => {
  const subject = row('a', 0, [changed(1, 2, { architecture: 'arm' }), changed(1, 2, { architecture: 'amd' })])
  const shared = { repetitions: null, noise: null, p: null, flaggedFrom: null, allStale: false }
  const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')
  expect(plain(evidenceWords(evidence, subject, shared))).toBe(comment)
  expect(plain(onPage(evidence, 's'))).toBe(page)
})
