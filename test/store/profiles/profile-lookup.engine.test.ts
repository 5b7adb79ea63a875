import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../../src/intake/measurement/limits.ts'
import { queryHash } from '../../../src/intake/measurement/query-hash.ts'
import type { Measurement, QueryId, QueryProfile, Run, StackCount } from '../../../src/intake/measurement/run.ts'
import { LEFT_OUT_FRAME } from '../../../src/intake/measurement/stack-counts.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import type { ProfileWanted } from '../../../src/store/profiles/profiles.ts'
import { runIdOf } from '../../../src/store/runs/run-rows.ts'
import { STACKS, stackRows } from '../../../src/store/runs/stack-rows.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { insertInto } from '../../../src/store/table.ts'
import { readTexts, row } from '../../intake/measurement/read-text.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: Store
let now: Date

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => now })
})
afterAll(() => store.close())
beforeEach(() => {
  // Stacks leave the table by the clock of the machine.
  now = new Date()
})

const SUM = { test: 'sum', queryIndex: 3, queryName: 'SELECT sum(a) FROM t' } satisfies QueryId
const OLD: StackCount[] = [
  { stack: "main;DB::f()::'lambda'(int);читать", count: 310 },
  { stack: 'main;read\\', count: 290 },
]
const NEW: StackCount[] = [{ stack: 'main;write', count: Number.MAX_SAFE_INTEGER }]

function profile(changes: Partial<QueryProfile> = {}): QueryProfile {
  return { ...SUM, traceType: 'CPU', old: OLD, new: NEW, ...changes }
}

