import { expect, test } from 'vitest'
import { sampleDots } from '../../../../src/web/kit/charts/sample-dots.ts'
import type { Html } from '../../../../src/web/kit/layout.ts'

const textOf = async (html: Html | string) => (await html).toString()

const placesOf = (svg: string, side: 'old' | 'new') =>
  [...(new RegExp(`class="${side}" d="([^"]*)"`).exec(svg)?.[1] ?? '').matchAll(/M([\d.]+) /g)].map(([, x]) =>
    Number(x),
  )

test('the smallest value of a row stands at the left, the largest at the right, each side in its lane', async () => {
  const svg = await textOf(sampleDots({ old: [1, 2], new: [3, 5] }))
  expect([placesOf(svg, 'old'), placesOf(svg, 'new')]).toEqual([
    [2, 24],
    [46, 90],
  ])
  expect(svg.match(/ (4\.5|11\.5)h0/g)).toEqual([' 4.5h0', ' 4.5h0', ' 11.5h0', ' 11.5h0'])
  expect(svg).toContain('aria-hidden="true"')
})

test('equal values are one dot in the middle, a missing side has none, and nothing is drawn of no number', async () => {
  const svg = await textOf(sampleDots({ old: [], new: [7, 7, 7] }))
  expect([placesOf(svg, 'old'), placesOf(svg, 'new')]).toEqual([[], [46]])
  expect(sampleDots({ old: [Number.NaN], new: [Number.POSITIVE_INFINITY] })).toBe('')
})

test('any number of samples can be drawn', async () => {
  const many = Array.from({ length: 200_000 }, (_, at) => at)
  expect(placesOf(await textOf(sampleDots({ old: many, new: [0] })), 'old')).toContain(90)
})

test('of more than thirty values thirty are drawn, the smallest and the largest among them', async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => at ** 2)
  const places = placesOf(await textOf(sampleDots({ old: many, new: [0] })), 'old')
  expect(places.length).toBeLessThanOrEqual(30)
  expect([places[0], places.at(-1)]).toEqual([2, 90])
})
