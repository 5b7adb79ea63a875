import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ComparedSides } from '../../../../src/judge/statistics/query-log/compare-sides.ts'
import { compareExecutions, type Execution, LOGS } from './executions-of.ts'

function compared(rows: readonly Execution[], isTruncated = true): ComparedSides {
  const found = compareExecutions(rows, isTruncated).compared
  if (found === null) throw new Error('not comparable')
  return found
}

describe('the table of the definition', () => {
  test.each<readonly [keyof typeof LOGS, number, number, number, number, number]>([
    ['equal', 111.666667, 111.5, -0.001493, 0.20597, 0.75],
    ['slowerBy20', 111.666667, 131.5, 0.177612, 0.259701, 0.078125],
    ['anHour', 111.382524, 115.509054, 0.037048, 0.026685, 0.000488281],
    ['alternating', 111.333333, 119.571429, 0.073995, 0.040053, 1.81096e-6],
    ['twoGroups', 114.380952, 102.4, -0.104746, 0.087593, 0.00390625],
  ])('%s', (name, old, fresh, difference, threshold, pValue) => {
    const { median, pValue: p } = compared(LOGS[name])
    expect(median.old).toBeCloseTo(old, 6)
    expect(median.new).toBeCloseTo(fresh, 6)
    expect(median.difference).toBeCloseTo(difference, 6)
    expect(median.threshold).toBeCloseTo(threshold, 6)
    expect(p! / pValue).toBeCloseTo(1, 5)
  })

  test('the sides one after the other have nothing in common', () => {
    expect(compareExecutions(LOGS.oneAfterTheOther)).toMatchObject({ counts: { old: 300, new: 300 }, compared: null })
  })

  test('the paradox: every group is faster, and all together 2.6 times as slow', () => {
    const { crude, compared: found } = compareExecutions(LOGS.twoGroups)
    expect(crude?.difference).toBeCloseTo(1.593, 3)
    expect(found?.evidence).toEqual(['short-run', 'mix-shift', 'simpson'])
  })
})

/** The same numbers from the definition, step by step, with blocks of one minute and at most 14 of them. */
function byDefinition(rows: readonly Execution[], isTruncated: boolean) {
  const weight = weightsOf(rows)
  const weights = rows.map(weight)
  const place = (share: number, side: (row: Execution) => number) => {
    const values = [...new Set(rows.map(({ value }) => value))].sort((a, b) => a - b)
    const mass = (value: number) => rows.reduce((sum, row) => sum + (row.value === value ? side(row) : 0), 0)
    let before = 0
    for (const value of values) {
      if (before + mass(value) > share + 1e-12) {
        const part = isTruncated ? Math.max(0, (share - before) / mass(value)) : 0
        return { value, part, quantile: value + part }
      }
      before += mass(value)
    }
    const value = values.findLast((one) => mass(one) > 0)!
    return { value, part: 1, quantile: value + (isTruncated ? 1 : 0) }
  }
  const of = new Map(rows.map((row, index) => [row, weights[index]!]))
  const ofOld = (row: Execution) => (row.isNew ? 0 : of.get(row)!)
  const ofNew = (row: Execution) => (row.isNew ? of.get(row)! : 0)
  const pooled = (row: Execution) => of.get(row)! / 2
  const middle = place(0.5, pooled)
  const blocks = [...new Set(rows.filter((row) => of.get(row)! > 0).map(({ minute }) => minute))]
  const deltas = blocks.map((minute) => {
    let delta = 0
    for (const row of rows) {
      if (row.minute !== minute) continue
      const part = row.value < middle.value ? 1 : row.value === middle.value ? (isTruncated ? middle.part : 1) : 0
      delta += of.get(row)! * part * (row.isNew ? -1 : 1)
    }
    return delta
  })
  const sums = Array.from({ length: 2 ** blocks.length }, (_, signs) =>
    Math.abs(deltas.reduce((sum, delta, block) => sum + ((signs >> block) & 1 ? delta : -delta), 0)),
  )
  const reached = Map.groupBy(sums, (sum) => Math.round(sum * 1e9))
  const share = (sum: number) => {
    const beyond = [...reached].filter(([rounded]) => rounded >= Math.round(sum * 1e9))
    return beyond.reduce((total, [, equal]) => total + equal.length, 0) / sums.length
  }
  const rare = [...reached.values()].map(([sum]) => sum!).filter((sum) => share(sum) <= 0.01)
  const spread = (z: number) =>
    place(Math.min(1, 0.5 + z / 2), pooled).quantile - place(Math.max(0, 0.5 - z / 2), pooled).quantile
  const old = place(0.5, ofOld).quantile
  const fresh = place(0.5, ofNew).quantile
  return {
    old,
    new: fresh,
    threshold: spread(Math.min(1, Math.min(...rare))) / old,
    // a sum of 0 spreads nothing, and a difference of 0 is always reached
    pValue:
      old === fresh ? 1 : sums.filter((sum) => spread(sum + 1e-9) >= Math.abs(fresh - old) - 1e-6).length / sums.length,
  }
}

