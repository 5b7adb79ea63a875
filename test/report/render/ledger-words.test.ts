import { describe, expect, test } from 'vitest'
import { CLASSIFICATIONS, type Reason } from '../../../src/judge/ledger/failure.ts'
import { classificationWords, countsWords, reasonWords } from '../../../src/report/render/ledger-words.ts'
import { definitionOf } from '../../../src/web/kit/glossary.ts'
import { TRUNK_BAD, TRUNK_GOOD } from './failing-tests-builder.ts'

test('counts as a maintainer writes them', () => {
  const counts = (unrelatedPullRequests: number, hits: number, trunkHits: number) =>
    countsWords({ unrelatedPullRequests, hits, trunkHits }, 30)
  expect(counts(7, 8, 0)).toBe('7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days')
  expect(counts(1, 1, 1)).toBe('1 unrelated pull request, 1 hit, 1 on the main branch in 30 days')
  expect(counts(212, 3400, 61)).toBe('212 unrelated pull requests, 3,400 hits, 61 on the main branch in 30 days')
  expect(countsWords({ unrelatedPullRequests: 2, hits: 2, trunkHits: 0 }, 1)).toMatch(/in 1 day$/)
  expect(countsWords({ unrelatedPullRequests: null, hits: null, trunkHits: null }, 30)).toBe('not counted')
})

test('each classification has a word of its own, which the glossary explains', () => {
  const words = CLASSIFICATIONS.map(classificationWords)
  expect(new Set(words).size).toBe(words.length)
  for (const one of words) expect(definitionOf(one), one).not.toBeNull()
})

