import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TimelineInput, timelineChart } from '../../../../src/web/kit/charts/timeline.ts'
import { anyCodePoint } from '../../../any-code-point.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2026, 7, 23)

const input = (
  counts: readonly (readonly [pullRequests: number, trunk: number, mass: number])[],
  changes: Partial<TimelineInput> = {},
): TimelineInput => ({
  id: 'timeline',
  title: 'Hits of a per day',
  days: counts.map(([pullRequestHits, trunkHits, inMassFailures], index) => ({
    start: FIRST + index * DAY,
    pullRequestHits,
    trunkHits,
    inMassFailures,
  })),
  marks: [],
  one: 'hit in pull requests',
  many: 'hits in pull requests',
  ...changes,
})

/** Top and bottom of the bars of a kind, in pixels. */
function barsOf(svg: string, kind: string): (readonly [top: number, bottom: number])[] {
  const pattern = new RegExp(`<rect class="${kind}"[^>]* y="([^"]+)" width="[^"]+" height="([^"]+)"`, 'g')
  return [...svg.matchAll(pattern)].map(([, y, height]) => [Number(y), Number(y) + Number(height)])
}

test('pull requests up, on them mass failures, the trunk down; as high as there are hits', () => {
  const svg = timelineChart(
    input([
      [2, 0, 0],
      [0, 0, 0],
      [1, 3, 4],
    ]),
  )!
  const [two, one] = barsOf(svg, 'pull-requests')
  const [trunk] = barsOf(svg, 'trunk')
  const [mass] = barsOf(svg, 'mass-failures')
  const base = two![1]
  const unit = (base - two![0]) / 2
  expect(one).toEqual([base - unit, base])
  expect(mass).toEqual([base - 5 * unit, base - unit])
  expect(trunk).toEqual([base, base + 3 * unit])
  expect(svg).toContain('fill="url(#timeline-hatch)"')
})

test('says in words what it shows', () => {
  const svg = timelineChart(
    input(
      [
        [2, 0, 0],
        [0, 0, 0],
        [1, 3, 4],
      ],
      { marks: [{ time: FIRST + 1.5 * DAY, label: 'opened' }] },
    ),
  )!
  expect(svg.replaceAll('\u00a0', ' ')).toContain(
    '3 days from Aug 23 to Aug 25. 3 hits in pull requests on 2 days. 3 hits on the main branch on 1 day. 4 rows of mass failures on 1 day, which don’t count as hits. Most on Aug 25: 4. Opened on Aug 24.',
  )
  expect(svg).toMatch(/^<svg class="chart timeline" role="img" aria-labelledby="timeline-title timeline-desc"/)
})

test('its numbers are round, the same step up and down', () => {
  const ticks = (up: number, down: number) =>
    [...timelineChart(input([[up, down, 0]]))!.matchAll(/text-anchor="end">([\d,]+)</g)].map(([, text]) => text)
  expect(ticks(3, 1)).toEqual(['1', '2', '3', '1'])
  expect(ticks(15, 4)).toEqual(['5', '10', '15', '4'])
  expect(ticks(4000, 0)).toEqual(['1,000', '2,000', '3,000', '4,000'])
  expect(ticks(1, 0)).toEqual(['1'])
})

test('marks outside of the days are not drawn, and nothing is of no days with a hit', () => {
  const marks = [
    { time: FIRST - 1, label: 'opened' },
    { time: FIRST + DAY, label: 'closed' },
  ]
  expect(timelineChart(input([[1, 0, 0]], { marks }))).not.toContain('class="mark"')
  expect(timelineChart(input([[0, 0, 0]]))).toBeNull()
})

test('whatever the numbers and words, all of it lies within the picture and is well-formed', () => {
  const number = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 2 ** 31 }))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 90 }),
      fc.string({ unit: anyCodePoint }),
      fc.array(fc.record({ time: fc.integer({ min: FIRST, max: FIRST + 90 * DAY }), label: fc.string() }), {
        maxLength: 3,
      }),
      (counts, title, marks) => {
        const svg = timelineChart(input(counts, { title, marks }))
        if (svg === null) return
        expect(svg).not.toMatch(/NaN|Infinity|e[+-]\d/)
        const height = Number(/width="100%" height="([^"]+)"/.exec(svg)![1])
        for (const kind of ['pull-requests', 'trunk', 'mass-failures']) {
          for (const [top, bottom] of barsOf(svg, kind)) {
            expect(top).toBeGreaterThanOrEqual(0)
            expect(bottom).toBeLessThanOrEqual(height)
          }
        }
        const texts = [...svg.matchAll(/<text class="tick" x="[^"]+" y="([^"]+)"/g)].map(([, y]) => Number(y))
        expect(texts.every((y) => y >= 0 && y <= height)).toBe(true)
        const numbers = [...svg.matchAll(/<text class="tick"[^>]* y="([^"]+)" text-anchor="end">[\d,]+</g)]
        const places = numbers.map(([, y]) => Number(y)).toSorted((one, other) => one - other)
        expect(places.every((y, index) => index === 0 || y - places[index - 1]! > 20)).toBe(true)
        expect(svg.replace(/<title id="timeline-title">[^<]*<\/title>/, '')).not.toContain('<script')
        expect(svg.split('<').length).toBe(svg.split('>').length)
      },
    ),
    { numRuns: 100 },
  )
})
