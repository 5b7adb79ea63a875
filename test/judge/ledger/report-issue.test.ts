import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Failure, Hit, JudgedFailure } from '../../../src/judge/ledger/failure.ts'
import { knownIssueOf } from '../../../src/judge/ledger/known-issue.ts'
import { LONGEST_ADDRESS, reportIssueUrl } from '../../../src/judge/ledger/report-issue.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { failure as ordinaryFailure } from './values.ts'

const REPOSITORY = 'https://github.com/ClickHouse/ClickHouse'

const hit = (changes: Partial<Hit> = {}): Hit => ({
  pullRequestNumber: 105_588,
  commitSha: 'c'.repeat(40),
  checkName: 'Stress test (arm_tsan)',
  time: Date.UTC(2026, 4, 28, 3),
  reportUrl: 'https://s3.example.com/json.html?PR=105588&name_0=PR',
  ...changes,
})

const judged = (changes: Partial<JudgedFailure> = {}, failure: Partial<Failure> = {}): JudgedFailure => ({
  failure: ordinaryFailure({ testName: '02265_column_ttl', checkName: 'Stress test (arm_tsan)', ...failure }),
  classification: 'chronic',
  unrelatedPullRequests: 7,
  hits: 8,
  trunkHits: 0,
  runs: 100,
  trunkRate: null,
  firstSeen: null,
  lastSeen: null,
  lastTrunkPass: null,
  firstBadTrunkCommit: null,
  reasons: [],
  causedBy: null,
  examples: [hit()],
  issue: null,
  proofUrl: null,
  owner: null,
  ...changes,
})

const OPTIONS = { labels: ['testing', 'flaky test'], lookbackDays: 30 }
const formOf = (one: JudgedFailure, options = OPTIONS) => {
  const address = reportIssueUrl(REPOSITORY, one, options)
  const url = new URL(address)
  return {
    address,
    title: url.searchParams.get('title')!,
    body: url.searchParams.get('body')!,
    labels: url.searchParams.get('labels'),
  }
}

