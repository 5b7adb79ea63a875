import { expect, test } from 'vitest'
import { selectMetric } from '../../../src/cli/commands/run-input.ts'
import { countedRows, countOutcomes } from '../../../src/judge/verdict/classified-query.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { readTexts } from '../../intake/measurement/read-text.ts'

/** Ten samples around `value`, 1% apart at most. */
const around = (value: number) => Array.from({ length: 10 }, (_, index) => value * (1 + index / 1000))

const file = (time: number, rate: number) => {
  const entry = (benchmark: string, scoreUnit: string, value: number) => ({
    benchmark,
    primaryMetric: { score: value, scoreUnit, rawData: [around(value)] },
  })
  return JSON.stringify([
    entry('a.A.time', 'ms/op', time),
    entry('a.A.rate', 'ops/s', rate),
    entry('a.A.both', 'ms/op', time),
    entry('a.A.both', 'ops/s', rate),
  ])
}

test('of a query without the metric that decides, the rate that was measured in its place is counted', async () => {
  const contents = await readTexts({ 'old.json': file(1, 100), 'new.json': file(1, 50) })
  const { measurements, counted } = selectMetric(contents, undefined)
  const rows = classify(measurements, DEFAULT_THRESHOLDS)
  const shown = countedRows(rows, counted).map(({ queryName, metric }) => `${queryName} ${metric}`)
  expect(shown.sort((a, b) => a.localeCompare(b))).toEqual(['both time', 'rate throughput', 'time time'])
  expect(countOutcomes(countedRows(rows, counted))).toMatchObject({ slower: 1, faster: 0, notCompared: 0 })
  // who asks for the time alone is told which queries have none
  const { measurements: ofTime } = selectMetric(contents, 'time')
  expect(classify(ofTime, DEFAULT_THRESHOLDS).map(({ queryName, status }) => `${queryName} ${status}`)).toContain(
    'rate not-measured',
  )
})
