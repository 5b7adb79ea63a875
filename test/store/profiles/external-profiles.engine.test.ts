import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { openExternalProfiles } from '../../../src/store/profiles/external-profiles.ts'
import { storedProfiles } from '../../../src/store/profiles/profile-lookup.ts'
import type { Profiles, ProfileWanted } from '../../../src/store/profiles/profiles.ts'
import { chainedProfiles } from '../../../src/store/profiles/profiles.ts'
import { StoreUnavailable } from '../../../src/store/store-unavailable.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'
import type { EngineOfRun } from '../embedded/engine-of-run.ts'

let embedded: EngineOfRun
let clickhouse: ClickHouse
const opened: { close(): Promise<void> }[] = []

beforeAll(async () => {
  embedded = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await clickhouse.close()
})

const NOW = Date.UTC(2026, 5, 30)

function open(table: string, changes: Partial<Parameters<typeof openExternalProfiles>[0]> = {}): Profiles {
  const { url, user, password } = embedded
  const now = () => new Date(NOW)
  const profiles = openExternalProfiles({
    url,
    user,
    password,
    table: `${clickhouse.database}.${table}`,
    now,
    ...changes,
  })
  opened.push(profiles)
  return profiles
}

/** In the columns of ClickHouse's table. */
const COLUMNS = `event_date Date, check_start_time DateTime('UTC'), pr_number UInt32, old_sha String, new_sha String,
  arch LowCardinality(String), baseline_kind LowCardinality(String), workflow_name LowCardinality(String),
  base_branch LowCardinality(String), report_url String, instance_type LowCardinality(String), instance_id String,
  test LowCardinality(String), query_index UInt32, query_display_name String, side LowCardinality(String),
  trace_type LowCardinality(String), stack String, samples UInt64`

interface Row {
  readonly at?: string
  readonly sha?: string
  readonly arch?: string
  readonly kind?: string
  readonly index?: number
  readonly name?: string
  readonly side: 'baseline' | 'candidate' | 'other'
  readonly type?: string
  readonly stack: string
  readonly samples: number
}

async function fill(table: string, rows: readonly Row[]): Promise<void> {
  await clickhouse.command(
    'create',
    `CREATE TABLE ${table} (${COLUMNS}) ENGINE = MergeTree ORDER BY (event_date, test)`,
  )
  const values = rows.map((row) => {
    const { at = '2026-06-29 10:00:00', sha = 'new', arch = 'arm', kind = 'master_head', index = 3 } = row
    const { name = 'SELECT 1', side, type = 'CPU', stack, samples } = row
    return [
      at.slice(0, 10),
      at,
      42,
      'old',
      sha,
      arch,
      kind,
      'PR',
      'master',
      '',
      '',
      '',
      'sum',
      index,
      name,
      side,
      type,
      stack,
      samples,
    ]
  })
  const columns = COLUMNS.split(',').flatMap((column) => /^\s*([a-z_]+) /.exec(column)?.[1] ?? [])
  await clickhouse.insert(table, columns, values)
}

const WANTED: ProfileWanted = {
  repositoryId: 1,
  head: 'new',
  architecture: 'arm',
  test: 'sum',
  queryIndex: 3,
  queryName: 'SELECT 1',
}