const SAID: readonly (readonly [Reason, string])[] = [
  [{ kind: 'sums-up-others' }, 'only sums up other checks'],
  [{ kind: 'no-test-failed', problem: null }, 'the check failed without a failing test'],
  [{ kind: 'no-test-failed', problem: 'disk-full' }, 'no test failed: the disk was full'],
  [{ kind: 'follows-from', testName: 'a\nb' }, 'follows from a b in the same job'],
  [{ kind: 'test-changed', path: 'tests/a.sql', added: true }, 'new in this pull request (tests/a.sql)'],
  [{ kind: 'test-changed', path: 'tests/a.sql', added: false }, 'edited in this pull request (tests/a.sql)'],
  [
    { kind: 'in-mass-failure', tests: 41, pullRequests: 12, start: Date.UTC(2026, 5, 24, 10, 30) },
    'one of 41 tests that failed in 12 pull requests within the hour from 2026-06-24 10:30 UTC',
  ],
  [{ kind: 'failed-at-merge-base', commitSha: TRUNK_BAD }, 'also failed at the merge base e02d9c1'],
  [
    { kind: 'latest-trunk-runs-failed', commits: [TRUNK_BAD, TRUNK_GOOD, 'x', 'y'] },
    'failed in the latest 4 runs of this check on the main branch (e02d9c1, 7d3e8a1, x and 1 more)',
  ],
  [
    { kind: 'unrelated-pull-requests', pullRequests: 7, needed: 3 },
    'failed in 7 unrelated pull requests; 3 make it chronic',
  ],
  [
    { kind: 'trunk-hits', hits: 61, days: 12, needed: 2 },
    'failed 61 times on the main branch, on 12 different days; 2 days make it chronic',
  ],
  [
    { kind: 'trunk-hits', hits: 1, days: 1, needed: 1 },
    'failed once on the main branch, on 1 day; 1 day makes it chronic',
  ],
  [{ kind: 'passed-on-same-commit', commits: 1, example: TRUNK_BAD }, 'both failed and passed on e02d9c1'],
  [
    { kind: 'passed-on-same-commit', commits: 3, example: TRUNK_BAD },
    'both failed and passed on each of 3 commits, such as e02d9c1',
  ],
  [
    { kind: 'never-elsewhere', of: 'test', runs: 812, chance: 0.95 ** 812, rate: 0.05 },
    '0 of 812 executions elsewhere had this error; if it failed even 1 time in 20, we would have seen it (chance to miss it: below 0.01%)',
  ],
  [
    { kind: 'never-elsewhere', of: 'test', runs: 64, chance: 0.95 ** 64, rate: 0.05 },
    '0 of 64 executions elsewhere had this error; if it failed even 1 time in 20, we would have seen it (chance to miss it: 3.8%)',
  ],
  [{ kind: 'too-few-runs', runs: 12, needed: 59 }, 'not seen in 12 executions elsewhere, but it takes 59 to be sure'],
  [
    { kind: 'too-few-runs', runs: 0, needed: 59 },
    'no execution elsewhere is known in that time; 59 without a failure would settle it',
  ],
  [
    { kind: 'too-few-hits', pullRequests: 1, trunkHits: 0 },
    'too few hits to call it chronic: 1 unrelated pull request, 0 on the main branch',
  ],
  [
    { kind: 'nothing-said', of: 'check', pullRequests: 3 },
    'nothing says why this check failed, and each of the 3 other pull requests in which it was red may have its own reason',
  ],
  [
    { kind: 'nothing-said', of: 'check', pullRequests: 1 },
    'nothing says why this check failed, and the other pull request in which it was red may have its own reason',
  ],
  [{ kind: 'nothing-said', of: 'check', pullRequests: 0 }, 'nothing says why this check failed'],
  [
    { kind: 'nothing-said', of: 'test', pullRequests: 2 },
    'nothing says why this test failed, and each of the 2 other pull requests in which it was red may have its own reason',
  ],
  [
    { kind: 'other-signature', hits: 12, pullRequests: 5 },
    'failed elsewhere with another error (12 times, in 5 pull requests)',
  ],
  [{ kind: 'other-signature', hits: 1, pullRequests: 0 }, 'failed elsewhere with another error (1 time)'],
  [
    { kind: 'same-stack', hits: 3, pullRequests: 2 },
    'the same stack with a different message elsewhere (3 times, in 2 pull requests), so neither chronic nor new',
  ],
  [{ kind: 'matched-by-name' }, 'no output to compare, so counted by name alone'],
  [{ kind: 'mass-failures-left-out', hits: 31, hours: 1 }, '31 failures in 1 hour of mass failure not counted'],
  [{ kind: 'passed-on-retry' }, 'passed when the same job ran it again'],
  [{ kind: 'more-not-read', hits: 1200 }, '1,200 older failures were not read, so the counts are too low'],
  [
    { kind: 'fixed-on-trunk', since: Date.UTC(2026, 8, 19), runs: 41, buildIsOlder: false },
    'has passed on the main branch since Sep 19 (41 runs): update the branch',
  ],
  [
    {
      kind: 'fixed-on-trunk',
      since: Date.UTC(2026, 8, 19),
      runs: 41,
      buildIsOlder: true,
      fix: { pullRequestNumber: 123, saidIn: 'issue' },
    },
    'has passed on the main branch since Sep 19 (41 runs): this build predates that, so update the branch (its issue names #123 as the fix)',
  ],
  [
    {
      kind: 'fixed-on-trunk',
      since: Date.UTC(2026, 8, 19),
      runs: 41,
      buildIsOlder: false,
      fix: { pullRequestNumber: 9, saidIn: 'declaration' },
    },
    'has passed on the main branch since Sep 19 (41 runs): update the branch (who declared it names #9 as the fix)',
  ],
  [
    {
      kind: 'fixed-on-trunk',
      since: Date.UTC(2026, 8, 19),
      runs: 41,
      buildIsOlder: false,
      fix: { pullRequestNumber: 77, saidIn: 'commit' },
    },
    'has passed on the main branch since Sep 19 (41 runs): update the branch (#77, merged in between, names it)',
  ],
  [{ kind: 'clock-ahead' }, 'its time is in the future, so a clock is wrong'],
  [{ kind: 'lookup-failed', problem: 'access-denied' }, 'not looked up: the CI results database denies access'],
]

describe('every reason is said with its numbers', () => {
  test.each(SAID)('%o', (reason, words) => {
    expect(reasonWords(reason).replaceAll('\u00a0', ' ')).toBe(words)
  })

  test('on one line, whatever stands in it', () => {
    for (const testName of ['a\n\u202eb', '\u0000', 'x'.repeat(1_000_000)]) {
      const said = reasonWords({ kind: 'follows-from', testName })
      expect(said).not.toMatch(/\p{Cc}|\p{Cf}/u)
      expect(said.length).toBeLessThan(220)
    }
  })
})
