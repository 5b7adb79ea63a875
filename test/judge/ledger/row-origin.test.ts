import { describe, expect, test } from 'vitest'
import { isOfRepository, isOfTrunk, isOwn, pullRequestOf } from '../../../src/judge/ledger/row-origin.ts'
import { hit, NOW, REPOSITORY, subject, trunkHit } from './values.ts'

const trunk = (changes = {}) => trunkHit('sha', NOW, changes)

describe('of the repository', () => {
  test.each([
    ['its own', hit(1), true],
    ['in another case', hit(1, { baseRepo: 'clickhouse/clickhouse' }), true],
    ['where nobody says', hit(1, { baseRepo: '' }), true],
    ['another one', hit(1, { baseRepo: 'somebody/else' }), false],
    ['one that begins alike', hit(1, { baseRepo: 'ClickHouse/ClickHouse-private' }), false],
    ['the trunk', trunk(), true],
    ['the trunk where nobody says', trunk({ baseRepo: '', headRepo: '' }), true],
    ['what a fork calls master', trunk({ baseRepo: '', headRepo: 'somebody/ClickHouse' }), false],
    ['what a fork calls master, aimed at the repository', trunk({ headRepo: 'somebody/ClickHouse' }), false],
  ])('%s: %#', (_, row, expected) => {
    expect(isOfRepository(row, subject())).toBe(expected)
  })

  test('where the subject has none every row is', () => {
    expect(isOfRepository(hit(1, { baseRepo: 'somebody/else' }), subject({ repository: '' }))).toBe(true)
    expect(isOfRepository(trunk({ headRepo: 'somebody/else' }), subject({ repository: '' }))).toBe(true)
  })
})

describe('own', () => {
  const sameBranch = { headRepo: 'author/ClickHouse', headRef: 'reserve' }
  test.each([
    ['somebody else', hit(1), subject(), false],
    ['the pull request', hit(1000), subject(), true],
    ['its branch under another number', hit(999, sameBranch), subject(), true],
    ['in another case', hit(999, { ...sameBranch, headRepo: 'AUTHOR/clickhouse' }), subject(), true],
    ['a branch in another case is another', hit(999, { ...sameBranch, headRef: 'Reserve' }), subject(), false],
    ['the branch of the same name in another fork', hit(999, { headRef: 'reserve' }), subject(), false],
    [
      'no repository is not the same repository',
      hit(999, { headRepo: '', headRef: 'reserve' }),
      subject({ headRepo: '' }),
      false,
    ],
    ['no branch is not the same branch', hit(999, { ...sameBranch, headRef: '' }), subject({ headRef: '' }), false],
    ['its commit elsewhere', trunk({ commitSha: 'head' }), subject(), true],
    ['no commit is not the same commit', hit(1, { commitSha: '' }), subject({ commitSha: '' }), false],
    ['number 0 is no pull request', hit(0, { headRef: '26.3' }), subject({ pullRequestNumber: 0 }), false],
    ['the trunk is nobody’s branch', trunk(), subject({ headRepo: REPOSITORY, headRef: 'master' }), false],
    [
      'a pull request from a branch master',
      hit(999, { headRepo: 'author/ClickHouse', headRef: 'master' }),
      subject({ headRef: 'master' }),
      true,
    ],
    [
      'a push to the branch of the pull request',
      hit(0, { headRepo: REPOSITORY, headRef: 'feature' }),
      subject({ headRepo: REPOSITORY, headRef: 'feature' }),
      true,
    ],
  ])('%s', (_, row, of, expected) => {
    expect(isOwn(row, of)).toBe(expected)
  })
})

describe('of the trunk', () => {
  test.each([
    ['master', trunk(), true],
    ['where nobody says', trunk({ headRef: '', baseRef: '' }), true],
    ['a release branch', trunk({ headRef: '26.3' }), false],
    ['a release branch that only the base names', trunk({ headRef: '', baseRef: '26.3' }), false],
    ['a pull request from a branch master', hit(1, { headRef: 'master' }), false],
    ['a branch that begins alike', trunk({ headRef: 'master-next' }), false],
    ['main, where the trunk is master', trunk({ headRef: 'main' }), false],
  ])('%s', (_, row, expected) => {
    expect(isOfTrunk(row, subject())).toBe(expected)
  })

  test('any name of the trunk will do', () => {
    expect(isOfTrunk(trunk({ headRef: 'main' }), subject({ trunk: ['master', 'main'] }))).toBe(true)
  })
})

describe('the pull request', () => {
  const of = (row: ReturnType<typeof hit>) => pullRequestOf(row, subject())

  test('one branch under two numbers is one', () => {
    const one = hit(1, { headRef: 'b', headRepo: 'somebody/ClickHouse' })
    expect(of(one)).toBe(of(hit(2, { headRef: 'b', headRepo: 'Somebody/clickhouse' })))
  })

  test('the same branch in two forks is two', () => {
    expect(of(hit(1, { headRef: 'b' }))).not.toBe(of(hit(2, { headRef: 'b', headRepo: 'other/ClickHouse' })))
  })

  test('by number where the branch or its repository is not known', () => {
    expect(of(hit(1, { headRef: '' }))).toBe('#1')
    expect(of(hit(1, { headRepo: '' }))).toBe('#1')
  })

  test('the trunk, a release and a backport are none', () => {
    expect(of(trunk())).toBeNull()
    expect(of(hit(0, { headRef: '26.3' }))).toBeNull()
    expect(of(hit(1, { baseRef: '26.3' }))).toBeNull()
    expect(of(hit(1, { baseRef: '' }))).not.toBeNull()
  })
})
