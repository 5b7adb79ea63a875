import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StripPlotInput, stripPlot } from '../../../../src/web/kit/charts/strip-plot.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'

const input: StripPlotInput = {
  id: 'strip-0',
  title: 'Samples of join_hash #3 on arm',
  metric: 'client_time',
  unit: 's',
  old: [0.1, 0.102, 0.101],
  new: [0.12, 0.125, 0.121],
  oldMedian: 0.101,
  newMedian: 0.121,
  changedThreshold: 0.05,
}

const numbers = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(([, value]) => Number(value))
const oldDots = /<circle class="old" cx="([\d.]+)%"/g
const newDots = /<rect class="new" x="([\d.]+)%"/g

describe('a strip plot', () => {
  const svg = stripPlot(input)!

  test('has a dot for each sample, the old ones and the new ones told apart by shape', () => {
    expect(numbers(svg, oldDots)).toHaveLength(3)
    expect(numbers(svg, newDots)).toHaveLength(3)
    expect(Math.max(...numbers(svg, oldDots))).toBeLessThan(Math.min(...numbers(svg, newDots)))
  })

  test('of a head that was measured alone has the level of the trunk in the place of an old side', () => {
    const words = stripPlot({ ...input, old: [], jobs: 2 })!.replaceAll('\u00a0', ' ')
    for (const said of [
      'baseline ± 5%',
      'baseline: 101 ms',
      'new: 3 samples of the newest job, 121 ms in 2 jobs',
      'The baseline is 101 ms. New: 3 samples between 120 and 125 ms. They differ by +19.8%.',
    ])
      expect(words).toContain(said)
    expect(words).not.toMatch(/old median|old: |Old: /)
    expect(stripPlot({ ...input, old: [], jobs: 1 })!.replaceAll('\u00a0', ' ')).toContain(
      'new: 3 samples, median 121 ms',
    )
  })

  test('says its numbers in words', () => {
    const words = svg.replaceAll('\u00a0', ' ')
    for (const said of [
      'role="img"',
      '<title id="strip-0-title">Samples of join_hash #3 on arm</title>',
      'Old: 3 samples between 100 and 102 ms, median 101 ms.',
      'New: 3 samples between 120 and 125 ms, median 121 ms.',
      'The medians differ by +19.8%.',
      'A new median within 5% of the old one, between 96.0 and 106 ms, is not called a change.',
      'old median ± 5%',
      'client_time, ms',
      '<title>new, repetition 2: 125 ms</title>',
    ]) {
      expect(words).toContain(said)
    }
  })

  test('no line and no dot runs through the name of a row', () => {
    const names = numbers(svg, /<text class="side"[^>]* y="([\d.]+)"/g)
    expect(names).toHaveLength(2)
    const lines = [
      ...svg.matchAll(/<line class="(?:edge|grid|median old|median new|row)"[^>]* y1="([\d.]+)" y2="([\d.]+)"/g),
    ]
    expect(lines.length).toBeGreaterThan(8)
    for (const [, top, bottom] of lines) {
      for (const foot of names) expect(Number(bottom) <= foot - 13 || Number(top) >= foot + 4).toBe(true)
    }
    for (const middle of numbers(svg, /<circle class="old"[^>]* cy="([\d.]+)"/g)) {
      for (const foot of names) expect(middle + 4 <= foot - 10 || middle - 4 >= foot + 4).toBe(true)
    }
  })

  test('the band is around the old median, the median lines are at the medians', () => {
    const [from] = numbers(svg, /<rect class="band" x="([\d.]+)%"/g)
    const [width] = numbers(svg, /<rect class="band"[^>]* width="([\d.]+)%"/g)
    const [old] = numbers(svg, /<line class="median old" x1="([\d.]+)%"/g)
    const [fresh] = numbers(svg, /<line class="median new" x1="([\d.]+)%"/g)
    expect(from! + width! / 2).toBeCloseTo(old!, 1)
    expect(numbers(svg, oldDots)).toContain(old!)
    expect(numbers(svg, newDots)).toContain(fresh!)
  })

  test('the band ends at 0 where the threshold is above 100%', () => {
    const words = stripPlot({ ...input, changedThreshold: 2.5 })!.replaceAll('\u00a0', ' ')
    expect(words).toContain('A new median within 250% of the old one, between 0 and 354 ms, is not called a change.')
  })

  test('without a threshold or an old median there is no band', () => {
    expect(stripPlot({ ...input, changedThreshold: null })).not.toContain('class="band"')
    expect(stripPlot({ ...input, old: [], oldMedian: null })).not.toContain('class="band"')
    expect(stripPlot({ ...input, oldMedian: 0 })).not.toContain('class="band"')
  })

  test('equal samples lie beside each other, not on each other', () => {
    const equal = stripPlot({ ...input, old: Array.from({ length: 30 }, () => 0.1) })!
    const places = [...equal.matchAll(/<circle class="old" cx="([\d.]+)%" cy="([\d.]+)"/g)].map(
      ([, x, y]) => `${x} ${y}`,
    )
    expect(new Set(places).size).toBe(30)
  })

  test('one side alone is drawn; nothing at all is no picture', () => {
    const alone = stripPlot({ ...input, old: [], oldMedian: null })!
    expect(alone).toContain('Old: no samples.')
    expect(numbers(alone, newDots)).toHaveLength(3)
    expect(stripPlot({ ...input, old: [], new: [NaN, Infinity] })).toBeNull()
  })

  test('says what it leaves out', () => {
    const many = stripPlot({ ...input, old: Array.from({ length: 2000 }, (_, index) => index), new: [1, NaN] })!
    expect(numbers(many, oldDots)).toHaveLength(300)
    expect(many).toContain('300 of them drawn')
    expect(many).toContain('1 value that isn’t a number is not drawn')
    expect(many.length).toBeLessThan(60_000)
  })
})

test('any values give the same well-formed picture each time, with every coordinate inside of it', () => {
  const value = fc.oneof(fc.double(), fc.constantFrom(0, 1, 1.0000001, -5))
  const samples = fc.array(value, { maxLength: 20 })
  const maybe = fc.option(value)
  fc.assert(
    fc.property(
      fc.record({ old: samples, new: samples, oldMedian: maybe, newMedian: maybe, changedThreshold: maybe }),
      fc.constantFrom(...HOSTILE, '</svg><script>'),
      (values, name) => {
        const given = { ...input, ...values, title: name, metric: name, unit: name }
        const svg = stripPlot(given)
        expect(stripPlot(given)).toBe(svg)
        if (svg === null) return
        expect(svg).not.toMatch(/NaN|Infinity|<script|<img/)
        for (const [, at] of svg.matchAll(/ (?:x|cx|x1|x2)="(-?[\d.]+)%"/g)) {
          expect(Number(at)).toBeGreaterThanOrEqual(0)
          expect(Number(at)).toBeLessThanOrEqual(100)
        }
        const open = [...svg.matchAll(/<([a-z]+)(?=[ >])[^>]*[^/]>|<([a-z]+)>/g)].length
        expect([...svg.matchAll(/<\/[a-z]+>/g)]).toHaveLength(open)
      },
    ),
    { numRuns: 300 },
  )
})
