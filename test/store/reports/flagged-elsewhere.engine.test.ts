import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Measurement, Run } from '../../../src/intake/measurement/run.ts'
import type { LearnedLookup } from '../../../src/judge/history/learned-thresholds.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { flaggedElsewhere } from '../../../src/store/reports/flagged-elsewhere.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { judgedHead } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: Store
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse)
  await store.ping()
})
afterAll(async () => {
  await store.close()
})

const NOON = Date.UTC(2026, 5, 1, 12)
const HOUR = 3_600_000
const ALWAYS = { from: 0, to: Date.UTC(2100, 0) }

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

/** Minutes after the others that a report was judged. */
let judgedAfter = 0

/** The run, judged by the floor as it is when it is stored, and the report of it. */
async function save(
  measurements: readonly Measurement[],
  changes: Partial<Run> = {},
  learned: LearnedLookup | null = null,
): Promise<void> {
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
  await store.runs.save(run, classify(measurements, DEFAULT_THRESHOLDS))
  judgedAfter += 1
  const { report, runOf } = judgedHead([run], {
    thresholds: { ...DEFAULT_THRESHOLDS, learned },
    judgedAt: new Date(NOON + 2 * HOUR + judgedAfter * 60_000).toISOString(),
  })
  await store.reports.save(report, runOf)
}

test('other pull requests with the same query changed in the same direction, each once', async () => {
  await save([measurement('slower', 1.5), measurement('faster', 0.5), measurement('same', 1)])
  await save([measurement('slower', 1.4)], { head: 'newer-of-8', finishedAt: new Date(NOON + HOUR).toISOString() })
  await save([measurement('slower', 1.3)], {
    pullRequestNumber: 9,
    head: 'h9',
    oldCommit: 'build',
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

  const query = { test: 'join', queryIndex: 5, architecture: 'amd', metric: 'client_time' }
  const wanted = [
    { ...query, queryName: 'slower', direction: 'slower' },
    { ...query, queryName: 'slower', direction: 'faster' },
    { ...query, queryName: 'faster', direction: 'faster' },
    { ...query, queryName: 'same', direction: 'slower' },
    { ...query, queryName: 'slower', direction: 'slower', ordinal: 1 },
  ] as const
  const found = await flaggedElsewhere(clickhouse, 1, 7, { from: NOON - 48 * HOUR, to: NOON + HOUR }, wanted)
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
  expect(found[0]!.map(({ oldCommit }) => oldCommit)).toEqual([null, 'build'])
  const [before] = await flaggedElsewhere(clickhouse, 1, 7, { from: 0, to: NOON }, wanted)
  expect(before!.map(({ pullRequestNumber, time }) => [pullRequestNumber, (time - NOON) / HOUR])).toEqual([
    [8, 0],
    [9, -1],
    [11, -49],
  ])
  expect(await flaggedElsewhere(clickhouse, 1, 7, ALWAYS, [])).toEqual([])
})

const WANTED = { test: 'join', queryIndex: 0, architecture: 'amd', metric: 'client_time', direction: 'slower' } as const

/** The pull requests that flagged a query: asked for another one, and for the page of the query. */
async function flagging(repositoryId: number, queryName: string): Promise<number[][]> {
  const query = { ...WANTED, queryName }
  const [elsewhere] = await flaggedElsewhere(clickhouse, repositoryId, 7, ALWAYS, [query])
  const ofQuery = await store.reports.flagsOfQuery({ repositoryId, query, metric: query.metric, since: 0, limit: 50 })
  return [elsewhere!, ofQuery].map((all) => all.map(({ pullRequestNumber }) => pullRequestNumber))
}

test.each([
  ['too small by the learned threshold', { changed: 0.4, unstable: 0.5 }, 'too-small'],
  ['unstable by the learned threshold', { changed: 0.4, unstable: 0.2 }, 'unstable'],
])('what changed by the floor and is %s is no flag', async (name, learned, outcome) => {
  const repositoryId = 20 + name.length
  const changes = { repositoryId, pullRequestNumber: 8, head: 'h8' }
  const slower = measurement('slower', 1.3)
  const noisy = outcome === 'unstable' ? { ...slower, old: slower.old.map((value, i) => value * (1 + i / 50)) } : slower
  expect(classify([noisy], DEFAULT_THRESHOLDS)[0]!.outcome).toBe('changed')
  await save([noisy], changes, () => learned)
  const report = await store.reports.of(repositoryId, 8)
  expect(report!.rows[0]!.outcome).toBe(outcome)
  expect(await flagging(repositoryId, 'slower')).toEqual([[], []])
})

test('judged again without the change, the flag is gone; with it, it is there once', async () => {
  const changes = { repositoryId: 50, pullRequestNumber: 8, head: 'h8' }
  await save([measurement('slower', 1.3)], changes)
  await save([measurement('slower', 1.3)], changes)
  expect(await flagging(50, 'slower')).toEqual([[8], [8]])
  await save([measurement('slower', 1.3)], changes, () => ({ changed: 0.4, unstable: 0.5 }))
  expect(await flagging(50, 'slower')).toEqual([[], []])
  await save([measurement('slower', 1.3)], changes)
  expect(await flagging(50, 'slower')).toEqual([[8], [8]])
})

test('a head whose newest report flags nothing leaves those of other heads alone', async () => {
  const of = { repositoryId: 51, pullRequestNumber: 8 }
  await save([measurement('slower', 1.5)], { ...of, head: 'first' })
  await save([measurement('slower', 1)], { ...of, head: 'second', finishedAt: new Date(NOON + HOUR).toISOString() })
  expect(await flagging(51, 'slower')).toEqual([[8], [8]])
})

test('flags without their report, as a crash in between leaves them, count for nothing', async () => {
  const columns = ['repository_id', 'test', 'query_name', 'metric', 'architecture', 'pull_request_number', 'head']
  const row = [52, 'join', 'slower', 'client_time', 'amd', 8, 'h8']
  const more = ['judged_at', 'finished_at', 'difference', 'direction']
  const at = new Date(NOON + 5 * HOUR).toISOString()
  await clickhouse.insert('flags', [...columns, ...more], [[...row, at, at, 0.5, 'slower']])
  expect(await flagging(52, 'slower')).toEqual([[], []])
  await save([measurement('slower', 1.5)], { repositoryId: 52, pullRequestNumber: 9, head: 'h9' })
  expect(await flagging(52, 'slower')).toEqual([[9], [9]])
})
