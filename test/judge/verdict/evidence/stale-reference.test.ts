import { describe, expect, test } from 'vitest'
import { staleReference } from '../../../../src/judge/verdict/evidence/stale-reference.ts'

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

describe('shards of one architecture may have different old builds', () => {
  const several = [
    { commit: 'aaa1111', architectures: ['arm'], commitsBeforeMergeBase: 10 },
    { commit: 'bbb2222', architectures: ['arm'], commitsBeforeMergeBase: 0 },
  ]

  test('the run’s own one counts', () => {
    expect(staleReference('arm', several, 'aaa1111')?.commit).toBe('aaa1111')
    expect(staleReference('arm', several, 'bbb2222')).toBeNull()
    expect(staleReference('arm', several, 'ccc3333')).toBeNull()
  })

  test('of several nobody can say where the run does not', () => {
    expect(staleReference('arm', several)).toBeNull()
    expect(staleReference('arm', several.slice(0, 1))?.commit).toBe('aaa1111')
  })
})
