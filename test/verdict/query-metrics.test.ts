import { expect, test } from 'vitest'
import { randomizationTest } from '../../src/statistics/randomization-test.ts'
import { type MetricOfQuery, queryMetrics } from '../../src/verdict/query-metrics.ts'

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
