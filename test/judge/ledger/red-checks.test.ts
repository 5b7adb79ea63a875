import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Classification, JudgedFailure } from '../../../src/judge/ledger/failure.ts'
import { redChecksOf, worstCause } from '../../../src/judge/ledger/red-checks.ts'
import { failure, judge, NAMES, stid } from './values.ts'

const judged = (
  checkName: string,
  classification: Classification,
  changes: Partial<JudgedFailure> = {},
  testName = 'a_test',
): JudgedFailure => ({
  ...judge(),
  failure: failure({ testName, checkName }),
  classification,
  reasons: [],
  ...changes,
})

const states = (names: readonly string[], ofJudged: readonly JudgedFailure[], notJudged?: number) =>
  redChecksOf(
    names.map((name) => ({ name, url: null })),
    ofJudged,
    NAMES,
    notJudged,
  ).map(({ state }) => state)

const LOOKUP_FAILED = { reasons: [{ kind: 'lookup-failed', problem: 'too-slow' }] } as const
const NOTHING_SAID = { reasons: [{ kind: 'nothing-said', of: 'check', pullRequests: 7 }] } as const
const TOO_FEW = { reasons: [{ kind: 'too-few-runs', runs: 3, needed: 59 }] } as const

describe('the cause that decides', () => {
  const cause = (name: string, classification: Classification, changes: Partial<JudgedFailure> = {}) =>
    judged('a', classification, changes, name)
  const traced = (one: JudgedFailure): JudgedFailure => ({
    ...one,
    failure: { ...one.failure, signature: stid('1111-2222') },
  })
  const nameOf = (...causes: readonly JudgedFailure[]) => worstCause(causes)?.failure.testName ?? null

  test('is none of none', () => {
    expect(nameOf()).toBeNull()
  })

  test('is the one that is excused least, whether it has a stack trace or not', () => {
    const excused = traced(cause('excused', 'chronic'))
    expect(nameOf(excused, cause('not asked', 'unknown', LOOKUP_FAILED))).toBe('not asked')
    expect(nameOf(cause('not asked', 'unknown', LOOKUP_FAILED), cause('unknown', 'unknown'))).toBe('unknown')
  })

  test('of equal ones is a suspect, then one with a stack trace, then the first', () => {
    const [unknown, suspect] = [cause('unknown', 'unknown'), cause('suspect', 'pr-suspect')]
    expect(nameOf(traced(unknown), suspect)).toBe('suspect')
    expect(nameOf(unknown, traced(cause('traced', 'unknown')))).toBe('traced')
    expect(nameOf(suspect, traced(cause('traced', 'pr-suspect')))).toBe('traced')
    expect(nameOf(cause('first', 'unknown'), cause('second', 'unknown'))).toBe('first')
  })
})

describe('one failure', () => {
  test.each<[Classification, string]>([
    ['chronic', 'accounted-for'],
    ['flaky', 'accounted-for'],
    ['broken-trunk', 'accounted-for'],
    ['infrastructure', 'accounted-for'],
    ['mass-failure', 'accounted-for'],
    ['pr-suspect', 'may-be-yours'],
  ])('%s: %s', (classification, expected) => {
    expect(states(['Stress'], [judged('Stress', classification)])).toEqual([expected])
  })

  test('unknown for lack of data may be yours; for lack of an answer it is not known', () => {
    expect(states(['Stress'], [judged('Stress', 'unknown', TOO_FEW)])).toEqual(['may-be-yours'])
    expect(states(['Stress'], [judged('Stress', 'unknown', NOTHING_SAID)])).toEqual(['may-be-yours'])
    expect(states(['Stress'], [judged('Stress', 'unknown', LOOKUP_FAILED)])).toEqual(['not-known'])
    // It says why its numbers are missing, and is decided without them.
    expect(states(['Stress'], [judged('Stress', 'pr-suspect', LOOKUP_FAILED)])).toEqual(['may-be-yours'])
  })
})

test('fallout is what its own cause is, and yours without one', () => {
  const chronic = judged('a', 'chronic', {}, 'crash')
  const fallout = (causedBy: string, name = 'hung') => judged('a', 'fallout', { causedBy }, name)
  expect(states(['a'], [chronic, fallout('crash')])).toEqual(['accounted-for'])
  expect(states(['a'], [chronic, fallout('another crash')])).toEqual(['may-be-yours'])
  // The cause may have followed from something itself at another try.
  expect(states(['a'], [fallout('crash', 'crash'), chronic])).toEqual(['accounted-for'])
})

