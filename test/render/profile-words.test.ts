import { expect, test } from 'vitest'
import { profileList, withoutChance } from '../../src/render/profile-words.ts'

const frame = (name: string, withinChance: boolean) => ({
  name,
  change: '31 % → 44 %',
  points: '+12.4 points',
  callers: 0,
  withinChance,
})
const words = (cautions: readonly string[]) => ({
  cautions,
  total: [frame('A::grown', false), frame('B::same', true)],
  self: [frame('B::same', true)],
})

test('after a caution no frame within chance is listed', () => {
  const list = profileList(words(['Too few stack samples to compare shares.']))
  expect(list).toContain('Too few stack samples')
  expect(list).toContain('`A::grown`')
  expect(list).not.toContain('B::same')
  expect(list).not.toContain('By itself')
})

test('without one each is, and says that it is', () => {
  expect(withoutChance(words([]))).toEqual(words([]))
  expect(profileList(words([]))).toContain('`B::same` 31 % → 44 % (+12.4 points, within chance)')
})
