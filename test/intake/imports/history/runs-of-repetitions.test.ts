import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ReadStopped } from '../../../../src/intake/imports/format.ts'
import { type RepetitionLimits, RunsOfRepetitions } from '../../../../src/intake/imports/history/runs-of-repetitions.ts'
import type { RepeatedQuery, Repetition } from '../../../../src/intake/imports/history/table-rows.ts'
import { mediansOfRepetitions } from '../../../../src/judge/history/medians-of-repetitions.ts'
import { randomizationTest } from '../../../../src/judge/statistics/randomization-test.ts'
import { trunkRow } from '../../../store/history/trunk-rows.ts'

const { source: _source, old: _old, new: _new, difference: _difference, threshold: _threshold, ...QUERY } = trunkRow()

type Changes = Partial<RepeatedQuery & Omit<Repetition, 'query'>>

function repetition({ isNew = false, value = 1, ...changes }: Changes = {}): Repetition {
  return { query: { ...QUERY, ...changes }, isNew, value }
}

const both = (changes: Changes = {}) => [
  repetition({ ...changes, value: 1 }),
  repetition({ ...changes, isNew: true, value: 2 }),
]

function group(repetitions: readonly Repetition[], limits?: RepetitionLimits, isCut = false) {
  const runs = new RunsOfRepetitions(mediansOfRepetitions, limits)
  const early = repetitions.flatMap((one) => [...runs.add(one)])
  const rows = [...early]
  const rest = runs.finish(isCut)
  let next = rest.next()
  for (; next.done !== true; next = rest.next()) rows.push(next.value)
  return { early, rows, lost: next.value, notCompared: runs.notCompared }
}

const commits = (rows: readonly { readonly newCommit: string }[]) => rows.map(({ newCommit }) => newCommit)

test('any order of the rows gives the same runs, with the exact test of their samples', () => {
  const sample = fc.integer({ min: 1, max: 30 }).map((ticks) => ticks / 1000)
  const samples = fc.array(sample, { minLength: 1, maxLength: 9 })
  const queries = fc.uniqueArray(
    fc.record({
      newCommit: fc.constantFrom('c1', 'c2'),
      architecture: fc.constantFrom('amd', 'arm'),
      time: fc.constantFrom(1000, 2000),
      test: fc.constantFrom('join', 'sum'),
      queryIndex: fc.nat({ max: 2 }),
      queryName: fc.constantFrom('a', 'b', null),
      metric: fc.constantFrom('client_time', 'memory'),
      old: samples,
      new: samples,
    }),
    { selector: (one) => JSON.stringify({ ...one, old: [], new: [] }), minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(queries, fc.infiniteStream(fc.nat()), (measured, order) => {
      const rows = measured.flatMap(({ old, new: fresh, ...query }) => [
        ...old.map((value) => repetition({ ...query, value })),
        ...fresh.map((value) => repetition({ ...query, isNew: true, value })),
      ])
      const shuffled = rows.map((row) => ({ row, at: order.next().value })).toSorted((a, b) => a.at - b.at)
      const found = group(shuffled.map(({ row }) => row)).rows
      expect(found).toHaveLength(measured.length)
      for (const { old, new: fresh, ...query } of measured) {
        const { oldMedian, newMedian, difference, threshold } = randomizationTest(old, fresh)
        const medians = { old: oldMedian, new: newMedian, difference, threshold }
        expect(found).toContainEqual({ ...trunkRow(), source: 'imported', ...query, ...medians })
      }
    }),
    { numRuns: 100 },
  )
})

describe('runs that do not fit', () => {
  /** Room for two queries, not for three. */
  const limits = { held: 1500, runs: 10 }

  test('the one whose rows came the longest ago makes room', () => {
    const rows = ['c1', 'c2', 'c3'].flatMap((newCommit) => both({ newCommit }))
    const { early, rows: all } = group(rows, limits)
    expect(commits(early)).toEqual(['c1'])
    expect(commits(all)).toEqual(['c1', 'c2', 'c3'])
    const touched = [...both({ newCommit: 'c1' }), ...both({ newCommit: 'c2' }), ...both({ newCommit: 'c1' })]
    expect(commits(group([...touched, ...both({ newCommit: 'c3' })], limits).early)).toEqual(['c2'])
  })

  test('rows that come after that end the reading, and say what to do', () => {
    const rows = ['c1', 'c2', 'c3', 'c1'].flatMap((newCommit) => both({ newCommit }))
    expect(() => group(rows, limits)).toThrow(ReadStopped)
    expect(() => group(rows, limits)).toThrow(
      /run of c1 .*, amd\) are too far apart; sort the file by check_start_time/,
    )
  })

  test('so does one run that is too large, and too many runs', () => {
    const large = Array.from({ length: 5 }, (_, queryIndex) => both({ queryIndex })).flat()
    expect(() => group(large, limits)).toThrow(/run of c1 .* export fewer metrics/)
    const many = Array.from({ length: 11 }, (_, i) => both({ newCommit: `c${i}` })).flat()
    expect(() => group(many, limits)).toThrow(/more than 10 runs; split the file by time/)
  })
})

describe('where the end is missing', () => {
  test('the last run is left out', () => {
    const { rows, lost } = group([...both({ newCommit: 'c1' }), ...both({ newCommit: 'c2' })], undefined, true)
    expect([commits(rows), lost]).toEqual([['c1'], 1])
  })

  test('and every one where the rows of runs are mixed', () => {
    const [a, b] = [both({ newCommit: 'c1' }), both({ newCommit: 'c2' })]
    expect(group([a[0]!, b[0]!, a[1]!, b[1]!], undefined, true)).toMatchObject({ rows: [], lost: 2 })
  })
})

test('one side alone, or a repetition without a value, is not compared', () => {
  const rows = [
    repetition({ queryName: 'one side' }),
    ...both({ queryName: 'failed' }),
    repetition({ queryName: 'failed', value: null }),
    ...both(),
  ]
  const { rows: found, notCompared } = group(rows)
  expect([found.map(({ queryName }) => queryName), notCompared]).toEqual([['SELECT 1'], 2])
})

test('more repetitions than the test takes have medians and no T', () => {
  const rows = Array.from({ length: 2100 }, (_, i) => [
    repetition({ value: 1 + i / 1e4 }),
    repetition({ isNew: true, value: 2 + i / 1e4 }),
  ]).flat()
  const [row] = group(rows).rows
  expect(row).toMatchObject({ old: 1.105, new: 2.105, threshold: null })
  expect(row!.difference).toBeCloseTo(1 / 1.105, 12)
})
