import { expect, test } from 'vitest'
import type { RulesOut } from '../../../src/judge/verdict/classified-query.ts'
import { hidingSentence, repetitionsSentence, unseenFacts } from '../../../src/report/render/noise-words.ts'
import { classifiedQuery } from '../../judge/verdict/classified-query-builder.ts'

const hides = (slowdown: number | null, repetitions: number | null, changedThreshold = 0.05) =>
  classifiedQuery({ outcome: 'unstable', changedThreshold, couldHide: { slowdown, ruledOut: null, repetitions } })

test('one number for all: the middle one, and how many rows it holds for', () => {
  expect(hidingSentence([])).toBe('')
  expect(hidingSentence([hides(0.23, 9)])).toBe('A slowdown of up to 23.0% could hide in it.')
  expect(hidingSentence([hides(0.1, 9), hides(0.3, 9)])).toBe('Slowdowns of up to 30.0% could hide in each of the 2.')
  expect(hidingSentence([hides(0.1, 9), hides(0.2, 9), hides(null, 9)])).toBe(
    'Slowdowns of up to 20.0% could hide in 2 of them, larger ones in the other one.',
  )
  expect(hidingSentence([hides(null, null)])).toBe('Even ten times as slow could hide there.')
})

test('repetitions as a range, and beyond 50 what else helps', () => {
  expect(repetitionsSentence([])).toBe('')
  expect(repetitionsSentence([hides(0.1, 9), hides(0.2, 41)])).toBe(
    '9 to 41 repetitions per side would show a change of 5%.',
  )
  expect(repetitionsSentence([hides(0.1, 9), hides(0.2, 51), hides(0.2, null)])).toBe(
    '9 repetitions per side would show a change of 5% in 1 of them; for the other 2, longer iterations or a quieter machine would help more.',
  )
  expect(repetitionsSentence([hides(0.1, 51), hides(0.2, 99, 0.2)])).toBe(
    'Showing a change takes more than 50 repetitions per side: longer iterations or a quieter machine would help more.',
  )
})

test('what one row hides, and why it asks', () => {
  expect(unseenFacts(classifiedQuery())).toEqual([])
  expect(unseenFacts(hides(0.43, 41))).toEqual([
    'a slowdown of up to 43.0% could hide',
    '41 repetitions per side would show 5%',
  ])
  const bounded = (ruledOutBy: RulesOut) =>
    unseenFacts(classifiedQuery({ couldHide: { slowdown: 0.4, ruledOut: 0.1, ruledOutBy, repetitions: null } }))[0]
  expect(bounded('fast-part')).toBe('its fastest repetitions rule out 10% slower')
  expect(bounded('pairs')).toBe('pair by pair it is not 10% slower')
  const leaning = classifiedQuery({ leans: { reason: 'leans-slower', difference: 0.152, pValue: 0.0012 } })
  expect(unseenFacts(leaning)).toEqual(['leans slower (+15.2% pair by pair, p\u00a00.0012)'])
})
