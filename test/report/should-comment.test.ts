import { expect, test } from 'vitest'
import type { BisectWindow } from '../../src/judge/bisect/bisect-window.ts'
import { shouldComment } from '../../src/report/should-comment.ts'
import { chronic, failingTests, fallout, notLookedUp, rollup, suspect } from './render/failing-tests-builder.ts'
import { changed, quiet, report, row, shards, unstable } from './render/report-builder.ts'
import { WINDOW_STATES } from './render/window-states.ts'

const slower = row('a', 1, [changed(1, 2)])
const rerun = row('a', 2, [changed(1, 2)], { verdict: 'needs-rerun' })
const noise = row('a', 3, [changed(1, 2)], { verdict: 'likely-noise' })
const faster = row('a', 4, [changed(2, 1)])
const leaning = row('a', 5, [unstable(1, 1.2, { leans: { reason: 'one-repetition-overlaps' } })], {
  verdict: 'needs-rerun',
})
const partial = { shards: shards(12, 4) }
const none = { shards: shards(12, 0) }

test.each([
  ['a regression', report([slower]), 'post'],
  ['a regression in the first shards', report([slower], partial), 'post'],
  ['a row to rerun in the first shards', report([rerun], partial), 'post'],
  ['only faster, all in', report([faster]), 'post'],
  ['only faster, not all in', report([faster], partial), 'keep'],
  ['only noise', report([noise]), 'keep'],
  ['only a row that leans slower', report([leaning]), 'keep'],
  ['nothing', report(quiet(5)), 'keep'],
  ['no shard yet', report([], none), 'keep'],
] as const)('on-change, no comment yet: %s', (_, value, action) => {
  expect(shouldComment('on-change', value)).toBe(action)
})

const withTests = (failures: Parameters<typeof failingTests>[0], more = {}) =>
  report(quiet(5), { failingTests: failingTests(failures), ...more })
const known = chronic('a', 'check', [3, 3, 0])

test.each([
  ['a chronic one', withTests([known]), 'post'],
  ['one that may be the pull request’s', withTests([suspect('a', 'check')]), 'post'],
  ['one of them known', withTests([notLookedUp('a', 'check', 'too-slow'), known]), 'post'],
  ['not all shards in', withTests([known], partial), 'keep'],
  ['none known', withTests([notLookedUp('a', 'check', 'unreachable')]), 'keep'],
  ['only what follows from others', withTests([rollup('PR'), fallout('b', 'check', 'a')]), 'keep'],
  ['only what a person ignores', withTests([{ ...known, classification: 'ignored' }]), 'keep'],
  ['none', withTests([]), 'keep'],
] as const)('on-change, failing tests and nothing slower: %s', (_, value, action) => {
  expect(shouldComment('on-change', value)).toBe(action)
})

const accepted = { pullRequestNumber: 12, actor: 'maria', reason: '' }
const withWindow = (more: Partial<BisectWindow>, state = 'window-one-functional') => {
  const { report: value } = WINDOW_STATES[state]!
  const { queryName } = value.rows[0]!
  return { ...value, windows: value.windows.map((window) => ({ ...window, queryName, ...more })) }
}

test.each([
  ['a lasting step of its own query', withWindow({}), 'post'],
  ['without its commits', withWindow({}, 'window-commits-unknown'), 'post'],
  ['not all shards in', { ...withWindow({}), complete: false }, 'keep'],
  ['that was mended since', withWindow({}, 'window-fixed'), 'keep'],
  ['the main branch got faster', withWindow({}, 'window-faster'), 'keep'],
  ['that somebody accepted', withWindow({ acceptedIn: accepted }), 'keep'],
  ['of another query', withWindow({ queryName: 'SELECT 3' }), 'keep'],
  ['no window', { ...withWindow({}), windows: [] }, 'keep'],
] as const)('on-change, slower and on the main branch already: %s', (_, value, action) => {
  expect(shouldComment('on-change', value)).toBe(action)
})

test('always posts with the first results', () => {
  expect(shouldComment('always', report(quiet(5), partial))).toBe('post')
  expect(shouldComment('always', report([], none))).toBe('keep')
  expect(shouldComment('always', report([], { ...none, failingTests: failingTests([known]) }))).toBe('post')
})

test('a comment that exists is kept up to date, whatever is in the report', () => {
  for (const value of [report(quiet(5)), report([], none), report([slower])]) {
    expect(shouldComment('on-change', value)).not.toBe('never')
    expect(shouldComment('always', value)).not.toBe('never')
  }
})

test('never writes nothing', () => {
  expect(shouldComment('never', report([slower]))).toBe('never')
})
