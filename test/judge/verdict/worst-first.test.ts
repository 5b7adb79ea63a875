import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import { compareWorstFirst } from '../../../src/judge/verdict/worst-first.ts'
import { faster, notCompared, row, slower } from './rows.ts'

/** The rows are given in the order that is expected, and sorted from every other. */
function expectOrder(rows: readonly ClassifiedQuery[]): void {
  fc.assert(
    fc.property(fc.shuffledSubarray([...rows], { minLength: rows.length }), (shuffled) => {
      expect(shuffled.toSorted(compareWorstFirst)).toEqual(rows)
    }),
  )
}

test('by what was found: what could hide a slowdown stands before what is known to be small', () => {
  expectOrder([
    slower(0.06),
    notCompared('failed'),
    faster(0.9),
    row({ outcome: 'unstable', difference: -0.5 }),
    notCompared('only-old'),
    notCompared('only-new'),
    notCompared('not-measured'),
    row({ outcome: 'too-small', difference: -0.04 }),
    row({ outcome: 'not-significant', difference: 0.08 }),
  ])
})

describe('within one outcome', () => {
  test('the largest slowdown first', () => {
    expectOrder([slower(22.25), slower(0.187), slower(0.06)])
  })

  test('the largest improvement first', () => {
    expectOrder([faster(0.75), faster(0.2), faster(0.06)])
  })

  test('the noisiest first; without a threshold it is endless', () => {
    const unstable = (threshold: number | null, difference: number) =>
      row({ outcome: 'unstable', threshold, difference })
    expectOrder([unstable(null, 0), unstable(0.8, -0.3), unstable(0.2, 0.1)])
  })

  test.each(['too-small', 'not-significant'] as const)('%s: the most slower first', (outcome) => {
    expectOrder([
      row({ outcome, difference: 0.04 }),
      row({ outcome, difference: 0, direction: null }),
      row({ outcome, difference: -0.04, direction: 'faster' }),
    ])
  })
})

describe('what is equally bad', () => {
  test('goes by test, position, text, metric and architecture; what is not known last', () => {
    expectOrder([
      row({ test: 'Zebra' }),
      row({ test: 'sum', queryIndex: 2, queryName: 'a', metric: 'client_time', architecture: 'amd' }),
      row({ test: 'sum', queryIndex: 2, queryName: 'a', metric: 'client_time', architecture: 'arm' }),
      row({ test: 'sum', queryIndex: 2, queryName: 'a', metric: 'client_time', architecture: null }),
      row({ test: 'sum', queryIndex: 2, queryName: 'a', metric: 'server_time' }),
      row({ test: 'sum', queryIndex: 2, queryName: 'b' }),
      row({ test: 'sum', queryIndex: 2, queryName: null }),
      row({ test: 'sum', queryIndex: 10 }),
      row({ test: 'sum', queryIndex: null, queryName: 'a' }),
      row({ test: 'sum', queryIndex: null, queryName: null }),
      row({ test: 'zebra' }),
    ])
  })

  test('failed rows and unstable ones without a threshold too', () => {
    expectOrder([notCompared('failed', { test: 'a' }), notCompared('failed', { test: 'b' })])
    const endless = { outcome: 'unstable', threshold: null } as const
    expectOrder([row({ ...endless, test: 'a' }), row({ ...endless, test: 'b' })])
  })

  test('the same row twice is the same row', () => {
    expect(compareWorstFirst(row(), row())).toBe(0)
  })
})
