import { describe, expect, test } from 'vitest'
import { normalTwoSided } from '../../../src/judge/statistics/normal-tail.ts'
import { studentTwoSided } from '../../../src/judge/statistics/student-tail.ts'

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
  expect(Math.abs(studentTwoSided(t, degrees) / pValue - 1)).toBeLessThan(1e-9)
})

test('with many degrees of freedom it is the normal distribution', () => {
  expect(studentTwoSided(2, 10_000)).toBeCloseTo(normalTwoSided(2), 4)
})

describe('student t', () => {
  // 2 * scipy.stats.t.sf(t, degrees), scipy 1.16.3
  test.each([
    [2, 1, 0.2951672353008664],
    [2, 5, 0.10193947882985828],
    [10, 5, 0.00017094757574296357],
    [0.01, 3, 0.992649111412852],
    [5, 290, 9.940725991740146e-7],
    [3.3, 100_000, 0.0009671862623271419],
    [40, 10, 2.2808577430857475e-12],
    [1e-9, 7, 0.999999999230017],
  ])('t = %d with %d degrees', (t, degrees, expected) => {
    expect(Math.abs(studentTwoSided(t, degrees) / expected - 1)).toBeLessThan(1e-9)
    expect(studentTwoSided(-t, degrees)).toBe(studentTwoSided(t, degrees))
  })

  test('closed forms: Cauchy for one degree, and that for two', () => {
    for (const t of [0.001, 0.1, 0.5, 1, 3, 20, 1000]) {
      expect(studentTwoSided(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12)
      expect(studentTwoSided(t, 2)).toBeCloseTo(1 - t / Math.sqrt(t * t + 2), 12)
    }
  })

  test('ends', () => {
    expect(studentTwoSided(0, 4)).toBe(1)
    expect(studentTwoSided(Number.POSITIVE_INFINITY, 4)).toBe(0)
    expect(studentTwoSided(Number.NEGATIVE_INFINITY, 4)).toBe(0)
    expect(studentTwoSided(1e200, 4)).toBe(0)
    expect(studentTwoSided(1e-200, 4)).toBe(1)
  })

  test('falls as t grows', () => {
    for (const degrees of [1, 3, 28, 500, 1e6]) {
      let last = 1
      for (let t = 0.25; t < 8; t += 0.25) {
        const p = studentTwoSided(t, degrees)
        expect(p).toBeLessThan(last)
        last = p
      }
    }
  })
})
