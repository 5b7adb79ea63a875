import { describe, expect, test } from 'vitest'
import { type PairedPoint, pairedSteps } from '../../../../src/judge/statistics/change-points/step-rule.ts'
import { computed } from '../../../computing-time.ts'
import { generator } from './noise.ts'

/** Runs whose old side is the build before, with a small regular noise. */
function rows(levels: readonly number[], threshold: number | null = null): PairedPoint[] {
  const shake = (i: number) => 1 + ((i * 7) % 5) / 500
  return levels.map((level, i) => ({
    old: (levels[i - 1] ?? level) * shake(2 * i),
    new: level * shake(2 * i + 1),
    threshold,
  }))
}

const flat = (count: number, level: number) => Array<number>(count).fill(level)
const positions = (points: readonly PairedPoint[]) => pairedSteps(points).map(({ index }) => index)

test('a step is the row whose new side has it', () => {
  const [step, ...more] = pairedSteps(rows([...flat(40, 10), ...flat(20, 11)]))
  expect(more).toEqual([])
  expect(step).toMatchObject({ index: 40 })
  expect(step!.before).toBeCloseTo(10, 0)
  expect(step!.after).toBeCloseTo(11, 0)
  expect(step!.height).toBeCloseTo(1 / 11, 2)
  expect(step!.difference).toBeCloseTo(0.1, 1)
  expect(step!.historical).toBeLessThan(0.02)
  expect(positions(rows([...flat(40, 10), ...flat(20, 9)]))).toEqual([40])
})

describe('the rule itself', () => {
  const long = [...flat(40, 10), ...flat(20, 11)]

  test('a spike moves no level', () => {
    expect(positions(rows([...flat(40, 10), 20, ...flat(20, 10)]))).toEqual([])
  })

  test('a drift has no row', () => {
    expect(positions(rows(Array.from({ length: 80 }, (_, i) => 10 * 1.01 ** i)))).toEqual([])
  })

  test('below 5% is none', () => {
    expect(positions(rows([...flat(40, 10), ...flat(20, 10.4)]))).toEqual([])
    expect(positions(rows([...flat(40, 10), ...flat(20, 10.8)]))).toEqual([40])
  })

  test('the row must pass its own threshold', () => {
    expect(positions(rows(long, 0.09))).toEqual([40])
    expect(positions(rows(long, 0.12))).toEqual([])
  })

  test('and 0.7 of the height', () => {
    const halfway = [...flat(40, 10), 10.6, ...flat(20, 11.2)]
    expect(positions(rows(halfway))).toEqual([])
    expect(positions(rows([...flat(40, 10), 11, ...flat(20, 11.2)]))).toEqual([40])
  })

  test('none of the 37 rows before may have moved by more than the height', () => {
    const moved = (size: number, ...at: number[]) =>
      rows(long).map((row, i) => (at.includes(i) ? { ...row, new: row.old * (1 + size) } : row))
    expect(positions(moved(0.08, 20, 25))).toEqual([40])
    expect(positions(moved(0.2, 20))).toEqual([])
    expect(positions(moved(0.2, 1, 2))).toEqual([40])
  })

  test('a rise needs 20 rows before it, since the current row is among the 38', () => {
    expect(positions(rows([...flat(19, 10), ...flat(20, 11)]))).toEqual([])
    expect(positions(rows([...flat(20, 10), ...flat(20, 11)]))).toEqual([20])
  })
})

test('as it is written down, over random histories', () => {
  const random = generator(9)
  let found = 0
  for (let round = 0; round < 200; round += 1) {
    const level = (i: number) => (i < 30 ? 1 : 1 + round / 400)
    const points = Array.from({ length: 60 }, (_, i) => ({
      old: level(i - 1) * (1 + 0.1 * random()),
      new: level(i) * (1 + 0.1 * random()),
      threshold: 0.1 * random(),
    }))
    const expected = points.flatMap((_, i) => (isStep(points, i) ? [i] : []))
    expect(positions(points)).toEqual(expected)
    found += expected.length
  }
  expect(found).toBeGreaterThan(50)
})

/** Section 6 of the definitions, word for word. */
function isStep(points: readonly { old: number; new: number; threshold: number }[], i: number): boolean {
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
  const difference = (at: number) => Math.abs((points[at]!.new - points[at]!.old) / points[at]!.old)
  const before = middle(points.filter((_, at) => at >= i - 11 && at <= i).map((row) => row.old))
  const after = middle(points.filter((_, at) => at >= i && at <= i + 11).map((row) => row.new))
  const sizes = points.flatMap((_, at) => (at >= i - 37 && at <= i ? [difference(at)] : [])).sort((a, b) => a - b)
  const historical = sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.95))]!
  const height = Math.abs(after - before) / Math.max(after, before)
  return (
    height >= Math.max(0.05, historical) &&
    difference(i) >= Math.max(0.05, historical, points[i]!.threshold) &&
    difference(i) >= 0.7 * height
  )
}

test('rows that were not measured are left out and keep their positions', () => {
  const points = rows([...flat(40, 10), ...flat(20, 11)])
  const broken = [
    { old: Number.NaN, new: 1, threshold: null },
    { old: 0, new: 1, threshold: null },
    { old: -1, new: 1, threshold: null },
    { old: 1, new: Number.POSITIVE_INFINITY, threshold: null },
  ]
  expect(positions([...broken, ...points])).toEqual([44])
  expect(positions(broken)).toEqual([])
  expect(positions([])).toEqual([])
})

test('5,000 rows, each of them large enough to be looked at', () => {
  const points = rows(Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? 10 : 20)))
  const start = computed()
  pairedSteps(points)
  expect(computed() - start).toBeLessThan(1000)
})
