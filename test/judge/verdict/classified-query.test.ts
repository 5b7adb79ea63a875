import { expect, test } from 'vitest'
import { countOutcomes } from '../../../src/judge/verdict/classified-query.ts'
import { faster, notCompared, row, slower } from './rows.ts'

test('counts each row once, under what it is', () => {
  const rows = [
    ...Array.from({ length: 1 }, () => slower(0.2)),
    ...Array.from({ length: 2 }, () => faster(0.2)),
    ...Array.from({ length: 3 }, () => row({ outcome: 'unstable', direction: 'slower' })),
    ...Array.from({ length: 4 }, () => row({ outcome: 'too-small', direction: 'slower' })),
    ...Array.from({ length: 5 }, () => row({ outcome: 'not-significant', direction: 'faster' })),
    notCompared('failed'),
    notCompared('only-new'),
    notCompared('only-old'),
    notCompared('not-measured'),
  ]
  expect(countOutcomes(rows)).toEqual({
    slower: 1,
    faster: 2,
    unstable: 3,
    tooSmall: 4,
    notSignificant: 5,
    notCompared: 4,
  })
})

test('nothing is nothing', () => {
  expect(countOutcomes([])).toEqual({
    slower: 0,
    faster: 0,
    unstable: 0,
    tooSmall: 0,
    notSignificant: 0,
    notCompared: 0,
  })
})