function measurement(query: QueryId): Measurement {
  return {
    ...query,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: [0.1],
    new: [0.2],
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

let heads = 0
function makeRun(profiles: readonly QueryProfile[], changes: Partial<Run> = {}): Run {
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
    measurements: [measurement(SUM)],
    oldCommit: null,
    newCommit: null,
    warnings: [],
    profiles,
    ...changes,
  }
}

const wanted = ({ repositoryId, head }: Run, changes: Partial<ProfileWanted> = {}): ProfileWanted => ({
  ...SUM,
  repositoryId,
  head,
  architecture: 'arm',
  ...changes,
})

const sides = (one: Pick<QueryProfile, 'old' | 'new'>) => ({ old: one.old, new: one.new })

describe('the profiles of a stored run', () => {
  test('come back as they were, and are no part of the run', async () => {
    const memory = profile({ traceType: 'MemorySample', old: [], new: OLD })
    const run = makeRun([profile(), memory, profile({ traceType: 'Real', new: [] })])
    await store.runs.save(run, [])
    expect(await store.profiles.mayHave(1, run.head)).toBe(true)
    expect(await store.profiles.mayHave(2, run.head)).toBe(false)
    expect(await store.profiles.mayHave(1, 'e'.repeat(40))).toBe(false)
    expect(await store.profiles.summariesOf(wanted(run))).toEqual([
      { traceType: 'CPU', old: 600, new: Number.MAX_SAFE_INTEGER, runs: [expect.any(String)] },
      { traceType: 'Real', old: 600, new: 0, runs: [expect.any(String)] },
      { traceType: 'MemorySample', old: 0, new: 600, runs: [expect.any(String)] },
    ])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(sides(profile()))
    expect(await store.profiles.stacksOf(wanted(run), 'MemorySample')).toEqual(sides(memory))
    expect(await store.profiles.stacksOf(wanted(run), 'JemallocSample')).toBeNull()
    const { profiles: _profiles, ...without } = run
    expect(await store.runs.of(1, run.head)).toEqual([without])
  })

  test('are those of one query: by test, text and the place among equal texts, whatever its index', async () => {
    const second = profile({ ordinal: 1, queryIndex: 4, old: NEW, new: OLD })
    const nameless = profile({ queryName: null, queryIndex: 9, old: NEW, new: [] })
    const other = profile({ test: 'avg', old: [], new: NEW })
    const run = makeRun([profile(), second, nameless, other])
    await store.runs.save(run, [])
    const of = async (changes: Partial<ProfileWanted>) => await store.profiles.stacksOf(wanted(run, changes), 'CPU')
    expect(await of({ queryIndex: 0 })).toEqual(sides(profile()))
    expect(await of({ ordinal: 1 })).toEqual(sides(second))
    expect(await of({ queryName: null, queryIndex: 9 })).toEqual(sides(nameless))
    expect(await of({ test: 'avg' })).toEqual(sides(other))
    for (const nothing of [{ ordinal: 2 }, { queryName: null }, { test: 'max' }, { queryName: 'SELECT 1' }]) {
      expect(await of(nothing)).toBeNull()
      expect(await store.profiles.summariesOf(wanted(run, nothing))).toEqual([])
    }
  })

  test('have the keys of the measurements that were read with them', async () => {
    const names = ['SELECT 1', 'SELECT 1', `${'x'.repeat(1000)}...(2)`]
    const stacks = (count: number) =>
      names.map((name, index) => row('sum', index, 'CPU', name, 'main;f', count + index)).join('')
    const raw = names.map(
      (name, index) =>
        row('display-name', index, name) + [0, 1].map((side) => row('query', index, 'r', side, 0.1)).join(''),
    )
    const contents = await readTexts({
      'sum-raw.tsv': raw.join(''),
      'report/stacks.left.tsv': stacks(10),
      'report/stacks.right.tsv': stacks(20),
    })
    const run = makeRun([], contents)
    await store.runs.save(run, [])
    const [stored] = await store.runs.of(1, run.head)
    expect(stored?.measurements).toHaveLength(3)
    for (const [index, query] of stored!.measurements.entries()) {
      const of = { ...query, repositoryId: 1, head: run.head, architecture: 'arm' }
      expect(await store.profiles.stacksOf(of, 'CPU')).toEqual({
        old: [{ stack: 'main;f', count: 10 + index }],
        new: [{ stack: 'main;f', count: 20 + index }],
      })
    }
  })

  test('are those of one head, repository and architecture', async () => {
    const run = makeRun([profile()])
    await store.runs.save(run, [])
    const without = { ...run, architecture: null, profiles: [profile({ old: NEW, new: OLD })] }
    await store.runs.save(without, [])
    await store.runs.save({ ...run, repositoryId: 2, profiles: [profile({ new: [] })] }, [])
    const of = async (changes: Partial<ProfileWanted>) => await store.profiles.stacksOf(wanted(run, changes), 'CPU')
    expect(await of({})).toEqual(sides(profile()))
    expect(await of({ architecture: null })).toEqual({ old: NEW, new: OLD })
    expect(await of({ architecture: 'amd' })).toBeNull()
    expect(await of({ architecture: '' })).toBeNull()
    expect(await of({ repositoryId: 2 })).toEqual({ old: OLD, new: [] })
    expect(await of({ repositoryId: 3 })).toBeNull()
    expect(await of({ head: 'another' })).toBeNull()
  })

  test('are of the newest attempt of each check; checks add up', async () => {
    const run = makeRun([profile()])
    await store.runs.save(run, [])
    const again = { ...run, attempt: 2, profiles: [profile({ old: [{ stack: 'main', count: 5 }], new: OLD })] }
    await store.runs.save(again, [])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual({ old: [{ stack: 'main', count: 5 }], new: OLD })
    await store.runs.save(
      { ...run, shard: 2, profiles: [profile({ old: [{ stack: 'main', count: 2 }], new: [] })] },
      [],
    )
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual({ old: [{ stack: 'main', count: 7 }], new: OLD })
    await store.runs.save({ ...again, attempt: 3, profiles: [] }, [])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual({ old: [{ stack: 'main', count: 2 }], new: [] })
    const isEarlier = { isEarlier: true as const }
    const withAny = await store.profiles.stacksOf(wanted(run, isEarlier), 'CPU')
    expect(withAny).toEqual({ old: [{ stack: 'main', count: 7 }], new: OLD })
    expect(await store.profiles.summariesOf(wanted(run, { ...isEarlier, architecture: 'amd' }))).toEqual([])
  })

  test('stand once, also after a write that was broken off', async () => {
    const run = makeRun([profile()])
    const expires = new Date(now.getTime() + 86_400_000)
    await store.ping()
    await insertInto(clickhouse, STACKS, stackRows(run, runIdOf(run), expires))
    expect(await store.profiles.summariesOf(wanted(run))).toEqual([])
    await store.runs.save(run, [])
    await store.runs.save(run, [])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual(sides(profile()))
  })

  test('leave with the samples', async () => {
    const run = makeRun([profile()])
    await store.runs.save(run, [], 10)
    const expiry = z.object({ expires: z.number() })
    const sql = 'SELECT DISTINCT toUnixTimestamp(expires) AS expires FROM stacks WHERE run_id = {runId:UUID}'
    expect(await clickhouse.read('expiry', sql, { runId: runIdOf(run) }, expiry)).toEqual([
      { expires: Math.floor(now.getTime() / 1000) + 10 * 86_400 },
    ])
    now = new Date(now.getTime() + 11 * 86_400_000)
    expect(await store.profiles.summariesOf(wanted(run))).toEqual([])
  })

  test('are bounded: what is beyond the heaviest is one stack', async () => {
    const long = (name: string) => `${name};${'x'.repeat(DEFAULT_LIMITS.profileText / 2 - 10)}`
    const stacks = ['a', 'b', 'c', 'd'].map((name, i) => ({ stack: long(name), count: 40 - i }))
    const run = makeRun([profile({ old: stacks, new: OLD })])
    await store.runs.save(run, [])
    expect(await store.profiles.stacksOf(wanted(run), 'CPU')).toEqual({
      old: [...stacks.slice(0, 2), { stack: LEFT_OUT_FRAME, count: 75 }],
      new: OLD,
    })
  })

  test('have the number that the code computes for a query', async () => {
    const run = makeRun([profile(), profile({ queryName: null }), profile({ queryName: null, queryIndex: null })])
    await store.runs.save(run, [])
    const hashRow = z.object({ hash: z.string() })
    const sql = 'SELECT DISTINCT toString(query_hash) AS hash FROM stacks WHERE run_id = {runId:UUID}'
    const hashes = await clickhouse.read('hashes', sql, { runId: runIdOf(run) }, hashRow)
    expect(hashes.map(({ hash }) => hash).toSorted()).toEqual(
      run.profiles!.map((one) => String(queryHash(one))).toSorted(),
    )
  })
})
