import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryIdOfDeclared } from '../../../src/judge/ledger/declaration.ts'
import type { LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { entriesById, entryIdOf, entryIdOfFailure, isEntryId, ofFailure } from '../../../src/judge/ledger/entry.ts'
import { anyCodePoint } from '../../any-code-point.ts'

describe('entryIdOf', () => {
  test('reads as what it is of', () => {
    expect(entryIdOf('failure', '', 'Timeout', 'Stress test (tsan)')).toBe('failure|Stress test (tsan)||Timeout')
    expect(entryIdOf('mover', 'a_test', 'amd #3', null)).toBe('mover||a_test|amd #3')
  })

  test('is one line of bounded length, different for different parts', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 20 }),
      fc.constantFrom('|', '~', '%7C', '%7C.', 'a'.repeat(500), 'a'.repeat(501), `${'a'.repeat(300)}b`),
    )
    fc.assert(
      fc.property(fc.tuple(text, text, text), fc.tuple(text, text, text), (one, other) => {
        const [a, b] = [one, other].map(([test_, signature, check]) => entryIdOf('failure', test_, signature, check))
        expect(a === b).toBe(one.every((part, index) => part === other[index]))
        expect(a!.length).toBeLessThanOrEqual(700)
        expect(a).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      }),
      { numRuns: 500 },
    )
  })

  test('long names that differ anywhere have ids that differ', () => {
    const ids = Array.from({ length: 2000 }, (_, index) =>
      entryIdOf('failure', `${'x'.repeat(300)}${index}${'y'.repeat(300)}`, '', null),
    )
    expect(new Set(ids).size).toBe(2000)
  })

  test('of a failure: its check stands in it only where no test failed', () => {
    const signature = { kind: 'output', text: 'Timeout' } as const
    expect(entryIdOfFailure({ testName: 'a', checkName: 'Fast test', signature })).toBe('failure||a|Timeout')
    expect(entryIdOfFailure({ testName: '', checkName: 'Fast test', signature })).toBe('failure|Fast test||Timeout')
  })
})

describe('of names with parts that vary', () => {
  const named = (bucket: number) => ({
    testName: `'Bucket ${bucket} is pushed twice' (STID: 2508-468c)`,
    checkName: 'Stress test',
    signature: { kind: 'stack-trace-id', text: '2508-468c' } as const,
  })

  test('a failure and what is declared of it have one id under all of them', () => {
    const id = "failure||'Bucket N is pushed twice' (STID: 2508-468c)|2508-468c"
    expect([7, 58].map((bucket) => entryIdOfFailure(named(bucket)))).toEqual([id, id])
    expect(entryIdOfDeclared({ ...named(812), signature: '2508-468c' })).toBe(id)
    // A mover is a query, and no test's name.
    expect(entryIdOf('mover', named(7).testName, '', null)).toContain('Bucket 7')
  })

  test('an entry that was opened under one of them stays that of this name', () => {
    const opened = { entryId: "failure||'Bucket 7 is pushed twice' (STID: 2508-468c)|2508-468c" } as LedgerEntry
    const compared = { entryId: entryIdOfFailure(named(58)) } as LedgerEntry
    const before = new Map([[opened.entryId, opened]])
    expect(ofFailure(before, named(7))).toBe(opened)
    expect(ofFailure(before, named(58))).toBeUndefined()
    const both = new Map([opened, compared].map((entry) => [entry.entryId, entry]))
    expect(ofFailure(both, named(7))).toBe(opened)
    expect(ofFailure(both, named(58))).toBe(compared)
  })
})

test('what was kept by the rule of signatures before is found, that of the rule of now before it', () => {
  const failure = {
    testName: 'a',
    checkName: 'Fast test',
    signature: { kind: 'output', text: 'Timeout' },
    formerSignature: { kind: 'output', text: 'FAILED: Timeout' },
  } as const
  const [now, former] = ['failure||a|Timeout', 'failure||a|FAILED: Timeout']
  expect(ofFailure(new Map([[former, 'former']]), failure)).toBe('former')
  const { formerSignature: _, ...withoutFormer } = failure
  expect(ofFailure(new Map([[former, 'former']]), withoutFormer)).toBeUndefined()
  const both = new Map([
    [former, 'former'],
    [now, 'now'],
  ])
  expect(ofFailure(both, failure)).toBe('now')
})

test('an entry that keeps its id is found by the signature that it has by now', () => {
  const entry = { kind: 'failure', testName: 'a', checkName: 'Fast test', signature: 'Timeout' } as LedgerEntry
  const kept = { ...entry, entryId: 'failure||a|FAILED: Timeout' }
  expect([...entriesById([kept]).keys()]).toEqual(['failure||a|Timeout', 'failure||a|FAILED: Timeout'])
  // Another entry that has this id keeps it.
  const own = { ...entry, entryId: 'failure||a|Timeout' }
  expect(entriesById([own, kept]).get('failure||a|Timeout')).toBe(own)
})

describe('isEntryId', () => {
  test('whatever an id is made of, it is one, and can stand in an address', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 250 }),
      fc.string({ unit: 'grapheme', minLength: 160, maxLength: 250 }),
      // A cut between the halves of a character, and within an escape.
      fc.integer({ min: 160, max: 200 }).map((length) => `${'a'.repeat(length)}${'😀|'.repeat(40)}`),
    )
    fc.assert(
      fc.property(fc.constantFrom('failure', 'mover'), text, text, text, (kind, test_, signature, check) => {
        const id = entryIdOf(kind, test_, signature, check)
        expect(isEntryId(id)).toBe(true)
        expect(decodeURIComponent(encodeURIComponent(id))).toBe(id)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['nothing', ''],
    ['another kind', 'issue||a|b'],
    ['a part too few', 'failure|a|b'],
    ['a part too many', 'failure||a|b|c'],
    ['two lines', 'failure||a|b\nc'],
    ['an escape without its end', 'failure||a%7C|b'],
    ['a digest in the middle', 'failure||a~1-2-3 b|c'],
    ['a character that turns the direction', 'failure||a\u202eb|c'],
    ['more than an id has', `failure||a|${'b'.repeat(700)}`],
  ])('%s is none', (_, text) => expect(isEntryId(text)).toBe(false))
})