test('unknown is never accounted for, whatever else stands in the check or beside it', () => {
  const classifications: readonly Classification[] = [
    'chronic',
    'flaky',
    'fallout',
    'infrastructure',
    'broken-trunk',
    'mass-failure',
    'rollup',
    'pr-suspect',
    'unknown',
  ]
  const one = fc
    .record({
      checkName: fc.constantFrom('Stress', 'Fast test'),
      classification: fc.constantFrom(...classifications),
      reasons: fc.constantFrom(LOOKUP_FAILED, TOO_FEW, NOTHING_SAID),
      testName: fc.constantFrom('a', 'b', ''),
      causedBy: fc.constantFrom('a', 'b', 'gone'),
    })
    .map(({ checkName, classification, reasons, testName, causedBy }) =>
      judged(checkName, classification, { ...reasons, causedBy }, testName),
    )
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), (all) => {
      const of = judged('Stress', 'unknown', NOTHING_SAID, 'unknown')
      expect(states(['Stress', 'PR'], [...all, of])).toEqual(['may-be-yours', 'may-be-yours'])
      const notLookedUp = judged('Stress', 'unknown', LOOKUP_FAILED, 'unknown')
      for (const state of states(['Stress', 'PR'], [...all, notLookedUp])) expect(state).not.toBe('accounted-for')
    }),
  )
})

test('names and addresses stay, in their order', () => {
  const red = [
    { name: 'b', url: 'https://example.com/b' },
    { name: 'a', url: null },
  ]
  expect(redChecksOf(red, [judged('a', 'chronic')], NAMES)).toEqual([
    { ...red[0], state: 'not-known' },
    { ...red[1], state: 'accounted-for' },
  ])
})

test('the worst of several failures decides', () => {
  const chronic = judged('Stress', 'chronic')
  const lookup = judged('Stress', 'unknown', LOOKUP_FAILED)
  const suspect = judged('Stress', 'pr-suspect')
  expect(states(['Stress'], [chronic, lookup])).toEqual(['not-known'])
  expect(states(['Stress'], [chronic, lookup, suspect])).toEqual(['may-be-yours'])
  expect(states(['Stress'], [chronic, judged('Other', 'pr-suspect')])).toEqual(['accounted-for'])
})

test('fallout is what its cause is', () => {
  const fallout = judged('Stress', 'fallout', { causedBy: 'crash' }, 'Check failed')
  const cause = (classification: Classification) => judged('Stress', classification, {}, 'crash')
  expect(states(['Stress'], [fallout, cause('chronic')])).toEqual(['accounted-for'])
  expect(states(['Stress'], [fallout, cause('pr-suspect')])).toEqual(['may-be-yours'])
  // The cause of the same name in another check excuses nothing.
  expect(states(['Stress'], [fallout, judged('Other', 'chronic', {}, 'crash')])).toEqual(['may-be-yours'])
})

describe('a check that sums up others', () => {
  test('is accounted for when every other red check is, and there is one', () => {
    expect(states(['PR', 'Stress', 'Mergeable Check'], [judged('Stress', 'chronic')])).toEqual([
      'accounted-for',
      'accounted-for',
      'accounted-for',
    ])
    expect(states(['PR', 'Mergeable Check'], [])).toEqual(['not-known', 'not-known'])
  })

  test('may be yours when another may be, and is not known when another is not', () => {
    const chronic = judged('Stress', 'chronic')
    expect(states(['PR', 'Stress', 'Fast test'], [chronic, judged('Fast test', 'pr-suspect')])[0]).toBe('may-be-yours')
    expect(states(['PR', 'Stress', 'Fast test'], [chronic])[0]).toBe('not-known')
  })

  test('its own failure says nothing', () => {
    expect(states(['PR', 'Stress'], [judged('PR', 'rollup'), judged('Stress', 'chronic')])).toEqual([
      'accounted-for',
      'accounted-for',
    ])
    expect(states(['PR'], [judged('PR', 'rollup')])).toEqual(['not-known'])
  })
})

test('nothing is accounted for where failing tests were not judged', () => {
  expect(states(['PR', 'Stress'], [judged('Stress', 'chronic')], 1)).toEqual(['not-known', 'not-known'])
  expect(states(['PR', 'Stress'], [judged('Stress', 'pr-suspect')], 1)).toEqual(['may-be-yours', 'may-be-yours'])
})

test('there may be no red check', () => {
  expect(states([], [judged('Stress', 'chronic')])).toEqual([])
})
