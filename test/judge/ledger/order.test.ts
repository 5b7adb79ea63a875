import { expect, test } from 'vitest'
import type { Classification, JudgedFailure } from '../../../src/judge/ledger/failure.ts'
import { inOrder } from '../../../src/judge/ledger/order.ts'
import { failure, judge } from './values.ts'

const judged = (
  testName: string,
  classification: Classification,
  changes: Partial<JudgedFailure> = {},
  checkName = testName,
): JudgedFailure => ({ ...judge(), failure: failure({ testName, checkName }), classification, ...changes })

const namesOf = (shown: readonly JudgedFailure[]) => shown.map(({ failure: { testName } }) => testName)

test('what may be the pull request’s first, roll-ups last', () => {
  const order: readonly Classification[] = [
    'pr-suspect',
    'unknown',
    'mass-failure',
    'broken-trunk',
    'chronic',
    'flaky',
    'infrastructure',
    'rollup',
  ]
  const shown = inOrder(order.toReversed().map((classification) => judged(classification, classification)))
  expect(namesOf(shown)).toEqual(order)
})

test('the pull request’s own new tests before those that it edits, and those before what only looks like its own', () => {
  const changed = (name: string, added: boolean, unrelatedPullRequests: number) =>
    judged(name, 'pr-suspect', {
      unrelatedPullRequests,
      reasons: [{ kind: 'test-changed', path: `tests/${name}.sql`, added }],
    })
  const shown = inOrder([
    judged('alike', 'pr-suspect', { hits: 9 }),
    changed('edited', false, 7),
    changed('new', true, 0),
  ])
  expect(namesOf(shown)).toEqual(['new', 'edited', 'alike'])
})

test('by pull requests, then hits; what is equal stays', () => {
  const chronic = (name: string, unrelatedPullRequests: number | null, hits: number | null) =>
    judged(name, 'chronic', { unrelatedPullRequests, hits })
  const shown = inOrder([
    chronic('3 of 9', 3, 9),
    chronic('none', null, null),
    chronic('7 of 8', 7, 8),
    chronic('3 of 12', 3, 12),
    chronic('3 of 9, too', 3, 9),
  ])
  expect(namesOf(shown)).toEqual(['7 of 8', '3 of 12', '3 of 9', '3 of 9, too', 'none'])
})

test('fallout directly after its cause, of the same job', () => {
  const fallout = (name: string, causedBy: string, checkName: string) =>
    judged(name, 'fallout', { causedBy, unrelatedPullRequests: 90 }, checkName)
  const shown = inOrder([
    fallout('check failed here', 'crash', 'here'),
    judged('crash', 'chronic', { unrelatedPullRequests: 5 }, 'there'),
    fallout('no start there', 'crash', 'there'),
    fallout('check failed there', 'crash', 'there'),
    judged('hung', 'chronic', { unrelatedPullRequests: 6 }, 'there'),
    judged('crash', 'pr-suspect', {}, 'here'),
    judged('all', 'rollup'),
  ])
  expect(namesOf(shown)).toEqual([
    'crash',
    'check failed here',
    'hung',
    'crash',
    'no start there',
    'check failed there',
    'all',
  ])
})

test('nothing is lost or shown twice, even fallout without its cause', () => {
  const lost = judged('fallout', 'fallout', { causedBy: 'gone' })
  const twice = [judged('crash', 'chronic', {}, 'c'), judged('crash', 'chronic', {}, 'c')]
  const under = judged('fallout', 'fallout', { causedBy: 'crash' }, 'c')
  const shown = inOrder([lost, under, ...twice])
  expect(shown).toHaveLength(4)
  expect(new Set(shown).size).toBe(4)
})
