import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryHash } from '../../../src/intake/measurement/query-hash.ts'
import type { Measurement, QueryId, Run } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import type { Store } from '../../../src/store/store.ts'
import { openStore } from '../../../src/store/store.ts'
import { judgedHead } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'
import { DAY, NOON, trunkRow } from '../history/trunk-rows.ts'

const JOIN: QueryId = { test: 'join hash/ü', queryIndex: 4, queryName: 'SELECT 1' }
const NAMELESS: QueryId = { test: 'nameless', queryIndex: 4, queryName: null }
const NEW: QueryId = { test: 'new', queryIndex: 0, queryName: 'SELECT 2' }

let store: Store

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  await store.trunkHistory.save(1, [
    trunkRow({ ...JOIN, queryIndex: 3 }),
    trunkRow({ ...JOIN, time: NOON + DAY, newCommit: 'c2' }),
    trunkRow({ ...JOIN, metric: 'memory_usage', architecture: '' }),
    trunkRow({ ...JOIN, source: 'imported', architecture: 'riscv' }),
    trunkRow({ ...NAMELESS }),
    trunkRow({ ...NAMELESS, test: 'namelessness' }),
    trunkRow({ ...NAMELESS, test: 'other' }),
  ])
  await store.trunkHistory.save(2, [trunkRow({ ...NEW, metric: 'of-another-repository' })])
})
afterAll(async () => {
  await store.close()
})

const found = async (query: QueryId, name: string, repositoryId = 1) =>
  (await store.queries.byHash({ repositoryId, hash: queryHash(query), name })).map(
    ({ test: of, queryIndex, metric, architecture }) => [of, queryIndex, metric, architecture],
  )

test('a query of the trunk has its metrics, architectures and newest position', async () => {
  expect(await found(JOIN, 'join-hash-')).toEqual([
    [JOIN.test, 4, 'client_time', 'amd'],
    [JOIN.test, 4, 'client_time', 'riscv'],
    [JOIN.test, 4, 'memory_usage', null],
  ])
})

test('a query of a test whose name begins like this, and no other', async () => {
  expect((await found(NAMELESS, 'nameless')).map(([of]) => of)).toEqual(['nameless'])
  expect((await found({ ...NAMELESS, test: 'namelessness' }, 'nameless')).map(([of]) => of)).toEqual(['namelessness'])
  expect(await found(JOIN, 'join-cash')).toEqual([])
  expect(await found(JOIN, 'oin')).toEqual([])
})

test('the tests with a query without a text at an index, whose names begin like this', async () => {
  const tests = (name: string, index: number, repositoryId = 1) =>
    store.queries.testsAtIndex({ repositoryId, name, index })
  expect(await tests('nameless', 4)).toEqual(['nameless', 'namelessness'])
  expect(await tests('namelessn', 4)).toEqual(['namelessness'])
  expect(await tests('nameless', 3)).toEqual([])
  expect(await tests('nameless', 4, 2)).toEqual([])
  expect(await tests('join-hash-', 4)).toEqual([])
})

test('nothing of another repository', async () => {
  expect(await found(NEW, 'new')).toEqual([])
  expect(await found(NEW, 'new', 2)).toEqual([['new', 0, 'of-another-repository', 'amd']])
})

interface Flagged {
  readonly repositoryId?: number
  readonly number: number
  readonly attempt?: number
  readonly slower?: number
  readonly daysAgo?: number
  readonly architecture?: string | null
  readonly query?: QueryId
}

/** The measurement set of each head. */
const heads = new Map<string, readonly Run[]>()
let judgedAfter = 0

async function run(of: Flagged): Promise<void> {
  const { repositoryId = 3, number, attempt = 1, slower = 1.5, daysAgo = 0, architecture = 'amd', query = NEW } = of
  const old = [0.1, 0.101, 0.102, 0.1, 0.101, 0.102, 0.1]
  const measurement: Measurement = {
    ...query,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old,
    new: old.map((value) => value * slower),
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
  const stored: Run = {
    repositoryId,
    pullRequestNumber: number,
    head: `${number}`.padStart(40, '0'),
    check: 'Performance',
    architecture,
    shard: null,
    shards: null,
    attempt,
    source: 'artifact',
    finishedAt: new Date(NOON - daysAgo * DAY + attempt * 1000).toISOString(),
    measurements: [measurement],
    oldCommit: null,
    newCommit: null,
    warnings: [],
  }
  await store.runs.save(stored, classify([{ ...measurement, architecture }], DEFAULT_THRESHOLDS), 9999)
  const runs = [...(heads.get(stored.head) ?? []).filter((other) => other.architecture !== architecture), stored]
  heads.set(stored.head, runs)
  judgedAfter += 1
  const { report, runOf } = judgedHead([stored, ...runs.slice(0, -1)], {
    judgedAt: new Date(NOON + judgedAfter).toISOString(),
  })
  await store.reports.save(report, runOf)
}

test('flags: each pull request and architecture once, the newest attempt, the newest first', async () => {
  await run({ number: 5, daysAgo: 3 })
  await run({ number: 5, daysAgo: 3, architecture: 'arm', slower: 0.5 })
  await run({ number: 6, daysAgo: 2 })
  // Measured again, it had not moved.
  await run({ number: 6, daysAgo: 2, attempt: 2, slower: 1 })
  await run({ number: 7, daysAgo: 1, query: { ...NEW, queryName: 'SELECT 3' } })
  await run({ number: 8, daysAgo: 20 })
  await run({ number: 9, daysAgo: 1, query: { ...NEW, ordinal: 1 } })
  await run({ number: 11, daysAgo: 1, repositoryId: 4 })
  const wanted = { repositoryId: 3, query: NEW, metric: 'client_time', since: NOON - 10 * DAY, limit: 50 }
  const flags = await store.reports.flagsOfQuery(wanted)
  expect(flags.map((flag) => [flag.pullRequestNumber, flag.architecture, flag.direction])).toEqual([
    [5, 'amd', 'slower'],
    [5, 'arm', 'faster'],
  ])
  expect(flags[0]!.difference).toBeCloseTo(0.5)
  const all = await store.reports.flagsOfQuery({ ...wanted, since: 0 })
  expect(all.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([5, 5, 8])
  expect(await store.reports.flagsOfQuery({ ...wanted, since: 0, limit: 1 })).toHaveLength(1)
  expect((await store.reports.flagsOfQuery({ ...wanted, query: { ...NEW, ordinal: 1 } }))[0]!.pullRequestNumber).toBe(9)
  expect(await store.reports.flagsOfQuery({ ...wanted, metric: 'memory_usage' })).toEqual([])
})

test('a query that the trunk does not have is found in the runs of pull requests', async () => {
  const nameless = { ...NAMELESS, test: 'of a pull request' }
  await run({ repositoryId: 5, number: 12, query: nameless })
  await run({ repositoryId: 5, number: 13 })
  await run({ repositoryId: 5, number: 13, architecture: 'arm' })
  expect(await found(nameless, 'of-a-pull-request', 5)).toEqual([[nameless.test, 4, 'client_time', 'amd']])
  expect(await store.queries.testsAtIndex({ repositoryId: 5, name: 'of-a-pull', index: 4 })).toEqual([nameless.test])
  expect(await found(NEW, 'new', 5)).toEqual([
    ['new', 0, 'client_time', 'amd'],
    ['new', 0, 'client_time', 'arm'],
  ])
})
