import { expect, test } from 'vitest'
import { tooFewRepetitions } from '../../../src/verdict/evidence/too-few-repetitions.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const repeated = (old: number, fresh: number) =>
  classifiedQuery({ old: { median: 1, repetitions: old }, new: { median: 2, repetitions: fresh } })

test.each([
  [4, 7],
  [7, 4],
  [3, 3],
])('%i old and %i new are too few', (old, fresh) => {
  expect(tooFewRepetitions(repeated(old, fresh))).toEqual({
    kind: 'too-few-repetitions',
    architecture: null,
    old,
    new: fresh,
    needed: 5,
  })
})

test('5 and 5 are enough', () => {
  expect(tooFewRepetitions(repeated(5, 5))).toBeNull()
})
