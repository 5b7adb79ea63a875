import { expect, test } from 'vitest'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import type { ModeSummary } from '../../../src/judge/verdict/evidence/own-measurement.ts'
import { GLOSSARY, OUTCOME_WORDS, VERDICT_WORDS } from '../../../src/report/glossary.ts'
import { evidenceWords } from '../../../src/report/render/facts.ts'
import { changed, row } from './report-builder.ts'
import { STATES } from './states.ts'

const terms = new Set(GLOSSARY.flatMap(({ words }) => words.map(({ term }) => term)))

// That each closed union has a word for each member is checked by the compiler (`satisfies Record<…>`).
test('every word has a sentence or two, without anything to fill in', () => {
  for (const { title, words } of GLOSSARY) {
    expect(title).not.toBe('')
    for (const { term, meaning } of words) {
      expect(term).toMatch(/^\S.*\S$|^\S$/)
      expect(meaning, term).toMatch(/^[A-Z“`].*\.$/)
      expect(meaning.length, term).toBeLessThan(220)
    }
  }
})

test('one term has one meaning', () => {
  const meanings = new Map<string, string>()
  for (const { term, meaning } of GLOSSARY.flatMap(({ words }) => words)) {
    expect(meanings.get(term) ?? meaning, term).toBe(meaning)
    meanings.set(term, meaning)
  }
})

test('every outcome, verdict and kind of evidence that a report holds is in it', () => {
  const rows = Object.values(STATES).flatMap(({ report }) => report.rows)
  const held = new Set(
    rows.flatMap(({ outcome, verdict }) => [
      ...(outcome === null ? [] : [OUTCOME_WORDS[outcome].term]),
      ...(verdict === null ? [] : [VERDICT_WORDS[verdict].term]),
    ]),
  )
  expect(held.size).toBeGreaterThan(0)
  expect([...held].filter((term) => !terms.has(term))).toEqual([])
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
    '3 + 4 repetitions on arm are too few, 5 a side would do',
    'its old build `5b7f2aa` is 1 commit before the merge base',
    null,
  ])
})
