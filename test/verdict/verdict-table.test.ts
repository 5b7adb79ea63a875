import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClassifiedQuery } from '../../src/verdict/classified-query.ts'
import type { Evidence } from '../../src/verdict/evidence/evidence.ts'
import { type Verdict, verdictOf } from '../../src/verdict/verdict.ts'
import { classifiedQuery } from './classified-query-builder.ts'
import { EVERY_KIND, EVIDENCE, type SampleName } from './evidence-samples.ts'

/** The table of the documentation against the code, and what must hold whatever the evidence is. */

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The rows below `| outcome | direction | guarded |`, as cells. */
function tableIn(source: string): readonly (readonly string[])[] {
  const lines = source.split('\n').map((line) => line.replace(/^ \* /, ''))
  const head = lines.findIndex((line) => /^\| outcome +\| direction/.test(line))
  const rows = lines.slice(head + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  return rows.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

const DOCUMENTED = tableIn(text('docs/verdicts.md'))

interface Subject {
  readonly result: ClassifiedQuery
  readonly guarded: boolean
  readonly has: ReadonlySet<SampleName>
}

const any = ({ has }: Subject, ...names: SampleName[]) => names.some((name) => has.has(name))
const overlaps = ({ result }: Subject) => result.separated !== true
const isNoise = (subject: Subject) => any(subject, 'moves', 'flagged', 'notReproduced', 'noCode', 'rotating')
const standsAgainst = (subject: Subject) =>
  any(subject, 'replicated', 'confirmed', 'work', 'onPath') ||
  ((!overlaps(subject) || any(subject, 'still')) && !any(subject, 'moves', 'notReproduced', 'noCode'))

/** What the words of the table mean. */
const EVIDENCE_CELLS: Readonly<Record<string, (subject: Subject) => boolean>> = {
  '-': () => true,
  'the trunk made the same step, which explains it': (subject) =>
    any(subject, 'trunk') && subject.result.direction === 'slower',
  'too few repetitions': (subject) => any(subject, 'few'),
  'this shard shifted, others did not': (subject) => any(subject, 'shift'),
  'the same, and replicated, confirmed or on-path': (subject) =>
    any(subject, 'shift') && any(subject, 'replicated', 'confirmed', 'onPath'),
  noise: isNoise,
  'noise, and something that stands against it': (subject) => isNoise(subject) && standsAgainst(subject),
  'the only shard shifted, and no witness': (subject) =>
    any(subject, 'onlyShard') && !any(subject, 'replicated', 'confirmed', 'work', 'onPath'),
  'two modes, samples overlap, not confirmed': (subject) =>
    any(subject, 'modes') && overlaps(subject) && !any(subject, 'confirmed'),
  'may be chance, and nothing speaks for it': (subject) =>
    overlaps(subject) &&
    subject.result.rankPValue! > 0.001 &&
    !any(subject, 'replicated', 'confirmed', 'work', 'onPath', 'still'),
  'off-path, samples overlap, seen once': (subject) =>
    any(subject, 'offPath') && overlaps(subject) && !any(subject, 'replicated', 'confirmed'),
}
const OUTCOME_CELLS: Readonly<Record<string, (subject: Subject) => boolean>> = {
  changed: ({ result }) => result.outcome === 'changed',
  'not changed': ({ result }) => result.outcome !== 'changed',
}
const DIRECTION_CELLS: Readonly<Record<string, (subject: Subject) => boolean>> = {
  '-': () => true,
  slower: ({ result }) => result.direction === 'slower',
  faster: ({ result }) => result.direction === 'faster',
}
const GUARDED_CELLS: Readonly<Record<string, (subject: Subject) => boolean>> = {
  '-': () => true,
  yes: ({ guarded }) => guarded,
  no: ({ guarded }) => !guarded,
}

const CELLS = [OUTCOME_CELLS, DIRECTION_CELLS, GUARDED_CELLS, EVIDENCE_CELLS]
const RULES = DOCUMENTED.map((cells) => ({
  fits: CELLS.map((meanings, index) => meanings[cells[index]!]),
  verdict: cells[4] === 'none' ? null : (cells[4] as Verdict),
}))

function byDocumentation(subject: Subject): Verdict | null {
  return RULES.find(({ fits }) => fits.every((fit) => fit!(subject)))!.verdict
}

function byCode({ result, guarded, has }: Subject): Verdict | null {
  return verdictOf(
    result,
    guarded,
    [...has].map((name): Evidence => EVIDENCE[name]),
  )
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

const NAMES = Object.keys(EVIDENCE) as SampleName[]

describe('the documented table', () => {
  test('has words that this test knows, and is the one in the code', () => {
    expect(EVERY_KIND).toBe(true)
    expect(DOCUMENTED.length).toBeGreaterThan(10)
    for (const [index, { fits }] of RULES.entries())
      expect(fits, DOCUMENTED[index]!.join(' | ')).not.toContain(undefined)
    expect(tableIn(text('src/verdict/verdict.ts'))).toEqual(DOCUMENTED)
  })

  test('gives what the code gives, for every combination of what it speaks of', () => {
    const spoken: SampleName[] = NAMES.filter(
      (name) =>
        !['floor', 'stale', 'oneArchitecture', 'trunkPart', 'rotating', 'notReproduced', 'onPathByFile'].includes(name),
    )
    const different: string[] = []
    for (let bits = 0; bits < 2 ** spoken.length; bits += 1) {
      const has = new Set(spoken.filter((_, index) => (bits >> index) & 1))
      for (const result of RESULTS) {
        for (const guarded of [true, false]) {
          const subject = { result, guarded, has }
          if (byDocumentation(subject) !== byCode(subject)) different.push([...has].join(' '))
        }
      }
    }
    expect(different).toEqual([])
  })

  test('gives what the code gives for any evidence', () => {
    fc.assert(
      fc.property(subjects(), (subject) => {
        expect(byCode(subject)).toBe(byDocumentation(subject))
      }),
      { numRuns: 500 },
    )
  })

  test('has no row that never decides', () => {
    const used = new Set<number>()
    fc.assert(
      fc.property(subjects(), (subject) => {
        used.add(RULES.findIndex(({ fits }) => fits.every((fit) => fit!(subject))))
      }),
      { numRuns: 3000 },
    )
    expect(used.size).toBe(RULES.length)
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
    result: fc.constantFrom(...RESULTS),
    guarded: fc.boolean(),
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

  test('its order does not matter', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        const reversed = { ...subject, has: new Set([...subject.has].toReversed()) }
        expect(byCode(reversed)).toBe(byCode(subject))
      }),
    )
  })
})
