import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { queryHash } from '../../src/intake/measurement/query-hash.ts'
import { resultKey } from '../../src/intake/measurement/run.ts'
import type { LedgerEntry } from '../../src/judge/ledger/entry.ts'
import { LEDGER_THRESHOLDS } from '../../src/judge/ledger/thresholds.ts'
import { classify } from '../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { type Embedded, startEmbedded } from '../../src/store/embedded/embedded.ts'
import { brokenParts, migrate } from '../../src/store/migrate.ts'
import { type Store, storeOn } from '../../src/store/store.ts'
import { amd, judgedHead, measured, times } from '../report/judge-setting.ts'
import { temporaryFolder } from './embedded/engine-fixture.ts'
import { DAY, trunkRow } from './history/trunk-rows.ts'

/** A cluster of two shards. Both are this engine: what is stored once is found twice. */
const SHARD = '<shard><replica><host>localhost</host><port>9000</port></replica></shard>'
const CONFIGURATION = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><two>${SHARD}${SHARD}</two></remote_servers>
</clickhouse>`

let local: Store
let shards: Store

/** The local tables as the bot has them that is told of the cluster. */
let cluster: ClickHouse

let engine: Embedded

beforeAll(async () => {
  const folder = await temporaryFolder()
  const config = join(folder, 'engine.xml')
  await writeFile(config, CONFIGURATION)
  engine = await startEmbedded({ dataDir: join(folder, 'data'), config })
  const { url, user, password } = engine
  const open = (database: string) => openClickHouse({ url, user, password, database, dataDir: folder })

  const stored = await open('local')
  cluster = await openClickHouse({ url, user, password, database: 'local', cluster: 'two', dataDir: folder })
  await migrate(stored)
  const distributed = await open('shards')
  await distributed.withoutDatabase().command('create', 'CREATE DATABASE shards')
  for (const { name } of await stored.read('tables', 'SHOW TABLES', {}, z.object({ name: z.string() }))) {
    const both = `Distributed('two', 'local', ${name}, repository_id)`
    await distributed.command('create', `CREATE TABLE ${name} AS local.${name} ENGINE = ${both}`)
  }
  const now = () => new Date('2026-11-21T10:00:00Z')
  local = storeOn(stored, { now })
  shards = storeOn(distributed, { now })
})
afterAll(async () => {
  await cluster.close()
  await shards.close()
  await local.close()
  await engine.stop()
})

const QUERY = { test: 'join', queryIndex: 0, queryName: 'SELECT join', architecture: 'amd' }
const SINCE = Date.UTC(2026, 10, 1)
const HEAD = 'b'.repeat(40)

test('statements that ask one table by another are answered by two shards', async () => {
  const run = amd(measured('join', times(1.5)))
  await local.runs.save(run, classify(run.measurements, DEFAULT_THRESHOLDS), 3650)
  const { report, runOf } = judgedHead([run])
  await local.reports.save(report, runOf)

  const wanted = { ...QUERY, metric: 'client_time', direction: 'slower' } as const
  expect(await shards.reports.flaggedElsewhere(1, 8, { from: SINCE, to: Date.UTC(2100, 0) }, [wanted])).toMatchObject([
    [{ pullRequestNumber: 7, oldCommit: run.oldCommit }],
  ])
  expect(await shards.reports.ofQueue(1, SINCE, 10)).toMatchObject([{ pullRequestNumber: 7 }])
  expect(await shards.reports.ofRecord(1, SINCE, 10)).toMatchObject([
    { pullRequestNumber: 7, rows: [{ test: 'join' }] },
  ])
  const often = { repositoryId: 1, metric: 'client_time', since: SINCE, copiedFrom: [] }
  // a run of the trunk is a row of the history, which does not say how often it repeated, and results, which do
  const onTrunk = { ...amd(measured('sort', times(1))), pullRequestNumber: 0, head: 'c'.repeat(40) }
  await local.runs.save(onTrunk, classify(onTrunk.measurements, DEFAULT_THRESHOLDS), 3650)
  const history = { test: 'sort', queryName: onTrunk.measurements[0]!.queryName!, time: SINCE + DAY }
  await local.trunkHistory.save(1, [
    trunkRow(history),
    trunkRow({ ...history, time: SINCE + 2 * DAY, newCommit: 'c2' }),
  ])
  // both shards have the same rows, so that each counts twice
  expect(await shards.queries.measuredOften(often)).toMatchObject([
    { test: 'sort', runs: 4, trunkRuns: 4, medianRepetitions: onTrunk.measurements[0]!.old.length },
    { test: 'join', runs: 2, trunkRuns: 0 },
  ])
  const flags = { repositoryId: 1, query: QUERY, metric: 'client_time', since: SINCE, limit: 10 }
  expect(await shards.reports.flagsOfQuery(flags)).toMatchObject([{ pullRequestNumber: 7, architecture: 'amd' }])
  expect(await shards.queries.byHash({ repositoryId: 1, hash: queryHash(QUERY), name: 'join' })).toMatchObject([QUERY])
  const subject = {
    pullRequestNumber: 7,
    commitSha: HEAD,
    headRepo: '',
    headRef: '',
    repository: '',
    trunk: [],
    mergeBase: null,
  }
  const failing = { failedIn: [], until: SINCE }
  const histories = [
    { ...failing, testName: 'join', checkName: null },
    { ...failing, testName: '', checkName: 'perf amd' },
    { ...failing, testName: 'join [20012170-d418-f7af-25b7-501ac9c1ffef]', checkName: null },
  ]
  expect(await shards.ciResults.historiesOf(histories, subject, 1, LEDGER_THRESHOLDS)).toHaveLength(3)
  expect(await shards.profiles.mayHave(1, HEAD)).toBe(false)
  expect(await shards.profiles.summariesOf({ ...QUERY, repositoryId: 1, head: HEAD })).toEqual([])
  const mover = {
    kind: 'mover',
    testName: 'join',
    signature: resultKey({ ...QUERY, architecture: 'amd' }),
  } as LedgerEntry
  expect((await shards.ledger.timelineOf(1, 'acme/engine', mover)).latest).toContainEqual(
    expect.objectContaining({ pullRequestNumber: 7 }),
  )
})

// This engine is the only replica of both shards, and is asked once.
test('each replica is asked for parts that it could not read, and named', async () => {
  expect(await brokenParts(cluster)).toEqual([])
  const table = z.object({ path: z.string(), host: z.string() })
  const [flags] = await cluster
    .withoutDatabase()
    .read(
      'path',
      "SELECT data_paths[1] AS path, hostName() AS host FROM system.tables WHERE database = 'local' AND name = 'flags'",
      {},
      table,
    )
  const { path, host } = flags!
  const broken = join(path, 'detached', 'broken-on-start_all_1_1_0')
  await mkdir(broken)
  expect(await brokenParts(cluster)).toEqual([`1 part of flags (${broken} on ${host})`])
})
