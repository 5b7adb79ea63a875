import { expect, test } from 'vitest'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import type { GrownFunction } from '../../../src/judge/verdict/evidence/on-path.ts'
import { evidencePhrase } from '../../../src/report/evidence-words.ts'
import { evidenceWords } from '../../../src/report/render/facts.ts'
import { toText } from '../../../src/text/phrase.ts'
import { changed, row } from './report-builder.ts'

const GROWN: GrownFunction = {
  name: 'DB::Aggregator::executeImpl',
  file: 'src/Interpreters/Aggregator.cpp',
  oldShare: 0.31,
  newShare: 0.442,
}
const NEW: GrownFunction = { name: 'DB::hashRows', file: 'src/Hash.cpp', oldShare: 0, newShare: 0.051 }
const onPath = (...functions: readonly GrownFunction[]): Evidence => ({
  kind: 'on-path',
  architecture: 'arm',
  functions,
})
const offPath = (grown: number, count: number): Evidence => ({
  kind: 'off-path',
  architecture: 'arm',
  grown,
  changed: count,
})

/** Evidence from the profile, in the comment and on the page. */
const WORDS: readonly (readonly [string, Evidence, string, string])[] = [
  [
    'a changed function',
    onPath(GROWN),
    '`Aggregator::executeImpl`, which this PR changes, grew from 31% to 44% of the samples on arm',
    'DB::Aggregator::executeImpl (src/Interpreters/Aggregator.cpp), which this PR changes, grew from 31% to 44% of the samples on arm',
  ],
  [
    'one in a touched file, and another one',
    onPath({ ...NEW, onlyFile: true }, GROWN),
    '`DB::hashRows`, in a file that this PR touches, grew from 0% to 5% of the samples on arm, and 1 other',
    'DB::hashRows (src/Hash.cpp), in a file that this PR touches, grew from 0% to 5% of the samples on arm; DB::Aggregator::executeImpl (src/Interpreters/Aggregator.cpp), which this PR changes, grew from 31% to 44% of the samples on arm',
  ],
  [
    'off path',
    offPath(3, 5),
    'the 5 functions that the pull request changes are not in the stacks of the 3 functions that grew in the profile on arm',
    'the 5 functions that the pull request changes are not in the stacks of the 3 functions that grew in the profile on arm',
  ],
  [
    'off path, one function',
    offPath(1, 1),
    'the only function that the pull request changes is not in the stacks of the 1 function that grew in the profile on arm',
    'the only function that the pull request changes is not in the stacks of the 1 function that grew in the profile on arm',
  ],
]

const NOTHING_SHARED = { repetitions: null, noise: null, reach: null, allStale: false, evidence: [], apart: null }

test.each(WORDS)('%s', (_name, evidence, comment, page) => {
  const subject = row('a', 0, [changed(1, 2, { architecture: 'arm' }), changed(1, 2, { architecture: 'amd' })])
  const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')
  expect(plain(evidenceWords(evidence, subject, NOTHING_SHARED))).toBe(comment)
  expect(plain(toText(evidencePhrase(evidence, subject, 'all')))).toBe(page)
})
