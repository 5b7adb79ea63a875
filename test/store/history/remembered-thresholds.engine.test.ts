import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClickHouseStore } from '../../../src/store/clickhouse-store.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { withRememberedThresholds } from '../../../src/store/history/remembered-thresholds.ts'
import type { HistoryOf } from '../../../src/store/history/trunk-history.ts'
import { migratedDatabase } from '../../embedded/engine-fixture.ts'
import { DAY, NOON, trunkRow } from './trunk-rows.ts'

let store: ClickHouseStore
beforeAll(async () => {
  store = new ClickHouseStore(await openClickHouse(await migratedDatabase()))
})
afterAll(() => store.close())

const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOON, trunk: ['master'] }
const month = (name: string) =>
  Array.from({ length: 101 }, (_, i) =>
    trunkRow({ time: NOON - 8 * DAY - i * 60_000, newCommit: `c${i}`, queryName: name, difference: 0.02 }),
  )

test('asked once an hour, again while it is empty or fails', async () => {
  const { trunkHistory } = store
  let asked = 0
  let fails = false
  const history = withRememberedThresholds({
    source: trunkHistory.source,
    moves: (...of) => trunkHistory.moves(...of),
    series: (...of) => trunkHistory.series(...of),
    allSeries: (...of) => trunkHistory.allSeries(...of),
    pairedStepsOfAll: (...of) => trunkHistory.pairedStepsOfAll(...of),
    learnedThresholds: async (of) => {
      asked += 1
      if (fails) throw new Error('down')
      return await trunkHistory.learnedThresholds(of)
    },
  })
  expect((await history.learnedThresholds(OF)).newest).toBeNull()
  await store.saveTrunkRows(1, month('a'))
  fails = true
  await expect(history.learnedThresholds(OF)).rejects.toThrow('down')
  fails = false
  const [one, other] = await Promise.all([history.learnedThresholds(OF), history.learnedThresholds(OF)])
  expect([one.queries, asked]).toEqual([1, 3])
  expect(other).toBe(one)

  await store.saveTrunkRows(1, month('b'))
  expect((await history.learnedThresholds({ ...OF, now: NOON + 3_599_999 })).queries).toBe(1)
  expect((await history.learnedThresholds({ ...OF, now: NOON + 3_600_000 })).queries).toBe(2)
  expect((await history.learnedThresholds({ ...OF, trunk: ['main'] })).queries).toBe(2)
  expect(asked).toBe(5)
})
