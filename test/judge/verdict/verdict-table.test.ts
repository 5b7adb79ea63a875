import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import { FACTS, type FactName } from '../../../src/judge/verdict/facts.ts'
import {
  decide,
  factsIn,
  RULES,
  type Rule,
  ruleFor,
  type Verdict,
  verdictOf,
} from '../../../src/judge/verdict/verdict.ts'
import { evidenceDocs, verdictDocs } from '../../../src/judge/verdict/verdict-docs.ts'
import { classifiedQuery } from './classified-query-builder.ts'
import { EVERY_KIND, EVIDENCE, type SampleName } from './evidence-samples.ts'

/** The verdict table against the same rules as nested conditions, and what must hold whatever the evidence is. */

interface Subject {
  readonly result: ClassifiedQuery
  readonly ignored?: boolean
  readonly guarded: boolean
  readonly has: ReadonlySet<SampleName>
}

type Facts = Readonly<Record<FactName, boolean>>

/** The table said once more, in another way. */
function byConditions(fact: Facts): Verdict | null {
  if (fact.ignored) return 'ignored'
  if (fact.asksAgain) return 'needs-rerun'
  if (fact.leans && !fact.changed && !fact.noise) return 'needs-rerun'
  if (!fact.changed || fact.undirected) return fact.guarded ? 'needs-rerun' : null
  return fact.slower ? ofSlower(fact) : ofFaster(fact)
}

function ofSlower(fact: Facts): Verdict {
  if (fact.otherMachine) return 'needs-rerun'
  if (fact.explainedByTrunk) return fact.guarded ? 'needs-rerun' : 'already-on-trunk'
  if (fact.tooFewRepetitions) return 'needs-rerun'
  if (fact.shardShifted) return fact.guarded || fact.standsAgainstShift ? 'needs-rerun' : 'likely-noise'
  if (fact.noise) return fact.guarded || fact.standsAgainstNoise ? 'needs-rerun' : 'likely-noise'
  if (fact.hostMayBeWhy || (fact.flaggedElsewhere && !fact.confirmed)) return 'needs-rerun'
  if (fact.onlyShardShifted && !fact.witnessed) return 'needs-rerun'
  if (fact.overlaps && !fact.confirmed && (fact.twoModes || (fact.offPath && !fact.replicated))) return 'needs-rerun'
  return fact.mayBeChance && !fact.spokenFor && !fact.guarded ? 'needs-rerun' : 'regression'
}

function ofFaster(fact: Facts): Verdict {
  if (fact.guarded) return 'needs-rerun'
  if (fact.otherMachine) return 'likely-noise'
  if (fact.explainedByTrunk) return 'already-on-trunk'
  if (fact.mayBeChance && !fact.spokenFor) return 'likely-noise'
  if (fact.tooFewRepetitions) return 'needs-rerun'
  if (fact.shardShifted || fact.noise || fact.hostMayBeWhy || fact.flaggedElsewhere) return 'likely-noise'
  if (fact.onlyShardShifted && !fact.witnessed) return 'likely-noise'
  return fact.twoModes && fact.overlaps && !fact.confirmed ? 'needs-rerun' : 'improvement'
}

/** What these samples of evidence say of any row. */
function saidBy(has: ReadonlySet<SampleName>) {
  const any = (...names: SampleName[]) => names.some((name) => has.has(name))
  const witnessed = any('replicated', 'confirmed', 'work', 'onPath')
  const against = any('moves', 'notReproduced', 'noCode')
  return {
    trunk: any('trunk'),
    still: any('still'),
    against,
    otherMachine: any('otherMachine'),
    tooFewRepetitions: any('few'),
    hostMayBeWhy:
      (any('process') && !(any('replicated') && any('confirmed'))) ||
      (any('spell', 'meanwhile', 'equalDiffer') && !witnessed),
    spokenFor: witnessed || any('still'),
    witnessed,
    replicated: any('replicated'),
    confirmed: any('confirmed'),
    shardShifted: any('shift'),
    standsAgainstShift: any('replicated', 'confirmed', 'onPath'),
    onlyShardShifted: any('onlyShard'),
    noise: against || any('rotating'),
    flaggedElsewhere: any('flagged'),
    twoModes: any('modes'),
    offPath: any('offPath'),
  }
}

