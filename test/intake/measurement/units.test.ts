import { assert, constantFrom, integer, property, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { parseShifted } from '../../../src/intake/measurement/fields.ts'
import { inBaseUnit, metricOfUnit } from '../../../src/intake/measurement/formats/benchmarks.ts'
import type { Better } from '../../../src/intake/measurement/run.ts'
import { betterOfName, metricInPlaceOf, mostTelling, toolUnit } from '../../../src/intake/measurement/units.ts'

const digits = integer({ min: 0, max: 10 ** 15 - 1 })

/** `digits * 10 ** exponent` without an exponent, by moving characters. */
function plain(value: bigint, exponent: number): string {
  if (exponent >= 0) return `${value}${'0'.repeat(exponent)}`
  const text = `${value}`.padStart(1 - exponent, '0')
  return `${text.slice(0, exponent)}.${text.slice(exponent)}`
}

test('a shifted value is the number that its digits with a moved point are', () => {
  assert(
    property(
      tuple(digits, digits, integer({ min: -30, max: 6 }), integer({ min: -12, max: 12 })),
      ([a, b, point, by]) => {
        // up to 30 digits: more than a number holds
        const value = BigInt(a) * 10n ** 15n + BigInt(b)
        expect(parseShifted(plain(value, point), by)).toBe(Number(plain(value, point + by)))
      },
    ),
  )
})

test('a value with an exponent is shifted as well', () => {
  assert(
    property(tuple(digits, integer({ min: -20, max: 20 }), integer({ min: -12, max: 12 })), ([value, exponent, by]) => {
      expect(parseShifted(`${value}e${exponent}`, by)).toBe(Number(plain(BigInt(value), exponent + by)))
    }),
  )
})

test('there and back again it is the same number', () => {
  assert(
    property(tuple(digits, constantFrom('ns', 'us', 'ms')), ([value, unit]) => {
      const { by } = toolUnit(unit)!
      const seconds = inBaseUnit(String(value), { by, factor: 1 })!
      expect(parseShifted(String(seconds), -by)).toBe(value)
    }),
  )
})

test.each([
  ['0.03', 'ms', 0.000_03],
  ['896.48', 'msec', 0.896_48],
  ['1.10', 'us/op', 0.000_001_1],
  ['0.1', 'ns', 1e-10],
  ['1234.5678901234567', 'µs', 0.001_234_567_890_123_456_7],
  ['154.4', 'MB/s', 154_400_000],
  ['1.5', 'GiB/s', 1_610_612_736],
  ['0.7', 'ops/ms', 700],
  ['3.3', 'Mops/s', 3_300_000],
  ['3300', 'K ops/s', 3_300_000],
  ['1.25', 'Gelem/s', 1_250_000_000],
  ['7', 'kreq/sec', 7000],
  ['7', 'm/s', 7_000_000],
  ['7', 'xops/s', null],
  ['7', 'kkops/s', null],
  ['12', 'KiB', 12_288],
])('%s %s', (text, unit, expected) => {
  const known = toolUnit(unit)
  expect(known === null ? null : inBaseUnit(text, known)).toBe(expected)
})

test.each([
  ['ns/op', { metric: 'time', unit: 's', better: 'lower', by: -9, factor: 1 }],
  ['ops/s', { metric: 'throughput', unit: '1/s', better: 'higher', by: 0, factor: 1 }],
  ['iter/sec', { metric: 'throughput', unit: '1/s', better: 'higher', by: 0, factor: 1 }],
  ['MB/s', { metric: 'throughput', unit: 'bytes/s', better: 'higher', by: 6, factor: 1 }],
  ['B/op', { metric: 'bytes', unit: 'bytes', better: 'lower', by: 0, factor: 1 }],
  ['allocs/op', { metric: 'allocations', unit: '1', better: 'lower', by: 0, factor: 1 }],
  ['widgets', { metric: 'widgets', unit: 'widgets', better: null, by: 0, factor: 1 }],
  ['__proto__', { metric: '__proto__', unit: '__proto__', better: null, by: 0, factor: 1 }],
  ['ns/op/x', { metric: 'ns/op/x', unit: 'ns/op/x', better: 'lower', by: 0, factor: 1 }],
])('the unit %s', (unit, expected) => {
  expect(metricOfUnit(unit)).toEqual(expected)
})

test.each([
  ['higher', 'Mgas/s', 'frames/sec', 'x / second', 'fps', 'IOPS', 'read_iops', 'kIOPS', 'GFLOP/s', 'GFLOPS', 'hits/ms'],
  ['higher', 'items_per_second', 'req per sec', 'throughput', 'disk-bandwidth', 'MB/s', 'kops', 'txn/min', 'rps'],
  [
    'lower',
    'p99-ms',
    'ns/row',
    'cycles/byte',
    'instructions',
    'file-size',
    'cache_misses',
    'p50 latency',
    'gc.time',
    's',
  ],
  [null, 'score', 'ratio', 'widgets/op', 'errors/s', 'ms/s', 'points', 'steps', 'hips', 'accuracy', '', '__proto__'],
] as [Better | null, ...string[]][])('%s is better of a name such as %s', (better, ...names) => {
  expect(names.map((name) => [name, betterOfName(name)])).toEqual(names.map((name) => [name, better]))
})

test('a name is read in a time that its length bounds', () => {
  expect(betterOfName(`${'per '.repeat(1e6)}x`)).toBe(null)
})

test('the metric that stands in the place of the one that decides', () => {
  const of = (...metrics: readonly string[]) => metrics.map((metric) => ({ metric, queryIndex: null, queryName: 'a' }))
  expect(metricInPlaceOf('time', of('bytes', 'throughput', 'time'))).toBe('time')
  expect(metricInPlaceOf('time', of('bytes', 'throughput'))).toBe('throughput')
  expect(metricInPlaceOf('time', of('allocations', 'score', 'widgets/s'))).toBe('widgets/s')
  expect(metricInPlaceOf('time', of('allocations', 'bytes', 'score'))).toBe('score')
  expect(metricInPlaceOf('time', of('bytes'))).toBe('bytes')
  expect(metricInPlaceOf('time', [])).toBe('time')
  // a query, and the figures of a test as a whole
  expect(metricInPlaceOf('client_time', of('ReadRows'))).toBe('client_time')
  expect(metricInPlaceOf('server_time', of('client_time', 'ReadRows'))).toBe('server_time')
  expect(metricInPlaceOf('hot', [{ metric: 'data_size', queryIndex: null, queryName: null }])).toBe('hot')
  expect(mostTelling([])).toBe(null)
})
