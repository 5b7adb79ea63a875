import { describe, expect, test } from 'vitest'
import { textsOfOtherValues, withoutActualValue } from '../../../src/judge/ledger/actual-values.ts'
import { type Signature, signatureOf } from '../../../src/judge/ledger/signature.ts'
import { computed } from '../../computing-time.ts'

const signed = (output: string): Signature => signatureOf('a_test', output)
const jest = (value: number | string, expected = 3) =>
  signed(`Error: expect(received).toBe(expected)\n\nExpected: ${expected}\nReceived: ${value}`)

describe('withoutActualValue', () => {
  test.each([
    ['Expected: 3\nReceived: 4', 'Expected: 3\nReceived: …'],
    ['expected: 3\nactual : 4', 'expected: 3\nactual : …'],
    ['Expected: 3\nBut was: 4', 'Expected: 3\nBut was: …'],
    ['Actual (total()): 4\nExpected (3) : 3', 'Actual (total()): …\nExpected (3) : 3'],
    ['AssertionError: expected:<3> but was:<4>', 'AssertionError: expected:<3> but was:…'],
    [
      'Assert.AreEqual failed. Expected:<3>. Actual:<4>. refund',
      'Assert.AreEqual failed. Expected:<3>. Actual:…. refund',
    ],
    ['a_test.go:N: got 4, want 3', 'a_test.go:N: got …, want 3'],
    ['refund.cents()\nWhich is: 0\n3', 'refund.cents()\nWhich is: …\n3'],
    // No words name it, nothing was expected, or not all of it stands there.
    ['4 == 3', null],
    ['AssertionError: 143 != 0', null],
    ['assertion `left == right` failed\nleft: 3\nright: 4', null],
    ['got\nWhich is: 0\nwant\nWhich is: 3', null],
    ['Received: false', null],
    ['result differs with reference:\n-got: 1 expected\n+got: 2 expected', null],
    ['Expected: 3\nReceived: 4\nand more: 0123abcd', null],
    ['Process completed with exit code 137.', null],
  ])('%j', (text, expected) => {
    expect(withoutActualValue(text)).toBe(expected)
  })

  test('a long text takes no time', () => {
    const started = computed()
    for (const unit of ['got ', 'expected ', 'Actual (', '<', '"', '_', 'was: '])
      withoutActualValue(unit.repeat(100_000))
    expect(computed() - started).toBeLessThan(200)
  })
})

describe('textsOfOtherValues', () => {
  test('a third value shows that it varies', () => {
    const mine = jest(7)
    expect(textsOfOtherValues(mine, [jest(4), jest(12), jest(4)])).toEqual(new Set([jest(4).text, jest(12).text]))
  })

  test('one other value is another wrong result, however often it came', () => {
    expect(
      textsOfOtherValues(
        jest(7),
        Array.from({ length: 40 }, () => jest(4)),
      ),
    ).toEqual(new Set())
    expect(textsOfOtherValues(jest(7), [jest(7), jest(4)])).toEqual(new Set())
  })

  test('another expected value, another kind and a stack are none of it', () => {
    expect(textsOfOtherValues(jest(7), [jest(4, 1250), jest(12, 1250), jest(4)])).toEqual(new Set())
    const frames = signed('severity: fail')
    expect(textsOfOtherValues(frames, [frames, jest(4), jest(12)])).toEqual(new Set())
    expect(textsOfOtherValues({ kind: 'name', text: '' }, [jest(4), jest(12)])).toEqual(new Set())
  })
})