/** What each fact means of a row that has these samples of evidence. */
function factsOf({ result, guarded, ignored = false, has }: Subject, said = saidBy(has)): Facts {
  const overlaps = result.separated !== true
  return {
    ...said,
    ignored: ignored && result.status === 'compared',
    asksAgain: result.history?.asksAgain === true,
    changed: result.outcome === 'changed',
    leans: result.leans !== undefined,
    slower: result.direction === 'slower',
    undirected: result.better === null,
    guarded,
    explainedByTrunk: said.trunk && result.difference! > 0,
    overlaps,
    mayBeChance: result.history === undefined && overlaps && result.rankPValue! > 0.001,
    standsAgainstNoise: said.witnessed || ((!overlaps || said.still) && !said.against),
  }
}

const evidenceOf = (has: ReadonlySet<SampleName>) => [...has].map((name): Evidence => EVIDENCE[name])

function byCode({ result, guarded, ignored, has }: Subject, evidence = evidenceOf(has)): Verdict | null {
  return verdictOf(result, guarded, evidence, [], ignored)
}

/** The guard is of slowdowns, so that a faster row is guarded only by another architecture; its outcome may be any. */
const RESULTS = (['changed', 'unstable'] as const).flatMap((outcome) =>
  ([1, -1] as const).flatMap((sign) =>
    [
      { separated: true, rankPValue: 0.00058 },
      { separated: false, rankPValue: 0.001 },
      { separated: false, rankPValue: 0.011 },
    ].map((samples) =>
      classifiedQuery({ outcome, ...samples, direction: sign > 0 ? 'slower' : 'faster', difference: sign * 0.2 }),
    ),
  ),
)

/** Changed, and nobody knows whether for the better. */
const UNDIRECTED = classifiedQuery({ outcome: 'changed', better: null, direction: null, difference: 0.2 })

/** It shows no change, and is close to one. */
const LEANING = (['one-repetition-overlaps', 'leans-slower'] as const).map((reason) =>
  classifiedQuery({
    outcome: reason === 'one-repetition-overlaps' ? 'not-significant' : 'unstable',
    direction: 'slower',
    difference: 0.2,
    separated: false,
    rankPValue: 0.01,
    leans: reason === 'one-repetition-overlaps' ? { reason } : { reason, difference: 0.15, pValue: 0.001 },
  }),
)

/** The head alone: of one job that is slower, and of two. */
const ALONE = ([1, 2] as const).map((jobs) => {
  const history = {
    jobs,
    trunkRuns: 40,
    asLarge: 0,
    reach: 0.1,
    asksAgain: jobs === 1,
    reason: null,
    moreJobs: 2 - jobs,
    isExact: false,
    isGuarded: false,
  }
  const outcome = jobs === 1 ? 'unstable' : 'changed'
  return classifiedQuery({ outcome, direction: 'slower', difference: 0.2, separated: null, rankPValue: null, history })
})

const NAMES = Object.keys(EVIDENCE) as SampleName[]
const FACT_NAMES = Object.keys(FACTS) as FactName[]

describe('the verdict table', () => {
  test('is in docs/verdicts.md (`node src/judge/verdict/verdict-docs.ts` prints it)', () => {
    const docs = readFileSync(new URL('../../../docs/verdicts.md', import.meta.url), 'utf8')
    expect(docs).toContain(`\n\n${verdictDocs()}\n\n`)
    expect(docs).toContain(`\n\n${evidenceDocs()}\n\n`)
  })

  test('gives what the conditions give for combinations of facts, and each rule decides some', () => {
    const different: string[] = []
    const used = new Set<Rule>()
    const facts = {} as Record<FactName, boolean>
    const holds = (fact: FactName) => facts[fact]
    // every thirteenth: all of them are thirteen times the time
    for (let bits = 0; bits < 2 ** FACT_NAMES.length; bits += 13) {
      for (const [index, name] of FACT_NAMES.entries()) facts[name] = ((bits >> index) & 1) === 1
      if (decide(holds) !== byConditions(facts)) different.push(JSON.stringify(facts))
      if (used.size < RULES.length) used.add(ruleFor(holds))
    }
    expect(different).toEqual([])
    expect(used.size).toBe(RULES.length)
  })

  test('asks for every fact, and for none in vain: rows of evidence reach each rule', () => {
    expect(new Set(RULES.flatMap(({ when }) => factsIn(when)))).toEqual(new Set(FACT_NAMES))
    const reached = new Set<Rule>()
    fc.assert(
      fc.property(subjects(), (subject) => {
        const facts = factsOf(subject)
        reached.add(ruleFor((fact) => facts[fact]))
      }),
      // One seed: another reaches the rarest rule a moment later, or not.
      { numRuns: 3000, seed: 1 },
    )
    expect(reached.size).toBe(RULES.length)
  })

  test('gives what the conditions give for every combination of the evidence that it speaks of', () => {
    expect(EVERY_KIND).toBe(true)
    const spoken: SampleName[] = NAMES.filter(
      (name) =>
        ![
          'floor',
          'stale',
          'oneArchitecture',
          'trunkPart',
          'rotating',
          'notReproduced',
          'otherMachine',
          'equal',
          'equalDiffer',
        ].includes(name) && name !== 'onPathByFile',
    )
    const different: string[] = []
    for (let bits = 0; bits < 2 ** spoken.length; bits += 1) {
      const has = new Set(spoken.filter((_, index) => (bits >> index) & 1))
      const [evidence, said] = [evidenceOf(has), saidBy(has)]
      for (const result of RESULTS) {
        for (const guarded of [true, false]) {
          const subject = { result, guarded, has }
          if (byConditions(factsOf(subject, said)) !== byCode(subject, evidence)) different.push([...has].join(' '))
        }
      }
    }
    expect(different).toEqual([])
  })

  test('gives what the conditions give for any evidence', () => {
    fc.assert(
      fc.property(subjects(), (subject) => {
        expect(byCode(subject)).toBe(byConditions(factsOf(subject)))
      }),
      { numRuns: 500 },
    )
  })
})

