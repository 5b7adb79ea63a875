import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBecauseOfChange } from '../../src/verdict/because-of-change.ts'
import type { EvidenceKind } from '../../src/verdict/evidence/evidence.ts'

const of = (...kinds: EvidenceKind[]) => kinds.map((kind) => ({ kind }))

test('what speaks for the change, with a history, is enough', () => {
  expect(isBecauseOfChange('regression', of('still-on-trunk'), true)).toBe(true)
  expect(isBecauseOfChange('regression', of('replicated', 'confirmed', 'different-work'), true)).toBe(true)
  expect(isBecauseOfChange('regression', of('still-on-trunk', 'one-architecture', 'takes-back'), true)).toBe(true)
})

test('without a history, or with nothing that speaks for it, it is measured slower and no more', () => {
  expect(isBecauseOfChange('regression', of('still-on-trunk', 'replicated'), false)).toBe(false)
  expect(isBecauseOfChange('regression', of('confirmed', 'different-work', 'on-path', 'takes-back'), true)).toBe(false)
  expect(isBecauseOfChange('regression', [], true)).toBe(false)
  for (const verdict of ['needs-rerun', 'likely-noise', 'already-on-trunk', 'improvement', null] as const) {
    expect(isBecauseOfChange(verdict, of('still-on-trunk'), true)).toBe(false)
  }
})

test('any doubt takes it back, whatever else is there', () => {
  const doubts = fc.constantFrom<EvidenceKind>(
    'moves-on-trunk',
    'flagged-elsewhere',
    'not-reproduced',
    'no-code-changed',
    'rotating',
    'off-path',
    'shard-shift',
    'bimodal',
    'too-few-repetitions',
    'already-on-trunk',
    'stale-reference',
    'floor-threshold',
  )
  const others = fc.subarray<EvidenceKind>([
    'still-on-trunk',
    'replicated',
    'confirmed',
    'one-architecture',
    'on-path',
    'takes-back',
  ])
  fc.assert(
    fc.property(doubts, others, (doubt, more) => {
      expect(isBecauseOfChange('regression', of(...more, doubt), true)).toBe(false)
    }),
  )
})
