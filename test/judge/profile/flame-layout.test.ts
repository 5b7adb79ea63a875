import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { flameLayout, MOST_DRAWN, MOST_LEVELS, NARROWEST } from '../../../src/judge/profile/flame-layout.ts'
import { differenceOf, type Stack, stacks } from './stacks.ts'

test('any two profiles: frames stand within the one below, side by side, by name; all are drawn or counted', () => {
  fc.assert(
    fc.property(stacks(), stacks(), fc.boolean(), (old, fresh, normalize) => {
      const difference = differenceOf(old, fresh)
      const { placed, levels, tooDeep, tooNarrow } = flameLayout(difference, normalize)
      const withStacks = [...difference.old.total].filter(
        (count, node) => count + difference.new.total[node]! > 0,
      ).length
      expect(placed.length + tooDeep + tooNarrow).toBe(withStacks)
      const byNode = new Map(placed.map((frame) => [frame.node, frame]))
      const siblings = new Map<number, (typeof placed)[number][]>()
      for (const frame of placed) {
        expect(frame.level).toBeLessThan(levels)
        expect(frame.width).toBeGreaterThanOrEqual(NARROWEST * (1 - 1e-9))
        if (frame.node === 0) continue
        const below = byNode.get(difference.parent[frame.node]!)!
        expect(frame.level).toBe(below.level + 1)
        expect(frame.left).toBeGreaterThanOrEqual(below.left)
        expect(frame.left + frame.width).toBeLessThanOrEqual(below.left + below.width + 1e-9)
        siblings.set(below.node, [...(siblings.get(below.node) ?? []), frame])
      }
      for (const list of siblings.values()) {
        const names = list.map(({ node }) => difference.frames[difference.frame[node]!]!)
        expect(names).toEqual(names.toSorted())
        for (let i = 1; i < list.length; i += 1) {
          expect(list[i]!.left).toBeCloseTo(list[i - 1]!.left + list[i - 1]!.width, 9)
        }
      }
    }),
    { numRuns: 200 },
  )
})

test('widths are of both sides together, normalised of both shares', () => {
  const difference = differenceOf(
    [
      ['a', 10],
      ['b', 10],
    ],
    [
      ['a', 10],
      ['b', 50],
    ],
  )
  const widths = (normalize: boolean) => flameLayout(difference, normalize).placed.map(({ width }) => width)
  expect(widths(false)).toEqual([1, 0.25, 0.75])
  expect(widths(true)).toEqual([1, 1 / 3, 2 / 3])
})

test('a frame of 1 in 2,000 is drawn, of 1 in 2,001 not', () => {
  const drawn = (whole: number) => flameLayout(differenceOf([['a', whole - 1]], [['b', 1]]), false)
  expect(drawn(2000)).toMatchObject({ tooNarrow: 0, placed: { length: 3 } })
  expect(drawn(2001)).toMatchObject({ tooNarrow: 1, placed: { length: 2 } })
})

test('what is deeper than can be looked at is counted', () => {
  const difference = differenceOf([[Array.from({ length: 1000 }, () => 'f').join(';'), 1]], [])
  expect(flameLayout(difference, false)).toMatchObject({
    placed: { length: MOST_LEVELS + 1 },
    levels: MOST_LEVELS + 1,
    tooDeep: 1000 - MOST_LEVELS,
    tooNarrow: 0,
  })
})

test('of more frames than a browser bears, the widest are drawn', () => {
  const list: Stack[] = Array.from({ length: 250 }, (_, i) => [
    [`root${i}`, ...Array.from({ length: 99 }, (_, level) => `f${level}`)].join(';'),
    1000 + i,
  ])
  const { placed, tooNarrow, narrowest } = flameLayout(differenceOf(list, []), false)
  expect(placed.length).toBeLessThanOrEqual(MOST_DRAWN)
  expect(placed.length).toBeGreaterThan(MOST_DRAWN - 100)
  expect(placed.length + tooNarrow).toBe(25_001)
  expect(narrowest).toBeGreaterThan(NARROWEST)
  expect(Math.min(...placed.map(({ width }) => width))).toBeGreaterThanOrEqual(narrowest)
})

test('more frames of the same width than can be drawn: none of them', () => {
  const list: Stack[] = Array.from({ length: 250 }, (_, i) => [
    [`root${i}`, ...Array.from({ length: 99 }, (_, level) => `f${level}`)].join(';'),
    1,
  ])
  expect(flameLayout(differenceOf(list, []), false)).toMatchObject({ placed: { length: 1 }, tooNarrow: 25_000 })
})

test('no stacks, nothing drawn', () => {
  expect(flameLayout(differenceOf([], []), true)).toMatchObject({ placed: [], levels: 0, tooNarrow: 0, tooDeep: 0 })
})
