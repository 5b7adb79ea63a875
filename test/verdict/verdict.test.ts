import { expect, test } from 'vitest'
import type { Evidence } from '../../src/verdict/evidence/evidence.ts'
import { isOpen, verdictOf } from '../../src/verdict/verdict.ts'
import { classifiedQuery } from './classified-query-builder.ts'

const few: Evidence = { kind: 'too-few-repetitions', architecture: null, old: 3, new: 3, needed: 5 }
const shift: Evidence = {
  kind: 'shard-shift',
  architecture: null,
  shard: 1,
  shift: 0.04,
  elsewhere: 0.001,
  queries: 300,
}
const onlyShard: Evidence = { ...shift, elsewhere: null }
const modes: Evidence = {
  kind: 'bimodal',
  architecture: null,
  side: 'new',
  modes: [
    { median: 0.013, samples: 4 },
    { median: 0.018, samples: 3 },
  ],
}
const replicated: Evidence = { kind: 'replicated', architectures: ['amd'] }
const narrowing: Evidence[] = [
  { kind: 'floor-threshold', threshold: 0.05 },
  { kind: 'stale-reference', commit: 'abc', commitsBeforeMergeBase: 3 },
  { kind: 'one-architecture', architecture: 'arm', others: ['amd'] },
]

const slower = classifiedQuery()
const faster = classifiedQuery({ direction: 'faster', difference: -0.2 })
const separated = classifiedQuery({ separated: true })
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
  ['slower, shift of the only shard, no overlap', separated, false, [onlyShard], 'regression'],
  ['faster, shift of the only shard', faster, false, [onlyShard], 'improvement'],
  ['slower, guarded', slower, true, [], 'regression'],
  ['faster', faster, false, [], 'improvement'],
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
