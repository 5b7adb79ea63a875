import { expect, test } from 'vitest'
import { failureAnchor, rowAnchor } from '../../src/report/anchors.ts'
import { failure } from './render/failing-tests-builder.ts'
import { HOSTILE } from './render/hostile.ts'

const query = { test: 'join_hash', queryIndex: 3, queryName: 'SELECT 1' }

test('is the same for the same query and another one for another', () => {
  expect(rowAnchor(query)).toBe(rowAnchor({ ...query }))
  expect(rowAnchor(query)).toMatch(/^q-join_hash-3-[0-9a-f]{8}$/)
  expect(rowAnchor({ ...query, queryName: 'SELECT 2' })).not.toBe(rowAnchor(query))
  expect(rowAnchor({ ...query, queryIndex: null })).toMatch(/^q-join_hash-x-/)
})

test('may stand in an address and an attribute as it is', () => {
  for (const text of [...HOSTILE, 'x'.repeat(100_000)]) {
    expect(rowAnchor({ test: text, queryIndex: 0, queryName: text })).toMatch(/^[A-Za-z0-9_-]{1,70}$/)
  }
})

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
