import { expect, test } from 'vitest'
import { staleReference } from '../../../src/verdict/evidence/stale-reference.ts'

const references = [
  { commit: 'aaa1111', architectures: ['amd'], commitsBeforeMergeBase: 2 },
  { commit: 'bbb2222', architectures: ['arm'], commitsBeforeMergeBase: 0 },
]

test('a build from before the merge base is stale, by the architecture it was measured on', () => {
  expect(staleReference('amd', references)).toEqual({
    kind: 'stale-reference',
    commit: 'aaa1111',
    commitsBeforeMergeBase: 2,
  })
  expect(staleReference('arm', references)).toBeNull()
})

test('a run that names no architecture speaks for all of its measurements', () => {
  const unnamed = [{ commit: 'ccc3333', architectures: [null], commitsBeforeMergeBase: 1 }]
  expect(staleReference('arm', unnamed)?.commit).toBe('ccc3333')
})

test('an unknown distance is not a stale reference', () => {
  expect(staleReference('amd', [{ commit: 'ddd', architectures: ['amd'], commitsBeforeMergeBase: null }])).toBeNull()
})
