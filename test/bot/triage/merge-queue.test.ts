import { expect, test } from 'vitest'
import { queuedPullRequest } from '../../../src/bot/triage/merge-queue.ts'

const SHA = 'a1'.repeat(20)

test.each([
  [`acme:gh-readonly-queue/master/pr-7-${SHA}`, 7],
  [`ACME:gh-readonly-queue/release/26.9/pr-4123456789-${SHA}`, 4_123_456_789],
  [`acme:gh-readonly-queue/master/pr-7-${'b2'.repeat(32)}`, 7],
  [`fork:gh-readonly-queue/master/pr-7-${SHA}`, null],
  [`acme:gh-readonly-queue/pr-7-${SHA}`, null],
  [`acme:gh-readonly-queue/master/pr-0-${SHA}`, null],
  ['acme:gh-readonly-queue/master/pr-7-abc', null],
  [`acme:gh-readonly-queue/master/pr-7-${SHA}-more`, null],
  [`acme:my/gh-readonly-queue/master/pr-7-${SHA}`, null],
  [`fork:acme:gh-readonly-queue/master/pr-7-${SHA}`, null],
  ['acme:work', null],
  [null, null],
])('%s is of the pull request %s', (label, expected) => {
  expect(queuedPullRequest('acme', label)).toBe(expected)
})
