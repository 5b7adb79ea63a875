import { expect, test } from 'vitest'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import { evidencePhrase } from '../../../src/report/evidence-words.ts'
import { evidenceWords } from '../../../src/report/render/facts.ts'
import { toText } from '../../../src/text/phrase.ts'
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
    'confirmed by a rerun on arm (+28.0%)',
    'confirmed by a rerun after restarting both servers on arm (+28.0%)',
  ],
  [
    { kind: 'confirmed', architecture: null, difference: null },
    'confirmed by a rerun',
    'confirmed by a rerun after restarting both servers',
  ],
  [
    { kind: 'not-reproduced', architecture: 'arm', difference: 0.02, threshold: 0.061 },
    'not reproduced by a rerun on arm (+2.0%)',
    'not reproduced by a rerun after restarting both servers on arm (+2.0%, threshold 6.1%)',
  ],
  [
    { kind: 'moves-on-trunk', architecture: 'arm', times: 14, runs: 1214, lowest: -0.12, highest: 0.15 },
    'moved this much in 14 of 1,214 runs on the main branch on arm (−12.0% to +15.0%)',
    'moved this much in 14 of 1,214 runs on the main branch on arm (−12.0% to +15.0%)',
  ],
  [
    { kind: 'still-on-trunk', architecture: 'arm', runs: 214, lowest: -0.02, highest: 0.03 },
    'moved this much in 0 of 214 runs on the main branch on arm (−2.0% to +3.0%)',
    'moved this much in 0 of 214 runs on the main branch on arm (−2.0% to +3.0%)',
  ],
  [
    { kind: 'flagged-elsewhere', architecture: 'arm', pullRequests: [11, 12], days: 2 },
    'flagged in 2 other pull requests on arm within 2 days',
    'flagged in 2 other pull requests on arm within 2 days: #11, #12',
  ],
  [
    trunk,
    'already on the main branch on arm since `5b7f2aa` (+15.2%), which the old build doesn’t have',
    'already on the main branch on arm since 5b7f2aa (+15.2%, last good 6c8f2aa), which the old build doesn’t have',
  ],
  [
    { ...trunk, recovered: LATER },
    'already on the main branch on arm since `5b7f2aa` (+15.2%), which the old build doesn’t have, fixed there since `6c8f2aa`',
    'already on the main branch on arm since 5b7f2aa (+15.2%, last good 6c8f2aa), which the old build doesn’t have, fixed there since 6c8f2aa',
  ],
  [
    // What the trunk did in all is said where it is more than that step.
    { ...trunk, shift: 0.149 },
    'already on the main branch on arm since `5b7f2aa` (+15.2%), which the old build doesn’t have',
    'already on the main branch on arm since 5b7f2aa (+15.2%, last good 6c8f2aa), which the old build doesn’t have',
  ],
  [
    { ...trunk, shift: 0.296 },
    'already on the main branch on arm since `5b7f2aa` (+15.2%), which the old build doesn’t have, +29.6% in total since that build',
    'already on the main branch on arm since 5b7f2aa (+15.2%, last good 6c8f2aa), which the old build doesn’t have, +29.6% in total since that build',
  ],
  [
    { kind: 'takes-back', architecture: 'arm', commit: COMMIT, time: Date.parse('2026-01-03T23:59:00Z'), step: 0.24 },
    'undoes the step of +24.0% that the main branch made on arm at `5b7f2aa` on 2026-01-03',
    'undoes the step of +24.0% that the main branch made on arm at 5b7f2aa on 2026-01-03',
  ],
  [
    { kind: 'takes-back', architecture: null, commit: COMMIT, time: Number.NaN, step: -0.2 },
    'undoes the step of −20.0% that the main branch made at `5b7f2aa`',
    'undoes the step of −20.0% that the main branch made at 5b7f2aa',
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
    'different work on arm: SelectedParts from 0, `[x](http://evil)|` +100%, memory_usage −20.0%',
    'different work on arm: SelectedParts from 0, [x](http://evil)| +100%, memory_usage −20.0%, read_bytes +2.0%',
  ],
  [
    { kind: 'no-code-changed', files: 1 },
    'no code changed: the only changed file doesn’t reach the build',
    'no code changed: the only changed file doesn’t reach the build',
  ],
  [
    { kind: 'no-code-changed', files: 12 },
    'no code changed: the 12 changed files don’t reach the build',
    'no code changed: the 12 changed files don’t reach the build',
  ],
  [
    { kind: 'rotating', before: 5, now: 6, inBoth: 1 },
    '1 of the 5 flagged for the previous push is among the 6 flagged now',
    '1 of the 5 flagged for the previous push is among the 6 flagged now',
  ],
]

test.each(WORDS)('%o', (evidence, comment, page) => {
  const subject = row('a', 0, [changed(1, 2, { architecture: 'arm' }), changed(1, 2, { architecture: 'amd' })])
  const shared = { repetitions: null, noise: null, reach: null, allStale: false, evidence: [], apart: null }
  const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')
  expect(plain(evidenceWords(evidence, subject, shared))).toBe(comment)
  expect(plain(toText(evidencePhrase(evidence, subject, 'all')))).toBe(page)
})

test('the unit of a metric comes from outside, and is no Markdown', () => {
  const modes: Evidence = {
    kind: 'bimodal',
    architecture: null,
    side: 'new',
    modes: [
      { median: 13, samples: 4 },
      { median: 18, samples: 3 },
    ],
  }
  const subject = { ...row('a', 0, [changed(1, 2)]), unit: '@org/team' }
  const shared = { repetitions: null, noise: null, reach: null, allStale: false, evidence: [], apart: null }
  expect(evidenceWords(modes, subject, shared)?.replaceAll('\u00a0', ' ')).toBe(
    'two modes on the new side, 13.0 and 18.0 `@org/team` (4 and 3 repetitions)',
  )
})
