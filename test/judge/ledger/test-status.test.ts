import { expect, test } from 'vitest'
import {
  FAILING_STATUSES,
  isKnownStatus,
  PASSING_STATUSES,
  testOutcome,
} from '../../../src/judge/ledger/test-status.ts'

test.each(['FAIL', 'ERROR', 'failure', 'error', 'Fail', 'failed', 'FAILED'])('%s is failing', (status) => {
  expect(testOutcome(status)).toBe('failing')
})

test.each(['OK', 'success', 'NOT_FAILED', 'XFAIL', 'passed', 'PASSED'])('%s is passing', (status) => {
  expect(testOutcome(status)).toBe('passing')
})

test.each([
  'SKIPPED',
  'skipped',
  'BROKEN',
  'UNKNOWN',
  'XPASS',
  'slower',
  'faster',
  'unstable',
  'pending',
  '',
  ' FAIL',
  'FAILED?',
  'constructor',
])('"%s" is neither', (status) => {
  expect(testOutcome(status)).toBe('other')
})

test('the lists are in lower case and have nothing in common', () => {
  const all = [...FAILING_STATUSES, ...PASSING_STATUSES]
  expect(all).toEqual(all.map((status) => status.toLowerCase()))
  expect(new Set(all).size).toBe(all.length)
})

test.each(['FAIL', 'Passed', 'SKIPPED', 'BROKEN', 'unknown', 'XPASS', 'slower', 'Faster', 'unstable', 'pending'])(
  '%s is known',
  (status) => {
    expect(isKnownStatus(status)).toBe(true)
  },
)

test.each(['TIMEOUT', ' FAIL', 'FAILED?', '', 'constructor'])('"%s" is not known', (status) => {
  expect(isKnownStatus(status)).toBe(false)
  expect(testOutcome(status)).toBe('other')
})
