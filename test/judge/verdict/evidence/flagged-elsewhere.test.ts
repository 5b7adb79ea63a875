import { expect, test } from 'vitest'
import type { FlaggedElsewhere } from '../../../../src/judge/history/trunk-series.ts'
import { flaggedElsewhere } from '../../../../src/judge/verdict/evidence/flagged-elsewhere.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 20)
const row = classifiedQuery({ difference: 0.2, architecture: 'arm' })
const flag = (
  pullRequestNumber: number,
  difference = 0.14,
  days = 1,
  more: Partial<FlaggedElsewhere> = {},
): FlaggedElsewhere => ({
  pullRequestNumber,
  difference,
  time: NOW - days * DAY,
  oldCommit: 'build',
  witness: { name: String(pullRequestNumber), isStranger: false },
  ...more,
})
const found = (...flags: FlaggedElsewhere[]) => flaggedElsewhere(row, flags, 7, NOW)?.pullRequests ?? null

test('two other pull requests in two days', () => {
  expect(flaggedElsewhere(row, [flag(12, 0.14, 2), flag(11, 0.11, -1), flag(12)], 7, NOW)).toEqual({
    kind: 'flagged-elsewhere',
    architecture: 'arm',
    pullRequests: [11, 12],
    days: 2,
  })
})

test.each([
  ['one, twice', [flag(11), flag(11, 0.3)]],
  ['this one and one other', [flag(7), flag(11)]],
  ['the other way', [flag(11, -0.2), flag(12, -0.3)]],
  ['much smaller', [flag(11, 0.07), flag(12, 0.06)]],
  ['last week', [flag(11, 0.2, 7), flag(12, 0.2, 8)]],
  ['none', []],
])('%s: nothing', (_name, flags) => {
  expect(found(...flags)).toBeNull()
})

const of = (name: string, isStranger = false) => ({ witness: { name, isStranger } })

test('pull requests of one witness are one, of which the newest is named; those of nobody whose word counts are none', () => {
  const stack = [flag(11, 0.14, 0, of('stack')), flag(12, 0.14, 1, of('stack'))]
  expect(found(...stack)).toBeNull()
  expect(found(...stack, flag(13))).toEqual([11, 13])
  expect(found(flag(11), flag(12, 0.14, 1, { witness: null }))).toBeNull()
})

test('first-time contributors are told apart', () => {
  const flags = [flag(11), flag(12, 0.14, 1, of('mallory', true)), flag(13, 0.14, 1, of('mallory', true))]
  expect(flaggedElsewhere(row, flags, 7, NOW)).toMatchObject({ pullRequests: [11, 12], strangers: 1 })
})

test('flags against the same old build show what the trunk has done since', () => {
  const flags = [flag(11), flag(12), flag(13, 0.14, 1, { oldCommit: 'newer' })]
  expect(flaggedElsewhere(row, flags, 7, NOW, 'build')).toBeNull()
  expect(flaggedElsewhere(row, flags, 7, NOW, 'another')?.pullRequests).toEqual([11, 12, 13])
})

test('what the threshold of this row would not flag there does not count', () => {
  const learned = { ...row, changedThreshold: 0.15 }
  expect(flaggedElsewhere(learned, [flag(11, 0.14), flag(12, 0.16)], 7, NOW)).toBeNull()
  expect(flaggedElsewhere(learned, [flag(11, 0.15), flag(12, 0.16)], 7, NOW)?.pullRequests).toEqual([11, 12])
})

test('a faster row is flagged elsewhere by faster ones; one without a difference by none', () => {
  const faster = classifiedQuery({ difference: -0.2, direction: 'faster' })
  expect(flaggedElsewhere(faster, [flag(11, -0.2), flag(12, -0.1)], 7, NOW)?.pullRequests).toEqual([11, 12])
  expect(flaggedElsewhere(classifiedQuery({ difference: 0 }), [flag(11), flag(12)], 7, NOW)).toBeNull()
  expect(flaggedElsewhere(row, [flag(11), flag(12)], 7, Number.NaN)).toBeNull()
})
