import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileNamePattern, matchName, NamePatternError } from '../../src/text/name-pattern.ts'
import { computed } from '../computing-time.ts'

const CLICKHOUSE = 'Performance Comparison ({architecture}_release, {kind}, {shard}/{shards})'

describe('matchName', () => {
  test('takes the parts of a name', () => {
    expect(matchName(CLICKHOUSE, 'Performance Comparison (amd_release, master_head, 6/12)')).toEqual({
      architecture: 'amd',
      kind: 'master_head',
      shard: '6',
      shards: '12',
    })
  })

  test.each([
    ['another name', 'Stateless tests (amd_debug)'],
    ['something after it', 'Performance Comparison (amd_release, master_head, 6/12) again'],
    ['something before it', 'x Performance Comparison (amd_release, master_head, 6/12)'],
    ['another case', 'performance comparison (amd_release, master_head, 6/12)'],
    ['an empty part', 'Performance Comparison (_release, master_head, 6/12)'],
    ['a shard that is not a number', 'Performance Comparison (amd_release, master_head, x/12)'],
    ['a shard of five digits', 'Performance Comparison (amd_release, master_head, 10000/12)'],
    ['a number with a sign', 'Performance Comparison (amd_release, master_head, -1/12)'],
  ])('does not fit %s', (_why, name) => {
    expect(matchName(CLICKHOUSE, name)).toBeNull()
  })

  test('a part is as short as the rest allows, from the left', () => {
    expect(matchName('{a}-{b}', 'x-y-z')).toEqual({ a: 'x', b: 'y-z' })
    expect(matchName('{a}, {shard}/{shards}', 'x, y, 3/6')).toEqual({ a: 'x, y', shard: '3', shards: '6' })
    expect(matchName('{a}b', 'bb')).toEqual({ a: 'b' })
  })

  test('"*" stands for anything, nothing included, and is not kept', () => {
    expect(matchName('performance-*', 'performance-')).toEqual({})
    expect(matchName('performance-*', 'performance-amd-3')).toEqual({})
    expect(matchName('* ({architecture})', 'bench (arm)')).toEqual({ architecture: 'arm' })
    expect(matchName('performance-*', 'perf')).toBeNull()
  })

  test('characters of regular expressions stand for themselves', () => {
    expect(matchName('a.b', 'axb')).toBeNull()
    expect(matchName('(a|b)+[c]$^\\d', '(a|b)+[c]$^\\d')).toEqual({})
  })

  test('a name of any length is answered at once, whatever it holds', () => {
    const hostile = Array.from({ length: 20 }, (_, index) => `{p${index}}a`).join('')
    const started = computed()
    for (let round = 0; round < 20; round += 1) expect(matchName(hostile, 'a'.repeat(999) + 'b')).toBeNull()
    expect(matchName('*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(1000))).toBeNull()
    expect(matchName('*', 'a'.repeat(10_000_000))).toBeNull()
    // A matcher that tries again and again needs longer than the universe for the first of these.
    expect(computed() - started).toBeLessThan(10_000)
  })

  test('a hundred patterns against a hundred names take hardly any time', () => {
    const names = Array.from({ length: 100 }, (_, index) => `${'a'.repeat(900)}${index}x`)
    const patterns = Array.from({ length: 100 }, (_, index) => compileNamePattern(`${'*a'.repeat(20)}${index}`))
    const started = computed()
    expect(names.filter((name) => patterns.some((pattern) => matchName(pattern, name) !== null))).toEqual([])
    // By the table alone it takes some four seconds.
    expect(computed() - started).toBeLessThan(1000)
  })

  test('agrees with a regular expression of the same meaning', () => {
    const separator = fc.constantFrom('-', 'a', '1', ', ', '/')
    const part = fc.constantFrom('{x}', '{shard}', '*', 'lit', '{shards}', '{y}')
    const pattern = fc
      .array(fc.tuple(part, separator), { minLength: 1, maxLength: 4, size: 'max' })
      .map((pieces) => pieces.flat().join(''))
      .filter((text) => !['{x}', '{y}', '{shard}', '{shards}'].some((name) => text.split(name).length > 2))
    const name = fc.string({
      unit: fc.constantFrom('a', '1', '2', '-', ',', ' ', '/', 'lit'),
      maxLength: 14,
      size: 'max',
    })
    fc.assert(
      fc.property(pattern, name, (text, candidate) => {
        const expression = text
          .replaceAll(/[.*+?^$()|[\]\\/]/g, (character) => (character === '*' ? '.*?' : `\\${character}`))
          .replaceAll(/\{(shards?)\}/g, '(?<$1>\\d{1,4}?)')
          .replaceAll(/\{([xy])\}/g, '(?<$1>.+?)')
        const expected = new RegExp(`^${expression}$`, 's').exec(candidate)
        expect(matchName(text, candidate)).toEqual(expected === null ? null : { ...expected.groups })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('compileNamePattern', () => {
  test.each([
    ['', 0, 'empty'],
    ['abc{x', 3, 'never closed'],
    ['abc}', 3, 'without a "{"'],
    ['a{x}{y}', 4, 'nothing between them'],
    ['{x}*', 3, 'nothing between them'],
    ['a**', 2, 'nothing between them'],
    ['{x} {x}', 4, 'twice'],
    ['{}', 0, 'letters'],
    ['{__proto__}', 0, 'letters'],
    ['{a b}', 0, 'letters'],
    ['x'.repeat(301), 300, 'longer'],
    ['*a'.repeat(21), 40, 'more than 20 parts'],
  ])('refuses %j at character %i', (pattern, position, message) => {
    const refusal = (() => {
      try {
        return compileNamePattern(pattern)
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(NamePatternError)
    expect(refusal).toMatchObject({ position, message: expect.stringContaining(message) })
  })

  test('names the parts in order', () => {
    expect(compileNamePattern(CLICKHOUSE).parts).toEqual(['architecture', 'kind', 'shard', 'shards'])
  })
})
