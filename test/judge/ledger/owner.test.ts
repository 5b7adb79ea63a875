import { expect, test } from 'vitest'
import { ownerOf } from '../../../src/judge/ledger/owner.ts'
import { NamePatternError } from '../../../src/text/name-pattern.ts'

const OWNERS = [
  { tests: 'test_keeper_map/*', owner: '@storage' },
  { tests: 'test_keeper*', owner: '@keeper' },
  { tests: '*kafka*', owner: '@streaming' },
]

test.each([
  ['test_keeper_map/test.py::test_a', '@storage'],
  ['test_keeper_zookeeper/test.py::test_a', '@keeper'],
  ['02265_kafka_rows', '@streaming'],
  ['00001_select_1', null],
  ['Test_keeper', null],
  ['', null],
])('%s', (name, owner) => {
  expect(ownerOf(name, OWNERS)).toBe(owner)
})

test('nobody owns anything where nobody is named', () => {
  expect(ownerOf('a', [])).toBeNull()
})

test('a broken pattern is no silent no', () => {
  expect(() => ownerOf('a', [{ tests: '{', owner: '@x' }])).toThrow(NamePatternError)
})
