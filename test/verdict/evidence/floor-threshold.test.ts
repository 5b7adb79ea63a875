import { expect, test } from 'vitest'
import { floorThreshold } from '../../../src/verdict/evidence/floor-threshold.ts'
import { classifiedQuery } from '../classified-query-builder.ts'

test('a change judged by the floor says so', () => {
  expect(floorThreshold(classifiedQuery())).toEqual({ kind: 'floor-threshold', threshold: 0.05 })
})

test.each(['configured', 'test', 'learned', 'given'] as const)('a threshold that is %s is no floor', (source) => {
  expect(floorThreshold(classifiedQuery({ changedThresholdSource: source }))).toBeNull()
})

test('a learned threshold below the floor is one all the same', () => {
  expect(floorThreshold(classifiedQuery(), { changed: 0.03, unstable: 0.06 })).toBeNull()
})
