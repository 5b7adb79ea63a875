import { expect, test } from 'vitest'
import type { LearnedProvenance } from '../../../src/judge/history/trunk-series.ts'
import { historyWords } from '../../../src/report/render/history-words.ts'

test('every source that runs came from is named, the one with the most first', () => {
  const words = (more: Partial<LearnedProvenance>) =>
    historyWords({
      provenance: { source: 'imported', learned: 3, floor: 1, newest: null, ...more },
      problem: null,
      measuredAt: null,
    })
  expect(words({})).toMatch(/, from imported runs$/)
  expect(words({ alsoFrom: ['own'] })).toMatch(/, from imported runs and from runs the bot has seen$/)
})
