import { describe, expect, test } from 'vitest'
import type { FailingExecution } from '../../../src/judge/ledger/failure.ts'
import {
  countWitnesses,
  type People,
  standingOf,
  tellWitnesses,
  UNKNOWN_PEOPLE,
  witnessesOf,
} from '../../../src/judge/ledger/witness.ts'
import { DAY, HOUR, hit, NOW, REPOSITORY, subject, trunkHit, trusting } from './values.ts'

const of = subject()
const witnesses = (rows: readonly FailingExecution[], people: People = UNKNOWN_PEOPLE, own: FailingExecution[] = []) =>
  witnessesOf(rows, tellWitnesses([...rows, ...own], of, people))
const STRANGERS: People = { ...UNKNOWN_PEOPLE, standings: new Map([['somebody', 'stranger']]) }

describe('who counts', () => {
  test('three pull requests of one trusted author are three, of a stranger one', () => {
    const three = (headRepo: string) => ['a', 'b', 'c'].map((headRef, index) => hit(index + 1, { headRepo, headRef }))
    const trusted = { ...UNKNOWN_PEOPLE, standings: new Map([['somebody', 'trusted' as const]]) }
    expect(witnesses(three('Somebody/ClickHouse'), trusted)).toEqual({ trusted: 3, strangers: 0, notKnown: 0 })
    expect(witnesses(three('Somebody/ClickHouse'), STRANGERS)).toEqual({ trusted: 0, strangers: 1, notKnown: 0 })
    expect(witnesses(three('Somebody/ClickHouse'))).toEqual({ trusted: 0, strangers: 0, notKnown: 1 })
  })

  test('branches of the repository itself are of somebody who may write', () => {
    const branches = ['a', 'b', 'c'].map((headRef, index) => hit(index + 1, { headRepo: REPOSITORY, headRef }))
    expect(witnesses(branches)).toEqual({ trusted: 3, strangers: 0, notKnown: 0 })
  })

  test('rows without an owner are one together', () => {
    expect(witnesses([1, 2, 3].map((number) => hit(number, { headRepo: '' })))).toMatchObject({ notKnown: 1 })
  })

  test('the author that the bot has seen counts, not the owner of the fork', () => {
    const people: People = {
      ...trusting(),
      authors: new Map([[1, 'maria']]),
      standings: new Map([['maria', 'trusted']]),
    }
    expect(standingOf(hit(1), of, people)).toBe('trusted')
    expect(standingOf(hit(2), of, people)).toBe('not-known')
    expect(standingOf(trunkHit('c', NOW), of, people)).toBe('trusted')
  })

  test('another pull request of the subject’s author is no witness, unless the author is trusted', () => {
    const own = hit(1, { headRepo: 'author/ClickHouse', headRef: 'other' })
    expect(witnesses([own])).toEqual({ trusted: 0, strangers: 0, notKnown: 0 })
    const trusted = { ...UNKNOWN_PEOPLE, standings: new Map([['author', 'trusted' as const]]) }
    expect(witnesses([own], trusted)).toEqual({ trusted: 1, strangers: 0, notKnown: 0 })
  })

  test('gating believes no stranger', () => {
    expect(countWitnesses({ trusted: 1, strangers: 2, notKnown: 4 }, 'advisory')).toBe(7)
    expect(countWitnesses({ trusted: 1, strangers: 2, notKnown: 4 }, 'gating')).toBe(1)
  })
})

describe('stacks', () => {
  const branch = (number: number, headRef: string, time: number, changes: Partial<FailingExecution> = {}) =>
    hit(number, { headRepo: REPOSITORY, headRef, time, ...changes })

  test('branches whose names differ in digits alone, each within the hour of the one before, are one', () => {
    const stack = [1, 2, 3].map((step) => branch(step, `parser-${step}`, NOW - DAY + step * 50 * 60_000))
    expect(witnesses(stack).trusted).toBe(1)
    const apart = [1, 2, 3].map((step) => branch(step, `parser-${step}`, NOW - DAY + step * (HOUR + 1)))
    expect(witnesses(apart).trusted).toBe(3)
    const named = [1, 2, 3].map((step) => branch(step, ['parser', 'planner', 'cache'][step - 1]!, NOW - DAY))
    expect(witnesses(named).trusted).toBe(3)
  })

  test('a branch that was first seen long ago joins no stack of today', () => {
    const old = branch(1, 'parser-1', NOW - 9 * DAY)
    expect(witnesses([branch(1, 'parser-1', NOW - HOUR), branch(2, 'parser-2', NOW - HOUR), old]).trusted).toBe(2)
  })

  test('a base branch that is another’s head branch makes one of both; the trunk does not', () => {
    const below = branch(1, 'parser', NOW - DAY)
    const top = branch(2, 'planner', NOW - 2 * DAY, { baseRef: 'parser' })
    const onTop = branch(3, 'cache', NOW - 3 * DAY, { baseRef: 'planner' })
    expect(witnesses([below, top, onTop]).trusted).toBe(1)
    const master = branch(4, 'master', NOW - DAY, { baseRef: '26.3' })
    expect(witnesses([branch(5, 'a', NOW), branch(6, 'b', NOW), master]).trusted).toBe(2)
  })

  test('the subject’s own stack is no witness', () => {
    const own = hit(of.pullRequestNumber, { headRepo: of.headRepo, headRef: 'reserve-2', time: NOW })
    const below = hit(7, { headRepo: of.headRepo, headRef: 'reserve-1', time: NOW - HOUR })
    const trusted = { ...UNKNOWN_PEOPLE, standings: new Map([['author', 'trusted' as const]]) }
    expect(witnesses([below], trusted, [own]).trusted).toBe(0)
    expect(witnesses([below], trusted).trusted).toBe(1)
  })

  test('pull requests that were tested at one commit are one, unless it is the trunk’s', () => {
    const below = branch(1, 'parser', NOW - DAY, { commitSha: 'shared' })
    const above = branch(2, 'planner', NOW - 9 * DAY, { commitSha: 'shared' })
    const later = branch(2, 'planner', NOW - 8 * DAY, { commitSha: 'later' })
    expect(witnesses([below, above, later]).trusted).toBe(1)
    expect(witnesses([below, later]).trusted).toBe(2)
    expect(witnesses([below, above, later], UNKNOWN_PEOPLE, [trunkHit('shared', NOW - 20 * DAY)]).trusted).toBe(2)
    const ofBase = tellWitnesses([below, above], subject({ mergeBase: 'shared' }), UNKNOWN_PEOPLE)
    expect(witnessesOf([below, above], ofBase).trusted).toBe(2)
    const unknown = [below, above].map((row) => ({ ...row, commitSha: '' }))
    expect(witnesses(unknown).trusted).toBe(2)
  })

  test('a stranger who pushes the heads of others makes no witnesses one, and is none for whose head it was', () => {
    const heads = [1, 2].map((number) =>
      branch(number, ['', 'parser', 'cache'][number]!, NOW, { commitSha: `head-${number}` }),
    )
    const pushed = [1, 2].map((number) =>
      hit(9, { headRepo: 'Somebody/ClickHouse', headRef: 'x', commitSha: `head-${number}` }),
    )
    expect(witnesses([...heads, ...pushed], STRANGERS)).toEqual({ trusted: 2, strangers: 1, notKnown: 0 })
    const own = hit(of.pullRequestNumber, { headRepo: of.headRepo, headRef: of.headRef, commitSha: 'head-1' })
    expect(witnesses(pushed, STRANGERS, [own])).toEqual({ trusted: 0, strangers: 0, notKnown: 0 })
  })
})
