import { expect, test } from 'vitest'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { counterRatios } from '../../../src/judge/verdict/counter-ratios.ts'
import { areSeparated } from '../../../src/judge/verdict/outcome.ts'
import {
  type MetricOfQuery,
  type QueryMetricFacts,
  queryMetrics,
  withPrimary,
  withPrimaryBeyondChance,
} from '../../../src/judge/verdict/query-metrics.ts'

const SEVEN = [1, 2, 3, 4, 5, 6, 7]

function metric(name: string, old: readonly number[], fresh: readonly number[], change: Partial<MetricOfQuery> = {}) {
  const test = randomizationTest(old, fresh)
  const finite = Number.isFinite(test.difference)
  return {
    metric: name,
    unit: null,
    rounded: false,
    oldMedian: test.oldMedian,
    newMedian: test.newMedian,
    difference: finite ? test.difference : null,
    threshold: finite ? test.threshold : null,
    pValue: finite ? test.pValue : null,
    smallestPValue: finite ? test.smallestPValue : null,
    separated: finite ? false : null,
    statusReason: finite ? null : 'zero-old',
    samples: { old, new: fresh },
    ...change,
  }
}

const time = metric(
  'client_time',
  SEVEN,
  SEVEN.map((value) => value + 20),
)

test('what goes with the primary metric repetition by repetition is told from what only moved with it', () => {
  const found = queryMetrics(
    [
      time,
      metric(
        'Follows',
        SEVEN,
        SEVEN.map((value) => value * 30),
      ),
      metric('Moved', [4, 2, 6, 1, 5, 7, 3], [90, 90, 91, 92, 90, 91, 92]),
    ],
    'client_time',
  )
  const [follows, moved] = ['Follows', 'Moved'].map((name) => found.find((one) => one.metric === name)!)
  expect(follows!.withPrimary!.coefficient).toBeCloseTo(1, 12)
  expect(Math.abs(moved!.withPrimary!.coefficient)).toBeLessThan(0.6)
  expect(moved!.moved).toBe(true)
  expect(found.find((one) => one.metric === 'client_time')!.withPrimary).toBeNull()
})

test('a counter that was 0 has the p of its samples, and moved where they do not overlap', () => {
  const zero = [0, 0, 0, 0, 0, 0, 0]
  const [spilled] = queryMetrics([time, metric('Spilled', zero, [...SEVEN])], 'client_time').filter(
    ({ metric: name }) => name === 'Spilled',
  )
  expect(spilled).toMatchObject({ difference: null, moved: true, separated: true, group: 'io' })
  expect(spilled!.pValue).toBe(randomizationTest(zero, SEVEN).pValue)
  const [once] = queryMetrics([metric('Once', zero, [0, 0, 0, 3, 3, 3, 3])], 'client_time')
  expect(once).toMatchObject({ moved: false, separated: false })
})

test('of rounded numbers there is neither p nor overlap', () => {
  const [rounded] = queryMetrics([metric('ReadBytes', [100], [250], { rounded: true, separated: true })], 'client_time')
  expect(rounded).toMatchObject({ pValue: null, separated: null, group: 'io' })
})

test('repetitions that can’t be paired have no correlation', () => {
  for (const samples of [null, { old: SEVEN, new: SEVEN.slice(1) }, { old: SEVEN, new: [...SEVEN.slice(1), NaN] }]) {
    const given = { ...metric('Other', SEVEN, SEVEN), samples }
    const found = queryMetrics([time, given], 'client_time').find(({ metric: name }) => name === 'Other')!
    expect(found.withPrimary).toBeNull()
  }
  expect(queryMetrics([metric('Other', SEVEN, SEVEN)], 'client_time')[0]!.withPrimary).toBeNull()
})

