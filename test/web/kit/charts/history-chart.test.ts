import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TrunkPoint, TrunkStep } from '../../../../src/judge/history/trunk-series.ts'
import { drawnPoints, historyChart, historyWords } from '../../../../src/web/kit/charts/history-chart.ts'
import { COLUMNS, historyColumns, MOST_POINTS } from '../../../../src/web/kit/charts/history-columns.ts'
import { noiseChart, noiseOf } from '../../../../src/web/kit/charts/noise-chart.ts'
import { releasesIn } from '../../../../src/web/kit/charts/release-marks.ts'
import { timeAxis } from '../../../../src/web/kit/charts/time-axis.ts'
import { anyCodePoint } from '../../../any-code-point.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 10)

function point(index: number, changes: Partial<TrunkPoint> = {}): TrunkPoint {
  const [before, after] = [changes.old ?? 0.02, changes.new ?? 0.02]
  return {
    time: START + index * DAY,
    commit: `c${index}`,
    referenceCommit: `c${index - 1}`,
    old: before,
    new: after,
    difference: (after - before) / before,
    threshold: 0.04,
    ...changes,
  }
}

const chart = (points: readonly TrunkPoint[], steps: readonly TrunkStep[] = []) =>
  historyChart({ id: 'h', title: 'a query', metric: 'client_time', unit: 's', points, steps })
const pathOf = (svg: string | null, kind: string) => new RegExp(`<path class="${kind}" d="([^"]*)"`).exec(svg!)?.[1]

function step(index: number, after: number, changes: Partial<TrunkStep> = {}): TrunkStep {
  const [lastGood, firstBad] = [point(index - 1), point(index, { new: after })]
  return {
    lastGood,
    firstBad,
    before: 0.02,
    after,
    step: (after - 0.02) / 0.02,
    earliest: lastGood,
    latest: point(index + 2),
    seenBy: 'both',
    recovered: null,
    ...changes,
  }
}

