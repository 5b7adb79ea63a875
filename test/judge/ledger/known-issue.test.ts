import { describe, expect, test } from 'vitest'
import {
  fixNamedIn,
  knownIssueOf,
  type OpenIssue,
  withMergedFix,
  withNamedFix,
} from '../../../src/judge/ledger/known-issue.ts'
import type { Signature } from '../../../src/judge/ledger/signature.ts'
import { computed } from '../../computing-time.ts'

const id = (text: string): Signature => ({ kind: 'stack-trace-id', text })
const output = (text: string): Signature => ({ kind: 'output', text })
const CHECK = 'Stress test (arm_tsan)'

const failure = (testName: string, signature: Signature = output('Error: boom'), checkName = CHECK) => ({
  testName,
  checkName,
  signature,
})
const issue = (number: number, title: string, body = ''): OpenIssue => ({
  number,
  title,
  body,
  url: `https://github.com/ClickHouse/ClickHouse/issues/${number}`,
  labels: ['testing'],
})
const matches = (one: ReturnType<typeof failure>, of: OpenIssue) => knownIssueOf(one, [of]) !== null

/** As ClickHouse's CI writes one. */
const AUTOMATIC = `_Important: This issue was automatically generated and is used by CI for matching failures. DO NOT modify the body content. DO NOT remove labels._

Test name: Logical error: 'state.column' (STID: 2508-3a62)
CI report: [AST fuzzer (arm_asan)](https://s3.amazonaws.com/clickhouse-test-reports/json.html?PR=95042&name_0=PR)
Failing test history: [cidb](https://play.clickhouse.com/play?user=play&run=1#V0lUSA==)

Test output:
`

