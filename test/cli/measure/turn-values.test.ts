import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { benchmarksIn, equalBuildsIn, seriesOf, type TurnOutputs } from '../../../src/cli/measure/turn-values.ts'
import type { Build } from '../../../src/intake/measurement/formats/measure-file.ts'
import type { Measurement } from '../../../src/intake/measurement/run.ts'

const output = (samples: readonly number[], metric = 'time', queryName = 'b'): Measurement => ({
  test: 'a',
  queryIndex: null,
  queryName,
  metric,
  unit: 's',
  architecture: null,
  old: [],
  new: samples,
  reportThreshold: null,
  rounded: false,
  problems: [],
})
const turn = (values: Partial<Record<Build, number>>): TurnOutputs =>
  new Map(Object.entries(values).map(([build, value]) => [build as Build, [output([value])]]))

describe('the values of turns', () => {
  test('are one of each process, its median', () => {
    const turns = [new Map([['base', [output([3, 1, 2])]] as const])]
    expect(seriesOf(turns)[0]!.values.base).toEqual(new Map([[0, 2]]))
  })

  test('have no noise below five turns, and none of what one build alone has', () => {
    const four = Array.from({ length: 4 }, () => turn({ base: 1, head: 1.1 }))
    expect(benchmarksIn(seriesOf(four))).toEqual([{ name: 'b', turns: 4, noise: null, calmNoise: null }])
    expect(benchmarksIn(seriesOf([...four, turn({ base: 1, head: 1 })]))[0]!.noise).toBeGreaterThanOrEqual(0)
    expect(benchmarksIn(seriesOf([turn({ base: 1 }), turn({ base: 1 })]))).toEqual([])
  })

  test('are judged by the metric that decides', () => {
    const both = new Map(
      (['base', 'head'] as const).map((build) => [build, [output([1]), output([5], 'allocations')]] as const),
    )
    expect(benchmarksIn(seriesOf([both]))).toHaveLength(1)
  })

  test('show the same noise whatever the head gained or lost: no outcome ends a run', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: 900, max: 1100 }), fc.integer({ min: 900, max: 1100 })), {
      minLength: 5,
      maxLength: 30,
    })
    fc.assert(
      fc.property(pairs, fc.integer({ min: -500, max: 5000 }), (values, moved) => {
        const noises = [0, moved].map((by) =>
          benchmarksIn(seriesOf(values.map(([base, head]) => turn({ base, head: head + by })))),
        )
        expect(noises[1]).toEqual(noises[0])
      }),
    )
  })

  test('of the calm half are those of the turns that are closest together', () => {
    const calm = [100, 101, 99, 100, 101, 100]
    const turns = [...calm, 160, 210, 250, 180, 300, 130].map((base, at) => turn({ base, head: base + (at % 2) }))
    const [found] = benchmarksIn(seriesOf(turns))
    expect(found!.noise).toBeGreaterThan(0.5)
    expect(found!.calmNoise).toBeLessThan(0.03)
  })

  test('of equal builds are those of turns that have both', () => {
    const turns = [turn({ base: 1, head: 2, copy: 1.1 }), turn({ base: 2, head: 2 }), turn({ base: 3, copy: 3.1 })]
    expect(equalBuildsIn(seriesOf(turns))).toEqual([
      {
        test: 'a',
        queryIndex: null,
        queryName: 'b',
        metric: 'time',
        architecture: null,
        base: [1, 3],
        copy: [1.1, 3.1],
      },
    ])
  })
})
