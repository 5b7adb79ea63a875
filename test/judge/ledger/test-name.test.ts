import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparedName, namesOfStack, varyingName } from '../../../src/judge/ledger/test-name.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'
import { ONE_TEST, TWO_TESTS } from './varying-names.ts'

describe('comparedName', () => {
  test.each(ONE_TEST)('one test: %s and %s', (one, other) => {
    expect(comparedName(one)).toBe(comparedName(other))
    for (const [name, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const { pattern, prefix } = varyingName(asked)!
      expect(asRe2(pattern).test(name)).toBe(true)
      expect(name.startsWith(prefix)).toBe(true)
    }
  })

  test.each(TWO_TESTS)('two tests: %s and %s', (one, other) => {
    expect(comparedName(one)).not.toBe(comparedName(other))
  })

  test('the word says what it stands for, and the rest of the name stays', () => {
    expect(comparedName('a.py::test[2026-09-11-utc](port 43211)')).toBe('a.py::test[<DATE>-utc](<PORT>)')
    expect(comparedName("Logical error: 'Bucket 58' (STID: 2508-468C) at 3")).toBe(
      "Logical error: 'Bucket N' (STID: 2508-468c) at N",
    )
  })

  test('a name of ordinary parameters is itself, and is looked up as it stands', () => {
    for (const [name] of TWO_TESTS.filter(([one]) => !/STID/.test(one) && comparedName(one) === one)) {
      expect(varyingName(name)).toBeNull()
    }
    expect(TWO_TESTS.filter(([one]) => comparedName(one) === one).length).toBeGreaterThan(25)
    expect(varyingName('')).toBeNull()
  })

  const pieces = fc.constantFrom(
    ...['[', ']', '(', ')', '{', '}', '<', '>', ' ', '-', '_', '/', ':', '.', 'N', 'at ', 'with id ', '[1] '],
    ...['20012170-d418-f7af-25b7-501ac9c1ffef', '3fa85f6457174562', 'deadbeef', '0x7f8c2d3e4f50', '127.0.0.1:43211'],
    ...['2026-09-11', '10:15', '<UUID>', 'STID: 2508-468c', 'tmpab12cd3e', 'gw1', '58', 'test', 'seed=914732845'],
  )
  const names = fc.oneof(
    fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
    fc.string({ unit: anyCodePoint, maxLength: 60 }),
  )

  test('once more changes nothing, and every name fits its own pattern', () => {
    fc.assert(
      fc.property(names, (name) => {
        const compared = comparedName(name)
        expect(comparedName(compared)).toBe(compared)
        const varying = varyingName(name)
        // A name may say `<UUID>` itself.
        if (varying === null) expect(compared).toBe(name)
        else {
          expect(asRe2(varying.pattern).test(name)).toBe(true)
          expect(name.startsWith(varying.prefix)).toBe(true)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('a placeholder before a number in brackets opens no row of a table', () => {
    const compared = comparedName('seed=1(3fa85f64-5717-4562-b3fc-2c963f66afa6[1] )3fa85f6457174562')
    expect(compared).toBe('seed=1(<UUID>[1] )3fa85f6457174562')
    expect(comparedName(compared)).toBe(compared)
  })

  test('takes time in proportion to the length, whatever the name holds', () => {
    const hostile = [
      '[',
      '[]',
      '<[',
      ']',
      '[1] ',
      '3fa85f64-',
      '0x',
      'tmp.',
      '1.',
      'a',
      '2026-09-11T',
      'STID: ',
      'seed=(',
    ].flatMap((piece) =>
      [2000, 200_000].map((length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)),
    )
    const start = computed()
    for (const name of hostile) {
      comparedName(name)
      comparedName(`${name} (STID: 2508-468c)`)
      varyingName(`a[${name}]`)
    }
    expect(computed() - start).toBeLessThan(500)
    // More parts than any runner writes: compared as it stands.
    const many = `a[${'3fa85f6457174562,'.repeat(21)}]`
    expect(comparedName(many)).toBe(many)
  })
})

test('all names of a stack, whatever else they say', () => {
  const { pattern, prefix } = namesOfStack('2508-468c')
  const fits = (name: string) => asRe2(pattern).test(name)
  expect(prefix).toBe('')
  expect(fits("Logical error: 'Bucket 58 is lost' (STID: 2508-468C)")).toBe(true)
  expect(fits('Segmentation fault (STID 2508-468c)')).toBe(true)
  expect(fits('Segmentation fault STID:2508-468c')).toBe(true)
  expect(fits('Segmentation fault (STID: 2508-468cd)')).toBe(false)
  expect(fits('Segmentation fault (STID: 2508-468d)')).toBe(false)
})

/** RE2 takes `(?i)` for the rest and `(?i:…)` for a group; JavaScript knows only the second. */
function asRe2(pattern: string): RegExp {
  return pattern.startsWith('(?i)') ? new RegExp(pattern.slice(4), 'i') : new RegExp(pattern)
}