describe('a history', () => {
  test('has a dot for each run at its place', () => {
    const svg = chart([point(0, { new: 0.02 }), point(1, { new: 0.03 }), point(3, { new: 0.02 })])
    const places = [...pathOf(svg, 'points')!.matchAll(/M(\d+) ([\d.]+)h0/g)].map(([, x, y]) => [Number(x), Number(y)])
    expect(places).toHaveLength(3)
    const [first, second, third] = places as [[number, number], [number, number], [number, number]]
    expect((second[0] - first[0]) / (third[0] - first[0])).toBeCloseTo(1 / 3, 2)
    // Larger is higher, and SVG counts from the top.
    expect(second[1]).toBeLessThan(first[1])
    expect(third[1]).toBe(first[1])
  })

  test('a threshold above 100% ends at 0, as one of 100% does', () => {
    const bandOf = (threshold: number) =>
      // A run of hardly any time, so that the axis reaches below every band.
      pathOf(chart([0, 1].map((index) => point(index, { new: 0.0001 + index * 0.05, threshold }))), 'noise')!
        .slice(1, -1)
        .split('L')
    const ends = (threshold: number) => bandOf(threshold).slice(2)
    expect(ends(2.5)).toEqual(ends(1))
    expect(ends(0.5)).not.toEqual(ends(1))
  })

  test('says the steps in words, as labels and as shapes', () => {
    const points = Array.from({ length: 40 }, (_, index) => point(index, { new: index < 20 ? 0.02 : 0.026 }))
    const steps = [step(20, 0.026, { recovered: point(30) }), step(35, 0.016)]
    const svg = chart(points, steps)!
    expect(svg).toContain('>1: +30.0%</text>')
    expect(svg).toContain('>1 is back</text>')
    expect(svg).toContain('>2: −20.0%</text>')
    expect(svg.match(/<rect class="interval"/g)).toHaveLength(2)
    expect(svg).toContain('<rect class="window slower"')
    expect(svg).toContain('<rect class="window faster"')
    expect(historyWords({ id: 'h', title: '', metric: 'client_time', unit: 's', points, steps })).toBe(
      '40 runs from Jan\u00a010 to Feb\u00a018, client_time of the new build between 20.0 and 26.0\u00a0ms. 2 lasting steps: +30.0% on Jan\u00a030, back on Feb\u00a09; −20.0% on Feb\u00a014.',
    )
  })

  test('runs without a value are said and not drawn', () => {
    const points = [point(0), point(1, { new: -1 }), point(2, { new: Number.NaN })]
    expect(drawnPoints(points)).toHaveLength(1)
    expect(chart(points)).toContain('2 runs have no value and are not drawn.')
    expect(chart(points.slice(1))).toBeNull()
    expect(chart([])).toBeNull()
  })

  test('of 5,000 runs the one that is far off is still there', () => {
    const points = Array.from({ length: 5000 }, (_, index) => point(index / 20, index === 3333 ? { new: 0.2 } : {}))
    const svg = chart(points)!
    const tops = [...pathOf(svg, 'ranges')!.matchAll(/V([\d.]+)/g)].map(([, top]) => Number(top))
    expect(tops.length).toBeLessThanOrEqual(COLUMNS)
    expect(Math.min(...tops)).toBeLessThan(20)
    expect(tops.filter((top) => top < 20)).toHaveLength(1)
    expect(svg.length).toBeLessThan(60_000)
  })

  test('whatever the values are, every coordinate is a number and every tag is closed', () => {
    const value = fc.oneof(fc.double(), fc.double({ min: 1e-6, max: 10 }))
    const points = fc.array(
      fc.record({
        time: fc.integer({ min: 0, max: 4e12 }),
        commit: fc.string({ unit: anyCodePoint, maxLength: 5 }),
        referenceCommit: fc.string({ maxLength: 5 }),
        old: value,
        new: value,
        difference: value,
        threshold: fc.option(value),
      }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(points, fc.string({ unit: anyCodePoint }), (all, title) => {
        const sorted = all.toSorted((a, b) => a.time - b.time)
        for (const svg of [
          historyChart({ id: 'h', title, metric: title, unit: null, points: sorted, steps: [] }),
          noiseChart({ id: 'n', title, points: sorted }),
        ]) {
          if (svg === null) continue
          expect(svg).not.toMatch(/="[^"]*(?:NaN|Infinity|undefined)[^"]*"/)
          expect(svg.match(/<(?:svg|text|title|desc)\b/g)!.length).toBe(
            svg.match(/<\/(?:svg|text|title|desc)>/g)!.length,
          )
        }
      }),
    )
  })
})

describe('columns', () => {
  test('up to 1,000 points each has its own', () => {
    const points = Array.from({ length: MOST_POINTS }, (_, index) => ({ x: index / 10, value: index }))
    expect(historyColumns(points)).toHaveLength(MOST_POINTS)
    expect(historyColumns([...points, { x: 100, value: 1 }]).length).toBeLessThanOrEqual(COLUMNS)
  })

  test('hold every point between their lowest and highest value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: fc.double({ min: 0, max: 100, noNaN: true }), value: fc.integer() }), {
          minLength: MOST_POINTS + 1,
          maxLength: MOST_POINTS + 400,
        }),
        (points) => {
          const columns = historyColumns(points)
          expect(columns.reduce((sum, column) => sum + column.points, 0)).toBe(points.length)
          expect(Math.min(...columns.map(({ low }) => low))).toBe(Math.min(...points.map(({ value }) => value)))
          expect(Math.max(...columns.map(({ high }) => high))).toBe(Math.max(...points.map(({ value }) => value)))
          for (const { low, middle, high } of columns) expect(low <= middle && middle <= high).toBe(true)
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe('a time axis', () => {
  const labels = (first: number, last: number) => timeAxis(first, last).ticks.map(({ label }) => label)

  test.each([
    ['a year', 365, ['Apr', 'Jul', 'Oct', '2027']],
    ['three months', 90, ['Feb', 'Mar', 'Apr']],
    ['a month', 30, ['Jan\u00a012', 'Jan\u00a019', 'Jan\u00a026', 'Feb\u00a02', 'Feb\u00a09']],
    ['five days', 5, ['Jan\u00a010', 'Jan\u00a011', 'Jan\u00a012', 'Jan\u00a013', 'Jan\u00a014', 'Jan\u00a015']],
    ['ten hours', 10 / 24, ['Jan\u00a010', '03:00', '06:00', '09:00']],
  ])('%s', (_, days, expected) => {
    expect(labels(START, START + days * DAY)).toEqual(expected)
  })

  test('few ticks in ascending order, whatever the range', () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(time, time, (a, b) => {
        const axis = timeAxis(Math.min(a, b), Math.max(a, b))
        const places = axis.ticks.map(({ at }) => at)
        expect(places.length).toBeLessThanOrEqual(13)
        expect(places).toEqual(places.toSorted((one, other) => one - other))
        expect(axis.position(a)).toBeGreaterThan(0)
        expect(axis.position(a)).toBeLessThan(100)
      }),
    )
  })
})

describe('noise', () => {
  test('counts the runs that moved by their own threshold', () => {
    const points = [
      point(0),
      point(1, { new: 0.022 }),
      point(2, { new: 0.0205 }),
      point(3, { threshold: null, new: 9 }),
    ]
    expect(noiseOf(points)).toEqual({
      runs: 3,
      moved: 1,
      median: 0.04,
      largestDifference: points[1]!.difference,
    })
    const svg = noiseChart({ id: 'n', title: 'noise', points })
    expect(pathOf(svg, 'points')!.match(/M/g)).toHaveLength(3)
    expect(pathOf(svg, 'moved')!.match(/M/g)).toHaveLength(1)
  })

  test('is not known without thresholds', () => {
    expect(noiseOf([point(0, { threshold: null })])).toBeNull()
    expect(noiseChart({ id: 'n', title: '', points: [point(0, { threshold: null })] })).toBeNull()
  })
})

test('a release stands at the first run of its commit, and without one at the time of the commit', () => {
  const points = [point(0), point(1), point(2, { commit: 'c1' }), point(3)]
  const release = (tag: string, commit: string, index: number) => ({ tag, commit, time: START + index * DAY })
  const found = releasesIn([release('v2', 'other', 2.5), release('v1', 'c1', -8), release('v0', 'older', -9)], points)
  expect(found.map(({ tag, time }) => [tag, (time - START) / DAY])).toEqual([
    ['v1', 1],
    ['v2', 2.5],
  ])
})
