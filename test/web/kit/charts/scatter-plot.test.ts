import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ScatterPlotInput, scatterPlot } from '../../../../src/web/kit/charts/scatter-plot.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'

const input: ScatterPlotInput = {
  id: 'scatter',
  title: 'client_time of each repetition against ReadBytes',
  x: { metric: 'ReadBytes', unit: 'bytes' },
  y: { metric: 'client_time', unit: 's' },
  old: [
    { x: 2 ** 20, y: 0.1 },
    { x: 2 ** 21, y: 0.2 },
  ],
  new: [{ x: 2 ** 22, y: 0.4 }],
  finding: 'They go together.',
}

test('has a point for each repetition, with its numbers in words', () => {
  const svg = scatterPlot(input)!.replaceAll('\u00a0', ' ')
  expect(svg.match(/<circle class="old"/g)).toHaveLength(2)
  expect(svg.match(/<rect class="new"/g)).toHaveLength(1)
  for (const said of [
    'Old: 2 repetitions, ReadBytes between 1.00 and 2.00 MiB, client_time between 100 and 200 ms.',
    'New: 1 repetition, ReadBytes between 4.00 and 4.00 MiB, client_time between 400 and 400 ms.',
    'They go together.',
    'client_time, ms ↑',
    'ReadBytes, MiB →',
    '<title>old, repetition 2: 2.00 MiB, 200 ms</title>',
  ]) {
    expect(svg).toContain(said)
  }
})

test('more time is higher, more of the metric is further right', () => {
  const points = [...scatterPlot(input)!.matchAll(/<circle class="old" cx="([\d.]+)%" cy="([\d.]+)"/g)]
  const [[x1, y1], [x2, y2]] = points.map(([, x, y]) => [Number(x), Number(y)]) as [[number, number], [number, number]]
  expect(x2).toBeGreaterThan(x1)
  expect(y2).toBeLessThan(y1)
})

test('nothing is no picture, and many points are the first ones', () => {
  expect(scatterPlot({ ...input, old: [], new: [] })).toBeNull()
  const many = scatterPlot({ ...input, old: Array.from({ length: 3000 }, (_, index) => ({ x: index, y: index })) })!
  expect(many.match(/<circle class="old"/g)).toHaveLength(500)
  expect(many).toContain('the first 500 are drawn')
})

test('any finite values and any names', () => {
  const value = fc.double({ noNaN: true, noDefaultInfinity: true })
  const points = fc.array(fc.record({ x: value, y: value }), { maxLength: 10 })
  fc.assert(
    fc.property(points, points, fc.constantFrom(...HOSTILE, '</svg><script>'), (old, fresh, name) => {
      const axis = { metric: name, unit: name }
      const svg = scatterPlot({ ...input, title: name, finding: name, x: axis, y: axis, old, new: fresh })
      if (svg !== null) expect(svg).not.toMatch(/NaN|Infinity|<script|<img/)
    }),
  )
})
