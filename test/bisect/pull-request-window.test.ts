import { expect, test } from 'vitest'
import { pullRequestWindow } from '../../src/bisect/pull-request-window.ts'
import { pullRequestOfTitle } from '../../src/text/commit-title.ts'
import { windowCommit } from './series-builder.ts'

const commits = [
  windowCommit(1, ['src/Processors/MergeSorter.cpp']),
  windowCommit(2, ['docs/en/index.md']),
  windowCommit(3, null),
  windowCommit(4, ['src/Interpreters/Aggregator.cpp', 'src/Interpreters/Aggregator.h']),
  windowCommit(5, ['tests/queries/0_stateless/1.sql']),
]

test('which commits touch files on the query’s path', () => {
  const found = pullRequestWindow(commits, ['src/Interpreters/Aggregator.cpp', 'src/Core/Block.cpp'])
  expect(found.functional).toEqual([commits[0], commits[2], commits[3]])
  expect(found).toMatchObject({ setAside: 2, steps: 2, middle: commits[0]!.sha, filesUnknown: 1 })
  expect(found.onPath).toEqual([commits[3]])
})

test('unknown paths are said to be unknown, and are not none', () => {
  expect(pullRequestWindow(commits, null).onPath).toBeNull()
  expect(pullRequestWindow(commits, []).onPath).toEqual([])
})

test('a pull request of one commit, or of none', () => {
  expect(pullRequestWindow(commits.slice(0, 1), null)).toMatchObject({ steps: 0, middle: null, setAside: 0 })
  expect(pullRequestWindow([], null)).toMatchObject({ functional: [], steps: 0, middle: null })
})

test('the pull request that a title names', () => {
  expect(pullRequestOfTitle('perf: fix reserve in MergeSorter (#100963)')).toBe(100_963)
  expect(pullRequestOfTitle('Merge pull request #105588 from somebody/branch')).toBe(105_588)
  expect(pullRequestOfTitle('Backport #1 to 26.3: a (#2)')).toBe(2)
  for (const title of [
    'Fix #12',
    'Revert (#12) again',
    'Merge pull request #x from y',
    '(#0)',
    '(#99999999999)',
    '',
    'a (#4294967296)',
  ]) {
    expect(pullRequestOfTitle(title), title).toBeNull()
  }
})
