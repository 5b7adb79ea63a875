import { describe, expect, test } from 'vitest'
import { areSeparated, isSignificant, outcomeOf } from '../../../src/judge/verdict/outcome.ts'

const measured = (difference: number, threshold: number, separated = false) => ({ difference, threshold, separated })

describe('significant', () => {
  test.each([
    [measured(0.06, 0.05), true],
    [measured(-0.06, 0.05), true],
    [measured(0.05, 0.05), true],
    [measured(0.049, 0.05), false],
    [measured(-0.049, 0.05), false],
    [measured(0.01, 0.05, true), true],
    [measured(-0.01, 0.05, true), true],
    [measured(0, 0), false],
    [measured(0, 0, true), false],
    [measured(0.01, 0), true],
  ])('%j is %s', (row, significant) => {
    expect(isSignificant(row)).toBe(significant)
  })
})

describe('the outcome, first match wins', () => {
  test.each([
    // Significant and large, however noisy.
    [measured(0.5, 0.4), 'changed'],
    [measured(-0.5, 0.4), 'changed'],
    [measured(0.5, 0.5), 'changed'],
    [measured(0.3, 0.4, true), 'changed'],
    // Both limits are inclusive.
    [measured(0.05, 0.01), 'changed'],
    [measured(-0.05, 0.01), 'changed'],
    [measured(0.04, 0.1), 'unstable'],
    // Large, but it can be chance.
    [measured(0.3, 0.4), 'unstable'],
    // Small and separated in a noisy query: the noise is what the reader must know.
    [measured(0.04, 0.2, true), 'unstable'],
    [measured(0, Number.POSITIVE_INFINITY), 'unstable'],
    [measured(0.049, 0.04), 'too-small'],
    [measured(-0.049, 0.04), 'too-small'],
    [measured(0.01, 0.02, true), 'too-small'],
    [measured(0.01, 0.02), 'not-significant'],
    [measured(0.07, 0.09), 'not-significant'],
    [measured(0, 0), 'not-significant'],
    [measured(0, 0.099), 'not-significant'],
  ])('%j is %s', (row, outcome) => {
    expect(outcomeOf(row, 0.05, 0.1)).toBe(outcome)
  })

  test('follows the thresholds it is given', () => {
    expect(outcomeOf(measured(0.2, 0.15), 0.2, 0.3)).toBe('changed')
    expect(outcomeOf(measured(0.2, 0.15), 0.21, 0.3)).toBe('too-small')
    expect(outcomeOf(measured(0.2, 0.15), 0.21, 0.15)).toBe('unstable')
    expect(outcomeOf(measured(0.001, 0), 0, 0.1)).toBe('changed')
  })

  test('a fraction that only rounding keeps below a threshold has reached it', () => {
    expect((0.21 - 0.2) / 0.2).toBeLessThan(0.05)
    expect(outcomeOf(measured((0.21 - 0.2) / 0.2, 0.01), 0.05, 0.1)).toBe('changed')
    expect(outcomeOf(measured(0, 0.1 - 1e-16), 0.05, 0.1)).toBe('unstable')
    expect(outcomeOf(measured(0.05 - 1e-11, 0.01), 0.05, 0.1)).toBe('too-small')
  })
})

describe('separated', () => {
  test.each([
    [[1, 2, 3], [4, 5, 6], true],
    [[4, 5, 6], [1, 2, 3], true],
    [[3, 1, 2], [6, 5, 4], true],
    [[1, 2, 4], [4, 5, 6], false],
    [[4, 5, 6], [1, 2, 4], false],
    [[1, 9], [4, 5], false],
    [[4, 5], [1, 9], false],
    [[1], [1], false],
    [[1], [2], true],
  ])('%j and %j: %s', (old, fresh, separated) => {
    expect(areSeparated(old, fresh)).toBe(separated)
  })

  test('takes as many samples as there are', () => {
    const many = Array.from({ length: 300_000 }, (_, index) => index)
    expect(areSeparated(many, [300_000])).toBe(true)
    expect(areSeparated([299_999], many)).toBe(false)
  })
})