describe('knownIssueOf', () => {
  test('says which it is', () => {
    const one = issue(95219, "Logical error: 'state.column' (STID: 2508-3a62)", AUTOMATIC)
    expect(knownIssueOf(failure("Logical error: 'state.column' (STID: 2508-3a62)", id('2508-3a62')), [one])).toEqual({
      number: 95219,
      title: one.title,
      url: one.url,
    })
    expect(knownIssueOf(failure('a_test_of_something'), [])).toBeNull()
  })

  test('the stack trace id, wherever it stands, as a whole', () => {
    const crash = failure('Segmentation fault', id('1486-3231'))
    expect(matches(crash, issue(1, 'Crash (STID: 1486-3231)'))).toBe(true)
    expect(matches(crash, issue(1, 'Crash', 'seen as 1486-3231, too'))).toBe(true)
    expect(matches(crash, issue(1, 'Crash', 'seen as STID: 1486-3231'))).toBe(true)
    expect(matches(crash, issue(1, 'Crash', '21486-3231 and 1486-32310 and 1486-3231-1'))).toBe(false)
    expect(matches(failure('x', output('1486-3231')), issue(1, 'Crash (STID: 1486-3231)'))).toBe(false)
    expect(matches(crash, issue(1, 'Crash', `${' '.repeat(20_000)}1486-3231`))).toBe(false)
  })

  test('an issue of another stack trace id is another case, even of the same test', () => {
    const name = '02265_column_ttl'
    expect(matches(failure(name, id('1486-3231')), issue(1, `${name} crashes (STID: 2508-38c6)`))).toBe(false)
    expect(matches(failure(name), issue(1, `${name} crashes (STID: 2508-38c6)`))).toBe(false)
  })

  test.each([
    ['the whole name', 'test_ttl/test.py::test_rows', 'test_ttl/test.py::test_rows', true],
    ['the end of it', 'tests/integration/test_ttl/test.py::test_rows', 'test_ttl/test.py::test_rows', true],
    ['the end of a longer word', 'tests/my_test_ttl/test.py::test_rows', 'test_ttl/test.py::test_rows', false],
    ['the beginning', 'test_ttl/test.py::test_rows_more', 'test_ttl/test.py::test_rows', false],
    ['all parameters', 'test_ttl/test.py::test_rows[disk-1]', 'test_ttl/test.py::test_rows', true],
    ['these parameters', 'test_ttl/test.py::test_rows[disk-1]', 'test_ttl/test.py::test_rows[disk-1]', true],
    ['other parameters', 'test_ttl/test.py::test_rows[disk-1]', 'test_ttl/test.py::test_rows[disk-2]', false],
    [
      'another random id',
      'test_ttl/test.py::test_rows[20012170-d418-f7af-25b7-501ac9c1ffef]',
      'test_ttl/test.py::test_rows[cd613e30-d8f1-6adf-91b7-584a2265b1f5]',
      true,
    ],
    ['the file', 'test_ttl/test.py::test_rows[disk-1]', 'test_ttl/test.py', true],
    ['a short one', 'test', 'test', true],
    ['a short end', 'suite/test', 'test', false],
    ['a generic one', 'Check failed', 'Check failed', true],
    ['a generic end', 'Server: Check failed', 'Check failed', false],
    ['in a code span', '02265_column_ttl', '`02265_column_ttl`', true],
    ['nothing', '02265_column_ttl', '', false],
  ])('the field "Test name:" with %s', (_what, name, field, expected) => {
    expect(matches(failure(name), issue(1, 'A title', `Some words\n\nTest name: ${field}\nand more`))).toBe(expected)
    expect(matches(failure(name), issue(1, 'A title', `**Test name:** ${field}\r\nand more`))).toBe(expected)
  })

  test('the field "Failure reason:" must fit, as it stands or without its numbers', () => {
    const timeout = failure('02265_column_ttl', output('Timeout exceeded: elapsed DURATION\nat …/a.sql'))
    const withReason = (reason: string) => issue(1, 'A title', `Test name: 02265_column_ttl\nFailure reason: ${reason}`)
    expect(matches(timeout, withReason('Timeout exceeded'))).toBe(true)
    expect(matches(timeout, withReason('Timeout exceeded: elapsed 1.5 seconds'))).toBe(true)
    expect(matches(timeout, withReason('Connection refused'))).toBe(false)
    const wrong = failure('02265_column_ttl', output('assert 5 == 7 at N'))
    expect(matches(wrong, withReason('assert 5 == 7 at 0x7f01'))).toBe(true)
    expect(matches(wrong, withReason('assert 5 == 8'))).toBe(false)
    expect(matches(failure('02265_column_ttl', { kind: 'name', text: '' }), withReason('Timeout exceeded'))).toBe(false)
    expect(matches(failure('02265_column_ttl'), withReason('column_ttl'))).toBe(true)
  })

  test.each([
    ['Flaky test: 02265_column_ttl', true],
    ['Flaky test 02265_column_ttl', true],
    ['`02265_column_ttl` is flaky', true],
    ['02265_column_ttl.sql is flaky', true],
    ['02265_column_ttl_more is flaky', false],
    ['x02265_column_ttl is flaky', false],
    ['column_ttl is flaky', false],
    ['02265_COLUMN_TTL is flaky', false],
    ['02265_column_ttl::other is flaky', false],
    ['02265_column_ttl[x] is flaky', false],
    ['Flaky test: ttl', false],
    ['Failing test: 02265_column_ttl', true],
    ['Broken on the trunk: 02265_column_ttl', true],
    ['Broken on the main branch: 02265_column_ttl', true],
  ])('the title %s', (title, expected) => {
    expect(matches(failure('02265_column_ttl'), issue(1, title))).toBe(expected)
  })

  test('a short or generic name in a title is none', () => {
    expect(matches(failure('Check failed'), issue(1, 'Check failed on arm'))).toBe(false)
    expect(matches(failure('test'), issue(1, 'Flaky test: test'))).toBe(false)
    expect(matches(failure('rows'), issue(1, 'wrong rows'))).toBe(false)
  })

  test('a field that names another test beats a title that names this one', () => {
    expect(
      matches(failure('02265_column_ttl'), issue(1, '02265_column_ttl and others', 'Test name: 00001_select')),
    ).toBe(false)
  })

  test('a check that failed without a test is known by a field or by the form of the title', () => {
    const job = failure('', output('disk full'))
    expect(matches(job, issue(1, `Crash in ${CHECK}`))).toBe(false)
    expect(matches(job, issue(1, `Flaky test: ${CHECK}`))).toBe(true)
    expect(matches(job, issue(1, `Failing check: ${CHECK}`))).toBe(true)
    expect(matches(job, issue(1, 'x', `Test name: ${CHECK}`))).toBe(true)
    expect(knownIssueOf(failure('', output(''), ''), [issue(1, 'x', 'Test name: '), issue(2, '')])).toBeNull()
  })

  test('of several the one with the signature, then the newest', () => {
    const one = failure('02265_column_ttl', id('1486-3231'))
    const byName = issue(30, '02265_column_ttl is flaky')
    const newer = issue(40, '02265_column_ttl is flaky again')
    const byId = issue(10, 'Crash (STID: 1486-3231)')
    expect(knownIssueOf(one, [byName, newer, byId])?.number).toBe(10)
    expect(knownIssueOf(one, [newer, byName])?.number).toBe(40)
  })

  test('hostile issues are answered at once', () => {
    const started = computed()
    const name = 'a'.repeat(900) + 'b'
    for (const body of [
      'Test name: '.repeat(2000),
      '`'.repeat(20_000),
      '*'.repeat(20_000),
      'a'.repeat(20_000),
      ' '.repeat(20_000),
      '\n'.repeat(20_000),
    ]) {
      knownIssueOf(failure(name, id('1486-3231')), [issue(1, body, body), issue(2, 'Flaky test: '.repeat(1000), body)])
    }
    expect(computed() - started).toBeLessThan(1000)
  })

  test('hundreds of failures are looked up in a thousand issues at once, whatever these hold', () => {
    const failures = Array.from({ length: 500 }, (_, at) => [
      failure(`crash_${at}`, id(`2508-${(at + 4096).toString(16)}`)),
      failure(`test_${at}/test.py::test_of_rows[${at}]`, output(`Error: boom ${at}`)),
    ]).flat()
    const bodies: readonly ((at: number) => string)[] = [
      () => 'lorem ipsum 2508- '.repeat(1100),
      (at) => `Test name: test_${at}/test.py::test_of_rows\nFailure reason: Error: boo ${at}\n${'x'.repeat(20_000)}`,
      (at) => `Test name: test_of_rows\nFailure reason: ${'a'.repeat(300)}${at}`,
      () => 'test name\n'.repeat(2000),
      () => `${' '.repeat(17)}\n`.repeat(1100),
      (at) => Array.from({ length: 2000 }, (_, n) => `2508-${(n + at + 9000).toString(16)}`).join(' '),
    ]
    for (const body of bodies) {
      const issues = Array.from({ length: 1000 }, (_, at) => issue(at, `test_of ${'rows '.repeat(40)}`, body(at)))
      const started = computed()
      for (const one of failures) knownIssueOf(one, issues)
      // A quarter of that on an idle machine; when each failure read each issue it took 20 seconds.
      expect(computed() - started).toBeLessThan(1000)
    }
  })
})