describe('reportIssueUrl', () => {
  test('fills in what a maintainer would write', () => {
    const signature = { kind: 'output', text: 'Error: Timeout exceeded: elapsed DURATION' } as const
    const { address, title, body, labels } = formOf(judged({}, { signature }))
    expect(
      address.startsWith(
        `${REPOSITORY}/issues/new?title=Flaky%20test%3A%2002265_column_ttl&labels=testing%2Cflaky%20test&body=`,
      ),
    ).toBe(true)
    expect(title).toBe('Flaky test: 02265_column_ttl')
    expect(labels).toBe('testing,flaky test')
    expect(body).toBe(`Test name: 02265_column_ttl
Failure reason: Error: Timeout exceeded: elapsed
Signature: \`Error: Timeout exceeded: elapsed DURATION\`
Check: \`Stress test (arm_tsan)\`
Statistics: 7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days

Examples:
- [\`Stress test (arm_tsan)\`](https://s3.example.com/json.html?PR=105588&name_0=PR), pull request 105588, 2026-05-28`)
  })

  test('one is one, and what is not known is said', () => {
    expect(
      formOf(judged({ unrelatedPullRequests: 1, hits: 1, trunkHits: 1 }), { ...OPTIONS, lookbackDays: 1 }).body,
    ).toContain('Statistics: 1 unrelated pull request, 1 hit, 1 on the main branch in 1 day\n')
    expect(formOf(judged({ hits: null, trunkHits: null, unrelatedPullRequests: null })).body).toContain(
      'Statistics: unknown\n',
    )
  })

  test('flaky is said only of what comes and goes', () => {
    const title = (changes: Partial<JudgedFailure>) => formOf(judged(changes)).title
    expect(title({ classification: 'flaky' })).toBe('Flaky test: 02265_column_ttl')
    expect(title({ classification: 'broken-trunk' })).toBe('Broken on the main branch: 02265_column_ttl')
    expect(title({ unrelatedPullRequests: 0, trunkHits: 8 })).toBe('Failing test: 02265_column_ttl')
    expect(title({ unrelatedPullRequests: 1, trunkHits: 7 })).toBe('Flaky test: 02265_column_ttl')
    expect(formOf(judged({ classification: 'broken-trunk' }, { testName: '' })).title).toBe(
      'Broken on the main branch: Stress test (arm_tsan)',
    )
  })

  test('a check without a test is named by itself, a failure without an output has no reason', () => {
    const { title, body } = formOf(
      judged(
        { examples: [hit({ pullRequestNumber: 0, reportUrl: '' })] },
        { testName: '', signature: { kind: 'name', text: '' } },
      ),
    )
    expect(title).toBe('Failing check: Stress test (arm_tsan)')
    expect(body).toBe(`Test name: Stress test (arm_tsan)
Statistics: 7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days

Examples:
- \`Stress test (arm_tsan)\`, trunk, 2026-05-28`)
  })

  test.each([
    ['@everybody', '`@everybody`'],
    ['see #1', '`see #1`'],
    ['gh-12', '`gh-12`'],
    ['https://evil.example', '`https://evil.example`'],
    ['www.evil.example', '`www.evil.example`'],
    ['[a](b)', '`[a](b)`'],
    ['_secret_', '`_secret_`'],
    ['<img src=x>', '`<img src=x>`'],
    ['a `b` c', '``a `b` c``'],
    ['`', '`` ` ``'],
    ['deadbeef1', '`deadbeef1`'],
    ["Logical error: 'state.column' (STID: 2508-3a62)", "Logical error: 'state.column' (STID: 2508-3a62)"],
    ['test_ttl/test.py::test_rows[disk-1]', 'test_ttl/test.py::test_rows[disk-1]'],
    ['a\nFailure reason: everything', 'a Failure reason: everything'],
    ['a\u2028b\u202ec\u0000', 'a bc'],
  ])('the name %j', (testName, shown) => {
    const { body } = formOf(judged({}, { testName }))
    expect(body.split('\n')[0]).toBe(`Test name: ${shown}`)
    expect(body.split('\n').filter((line) => line.startsWith('Failure reason:'))).toEqual([])
  })

  test('links of examples can only be links', () => {
    const { body } = formOf(
      judged({
        examples: [
          hit({ reportUrl: 'https://x.example/a)(b|c' }),
          hit({ reportUrl: 'javascript:alert(1)' }),
          hit({ reportUrl: 'https://user:secret@x.example/' }),
          hit({ checkName: 'a](https://evil.example) @all' }),
          hit({ time: Number.NaN }),
        ],
      }),
    )
    expect(body).toContain('](https://x.example/a%29%28b%7Cc)')
    expect(body).not.toContain('javascript')
    expect(body).not.toContain('secret')
    expect(body).toContain('[`a](https://evil.example) @all`](')
    expect(body.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(4)
  })

  test('what it fills in is found again as the known issue of the same failure', () => {
    const names = fc.oneof(
      fc.constantFrom(
        '02265_column_ttl',
        'test_ttl/test.py::test_rows[disk-1]',
        "Logical error: 'a' (STID: 2508-38c6)",
        '@everybody is here',
        'see #12345',
      ),
    )
    fc.assert(
      fc.property(names, fc.constantFrom('Error: Timeout exceeded: elapsed 12 s', '17', ''), (testName, text) => {
        const one = judged({}, { testName, signature: signatureOf(testName, text) })
        const { title, body } = formOf(one)
        const issue = { number: 1, url: 'https://x', title, body, labels: [] }
        const { checkName, signature } = one.failure
        expect(knownIssueOf({ testName, checkName, signature }, [issue])?.number).toBe(1)
      }),
    )
  })

  test('whatever the names hold: an address of bounded length that can be decoded, one line a field', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 400 }),
      fc.constantFrom('😀'.repeat(500), '\ud800x', '漢'.repeat(300), '`'.repeat(300)),
    )
    fc.assert(
      fc.property(text, text, text, fc.array(text, { maxLength: 5 }), (testName, checkName, signature, labels) => {
        const one = judged(
          { examples: [hit({ checkName, reportUrl: `https://x.example/${testName}` })] },
          { testName, checkName, signature: { kind: 'output', text: signature } },
        )
        const address = reportIssueUrl(REPOSITORY, one, { labels, lookbackDays: 30 })
        expect(address.length).toBeLessThanOrEqual(LONGEST_ADDRESS)
        for (const part of address.slice(address.indexOf('?') + 1).split('&'))
          expect(() => decodeURIComponent(part)).not.toThrow()
        const body = new URL(address).searchParams.get('body')!
        expect(body.split('\n').filter((line) => line.startsWith('Test name:'))).toHaveLength(1)
        expect(body).not.toMatch(/[^\P{Cc}\n]/u)
      }),
      { numRuns: 300 },
    )
  })
})
