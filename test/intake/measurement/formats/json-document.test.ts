import { assert, double, property } from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseShifted } from '../../../../src/intake/measurement/fields.ts'
import { decimal, parseDocument } from '../../../../src/intake/measurement/formats/json-document.ts'

const read = (text: string) => parseDocument(text, z.object({ value: decimal }), 'result', { exact: true }).value

test('a number keeps all digits of its text', () => {
  expect(read('{"value": 1234.56789012345678901}')).toBe('1234.56789012345678901')
  expect(read('{"value": -1.2345678901234567e+02}')).toBe('-1.2345678901234567e+02')
  expect(read('{"value": 0.03}')).toBe('0.03')
  expect(read(String.raw`{"a\"1": "12345678901234567890", "value": 5}`)).toBe('5')
})

test('whatever number a document holds, its shifted value is that of its text', () => {
  assert(
    property(double({ noNaN: true, noDefaultInfinity: true, min: 1e-300, max: 1e300 }), (value) => {
      for (const text of [JSON.stringify(value), value.toExponential(16)]) {
        expect(parseShifted(read(`{"value":${text}}`), -9)).toBe(parseShifted(text, -9))
      }
    }),
  )
})

test.each([
  ['{"value": "5"}', 'this is not a valid result: value: no number'],
  ['{"value": NaN}', 'this is not a valid result: value: no number'],
  ['{"value": 1', 'this is not JSON: it was cut off, or is something else'],
  ['{"value": 12345678901234567x}', 'this is not JSON: it was cut off, or is something else'],
  ['{"value": 012345678901234567}', 'this is not JSON: it was cut off, or is something else'],
  ['['.repeat(65), 'it has more than 64 nested lists and objects'],
  ['{"a":'.repeat(1_000_000), 'it has more than 64 nested lists and objects'],
  [`[${'0,'.repeat(4_000_001)}0]`, 'it has more than 4,000,000 values'],
])('%.30s is refused', (text, message) => {
  expect(() => read(text)).toThrow(message)
})
