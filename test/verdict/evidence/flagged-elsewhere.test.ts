import { expect, test } from 'vitest'
import type { FlaggedElsewhere } from '../../../src/history/trunk-series.ts'
import { flaggedElsewhere } from '../../../src/verdict/evidence/flagged-elsewhere.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 20)
const row = classifiedQuery({ difference: 0.2, architecture: 'arm' })
const flag = (pullRequestNumber: number, difference = 0.14, days = 1): FlaggedElsewhere => ({
  pullRequestNumber,
  difference,
  time: NOW - days * DAY,
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
