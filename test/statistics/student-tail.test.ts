import { expect, test } from 'vitest'
import { normalTwoSided } from '../../src/statistics/normal-tail.ts'
import { studentTwoSided } from '../../src/statistics/student-tail.ts'

/** Computed with mpmath 1.3, by the incomplete beta function. */
test.each([
  [0, 2, 1],
  [1, 1, 0.5],
  [2.5, 2, 0.12961172022151],
  [31.6, 2, 0.00099994025367995],
  [4.3, 4.5, 0.0097653712135851],
  [3.2, 13.7, 0.0065740927735996],
  [3.25, 62, 0.0018667501911166],
  [8, 62, 3.9572594258271e-11],
  [-2, 7.25, 0.084211082579252],
  [5, 1.5, 0.065375767621156],
])('t = %d with %d degrees of freedom', (t, degrees, pValue) => {
  expect(Math.abs(studentTwoSided(t, degrees) / pValue - 1)).toBeLessThan(1e-6)
})

test('with many degrees of freedom it is the normal distribution', () => {
  expect(studentTwoSided(2, 10_000)).toBeCloseTo(normalTwoSided(2), 4)
})
