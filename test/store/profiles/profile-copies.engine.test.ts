import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { QueryId, QueryProfile, Run } from '../../../src/intake/measurement/run.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { openExternalProfiles } from '../../../src/store/profiles/external-profiles.ts'
import type { ProfilesBeside, ProfileWanted } from '../../../src/store/profiles/profiles.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'

/** What is copied out of the CI database stays when that is gone, as long as the samples and the operator's word. */

const DAY = 86_400_000
const SAMPLE_DAYS = 10

let clickhouse: ClickHouse
let store: Store
let now: Date
/** What the repository may use now. */
let beside: ProfilesBeside | null
const opened: { close(): Promise<void> }[] = []

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => now, profilesBeside: async () => beside })
  await clickhouse.command(
    'create',
    `CREATE TABLE ci_stacks (check_start_time DateTime('UTC'), new_sha String, arch String, test String, query_index UInt32,
       query_display_name String, side String, trace_type String, stack String, samples UInt64)
     ENGINE = MergeTree ORDER BY test`,
  )
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await store.close()
})
beforeEach(async () => {
  // Stacks leave the table by the clock of the machine.
  now = new Date()
  for (const table of ['stacks', 'ci_stacks']) await clickhouse.command('empty', `TRUNCATE TABLE ${table}`)
  beside = open(engineOfRun().url)
})

function open(url: string): ProfilesBeside {
  const { user, password } = engineOfRun()
  const profiles = openExternalProfiles({ url, user, password, table: `${clickhouse.database}.ci_stacks` })
  opened.push(profiles)
  return profiles
}

const QUERY = { test: 'sum', queryIndex: 3, queryName: 'SELECT sum(a) FROM t' } satisfies QueryId

/** Of the newest job of the head in the CI database; `samples` on the new side. */
async function measuredThere(head: string, samples: number): Promise<void> {
  const line = (side: string, type: string, stack: string, count: number) =>
    [Math.floor(now.getTime() / 1000), head, 'arm', 'sum', 3, QUERY.queryName, side, type, stack, count] as const
  const columns =
    'check_start_time, new_sha, arch, test, query_index, query_display_name, side, trace_type, stack, samples'
  await clickhouse.insert('ci_stacks', columns.split(', '), [
    line('baseline', 'CPU', 'main;read', 10),
    line('candidate', 'CPU', 'main;read', samples),
    line('candidate', 'MEMORY', 'main;malloc', 4096),
  ])
}

let heads = 0
function makeRun(changes: Partial<Run> = {}): Run {
  return {
    repositoryId: 1,
    pullRequestNumber: 42,
    head: `head-${++heads}`,
    check: 'performance',
    architecture: 'arm',
    shard: 1,
    shards: 2,
    attempt: 1,
    source: 'artifact 7',
    finishedAt: '2026-06-01T10:00:00Z',
    measurements: [],
    oldCommit: null,
    newCommit: null,
    warnings: [],
    profiles: [],
    ...changes,
  }
}

/** A run that is stored, and of whose head the CI database has a profile. */
async function storedRun(changes: Partial<Run> = {}): Promise<Run> {
  const run = makeRun(changes)
  await store.runs.save(run, [], SAMPLE_DAYS)
  await measuredThere(run.head, 20)
  return run
}

const wanted = ({ repositoryId, head, architecture }: Run): ProfileWanted => ({
  ...QUERY,
  repositoryId,
  head,
  architecture,
})
const CPU = { old: [{ stack: 'main;read', count: 10 }], new: [{ stack: 'main;read', count: 20 }] }

async function storedRows(): Promise<{ rows: number; expires: number }[]> {
  const sql = 'SELECT toUInt32(count()) AS rows, toUnixTimestamp(expires) AS expires FROM stacks GROUP BY expires'
  return await clickhouse.read('rows', sql, {}, z.object({ rows: z.number(), expires: z.number() }))
}

