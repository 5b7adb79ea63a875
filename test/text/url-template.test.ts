import { describe, expect, test } from 'vitest'
import { fillTemplate, normalizeCheckName, placeholdersOf } from '../../src/text/url-template.ts'

describe('normalizeCheckName', () => {
  test.each([
    ['Performance Comparison (amd_release, master_head, 6/6)', 'performance_comparison_amd_release_master_head_6_6'],
    ['PR', 'pr'],
    ['Mergeable Check', 'mergeable_check'],
    ['../..', ''],
    ['_a__b_', '_a_b'],
  ])('%j is %j', (name, normalized) => {
    expect(normalizeCheckName(name)).toBe(normalized)
  })
})

describe('fillTemplate', () => {
  test('gives the address that ClickHouse publishes at', () => {
    expect(
      fillTemplate('https://s3.amazonaws.com/clickhouse-test-reports/PRs/{pr}/{sha}/{workflow}/{check}/logs.tar.zst', {
        pr: '115466',
        sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
        workflow: 'PR',
        check: 'Performance Comparison (amd_release, master_head, 6/6)',
      }),
    ).toBe(
      'https://s3.amazonaws.com/clickhouse-test-reports/PRs/115466/ec26c3e57ca3a959ca5aad62de7213c562f8c821/pr/performance_comparison_amd_release_master_head_6_6/logs.tar.zst',
    )
  })

  test('a value adds nothing to path or query, and is not filled in again', () => {
    expect(fillTemplate('https://x.org/{test}?q={query}', { test: '../a b/{query}', query: '1&2#\ud800' })).toBe(
      'https://x.org/..%2Fa%20b%2F%7Bquery%7D?q=1%262%23%EF%BF%BD',
    )
  })

  test('a placeholder without a value is an error that names it', () => {
    expect(() => fillTemplate('https://x.org/{test}', {})).toThrow('{test}')
    expect(() => fillTemplate('https://x.org/{toString}', {})).toThrow('{toString}')
  })

  test('placeholdersOf names them in order', () => {
    expect(placeholdersOf('https://x.org/{b}/{a}')).toEqual(['b', 'a'])
  })
})
