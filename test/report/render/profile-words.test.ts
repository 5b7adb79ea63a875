import { expect, test } from 'vitest'
import { profileWords } from '../../../src/judge/profile/words.ts'
import { profileFact, profileList, withoutChance } from '../../../src/report/render/profile-words.ts'
import type { RowProfile } from '../../../src/report/report.ts'
import { differenceOf } from '../../judge/profile/stacks.ts'
import { sampleResult, sampleRow } from '../../web/sample-report.ts'

const frame = (name: string, withinChance: boolean) => ({
  name,
  change: '31% → 44%',
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
  expect(profileList(words([]))).toContain('`B::same` 31% → 44% (+12.4 points, within chance)')
})

test('a fact names the kind of its caution, also where no frame changed', () => {
  const factOf = (words: RowProfile['words']) => {
    const profile: RowProfile = { architecture: null, traceType: 'CPU', traceTypes: ['CPU'], words }
    return profileFact({ ...sampleRow([sampleResult()]), evidence: [], profile })
  }
  expect(factOf(profileWords(differenceOf([['a', 50]], [['a', 50]]), 'samples'))).toBe(
    'too few CPU samples to say where the time went',
  )
  expect(factOf(profileWords(differenceOf([], [['a', 500]]), 'samples'))).toBe('no profile of both builds')
  // of a report from before the kind was stored
  expect(factOf(words(['Too few stack samples to compare shares.']))).toBeNull()
})