test('a profile is copied once, with all trace types, and is there when the CI database is gone', async () => {
  const run = await storedRun()
  expect(await store.profiles.mayHave(run.repositoryId, run.head)).toBe(true)
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(CPU)
  expect(await storedRows()).toEqual([])
  await Promise.all([store.profileCopies.copy(run, QUERY), store.profileCopies.copy(run, QUERY)])
  await store.profileCopies.copy(run, QUERY)
  expect(await storedRows()).toMatchObject([{ rows: 3 }])

  await clickhouse.command('empty', 'TRUNCATE TABLE ci_stacks')
  expect(await store.profiles.summariesOf(wanted(run))).toMatchObject([
    { traceType: 'CPU', old: 10, new: 20 },
    { traceType: 'MemorySample', old: 0, new: 4096 },
  ])
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(CPU)
  expect(await store.profiles.stacksOf(wanted({ ...run, repositoryId: 2 }), 'CPU')).toBeNull()
})

test('a copy leaves with the samples of its run', async () => {
  const run = await storedRun()
  const expires = Math.floor(now.getTime() / 1000) + (SAMPLE_DAYS * DAY) / 1000
  now = new Date(now.getTime() + 2 * DAY)
  await store.profileCopies.copy(run, QUERY)
  expect(await storedRows()).toEqual([{ rows: 3, expires }])
  await clickhouse.command('empty', 'TRUNCATE TABLE ci_stacks')
  now = new Date(now.getTime() + 7 * DAY)
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(CPU)
  now = new Date(now.getTime() + 2 * DAY)
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toBeNull()
})

test('a copy that may not be used any more is not used, also before it is deleted', async () => {
  const run = await storedRun()
  await store.profileCopies.copy(run, QUERY)
  const copiedFrom = beside!.copiedFrom!
  expect(await store.profileCopies.sources()).toEqual([{ repositoryId: 1, copiedFrom }])
  const mayUse = beside
  for (const other of [null, { ...mayUse!, copiedFrom: 'http://ci/other' }]) {
    beside = other === null ? null : { ...other, summariesOf: async () => [], stacksOf: async () => null }
    expect(await store.profiles.summariesOf(wanted(run))).toEqual([])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toBeNull()
  }
  expect(await storedRows()).toHaveLength(1)
  await store.profileCopies.remove({ repositoryId: 2, copiedFrom })
  expect(await storedRows()).toHaveLength(1)
  await store.profileCopies.remove({ repositoryId: 1, copiedFrom })
  expect(await storedRows()).toEqual([])
  expect(await store.profileCopies.sources()).toEqual([])
})

test('stacks that come with a run stand before copied ones, in either order of arrival', async () => {
  const own = { ...QUERY, traceType: 'CPU', old: [{ stack: 'main', count: 1 }], new: [] } satisfies QueryProfile
  const run = await storedRun({ profiles: [own] })
  await store.profileCopies.copy(run, QUERY)
  expect(await storedRows()).toMatchObject([{ rows: 1 }])

  const first = await storedRun()
  await store.profileCopies.copy(first, QUERY)
  await store.runs.save({ ...first, shard: 2, profiles: [own] }, [], SAMPLE_DAYS)
  await clickhouse.command('empty', 'TRUNCATE TABLE ci_stacks')
  expect(await store.profiles.stacksOf(wanted(first), 'CPU')).toEqual({ old: own.old, new: [] })
  expect(await store.profiles.stacksOf(wanted(first), 'MemorySample')).toBeNull()
})

test('a newer attempt has a profile of its own', async () => {
  const run = await storedRun()
  await store.profileCopies.copy(run, QUERY)
  const again = { ...run, attempt: 2 }
  await store.runs.save(again, [], SAMPLE_DAYS)
  now = new Date(now.getTime() + 3_600_000)
  await measuredThere(run.head, 30)
  const newer = { ...CPU, new: [{ stack: 'main;read', count: 30 }] }
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(newer)
  await store.profileCopies.copy(again, QUERY)
  await clickhouse.command('empty', 'TRUNCATE TABLE ci_stacks')
  expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(newer)
})

test('nothing is copied of a run that is not stored, nor out of a database that does not answer', async () => {
  const run = makeRun()
  await measuredThere(run.head, 20)
  await store.profileCopies.copy(run, QUERY)
  expect(await storedRows()).toEqual([])
  await store.runs.save(run, [], SAMPLE_DAYS)
  beside = open('http://127.0.0.1:9')
  await expect(store.profileCopies.copy(run, QUERY)).rejects.toThrow('http://127.0.0.1:9')
  expect(await storedRows()).toEqual([])
})
