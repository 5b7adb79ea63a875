import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Evidence, EvidenceKind } from '../../../src/judge/verdict/evidence/evidence.ts'
import { isBecauseOfChange, isOpen, verdictOf } from '../../../src/judge/verdict/verdict.ts'
import { classifiedQuery } from './classified-query-builder.ts'
import { EVIDENCE } from './evidence-samples.ts'

const { few, shift, onlyShard, modes, replicated, confirmed, notReproduced, moves, still, flagged } = EVIDENCE
const { trunk, trunkPart, work, noCode, onPath, onPathByFile, offPath } = EVIDENCE
const narrowing: readonly Evidence[] = [EVIDENCE.floor, EVIDENCE.stale, EVIDENCE.oneArchitecture]

const slower = classifiedQuery()
const faster = classifiedQuery({ direction: 'faster', difference: -0.2 })
const separated = classifiedQuery({ separated: true })
const mayBeChance = classifiedQuery({ rankPValue: 0.011 })
const fasterByChance = classifiedQuery({ direction: 'faster', difference: -0.2, rankPValue: 0.011 })
const unstable = classifiedQuery({ outcome: 'unstable' })

test.each([
  ['not changed', unstable, false, [], null],
  ['not changed, guarded', unstable, true, [], 'needs-rerun'],
  ['not changed, guarded, with noise', unstable, true, [modes, shift], 'needs-rerun'],
  ['slower', slower, false, [], 'regression'],
  ['slower, narrowed', slower, false, narrowing, 'regression'],
  ['slower, replicated', slower, false, [replicated], 'regression'],
  ['slower, too few', slower, false, [few], 'needs-rerun'],
  ['slower, two modes', slower, false, [modes], 'needs-rerun'],
  ['slower, two modes, replicated', slower, false, [modes, replicated], 'needs-rerun'],
  ['slower, two modes, guarded', slower, true, [modes], 'needs-rerun'],
  ['slower, two modes, no overlap', separated, false, [modes], 'regression'],
  ['slower, shard shift', slower, false, [shift], 'likely-noise'],
  ['slower, shard shift, no overlap', separated, false, [shift], 'likely-noise'],
  ['slower, shard shift, guarded', slower, true, [shift], 'needs-rerun'],
  ['slower, shard shift, replicated', slower, false, [shift, replicated], 'needs-rerun'],
  ['slower, shift of the only shard', slower, false, [onlyShard], 'needs-rerun'],
  ['slower, shift of the only shard, no overlap', separated, false, [onlyShard], 'needs-rerun'],
  ['slower, shift of the only shard, guarded', separated, true, [onlyShard], 'needs-rerun'],
  ['slower, shift of the only shard, replicated', separated, false, [onlyShard, replicated], 'regression'],
  ['slower, shift of the only shard, confirmed', separated, false, [onlyShard, confirmed], 'regression'],
  ['slower, shift of the only shard, different work', separated, false, [onlyShard, work], 'regression'],
  ['slower, shift of the only shard, on path', separated, false, [onlyShard, onPath], 'regression'],
  ['slower, shift of the only shard, in a touched file', separated, false, [onlyShard, onPathByFile], 'needs-rerun'],
  ['slower, shift of the only shard, steady on the main branch', separated, false, [onlyShard, still], 'needs-rerun'],
  ['slower, shift of the only shard, moves on the main branch', separated, false, [onlyShard, moves], 'likely-noise'],
  ['faster, shift of the only shard', faster, false, [onlyShard], 'likely-noise'],
  ['faster, shift of the only shard, replicated', faster, false, [onlyShard, replicated], 'improvement'],
  ['slower, shard shift, confirmed', slower, false, [shift, confirmed], 'needs-rerun'],
  ['slower, two modes, confirmed', slower, false, [modes, confirmed], 'regression'],
  ['slower, guarded', slower, true, [], 'regression'],
  ['slower, moves on the main branch', slower, false, [moves], 'likely-noise'],
  ['slower, moves on the main branch, no overlap', separated, false, [moves], 'likely-noise'],
  ['slower, flagged elsewhere, no overlap', separated, false, [flagged], 'needs-rerun'],
  ['slower, flagged elsewhere, overlap', slower, false, [flagged], 'needs-rerun'],
  ['slower, flagged elsewhere, replicated', separated, false, [flagged, replicated], 'needs-rerun'],
  ['slower, flagged elsewhere, confirmed by a rerun', separated, false, [flagged, confirmed], 'regression'],
  ['slower, flagged elsewhere, moves on the main branch', slower, false, [flagged, moves], 'likely-noise'],
  ['faster, flagged elsewhere', faster, false, [flagged], 'likely-noise'],
  ['slower, may be chance', mayBeChance, false, [], 'needs-rerun'],
  ['slower, may be chance, narrowed', mayBeChance, false, narrowing, 'needs-rerun'],
  ['slower, may be chance, replicated', mayBeChance, false, [replicated], 'regression'],
  ['slower, may be chance, steady on the main branch', mayBeChance, false, [still], 'regression'],
  ['slower, may be chance, guarded', mayBeChance, true, [], 'regression'],
  ['faster, moves on the main branch, replicated', faster, false, [moves, replicated], 'likely-noise'],
  ['slower, moves on the main branch, replicated', slower, false, [moves, replicated], 'needs-rerun'],
  ['slower, moves on the main branch, confirmed', slower, false, [moves, confirmed], 'needs-rerun'],
  ['slower, moves on the main branch, guarded', slower, true, [moves], 'needs-rerun'],
  ['slower, moves on the main branch, different work', slower, false, [moves, work], 'needs-rerun'],
  ['slower, moves on the main branch, two modes', slower, false, [moves, modes], 'likely-noise'],
  ['slower, steady on the main branch', slower, false, [still], 'regression'],
  ['slower, different work', slower, false, [work], 'regression'],
  ['slower, flagged elsewhere, steady on the main branch', slower, false, [flagged, still], 'needs-rerun'],
  ['slower, not reproduced, steady on the main branch', slower, false, [notReproduced, still], 'likely-noise'],
  ['slower, no code changed: steady on the main branch', slower, false, [noCode, still], 'likely-noise'],
  ['slower, no code changed: replicated', slower, false, [noCode, replicated], 'needs-rerun'],
  ['slower, on path', slower, false, [onPath], 'regression'],
  ['slower, may be chance, in a touched file', mayBeChance, false, [onPathByFile], 'needs-rerun'],
  ['slower, may be chance, on path', mayBeChance, false, [onPath], 'regression'],
  ['slower, moves on the main branch, in a touched file', slower, false, [moves, onPathByFile], 'likely-noise'],
  ['slower, shard shift, in a touched file', slower, false, [shift, onPathByFile], 'likely-noise'],
  ['slower, moves on the main branch, on path', slower, false, [moves, onPath], 'needs-rerun'],
  ['slower, not reproduced, on path', slower, false, [notReproduced, onPath], 'needs-rerun'],
  ['slower, shard shift, on path', slower, false, [shift, onPath], 'needs-rerun'],
  ['slower, off path', slower, false, [offPath], 'needs-rerun'],
  ['slower, off path, no overlap', separated, false, [offPath], 'regression'],
  ['slower, off path, replicated', slower, false, [offPath, replicated], 'regression'],
  ['slower, off path, confirmed', slower, false, [offPath, confirmed], 'regression'],
  ['slower, off path, guarded', slower, true, [offPath], 'needs-rerun'],
  ['slower, off path, moves on the main branch', slower, false, [offPath, moves], 'likely-noise'],
  ['faster, off path', faster, false, [offPath], 'improvement'],
  ['slower, already on the main branch', slower, false, [trunk], 'already-on-trunk'],
  [
    'slower, already on the main branch, confirmed',
    separated,
    false,
    [trunk, confirmed, replicated],
    'already-on-trunk',
  ],
  ['slower, already on the main branch, guarded', slower, true, [trunk], 'needs-rerun'],
  ['slower than what is on the main branch', slower, false, [trunkPart], 'regression'],
  ['slower than what is on the main branch, too few', slower, false, [trunkPart, few], 'needs-rerun'],
  ['faster, moves on the main branch', faster, false, [moves], 'likely-noise'],
  ['faster, guarded by another architecture', faster, true, [], 'needs-rerun'],
  ['faster', faster, false, [], 'improvement'],
  ['faster, may be chance', fasterByChance, false, [], 'likely-noise'],
  ['faster, may be chance, narrowed', fasterByChance, false, narrowing, 'likely-noise'],
  ['faster, may be chance, replicated', fasterByChance, false, [replicated], 'improvement'],
  ['faster, may be chance, steady on the main branch', fasterByChance, false, [still], 'improvement'],
  ['faster, may be chance, in a touched file', fasterByChance, false, [onPathByFile], 'likely-noise'],
  ['faster, may be chance, two modes', fasterByChance, false, [modes], 'likely-noise'],
  ['faster, may be chance, too few', fasterByChance, false, [few], 'likely-noise'],
  ['faster, may be chance, guarded by another architecture', fasterByChance, true, [], 'needs-rerun'],
  ['faster, too few', faster, false, [few], 'needs-rerun'],
  ['faster, two modes', faster, false, [modes], 'needs-rerun'],
  ['faster, shard shift', faster, false, [shift], 'likely-noise'],
] as const)('%s', (_name, result, guarded, evidence, expected) => {
  expect(verdictOf(result, guarded, evidence)).toBe(expected)
})

