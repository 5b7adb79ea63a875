import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  change,
  count,
  counted,
  howOften,
  list,
  moved,
  percent,
  pValue,
  signedPercent,
  thresholdPercent,
  times,
  values,
} from '../../src/text/numbers.ts'

/** Non-breaking spaces as plain ones, to read the tests. */
const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')

test.each([
  [0.187, '+18.7%'],
  [-0.207, '−20.7%'],
  [22.25, '+2,225%'],
  [1.383, '+138%'],
  [0.9994, '+99.9%'],
  [0.9996, '+100%'],
  [0.9995, '+100%'],
  [0.00095, '+0.1%'],
  [0.00094, '+0.09%'],
  [999, '+99,900%'],
  [1000, '1,000×'],
  [7_215_338.5, '7,200,000×'],
  [9.99e6, '10,000,000×'],
  [0.0141, '+1.4%'],
  [0.0004, '+0.04%'],
  [0, '0.0%'],
  [1e12, '1.00e12 times'],
])('signedPercent(%d) is %s', (fraction, expected) => {
  expect(plain(signedPercent(fraction))).toBe(expected)
})

test('a move has its ratio beside it, unless that is the same again', () => {
  expect(plain(moved(1.383, 1, 2.383))).toBe('+138%')
  expect(plain(moved(3, 1, 4))).toBe('+300% (4.0×)')
  expect(plain(moved(7_215_338.5, 1e-9, 7.2e-3))).toBe('7,200,000×')
  expect(plain(moved(0.5, null, 1))).toBe('+50.0%')
})

test('percent and thresholds', () => {
  expect(plain(percent(7_215_338.5))).toBe('over 1,000 times')
  expect(plain(thresholdPercent(1200))).toBe('over 1,000 times')
  expect(plain(percent(0.041))).toBe('4.1%')
  expect(plain(thresholdPercent(0.05))).toBe('5%')
  expect(plain(thresholdPercent(0.075))).toBe('7.5%')
  expect(plain(thresholdPercent(0.1))).toBe('10%')
})

describe('change', () => {
  test.each([
    [0.282, 0.672, 's', '282 → 672 ms'],
    [0.6391, 0.7588, 's', '639 → 759 ms'],
    [0.0175, 0.0218, 's', '17.5 → 21.8 ms'],
    [0.95, 1.2, 's', '950 → 1200 ms'.replace('1200', '1,200')],
    [1.12, 1.31, 's', '1.12 → 1.31 s'],
    [0.00104, 0.0242, 's', '1.04 → 24.2 ms'],
    [0.0000012, 0.0000013, 's', '1.20 → 1.30 µs'],
    [3e-10, 4e-10, 's', '0.300 → 0.400 ns'],
    [0, 0.5, 's', '0 → 500 ms'],
    [0, 0, 's', '0 → 0 s'],
    [1e-6, 500, 's', '0.00000100 → 500 s'.replace('0.00000100', '1.00e-6')],
    [1234.4, 12.7, 's', '1,230 → 12.7 s'],
    [0.9999, 1.5, 's', '1.00 → 1.50 s'],
    [3 * 2 ** 20, 5.5 * 2 ** 20, 'bytes', '3.00 → 5.50 MiB'],
    [0, 0, 'bytes', '0 → 0 B'],
    [500, 600, 'bytes', '500 → 600 B'],
    [1536, 2048, 'bytes', '1.50 → 2.00 KiB'],
    [1.5 * 2 ** 30, 2 ** 31, 'bytes', '1.50 → 2.00 GiB'],
    [1.5 * 2 ** 40, 2 ** 41, 'bytes', '1.50 → 2.00 TiB'],
    [0.001, 99.94, 's', '1.00 → 99,900 ms'],
    [0.001, 99.95, 's', '0.00100 → 100 s'.replace('100 s', '100 s')],
    [1e12, 2e12, null, '1.00e12 → 2.00e12'],
    [5e11, 6e11, null, '500,000,000,000 → 600,000,000,000'],
    [0.00012345, 0.5, null, '0.000123 → 0.500'],
    [12, 13.25, null, '12.0 → 13.3'],
    [1500, 1600, 'rows', '1,500 → 1,600 rows'],
  ])('%d to %d %s is %s', (old, fresh, unit, expected) => {
    expect(plain(change(old, fresh, unit))).toBe(expected)
  })

  test('breaks after the arrow at most', () => {
    expect(change(1, 2, 's')).toBe('1.00\u00a0→ 2.00\u00a0s')
    expect(change(1, 2, 's', false)).toBe('1.00\u00a0→\u00a02.00\u00a0s')
  })

  test('any two times: three significant digits, one unit, no seven digits in a row', () => {
    const time = fc.double({ min: 1e-9, max: 1e5, noNaN: true })
    fc.assert(
      fc.property(time, time, (old, fresh) => {
        const [, a, b, unit] = /^(\S+) → (\S+) (s|ms|µs|ns)$/.exec(plain(change(old, fresh, 's'))!)!
        const factor = { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 }[unit as 's']
        for (const [text, value] of [
          [a!, old],
          [b!, fresh],
        ] as const) {
          expect((Number(text.replaceAll(',', '')) * factor) / value).toBeCloseTo(1, 2)
          expect(text).not.toMatch(/\d{7}/)
        }
      }),
    )
  })
})

test('values share a unit', () => {
  expect(plain(values([0.0131, 0.0179], 's'))).toBe('13.1 and 17.9 ms')
  expect(plain(values([1, 2], null))).toBe('1.00 and 2.00')
})

test.each([
  [1, 23.27, '23×'],
  [1, 3, '3.0×'],
  [1, 2.99, null],
  [1, 2500, '2,500×'],
  [23.27, 1, '1/23'],
  [3, 1, '1/3.0'],
  [10, 50, '5.0×'],
  [50, 10, '1/5.0'],
  [2, 3, null],
  [3, 2, null],
  [2.99, 1, null],
  [0, 1, null],
  [1, 0, null],
])('times(%d, %d) is %s', (old, fresh, expected) => {
  expect(plain(times(old, fresh)) ?? null).toBe(expected)
})

test.each([
  [0.011655, '0.012'],
  [0.0087, '0.0087'],
  [0.2, '0.20'],
  [1, '1.00'],
  [0.1, '0.10'],
  [0.0001, '0.00010'],
  [0.00005, '< 0.0001'],
  [0, '< 0.0001'],
])('pValue(%d) is %s', (p, expected) => {
  expect(plain(pValue(p))).toBe(expected)
})

test('how often', () => {
  expect(howOften(0.05)).toBe('1 time in 20')
  expect(howOften(1 / 3)).toBe('1 time in 3')
  expect(plain(howOften(0.03))).toBe('3% of the time')
  expect(plain(howOften(1))).toBe('100% of the time')
  for (const extreme of [0, 5e-309, Number.NaN]) expect(howOften(extreme)).toMatch(/% of the time$/)
})

test('counts and lists', () => {
  expect(count(2034)).toBe('2,034')
  expect(count(1234567)).toBe('1,234,567')
  expect(count(12)).toBe('12')
  expect(counted(1, 'query', 'queries')).toBe('1 query')
  expect(counted(0, 'query', 'queries')).toBe('0 queries')
  expect(list([])).toBe('')
  expect(list(['a'])).toBe('a')
  expect(list(['a', 'b'])).toBe('a and b')
  expect(list(['a', 'b', 'c'])).toBe('a, b and c')
})
