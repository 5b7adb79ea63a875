import { expect, test } from 'vitest'
import { failureAnchor } from '../../src/report/failure-anchor.ts'
import { failure } from '../render/failing-tests-builder.ts'
import { HOSTILE } from '../render/hostile.ts'

test('one for each test, check and signature, fit for a fragment', () => {
  const same = failure('a', 'check')
  expect(failureAnchor({ ...same, time: 0, commitSha: 'x' })).toBe(failureAnchor(same))
  const others = [
    same,
    failure('b', 'check'),
    failure('a', 'other check'),
    failure('a', 'check', { signature: { kind: 'output', text: 'another' } }),
    failure('a', 'check', { signature: { kind: 'name', text: '' } }),
    failure('', 'check'),
  ].map(failureAnchor)
  expect(new Set(others).size).toBe(others.length)
  for (const text of [...HOSTILE, 'x'.repeat(100_000)]) {
    expect(failureAnchor(failure(text, text))).toMatch(/^f-[A-Za-z0-9_-]{1,60}$/)
  }
})