test('regressions and reruns are open, nothing else is', () => {
  expect(isOpen('regression')).toBe(true)
  expect(isOpen('needs-rerun')).toBe(true)
  for (const verdict of ['improvement', 'likely-noise', 'already-on-trunk', 'acknowledged', null] as const) {
    expect(isOpen(verdict)).toBe(false)
  }
})

test('the trunk’s step excuses a row only where it explains every architecture that changed alike', () => {
  const arm = classifiedQuery({ architecture: 'arm' })
  const onArm = { ...trunk, architecture: 'arm' }
  const onAmd = { ...trunk, architecture: 'amd' }
  const amd = classifiedQuery({ architecture: 'amd' })
  const muchSlower = classifiedQuery({ architecture: 'amd', difference: 0.5 })
  const small = classifiedQuery({ architecture: 'amd', outcome: 'too-small', difference: 0.04 })
  const otherWay = classifiedQuery({ architecture: 'amd', direction: 'faster', difference: -0.2 })
  expect(verdictOf(arm, false, [onArm, onAmd], [amd])).toBe('already-on-trunk')
  expect(verdictOf(arm, false, [onArm], [small, otherWay])).toBe('already-on-trunk')
  expect(verdictOf(arm, false, [onArm], [amd])).toBe('regression')
  expect(verdictOf(arm, false, [onAmd], [amd])).toBe('regression')
  expect(verdictOf(arm, false, [onArm, onAmd], [muchSlower])).toBe('regression')
})

describe('because of change', () => {
  const of = (...kinds: EvidenceKind[]) => kinds.map((kind) => ({ kind }))

  test('what speaks for the change, with a history, is enough', () => {
    expect(isBecauseOfChange('regression', of('still-on-trunk'), true)).toBe(true)
    expect(isBecauseOfChange('regression', of('replicated', 'confirmed', 'different-work'), true)).toBe(true)
    expect(isBecauseOfChange('regression', of('still-on-trunk', 'one-architecture', 'takes-back'), true)).toBe(true)
  })

  test('without a history, or with nothing that speaks for it, it is measured slower and no more', () => {
    expect(isBecauseOfChange('regression', of('still-on-trunk', 'replicated'), false)).toBe(false)
    expect(isBecauseOfChange('regression', of('confirmed', 'different-work', 'on-path', 'takes-back'), true)).toBe(
      false,
    )
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
})
