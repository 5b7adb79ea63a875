import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { median } from '../../../src/intake/measurement/median.ts'
import { mannWhitney } from '../../../src/judge/statistics/mann-whitney.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import { clientOf, engineOfRun } from '../../store/embedded/engine-fixture.ts'

/** Random samples of two sides, some with many ties; fixed, so that what is compared is the same every time. */
const cases = fc.sample(
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(1_000_000)).chain((largest) => {
    const side = fc.array(
      fc.integer({ min: 1, max: largest }).map((ticks) => ticks / 1000),
      { minLength: 2, maxLength: 15 },
    )
    return fc.tuple(side, side)
  }),
  { seed: 25_08, numRuns: 200 },
)

/** One statement for all of them: each costs the engine more than its work. */
const rows = cases.map(([old, fresh], index) => {
  const labels = [...old.map(() => 0), ...fresh.map(() => 1)]
  const arrays = [old, fresh, [...old, ...fresh], labels]
  return `(${index}, ${arrays.map((values) => JSON.stringify(values)).join(', ')})`
})
const client = clientOf(engineOfRun())
const answered = await client.query({
  query: `SELECT
    arrayReduce('medianExact', old) AS oldMedian,
    arrayReduce('medianExact', new) AS newMedian,
    arrayReduce('mannWhitneyUTest', pooled, labels).1 AS u
  FROM values(
    'id UInt32, old Array(Float64), new Array(Float64), pooled Array(Float64), labels Array(UInt8)',
    ${rows.join(',\n')})
  ORDER BY id`,
  format: 'JSONEachRow',
})
const answers = await answered.json<{ oldMedian: number; newMedian: number; u: number }>()
await client.close()

test('median is medianExact', () => {
  expect(answers).toHaveLength(cases.length)
  for (const [index, [old, fresh]] of cases.entries()) {
    expect(median(old)).toBe(answers[index]!.oldMedian)
    expect(median(fresh)).toBe(answers[index]!.newMedian)
    expect(randomizationTest(old, fresh)).toMatchObject({
      oldMedian: answers[index]!.oldMedian,
      newMedian: answers[index]!.newMedian,
    })
  }
})

test('U is that of mannWhitneyUTest, ties included', () => {
  for (const [index, [old, fresh]] of cases.entries()) {
    expect(mannWhitney(old, fresh).u).toBe(answers[index]!.u)
  }
})
