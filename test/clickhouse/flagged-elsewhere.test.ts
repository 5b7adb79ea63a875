import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClickHouseStore } from '../../src/clickhouse/clickhouse-store.ts'
import { type ClickHouse, openClickHouse } from '../../src/clickhouse/client.ts'
import { flaggedElsewhere } from '../../src/clickhouse/flagged-elsewhere.ts'
import type { Measurement, Run } from '../../src/measurement/run.ts'
import { classify } from '../../src/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../src/verdict/thresholds.ts'
import { temporaryFolder } from './embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: ClickHouseStore
beforeAll(async () => {
  clickhouse = await openClickHouse({ url: null, dataDir: await temporaryFolder() })
  store = new ClickHouseStore(clickhouse)
  await store.ping()
})
afterAll(async () => {
  await store.close()
})

const NOON = Date.UTC(2026, 5, 1, 12)
const HOUR = 3_600_000

function measurement(queryName: string, factor: number, changes: Partial<Measurement> = {}): Measurement {
  const samples = Array.from({ length: 7 }, (_, i) => 0.1 + i / 1e5)
  return {
    test: 'join',
    queryIndex: 0,
    queryName,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: samples,
    new: samples.map((sample) => sample * factor),
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...changes,
  }
}

async function save(measurements: readonly Measurement[], changes: Partial<Run> = {}): Promise<void> {
  const run: Run = {
    repositoryId: 1,
    pullRequestNumber: 8,
    head: 'head-of-8',
    check: 'perf',
    architecture: 'amd',
    shard: null,
    shards: null,
    attempt: 1,
    source: 'artifact 1',
    finishedAt: new Date(NOON).toISOString(),
    measurements,
    oldCommit: null,
    newCommit: null,
    warnings: [],
    ...changes,
  }
  await store.saveRun(run, classify(measurements, DEFAULT_THRESHOLDS))
}

test('other pull requests with the same query changed in the same direction, each once', async () => {
  await save([measurement('slower', 1.5), measurement('faster', 0.5), measurement('same', 1)])
  await save([measurement('slower', 1.4)], { head: 'newer-of-8', finishedAt: new Date(NOON + HOUR).toISOString() })
  await save([measurement('slower', 1.3)], {
    pullRequestNumber: 9,
    head: 'h9',
    finishedAt: new Date(NOON - HOUR).toISOString(),
  })
  await save([measurement('slower', 2)], { pullRequestNumber: 10, head: 'h10' })
  await save([measurement('slower', 1)], { pullRequestNumber: 10, head: 'h10', attempt: 2 })
  await save([measurement('slower', 2)], {
    pullRequestNumber: 11,
    head: 'h11',
    finishedAt: new Date(NOON - 49 * HOUR).toISOString(),
  })
  await save([measurement('slower', 2)], { pullRequestNumber: 12, head: 'h12', repositoryId: 2 })
  await save([measurement('slower', 2)], { pullRequestNumber: 13, head: 'h13', architecture: 'arm' })
  await save([measurement('slower', 2)], { pullRequestNumber: 7, head: 'own' })
  await save([measurement('slower', 2)], { pullRequestNumber: 0, head: 'trunk' })

  const query = { test: 'join', queryIndex: 5, architecture: 'amd', metric: 'client_time' }
  const wanted = [
    { ...query, queryName: 'slower', direction: 'slower' },
    { ...query, queryName: 'slower', direction: 'faster' },
    { ...query, queryName: 'faster', direction: 'faster' },
    { ...query, queryName: 'same', direction: 'slower' },
    { ...query, queryName: 'slower', direction: 'slower', ordinal: 1 },
  ] as const
  const found = await flaggedElsewhere(clickhouse, 1, 7, NOON - 48 * HOUR, wanted)
  const short = found.map((all) =>
    all.map(({ pullRequestNumber, time, difference }) => [
      pullRequestNumber,
      (time - NOON) / HOUR,
      Math.round(difference * 100) / 100,
    ]),
  )
  expect(short).toEqual([
    [
      [8, 1, 0.4],
      [9, -1, 0.3],
    ],
    [],
    [[8, 0, -0.5]],
    [],
    [],
  ])
  expect(await flaggedElsewhere(clickhouse, 1, 7, 0, [])).toEqual([])
})
