import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { failureAnchor, meantByShortId, rowAnchor, shortIds } from '../../src/report/anchors.ts'
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

const idsOf = (keys: readonly string[]) => {
  const idOf = shortIds(() => keys)
  return keys.map(idOf)
}
const someKeys = fc.uniqueArray(
  fc.integer({ min: 0, max: 20_000 }).map((number) => `["sum",${number}]`),
  { maxLength: 400 },
)

test('a short id is that of one row of a report, and is no word that a command takes', () => {
  fc.assert(
    fc.property(someKeys, (keys) => {
      const ids = idsOf(keys)
      expect(new Set(ids).size).toBe(keys.length)
      for (const [at, id] of ids.entries()) {
        expect(id).toMatch(/^q[0-9a-f]{3,8}$/)
        expect(keys.filter(meantByShortId(id)!)).toEqual([keys[at]])
        expect(keys.filter(meantByShortId(id.toUpperCase())!)).toEqual([keys[at]])
      }
    }),
  )
  for (const said of ['all', 'suite', 'measurement', 'failed', 'until', '#3', 'q3', 'qf', 'query', 'face']) {
    expect(meantByShortId(said)).toBeNull()
  }
})

test('where rows come and go a short id keeps its row: it may get longer or shorter, and never means another one that is there', () => {
  fc.assert(
    fc.property(someKeys, someKeys, (kept, others) => {
      const before = idsOf(kept)
      const all = [...new Set([...kept, ...others])]
      const after = idsOf(all)
      for (const [at, id] of before.entries()) {
        expect(after[at]!.startsWith(id)).toBe(true)
        expect(all.filter(meantByShortId(id)!)).toContain(kept[at])
      }
    }),
  )
})