describe('a table of others', () => {
  test('gives a query of a head, both sides, under all names of the trace types', async () => {
    await fill('stacks_v1', [
      { side: 'baseline', stack: 'main;read', samples: 10 },
      { side: 'baseline', stack: 'main;read', samples: 1 },
      { side: 'candidate', stack: 'main;write', samples: 20 },
      { side: 'other', stack: 'main;nobody', samples: 20 },
      { side: 'candidate', type: 'REAL_TIME', stack: 'main;wait', samples: 5 },
      { side: 'baseline', type: 'MEMORY', stack: 'main;malloc', samples: 4096 },
      { side: 'baseline', type: 'Unknown', stack: 'main', samples: 1 },
      { side: 'candidate', sha: 'another', stack: 'x', samples: 1 },
      { side: 'candidate', arch: 'amd', stack: 'x', samples: 1 },
      { side: 'candidate', index: 4, stack: 'x', samples: 1 },
      { side: 'candidate', name: 'SELECT 2', stack: 'x', samples: 1 },
      { side: 'candidate', kind: 'release_base', stack: 'x', samples: 1 },
      { side: 'candidate', at: '2026-06-29 09:00:00', stack: 'an older job', samples: 1 },
    ])
    const profiles = open('stacks_v1')
    expect(await profiles.summariesOf(WANTED)).toEqual([
      { traceType: 'CPU', old: 11, new: 20, runs: [expect.any(String)] },
      { traceType: 'Real', old: 0, new: 5, runs: [expect.any(String)] },
      { traceType: 'MemorySample', old: 4096, new: 0, runs: [expect.any(String)] },
    ])
    expect(await profiles.stacksOf(WANTED, 'CPU')).toEqual({
      old: [{ stack: 'main;read', count: 11 }],
      new: [{ stack: 'main;write', count: 20 }],
    })
    expect(await profiles.stacksOf(WANTED, 'Real')).toEqual({ old: [], new: [{ stack: 'main;wait', count: 5 }] })
    expect(await profiles.stacksOf(WANTED, 'JemallocSample')).toBeNull()
    expect(await profiles.summariesOf({ ...WANTED, architecture: null })).toEqual([])
    // The text alone, the index alone.
    expect(await profiles.stacksOf({ ...WANTED, queryIndex: null }, 'Real')).not.toBeNull()
    expect(await profiles.stacksOf({ ...WANTED, queryName: null }, 'Real')).not.toBeNull()
  })

  test('cuts long texts as perf.py does, and is looked through for ninety days', async () => {
    const long = `SELECT '${'ж'.repeat(992)}`
    await fill('stacks_long', [
      { side: 'baseline', name: `${long}...(3)`, stack: 'main', samples: 1 },
      { side: 'baseline', at: '2026-03-01 10:00:00', sha: 'months ago', stack: 'main', samples: 1 },
    ])
    const profiles = open('stacks_long')
    expect(await profiles.stacksOf({ ...WANTED, queryName: long }, 'CPU')).not.toBeNull()
    expect(await profiles.stacksOf({ ...WANTED, head: 'months ago' }, 'CPU')).toBeNull()
  })

  test('that lacks columns of which some may be missing', async () => {
    await clickhouse.command(
      'create',
      `CREATE TABLE stacks_few (check_start_time DateTime, new_sha String, test String, query_index UInt16,
         query_display_name String, side String, trace_type String, stack String, samples Int64)
       ENGINE = MergeTree ORDER BY tuple()`,
    )
    await clickhouse.command(
      'insert',
      `INSERT INTO stacks_few VALUES ('2026-06-29 10:00:00', 'new', 'sum', 3, 'SELECT 1', 'baseline', 'CPU', 'main', 7)`,
    )
    const profiles = open('stacks_few')
    expect(await profiles.summariesOf({ ...WANTED, architecture: null })).toEqual([
      { traceType: 'CPU', old: 7, new: 0, runs: [expect.any(String)] },
    ])
  })

  test('that is not there has nothing; a server that is not there is an error', async () => {
    expect(await open('nowhere').summariesOf(WANTED)).toEqual([])
    expect(await open('nowhere').stacksOf(WANTED, 'CPU')).toBeNull()
    await expect(open('stacks_v1', { url: 'http://127.0.0.1:9' }).summariesOf(WANTED)).rejects.toThrow(StoreUnavailable)
    expect(() => open('x; DROP TABLE stacks')).toThrow(StoreUnavailable)
  })

  test('is asked for what the own store has nothing of', async () => {
    await fill('stacks_chained', [{ side: 'baseline', stack: 'main', samples: 1 }])
    const warnings: string[] = []
    const warn = (_details: unknown, message: string) => void warnings.push(message)
    const own = storedProfiles(clickhouse)
    const chained = chainedProfiles(
      own,
      async ({ repositoryId }) => (repositoryId === 1 ? open('stacks_chained') : null),
      warn,
    )
    expect(await chained.summariesOf(WANTED)).toEqual([
      { traceType: 'CPU', old: 1, new: 0, runs: [expect.any(String)] },
    ])
    expect(await chained.stacksOf(WANTED, 'CPU')).toEqual({ old: [{ stack: 'main', count: 1 }], new: [] })
    expect(await chained.summariesOf({ ...WANTED, repositoryId: 2 })).toEqual([])
    expect(await chained.stacksOf({ ...WANTED, repositoryId: 2 }, 'CPU')).toBeNull()

    const unreachable = open('stacks_chained', { url: 'http://127.0.0.1:9' })
    const down = async () => unreachable
    const reversed = chainedProfiles(open('stacks_chained'), down, warn)
    expect(await reversed.summariesOf(WANTED)).toHaveLength(1)
    expect(await reversed.stacksOf(WANTED, 'CPU')).not.toBeNull()
    expect(warnings).toEqual([])
    // Nobody waits for a profile: what can't be asked has none.
    expect(await chainedProfiles(own, down, warn).summariesOf(WANTED)).toEqual([])
    expect(await chainedProfiles(own, down, warn).stacksOf(WANTED, 'CPU')).toBeNull()
    expect(warnings).toEqual(Array.from({ length: 2 }, () => 'The profiles of the CI database can’t be queried'))
    // It is left alone for a while.
    let time = 0
    const asked = chainedProfiles(own, down, warn, () => new Date(time))
    for (let i = 0; i < 3; i += 1) expect(await asked.summariesOf(WANTED)).toEqual([])
    expect(warnings).toHaveLength(3)
    time = 60_000
    expect(await asked.summariesOf(WANTED)).toEqual([])
    expect(warnings).toHaveLength(4)
  })
})