describe('each fact', () => {
  test('holds where its words say, and not elsewhere', () => {
    fc.assert(
      fc.property(subjects(), (subject) => {
        const { result, guarded, ignored = false, has } = subject
        const facts = factsOf(subject)
        const row = { result, guarded, ignored, evidence: evidenceOf(has), others: [] }
        for (const name of FACT_NAMES) expect(FACTS[name].holds(row), name).toBe(facts[name])
      }),
      { numRuns: 1000 },
    )
    const some = fc.sample(subjects(), { numRuns: 1000, seed: 1 }).map((subject) => factsOf(subject))
    const held = new Set(some.flatMap((facts) => FACT_NAMES.map((name) => `${name} ${facts[name]}`)))
    expect(held.size).toBe(2 * FACT_NAMES.length)
  })
})

const FOR: readonly SampleName[] = ['replicated', 'confirmed', 'still', 'work', 'onPath']
const AGAINST: readonly SampleName[] = [
  ...(['moves', 'flagged', 'notReproduced', 'noCode', 'rotating', 'shift', 'onlyShard', 'modes'] as const),
  'trunk',
  'offPath',
]

function subjects(): fc.Arbitrary<Subject> {
  return fc.record({
    result: fc.constantFrom(...RESULTS, ...LEANING, ...ALONE, UNDIRECTED),
    guarded: fc.boolean(),
    // Seldom, since nothing else is asked of such a row.
    ignored: fc.nat(9).map((number) => number === 0),
    has: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 6 }).map((names) => new Set(names)),
  })
}

/** How far the verdict makes the pull request the cause: of something faster as well as of something slower. */
function attribution(verdict: Verdict | null): number {
  if (verdict === 'regression' || verdict === 'improvement') return 2
  return verdict === 'needs-rerun' ? 1 : 0
}

const withName = (subject: Subject, name: SampleName): Subject => ({
  ...subject,
  has: new Set([...subject.has, name]),
})

const anySubject = fc.record({
  result: fc.constantFrom(...RESULTS),
  guarded: fc.boolean(),
  has: fc.uniqueArray(fc.constantFrom(...NAMES)).map((names) => new Set(names)),
})

describe('whatever the evidence', () => {
  test('a guarded row is never below a rerun', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        expect(attribution(byCode({ ...subject, guarded: true }))).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test('more of it for the pull request never makes a verdict milder', () => {
    fc.assert(
      fc.property(anySubject, fc.constantFrom(...FOR), (subject, name) => {
        expect(attribution(byCode(withName(subject, name)))).toBeGreaterThanOrEqual(attribution(byCode(subject)))
      }),
      { numRuns: 2000 },
    )
  })

  test('more noise never makes it harsher', () => {
    fc.assert(
      fc.property(anySubject, fc.constantFrom(...AGAINST), (subject, name) => {
        expect(attribution(byCode(withName(subject, name)))).toBeLessThanOrEqual(attribution(byCode(subject)))
      }),
      { numRuns: 2000 },
    )
  })

  test('an ignored row is ignored, and one that was not compared is not', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        expect(byCode({ ...subject, ignored: true })).toBe('ignored')
        const notCompared = classifiedQuery({ status: 'only-old', outcome: null, direction: null })
        expect(byCode({ ...subject, result: notCompared, ignored: true })).not.toBe('ignored')
      }),
    )
  })

  test('its order does not matter', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        const reversed = { ...subject, has: new Set([...subject.has].toReversed()) }
        expect(byCode(reversed)).toBe(byCode(subject))
      }),
    )
  })
})
