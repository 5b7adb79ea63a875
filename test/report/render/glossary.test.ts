import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import type { ModeSummary } from '../../../src/judge/verdict/evidence/own-measurement.ts'
import { evidenceWords } from '../../../src/report/render/facts.ts'
import {
  CLASSIFICATION_WORDS,
  FAILURE_WORDS,
  MEASUREMENT_WORDS,
  NOTE_WORDS,
  OUTCOME_WORDS,
  STATUS_WORDS,
  THRESHOLD_SOURCE_WORDS,
  VERDICT_WORDS,
} from '../../../src/report/words.ts'
import type { Term } from '../../../src/text/word.ts'
import { definitionOf, GLOSSARY } from '../../../src/web/kit/glossary.ts'
import { changed, row } from './report-builder.ts'

const words = GLOSSARY.flatMap((group) => group.words)

// That each closed union has a word for each member is checked by the compiler (`satisfies Record<…>`).
test('each term has a sentence or two, once, without anything to fill in', () => {
  expect(words.length).toBeGreaterThan(30)
  expect(words.length).toBeLessThan(50)
  expect(new Set(words.map(({ term }) => term)).size).toBe(words.length)
  for (const { term, meaning } of words) {
    expect(term).toMatch(/^\S.*\S$|^\S$/)
    expect(meaning, term).toMatch(/^[A-Z“`].*\.$/)
    expect(meaning.length, term).toBeLessThan(220)
  }
})

test('every item of the page is read', () => {
  const page = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8')
  expect(words.length).toBe(page.match(/^- /gm)!.length)
})

test('every outcome, verdict and classification is in it, and has no other meaning elsewhere', () => {
  const shown: readonly Term[] = [OUTCOME_WORDS, VERDICT_WORDS, CLASSIFICATION_WORDS].flatMap((all) =>
    Object.values(all),
  )
  expect(shown.filter(({ term }) => definitionOf(term) === null)).toEqual([])
  for (const { term, meaning } of shown) if (meaning !== undefined) expect(meaning, term).toBe(definitionOf(term))
})

test('what pages explain has a meaning of its own or is in the glossary', () => {
  const explained: readonly Term[] = [VERDICT_WORDS, FAILURE_WORDS].flatMap((all) => Object.values(all))
  expect(explained.filter(({ term, meaning }) => meaning === undefined && definitionOf(term) === null)).toEqual([])
})

test('what the glossary defines is defined nowhere else', () => {
  const shown: readonly Term[] = [
    MEASUREMENT_WORDS,
    NOTE_WORDS,
    STATUS_WORDS,
    FAILURE_WORDS,
    THRESHOLD_SOURCE_WORDS,
  ].flatMap((all) => Object.values(all))
  expect(shown.filter(({ term, meaning }) => meaning !== undefined && definitionOf(term) !== null)).toEqual([])
})

test('every kind of evidence is said in words of its own, but for the floor that the threshold says', () => {
  const subject = row('a', 0, [changed(1, 2, { architecture: 'arm' }), changed(1, 2, { architecture: 'amd' })])
  const shared = { repetitions: null, noise: null, reach: null, allStale: false, evidence: [], apart: null }
  const modes: readonly [ModeSummary, ModeSummary] = [
    { median: 0.0131, samples: 9 },
    { median: 0.0179, samples: 5 },
  ]
  const said = (
    [
      { kind: 'replicated', architectures: ['amd'] },
      { kind: 'one-architecture', architecture: 'arm', others: ['amd'] },
      { kind: 'one-architecture', architecture: null, others: [null] },
      { kind: 'bimodal', architecture: 'arm', side: 'new', modes },
      { kind: 'shard-shift', architecture: 'arm', shard: null, shift: -0.062, elsewhere: 0.002, queries: 1 },
      { kind: 'too-few-repetitions', architecture: 'arm', old: 3, new: 4, needed: 5 },
      { kind: 'stale-reference', commit: '5b7f2aa3c4d5e6f708192a3b4c5d6e7f80910213', commitsBeforeMergeBase: 1 },
      { kind: 'floor-threshold', threshold: 0.05 },
    ] satisfies Evidence[]
  ).map((evidence) => evidenceWords(evidence, subject, shared)?.replaceAll('\u00a0', ' ') ?? null)
  expect(said).toEqual([
    'also slower on amd',
    'on arm only, not on amd',
    'here only, not on another machine',
    'two modes on the new side on arm, 13.1 and 17.9 ms (9 and 5 repetitions)',
    'the whole run on arm moved by −6.2% (1 query), the other shards by +0.2%',
    '3 + 4 repetitions on arm are too few; 5 per side would be enough',
    'its old build `5b7f2aa` is 1 commit older than the merge base',
    null,
  ])
})
