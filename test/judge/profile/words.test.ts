import { describe, expect, test } from 'vitest'
import { profileWords } from '../../../src/judge/profile/words.ts'
import { differenceOf, type Stack } from './stacks.ts'

const side = (execute: number, samples = 1000): Stack[] => [
  ['main;run;Aggregator::executeImpl', execute - 10],
  ['main;run;Aggregator::executeImpl;hash;Aggregator::executeImpl', 10],
  ['main;read', samples - execute],
]

test('the frames whose share changed most, total and self, recursion once', () => {
  const { cautions, total, self } = profileWords(differenceOf(side(310), side(440)), 'samples')
  expect(cautions).toEqual([])
  expect(total).toEqual([
    {
      name: 'Aggregator::executeImpl',
      change: '31% → 44%',
      points: '+13.0\u00a0points',
      callers: 1,
      withinChance: false,
    },
    { name: 'read', change: '69% → 56%', points: '−13.0\u00a0points', callers: 0, withinChance: false },
  ])
  expect(self.map(({ name, change }) => `${name} ${change}`)).toEqual([
    'Aggregator::executeImpl 31% → 44%',
    'read 69% → 56%',
  ])
})

test('at most five, the largest changes', () => {
  const leaves = (step: number): Stack[] => Array.from({ length: 9 }, (_, i) => [`f${i}`, 1000 + i * i * step])
  const { self } = profileWords(differenceOf(leaves(0), leaves(10)), 'samples')
  expect(self.map(({ name }) => name)).toEqual(['f8', 'f7', 'f0', 'f1', 'f2'])
})

test.each([
  [0, 120, '0% → 12%'],
  [4, 51, '0.4% → 5.1%'],
  [310, 314, '31.0% → 31.4%'],
  [0.4, 0.5, '0.04% → 0.05%'],
  [1000, 0, '100% → 0%'],
])('%d and %d of 1,000 as words', (old, fresh, change) => {
  const stacks = (count: number): Stack[] => [
    ['f', count],
    ['other', 1000 - count],
  ]
  const { self } = profileWords(differenceOf(stacks(old), stacks(fresh)), 'samples')
  expect(self.find(({ name }) => name === 'f')?.change).toBe(change)
})

describe('cautions', () => {
  const cautions = (old: number, fresh: number, unit: 'samples' | 'bytes' = 'samples') =>
    profileWords(differenceOf([['a', old]], [['a', fresh]]), unit).cautions

  test('99 stack samples are too few, 100 are not', () => {
    expect(cautions(99, 5000)).toEqual([
      'Too few stack samples to compare shares, 99 on the old side: with fewer than 100, they often differ by chance.',
    ])
    expect(cautions(7, 12)[0]).toContain('7 on the old side and 12 on the new side')
    expect(cautions(100, 100)).toEqual([])
  })

  test('bytes and fractions are no samples', () => {
    expect(cautions(99, 99, 'bytes')).toEqual([])
    expect(cautions(0.5, 12)).toEqual([])
  })

  test('a side without stacks', () => {
    expect(cautions(0, 5)).toEqual(['The old side has no stacks, so there is nothing to compare.'])
    expect(cautions(0, 0)).toEqual(['Neither side has stacks.'])
    expect(profileWords(differenceOf([], [['a', 500]]), 'samples')).toMatchObject({ total: [], self: [] })
  })
})

test('what samples of the same build may differ by is said to be within chance', () => {
  const words = (old: number, fresh: number, unit: 'samples' | 'bytes') =>
    profileWords(differenceOf(side(old), side(fresh)), unit).self[0]?.withinChance
  expect(words(310, 325, 'samples')).toBe(true)
  expect(words(310, 440, 'samples')).toBe(false)
  expect(words(310, 325, 'bytes')).toBe(false)
})