describe('the pull request that fixed it', () => {
  test.each([
    ['Fixed by #123.', 123],
    ['It was fixed in PR #123, see there', 123],
    ['fixed with https://github.com/acme/engine/pull/123/files', 123],
    ['Fixed by #123\nfixed by #123', 123],
    ['see #123', null],
    ['not fixed by #123', null],
    ["isn't fixed by #123", null],
    ['will be fixed by #123', null],
    ['unfixed by #123', null],
    ['fixed in acme/parser#123', null],
    ['fixed in https://github.com/acme/parser/pull/123', null],
    ['fixed in https://github.com/acme/engine/issues/123', null],
    ['fixed by 1a2b3c', null],
    ['fixed by #123 and fixed by #124', null],
    ['fixed by #0', null],
    [`${' '.repeat(20_000)}fixed by #123`, null],
  ])('%s: %s', (text, expected) => {
    expect(fixNamedIn(text, 'Acme/Engine')).toBe(expected)
  })

  test('is told with who says so, in what passes on the trunk again, and nowhere else', () => {
    const fixed = { kind: 'fixed-on-trunk', since: 1, runs: 41, buildIsOlder: false } as const
    const by = { reason: 'fixed by #9', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
    const declared = { kind: 'declared-chronic', by, issue: null } as const
    const of = issue(5, 'Flaky test: x', 'Fixed by #7')
    const fix = (pullRequestNumber: number, saidIn: 'issue' | 'declaration') => ({
      ...fixed,
      fix: { pullRequestNumber, saidIn },
    })
    expect(withNamedFix([fixed], of, 'acme/engine')).toEqual([fix(7, 'issue')])
    expect(withNamedFix([declared, fixed], of, 'acme/engine')).toEqual([declared, fix(9, 'declaration')])
    expect(withNamedFix([fixed], undefined, 'acme/engine')).toEqual([fixed])
    expect(withNamedFix([declared], of, 'acme/engine')).toEqual([declared])
  })

  test('is the pull request whose title has the name of the test, the last one merged before the trunk passed', () => {
    const fixed = { kind: 'fixed-on-trunk', since: 100, runs: 41, buildIsOlder: false } as const
    const commit = (title: string, pullRequestNumber: number | null, time: number) => ({
      title,
      pullRequestNumber,
      time,
    })
    const named = (...commits: ReturnType<typeof commit>[]) => {
      const [reason] = withMergedFix([fixed], failure('02345_join_algorithms'), commits)
      return reason!.kind === 'fixed-on-trunk' ? (reason.fix ?? null) : null
    }
    expect(named(commit('Fix 02345_join_algorithms (#7)', 7, 50))).toEqual({ pullRequestNumber: 7, saidIn: 'commit' })
    expect(
      named(commit('Fix 02345_join_algorithms', 7, 50), commit('Mend 02345_join_algorithms again', 8, 100)),
    ).toEqual({
      pullRequestNumber: 8,
      saidIn: 'commit',
    })
    // merged after the trunk passed, of no pull request, of a longer name
    expect(named(commit('Fix 02345_join_algorithms', 7, 101))).toBeNull()
    expect(named(commit('Fix 02345_join_algorithms', null, 50))).toBeNull()
    expect(named(commit('Fix 02345_join_algorithms_long', 7, 50))).toBeNull()
    // it names the test for something else
    for (const title of [
      'Revert "Fix 02345_join_algorithms"',
      'Mark 02345_join_algorithms as flaky',
      'Add 02345_join_algorithms',
      'tests: skip 02345_join_algorithms',
    ]) {
      expect([title, named(commit(title, 7, 50))]).toEqual([title, null])
    }
    const said = { ...fixed, fix: { pullRequestNumber: 3, saidIn: 'issue' } } as const
    expect(
      withMergedFix([said], failure('02345_join_algorithms'), [commit('Fix 02345_join_algorithms', 7, 50)]),
    ).toEqual([said])
    const flaky = { kind: 'matched-by-name' } as const
    expect(
      withMergedFix([flaky], failure('02345_join_algorithms'), [commit('Fix 02345_join_algorithms', 7, 50)]),
    ).toEqual([flaky])
  })

  test('takes no time of hostile texts', () => {
    const started = computed()
    expect(fixNamedIn('fixed by the PR https://'.repeat(2000), 'a/b')).toBeNull()
    expect(fixNamedIn(`fixed by https://${'a/'.repeat(10_000)}`, 'a/b')).toBeNull()
    expect(computed() - started).toBeLessThan(200)
  })
})
