import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts'
import type { QueryId } from '../../../src/intake/measurement/run.ts'
import { NO_ENTRIES, TestEntries, type TestEntry } from '../../../src/judge/verdict/test-entries.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'
import { HOSTILE } from '../../report/render/hostile.ts'

const TODAY = '2026-11-23'

function query(test: string, queryIndex: number | null = 0, queryName: string | null = 'SELECT 1'): QueryId {
  return { test, queryIndex, queryName }
}

function ignore(test: string, more: Partial<Extract<TestEntry, { kind: 'ignore' }>> = {}): TestEntry {
  return { kind: 'ignore', test, query: null, reason: 'waits for new disks', until: '2027-03-01', ...more }
}

function threshold(test: string, value: number, wanted: TestEntry['query'] = null): TestEntry {
  return { kind: 'threshold', test, query: wanted, threshold: value }
}

const on = (...entries: readonly TestEntry[]) => new TestEntries(entries, TODAY)

describe('the queries that an entry names', () => {
  test.each<[string, TestEntry, QueryId, boolean]>([
    ['the whole name of the test', ignore('sum'), query('sum', 7), true],
    ['no part of it', ignore('sum'), query('sum_distinct'), false],
    ['letters as they are', ignore('Sum'), query('sum'), false],
    ['a pattern', ignore('sum*'), query('sum_distinct'), true],
    ['the position', ignore('sum', { query: 3 }), query('sum', 3), true],
    ['no other position', ignore('sum', { query: 3 }), query('sum', 30), false],
    ['position 0', ignore('sum', { query: 0 }), query('sum', 1), false],
    ['no query without a position', ignore('sum', { query: 3 }), query('sum', null), false],
    ['the text', ignore('pkg', { query: 'BenchmarkSort' }), query('pkg', null, 'BenchmarkSort'), true],
    ['a pattern of the text', ignore('pkg', { query: 'Benchmark*' }), query('pkg', 4, 'BenchmarkSort'), true],
    ['no other text', ignore('pkg', { query: 'BenchmarkSort' }), query('pkg', null, 'BenchmarkSortStable'), false],
    ['no query without a text', ignore('pkg', { query: '*' }), query('pkg', 1, null), false],
  ])('%s', (_, entry, named, expected) => {
    expect(on(entry).ignoring(named) !== null).toBe(expected)
  })

  test('nothing is named by none', () => {
    expect(NO_ENTRIES.of(query('sum'))).toEqual({ entry: null, expired: [] })
  })
})

describe('the first that fits decides', () => {
  const [one, all] = [threshold('sum', 0.25, 3), ignore('*')]

  test('whichever says more', () => {
    expect(on(one, all).of(query('sum', 3)).entry).toBe(one)
    expect(on(one, all).thresholdOf(query('sum', 3))).toBe(0.25)
    expect(on(one, all).ignoring(query('sum', 3))).toBeNull()
    expect(on(one, all).of(query('sum', 4)).entry).toBe(all)
    expect(on(all, one).of(query('sum', 3)).entry).toBe(all)
    expect(on(all, one).thresholdOf(query('sum', 3))).toBeNull()
  })

  test('an entry holds on its last day, and is passed over and said from the next on', () => {
    const last = ignore('sum', { until: TODAY })
    const over = ignore('sum', { until: '2026-11-22' })
    expect(on(last).of(query('sum'))).toEqual({ entry: last, expired: [] })
    expect(on(over).of(query('sum'))).toEqual({ entry: null, expired: [over] })
    expect(on(over, one, all).of(query('sum', 3))).toEqual({ entry: one, expired: [over] })
    expect(on(over).of(query('uniq'))).toEqual({ entry: null, expired: [] })
    // Behind the one that decides an entry would not have counted.
    expect(on(all, over).of(query('sum'))).toEqual({ entry: all, expired: [] })
  })
})

describe('hostile names', () => {
  test('a pattern is text, not an expression', () => {
    for (const name of HOSTILE.filter((text) => text !== '')) {
      expect(on(ignore('(a+)+$')).ignoring(query(name))).toBeNull()
      expect(on(ignore('*')).ignoring(query(name, null, name))).not.toBeNull()
    }
    expect(on(ignore('__proto__')).ignoring(query('constructor'))).toBeNull()
    expect(on(ignore('__proto__')).ignoring(query('__proto__'))).not.toBeNull()
  })

  test('whatever the file has is refused by it or can be asked for any query', () => {
    const word = fc.string({ unit: anyCodePoint, maxLength: 40 })
    const entries = fc.array(
      fc.record({
        test: word,
        query: fc.option(fc.oneof(word, fc.integer()), { nil: undefined }),
        threshold: fc.double(),
      }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(entries, word, fc.option(word), (written, name, text) => {
        const { config } = parseRepositoryConfig(JSON.stringify({ tests: written }))
        if (config === null) return
        const { entry, expired } = new TestEntries(config.tests, TODAY).of(query(name, 0, text))
        expect(expired).toEqual([])
        expect(entry === null || config.tests.includes(entry)).toBe(true)
      }),
    )
  })

  test('a hundred entries of a thousand long names are asked in no time', () => {
    const entries = on(...Array.from({ length: 100 }, (_, index) => ignore(`*a*a*a*a*a*a*a*b${index}`)))
    const names = Array.from({ length: 1000 }, (_, index) => `${'a'.repeat(900)}${index}`)
    const before = computed()
    for (const name of names) expect(entries.ignoring(query(name))).toBeNull()
    expect(computed() - before).toBeLessThan(2000)
  })
})