function weightsOf(rows: readonly Execution[]): (row: Execution) => number {
  const count = (minute: number, group: number | undefined, isNew: boolean) =>
    rows.filter((row) => row.minute === minute && row.group === group && row.isNew === isNew).length
  const raw = (row: Execution) => {
    const other = count(row.minute, row.group, !row.isNew)
    return other / (other + count(row.minute, row.group, row.isNew))
  }
  const olds = rows.filter(({ isNew }) => !isNew)
  const share = (group: number | undefined) => olds.filter((row) => row.group === group).length / olds.length
  const sum = (group: number | undefined) =>
    olds.filter((row) => row.group === group).reduce((total, row) => total + raw(row), 0)
  return (row) => (raw(row) / sum(row.group)) * share(row.group)
}

/** Ten to twelve minutes in which both sides run in each group. */
const shortLogs = fc
  .record({ minutes: fc.integer({ min: 10, max: 12 }), groups: fc.integer({ min: 1, max: 2 }) })
  .chain(({ minutes, groups }) =>
    fc.tuple(
      ...Array.from({ length: minutes * groups }, (_, cell) => {
        const side = fc.array(fc.integer({ min: 100, max: 112 }), { minLength: 1, maxLength: 3 })
        return fc.record({ old: side, new: side }).map((values) =>
          (['old', 'new'] as const).flatMap((name) =>
            values[name].map((value) => ({
              minute: cell % minutes,
              group: Math.floor(cell / minutes),
              isNew: name === 'new',
              value,
            })),
          ),
        )
      }),
    ),
  )
  .map((cells) => cells.flat())

test.each([true, false])('small logs, by the definition itself; truncated times: %s', (isTruncated) => {
  fc.assert(
    fc.property(shortLogs, (rows) => {
      const found = compared(rows, isTruncated)
      const expected = byDefinition(rows, isTruncated)
      expect(found.median.old).toBeCloseTo(expected.old, 8)
      expect(found.median.new).toBeCloseTo(expected.new, 8)
      expect(found.blockMinutes).toBe(1)
      // from ten blocks on longer ones are heard, of which there are too few here
      expect(found.median.threshold).toBeCloseTo(expected.threshold, 6)
      expect(found.pValue).toBeCloseTo(expected.pValue, 6)
    }),
    { numRuns: 20 },
  )
})

test('the order of the rows decides nothing', () => {
  fc.assert(
    fc.property(shortLogs, fc.integer(), (rows, seed) => {
      const shuffled = rows.toSorted((a, b) => ((a.value * seed) % 17) - ((b.value * seed) % 17) || a.minute - b.minute)
      expect(closeTo(compareExecutions(shuffled))).toEqual(closeTo(compareExecutions(rows)))
    }),
    { numRuns: 20 },
  )
})

/** Sums of weights differ in their last digits with the order in which groups come. */
function closeTo(value: object): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one)),
  )
}

test('sides that are swapped give the same p and the same spread', () => {
  fc.assert(
    fc.property(shortLogs, (rows) => {
      const oneGroup = rows.map((row) => ({ ...row, group: 0 }))
      const there = compared(oneGroup)
      const back = compared(oneGroup.map((row) => ({ ...row, isNew: !row.isNew })))
      expect(back.median.old).toBeCloseTo(there.median.new, 9)
      expect(back.pValue).toBeCloseTo(there.pValue!, 9)
      expect(back.median.threshold! * back.median.old).toBeCloseTo(there.median.threshold! * there.median.old, 6)
    }),
    { numRuns: 20 },
  )
})

describe('what is said of a log', () => {
  const minutes = (count: number) => Array.from({ length: count }, (_, minute) => minute)

  test('seven minutes are too few blocks', () => {
    const rows = minutes(7).flatMap((minute) => [
      { minute, isNew: false, value: 100 },
      { minute, isNew: true, value: 300 },
    ])
    expect(compared(rows)).toMatchObject({
      median: { difference: 200 / 100.5, threshold: null },
      pValue: null,
      separated: false,
      effectiveBlocks: 7,
    })
  })

  test('far apart and never in each other’s range is separated, though T swells with the difference', () => {
    const rows = minutes(600).flatMap((minute) =>
      [0, 1, 2, 3, 4].flatMap((i) => [
        { minute, isNew: false, value: 9 + ((minute + i) % 5) },
        { minute, isNew: true, value: 60 + ((7 * minute + 5 * i) % 29) },
      ]),
    )
    const { median, separated, evidence } = compared(rows, false)
    expect(median).toMatchObject({ old: 11, new: 74 })
    expect(median.threshold!).toBeGreaterThan(median.difference!)
    expect(separated).toBe(true)
    expect(evidence).toEqual([])
  })

  test('a difference that grows from hour to hour is a drift', () => {
    const rows = minutes(1440).flatMap((minute) =>
      [0, 1, 2, 3].flatMap((i) => [
        { minute, isNew: false, value: 1000 + 20 * ((7 * minute + 3 * i) % 11) },
        { minute, isNew: true, value: 900 + Math.floor(minute / 8) + 20 * ((5 * minute + 3 * i) % 11) },
      ]),
    )
    expect(compared(rows).evidence).toEqual(['drift'])
  })

  test('a value that is none is left out', () => {
    const bad = [Number.NaN, -1, 2 ** 53 + 2, Number.POSITIVE_INFINITY].map((value) => ({
      minute: 3,
      isNew: true,
      value,
    }))
    expect(compareExecutions([...LOGS.slowerBy20, ...bad])).toEqual(compareExecutions(LOGS.slowerBy20))
  })
})
