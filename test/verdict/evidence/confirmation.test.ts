import { expect, test } from 'vitest'
import type { Confirmation } from '../../../src/measurement/run.ts'
import { confirmedOrNot } from '../../../src/verdict/evidence/confirmation.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

const slower = classifiedQuery({ difference: 0.3, architecture: 'arm' })
const again = (changes: Partial<Confirmation>): Confirmation => ({
  test: 'sum',
  queryIndex: 8,
  result: 'confirmed',
  difference: 0.28,
  threshold: 0.06,
  ...changes,
})

test('what the rerun showed again is confirmed, what it did not is not reproduced', () => {
  expect(confirmedOrNot(slower, [again({ queryIndex: 7 }), again({})])).toEqual({
    kind: 'confirmed',
    architecture: 'arm',
    difference: 0.28,
  })
  expect(confirmedOrNot(slower, [again({ result: 'not-reproduced', difference: 0.03 })])).toEqual({
    kind: 'not-reproduced',
    architecture: 'arm',
    difference: 0.03,
    threshold: 0.06,
  })
})

test('a query that was not measured again, or confirmed the other way, has neither', () => {
  expect(confirmedOrNot(slower, [])).toBeNull()
  expect(confirmedOrNot(slower, [again({ test: 'uniq' }), again({ queryIndex: 9 })])).toBeNull()
  expect(confirmedOrNot(classifiedQuery({ queryIndex: null }), [again({})])).toBeNull()
  expect(confirmedOrNot(slower, [again({ difference: -0.28 })])).toBeNull()
})
