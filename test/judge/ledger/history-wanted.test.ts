import { expect, test } from 'vitest'
import { historiesWanted, historyKey } from '../../../src/judge/ledger/history-wanted.ts'
import { failure, NOW } from './values.ts'

const own = ({ time }: { time: number }) => time

test('one history a test, with every check that it failed in', () => {
  const failures = [
    failure({ testName: 'b', checkName: 'Stateless (tsan)' }),
    failure({ testName: 'a', checkName: 'Stateless (tsan)' }),
    failure({ testName: 'b', checkName: 'Stateless (msan)' }),
    failure({ testName: 'b', checkName: 'Stateless (tsan)', status: 'ERROR' }),
  ]
  expect(historiesWanted(failures, own)).toEqual([
    { testName: 'b', checkName: null, failedIn: ['Stateless (tsan)', 'Stateless (msan)'], until: NOW },
    { testName: 'a', checkName: null, failedIn: ['Stateless (tsan)'], until: NOW },
  ])
})

test('two failures whose names differ in a random id have one history', () => {
  const name = (id: string) => `test_write[${id}-418c-f7af-25b7-501ac9c1ffef]`
  const failures = [
    failure({ testName: name('2001217a'), checkName: 'a' }),
    failure({ testName: name('cd613e30'), checkName: 'b' }),
    failure({ testName: 'test_write[utc]' }),
  ]
  expect(historiesWanted(failures, own).map(({ testName, failedIn }) => [testName, failedIn.length])).toEqual([
    [name('2001217a'), 2],
    ['test_write[utc]', 1],
  ])
})

test('another end of the lookback is another history; one end for all makes it one', () => {
  const failures = [failure(), failure({ checkName: 'later', time: NOW + 1000 })]
  expect(historiesWanted(failures, own).map(({ until }) => until)).toEqual([NOW, NOW + 1000])
  expect(historiesWanted(failures, () => NOW)).toHaveLength(1)
})

test('of checks that failed without a failing test each is its own', () => {
  const failures = [
    failure({ testName: '', checkName: 'Build (a)' }),
    failure({ testName: '', checkName: 'Build (b)' }),
  ]
  expect(historiesWanted(failures, own)).toEqual([
    { testName: '', checkName: 'Build (a)', failedIn: ['Build (a)'], until: NOW },
    { testName: '', checkName: 'Build (b)', failedIn: ['Build (b)'], until: NOW },
  ])
})

test('names with quotes, pipes and commas are told apart', () => {
  const keys = [
    ['a', 'b'],
    ['a","b', null],
    ['a|b', null],
    ['a', null],
    ['', 'a'],
    ['', '"a"'],
  ].map(([testName, checkName]) => historyKey({ testName: testName!, checkName: checkName! }, NOW))
  // The check of a test does not tell it apart, that of a job does.
  expect(new Set(keys).size).toBe(5)
})