test('how many move by chance follows from their repetitions, not from the 1% of T', () => {
  // a fixed sequence, as good as random here (Park and Miller)
  let state = 1
  const random = () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (const [count, share] of [
    [3, 0.2],
    [5, 0.0476],
    [7, 0.0135],
  ] as const) {
    const values = () => Array.from({ length: count }, () => 100 + random() + random() + random())
    const metrics = queryMetrics(
      Array.from({ length: 4000 }, (_, index) => {
        const [old, fresh] = [values(), values()]
        return metric(`m${index}`, old, fresh, { separated: areSeparated(old, fresh) })
      }),
      'none',
    )
    const moved = metrics.filter((one) => one.moved).length
    const expected = metrics.reduce((sum, { movesByChance }) => sum + movesByChance!, 0)
    expect(expected / 4000).toBeCloseTo(share, 2)
    // within four standard deviations
    expect(Math.abs(moved - expected)).toBeLessThan(4 * Math.sqrt(expected))
  }
})

test('without samples, and of sides that do not overlap, it is what no samples of these counts are below; of what has no p it is not known', () => {
  const few = metric('few', [1, 2, 3], [1, 2, 4], { samples: null })
  const many = metric('many', [...SEVEN, ...SEVEN], [...SEVEN, ...SEVEN], { samples: null })
  const apart = metric('apart', [0, 0, 0, 0, 0, 0, 0], [8, 8, 8, 8, 8, 8, 8], { separated: true })
  const none = metric('none', SEVEN, SEVEN, { samples: null, pValue: null })
  const chances = queryMetrics([few, many, apart, none], 'none').map((one) => [one.metric, one.movesByChance])
  expect(Object.fromEntries(chances)).toEqual({ few: 0.2, many: 0.01, apart: 0.01, none: null })
})

test('of many correlations some are large by chance: those are not said to go with the time', () => {
  // 7 + 7 repetitions
  const facts = (coefficient: number, group: QueryMetricFacts['group'] = 'io'): QueryMetricFacts => ({
    group,
    moved: true,
    movesByChance: 0.01,
    withPrimary: { coefficient, chanceDeviation: 0.2887 },
  })
  const chance = Array.from({ length: 39 }, (_, index) => facts(0.6 - index / 40))
  const strong = facts(-0.98)
  const candidates = withPrimary([...chance, strong, facts(1, 'time'), { ...facts(1), moved: false }])
  expect(candidates).toHaveLength(40)
  expect(candidates[0]).toBe(strong)
  expect(withPrimaryBeyondChance(candidates)).toEqual([strong])
  expect(withPrimaryBeyondChance([facts(0.6)])).toHaveLength(1)
  expect(withPrimaryBeyondChance([])).toEqual([])
})

test('ratios of counters are computed repetition by repetition and judged by the same test', () => {
  const thousands = SEVEN.map((value) => value * 1000)
  const cycles = metric('PerfCPUCycles', thousands, thousands)
  const halves = SEVEN.map((value) => value * 500)
  const found = counterRatios([cycles, metric('PerfInstructions', thousands, halves)])
  expect(found).toMatchObject([
    {
      metric: 'instructions-per-cycle',
      oldMedian: 1,
      newMedian: 0.5,
      difference: -0.5,
      separated: true,
      newRepetitions: 7,
    },
  ])
  expect(found[0]!.pValue).toBe(randomizationTest(found[0]!.samples!.old, found[0]!.samples!.new).pValue)
  const rows = counterRatios([metric('read_rows', SEVEN, SEVEN), metric('read_bytes', thousands, halves)])
  expect(rows).toMatchObject([{ metric: 'bytes-per-row', unit: 'bytes', oldMedian: 1000, newMedian: 500 }])
})

test('there is no ratio of counters that the source relates itself, of a 0, without samples or that cannot be paired', () => {
  const [part, whole] = [metric('instructions', SEVEN, SEVEN), metric('cycles', SEVEN, SEVEN)]
  expect(counterRatios([part, whole])).toHaveLength(1)
  for (const metrics of [
    [part],
    [part, whole, metric('instructions-per-cycle', SEVEN, SEVEN)],
    [part, metric('cycles', SEVEN, [0, 1, 2, 3, 4, 5, 6])],
    [part, { ...whole, samples: null }],
    [part, { ...whole, rounded: true }],
    [part, metric('cycles', SEVEN, [1, 2, 3])],
  ]) {
    expect(counterRatios(metrics)).toEqual([])
  }
})
