import { describe, expect, test } from 'vitest'
import type { Failure } from '../../../src/judge/ledger/failure.ts'
import { playLink } from '../../../src/store/checks/play-link.ts'

const PAGE = { url: 'https://play.example.org/play?user=play&run=1', table: 'default.checks' }
const FAILURE: Failure = {
  testName: '01234_some_test',
  checkName: 'Stateless tests (amd_debug)',
  status: 'FAIL',
  pullRequestNumber: 107306,
  commitSha: 'fe4258e0000000000000000000000000000000000',
  headRepo: 'dev/ClickHouse',
  headRef: 'fix',
  baseRef: 'master',
  baseRepo: 'ClickHouse/ClickHouse',
  time: Date.parse('2026-06-24T12:00:00Z'),
  signature: { kind: 'name', text: '' },
  passedOnRetry: false,
  reportUrl: '',
}

function statementOf(url: string | null): string {
  return Buffer.from(url!.split('#')[1]!, 'base64').toString()
}

describe('playLink', () => {
  test('holds a whole statement without parameters', () => {
    const url = playLink(PAGE, FAILURE, FAILURE.time, 30)
    expect(url).toMatch(/^https:\/\/play\.example\.org\/play\?user=play&run=1#[A-Za-z0-9+/]+=*$/)
    expect(statementOf(url)).toBe(
      [
        'SELECT',
        '    check_start_time,',
        '    pull_request_number,',
        '    head_ref,',
        '    commit_sha,',
        '    check_name,',
        '    test_status,',
        '    report_url,',
        '    substring(test_context_raw, 1, 300) AS output',
        'FROM `default`.`checks`',
        "WHERE test_name = '01234_some_test'",
        "  AND lower(test_status) IN ('fail', 'error', 'failure', 'failed')",
        '  AND pull_request_number != 107306',
        "  AND commit_sha != 'fe4258e0000000000000000000000000000000000'",
        "  AND NOT (pull_request_number > 0 AND head_ref != '' AND head_ref = 'fix' AND head_repo = 'dev/ClickHouse')",
        "  AND (base_repo IN ('', 'ClickHouse/ClickHouse') OR 'ClickHouse/ClickHouse' = '')",
        "  AND (pull_request_number > 0 OR head_repo IN ('', 'ClickHouse/ClickHouse') OR 'ClickHouse/ClickHouse' = '')",
        "  AND check_start_time > toDateTime('2026-05-25 12:00:00', 'UTC')",
        "  AND check_start_time <= toDateTime('2026-06-24 12:00:00', 'UTC')",
        'ORDER BY check_start_time DESC',
        'LIMIT 1000',
      ].join('\n'),
    )
  })

  test('asks for every name that is compared as this one', () => {
    const testName = 'test_write[20012170-d418-f7af-25b7-501ac9c1ffef]'
    expect(statementOf(playLink(PAGE, { ...FAILURE, testName }, FAILURE.time, 30))).toContain(
      String.raw`WHERE match(test_name, '^test_write\\[(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\\]$')`,
    )
  })

  test.each([
    ["it's a \\ test", "'it\\'s a \\\\ test'"],
    ["'; DROP TABLE checks; --", "'\\'; DROP TABLE checks; --'"],
    ['a {table:Identifier} b', "'a {table:Identifier} b'"],
    ['line\nbreak\r\0', "'line\\nbreak\\r\\0'"],
    ['日本語 | `x`', "'日本語 | `x`'"],
  ])('%j stays one literal', (testName, literal) => {
    expect(statementOf(playLink(PAGE, { ...FAILURE, testName }, FAILURE.time, 30))).toContain(
      `WHERE test_name = ${literal}\n`,
    )
  })

  test('a check that failed without a failing test has no name to ask for', () => {
    expect(playLink(PAGE, { ...FAILURE, testName: '' }, FAILURE.time, 30)).toBeNull()
  })
})
