import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import type { Subject } from '../../../src/judge/verdict/facts.ts'
import { otherVerdicts, verdictOfSubject } from '../../../src/judge/verdict/what-if.ts'
import { classifiedQuery } from './classified-query-builder.ts'
import { EVIDENCE } from './evidence-samples.ts'

const changed = { outcome: 'changed', direction: 'slower', separated: false, rankPValue: 0.2 } as const
const subject = (more: Partial<Subject> = {}): Subject => ({
  result: classifiedQuery(changed),
  guarded: false,
  ignored: false,
  evidence: [],
  others: [],
  ...more,
})
const others = (of: Subject) =>
  Object.fromEntries(
    otherVerdicts(of).map(({ if: possibility, verdict }) => [
      possibility.kind === 'without' ? `without ${possibility.evidence.kind}` : possibility.kind,
      verdict,
    ]),
  )

test('a row that waits for a second witness: each thing that would decide it', () => {
  expect(verdictOfSubject(subject())).toBe('needs-rerun')
  expect(others(subject())).toEqual({
    'below-threshold': null,
    'no-overlap': 'regression',
    'rerun-shows': 'regression',
    'rerun-does-not': 'likely-noise',
    'other-architecture': 'regression',
    'never-on-trunk': 'regression',
    'often-on-trunk': 'likely-noise',
  })
})

test('evidence without which the verdict would be another is named', () => {
  expect(others(subject({ evidence: [EVIDENCE.moves] }))).toMatchObject({ 'without moves-on-trunk': 'needs-rerun' })
  expect(others(subject({ evidence: [EVIDENCE.floor] }))).not.toHaveProperty('without floor-threshold')
})

test('an ignored row has the verdict that it would have otherwise; one that did not change has none', () => {
  expect(others(subject({ ignored: true }))).toEqual({ 'not-ignored': 'needs-rerun' })
  expect(others(subject({ result: classifiedQuery({ outcome: 'too-small' }) }))).toEqual({})
})

test('a guarded row is never noise, whatever is found out', () => {
  const of = subject({ guarded: true })
  expect(Object.values(others(of))).not.toContain('likely-noise')
})

test('whatever speaks for and against a row, no possibility gives the verdict that it has', () => {
  const evidence = fc.uniqueArray(fc.constantFrom<Evidence>(...(Object.values(EVIDENCE) as Evidence[])))
  fc.assert(
    fc.property(evidence, fc.boolean(), fc.constantFrom('slower', 'faster'), (items, guarded, direction) => {
      const of = subject({ result: classifiedQuery({ ...changed, direction }), evidence: items, guarded })
      expect(otherVerdicts(of).map(({ verdict }) => verdict)).not.toContain(verdictOfSubject(of))
    }),
  )
})
