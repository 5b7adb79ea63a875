import { expect, test } from 'vitest'
import { shouldComment } from '../../src/report/should-comment.ts'
import { chronic, failingTests, fallout, notLookedUp, rollup, suspect } from '../render/failing-tests-builder.ts'
import { changed, quiet, report, row, shards } from '../render/report-builder.ts'

const slower = row('a', 1, [changed(1, 2)])
const rerun = row('a', 2, [changed(1, 2)], { verdict: 'needs-rerun' })
const noise = row('a', 3, [changed(1, 2)], { verdict: 'likely-noise' })
const faster = row('a', 4, [changed(2, 1)])
const partial = { shards: shards(12, 4) }
const none = { shards: shards(12, 0) }

test.each([
  ['a regression', report([slower]), 'post'],
  ['a regression in the first shards', report([slower], partial), 'post'],
  ['a row to rerun in the first shards', report([rerun], partial), 'post'],
  ['only faster, all in', report([faster]), 'post'],
  ['only faster, not all in', report([faster], partial), 'nothing'],
  ['only noise', report([noise]), 'nothing'],
  ['nothing', report(quiet(5)), 'nothing'],
  ['no shard yet', report([], none), 'nothing'],
] as const)('on-change, no comment yet: %s', (_, value, action) => {
  expect(shouldComment('on-change', false, value)).toBe(action)
})

const withTests = (failures: Parameters<typeof failingTests>[0], more = {}) =>
  report(quiet(5), { failingTests: failingTests(failures), ...more })
const known = chronic('a', 'check', [3, 3, 0])

test.each([
  ['a chronic one', withTests([known]), 'post'],
  ['one that may be the pull request’s', withTests([suspect('a', 'check')]), 'post'],
  ['one of them known', withTests([notLookedUp('a', 'check', 'too-slow'), known]), 'post'],
  ['not all shards in', withTests([known], partial), 'nothing'],
  ['none known', withTests([notLookedUp('a', 'check', 'unreachable')]), 'nothing'],
  ['only what follows from others', withTests([rollup('PR'), fallout('b', 'check', 'a')]), 'nothing'],
  ['none', withTests([]), 'nothing'],
] as const)('on-change, failing tests and nothing slower: %s', (_, value, action) => {
  expect(shouldComment('on-change', false, value)).toBe(action)
})

test('always posts with the first results', () => {
  expect(shouldComment('always', false, report(quiet(5), partial))).toBe('post')
  expect(shouldComment('always', false, report([], none))).toBe('nothing')
  expect(shouldComment('always', false, report([], { ...none, failingTests: failingTests([known]) }))).toBe('post')
})

test('a comment that exists is kept up to date, whatever is in the report', () => {
  for (const value of [report(quiet(5)), report([], none), report([slower])]) {
    expect(shouldComment('on-change', true, value)).toBe('edit')
    expect(shouldComment('always', true, value)).toBe('edit')
  }
})

test('never writes nothing', () => {
  expect(shouldComment('never', false, report([slower]))).toBe('nothing')
  expect(shouldComment('never', true, report([slower]))).toBe('nothing')
})
