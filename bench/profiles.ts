import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { readRun } from '../src/intake/archive/read-run.ts'
import { queryHash } from '../src/intake/measurement/query-hash.ts'
import type { QueryProfile, Run } from '../src/intake/measurement/run.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { STACKS, stackRows } from '../src/store/runs/stack-rows.ts'
import { openStore } from '../src/store/store.ts'
import { insertInto } from '../src/store/table.ts'

/**
 * What the stacks of a performance run cost: read from a folder, stored, and asked for query by query; with `--layouts` also
 * in other orders of the table.
 *
 *     node bench/profiles.ts [--queries 350] [--stacks 500] [--layouts]
 */

const FRAMES = new URL(
  '../test/data/profile-speedscope/stackcollapse/perf-vertx-stacks-01-collapsed-all.txt.gz',
  import.meta.url,
)
const DEPTH = 40
const LOOKUPS = 21
const HEAD = 'a'.repeat(40)

/** A shard in which every query has stacks of two trace types on both sides, of frames with real names. */
async function makeShard(folder: string, queries: number, stacks: number): Promise<number> {
  const lines = gunzipSync(await readFile(FRAMES))
    .toString()
    .split('\n')
  const frames = [...new Set(lines.flatMap((line) => line.replace(/ \d+$/, '').split(';')))].filter((one) => one !== '')
  const random = seeded()
  const raw = Array.from({ length: queries }, (_, query) => {
    const samples = [0, 1].map((side) => `query\t${query}\tbench.query${query}.run0\t${side}\t0.1\n`)
    return `display-name\t${query}\tSELECT ${query}\n${samples.join('')}`
  })
  await mkdir(join(folder, 'report'))
  await writeFile(join(folder, 'bench-raw.tsv'), raw.join(''))
  let bytes = 0
  for (const side of ['left', 'right']) {
    const path = join(folder, 'report', `stacks.${side}.tsv`)
    const file = createWriteStream(path)
    for (let query = 0; query < queries; query += 1) {
      for (const type of ['CPU', 'Real']) {
        const stack = Array.from({ length: DEPTH }, (_, depth) => frames[(query * 131 + depth * 17) % frames.length]!)
        const rows: string[] = []
        for (let i = 0; i < stacks; i += 1) {
          // a stack shares its outer frames with the one before
          for (let at = 8 + Math.floor(random() * (DEPTH - 8)); at < DEPTH; at += 1) {
            stack[at] = frames[Math.floor(random() * frames.length)]!
          }
          const count = 1 + Math.floor(300 / (1 + i * random()))
          rows.push(`bench\t${query}\t${type}\tSELECT ${query}\t${stack.join(';')}\t${count}\n`)
        }
        if (!file.write(rows.join(''))) await once(file, 'drain')
      }
    }
    file.end()
    await once(file, 'close')
    bytes += (await stat(path)).size
  }
  return bytes
}

async function main(queries: number, stacks: number, hasLayouts: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    const shard = join(folder, 'shard')
    await mkdir(shard)
    const bytes = await makeShard(shard, queries, stacks)
    const before = process.cpuUsage()
    const [contents, readMs] = await timed(() => readRun(shard))
    const { user, system } = process.cpuUsage(before)
    const profiles = contents.profiles ?? []
    const kept = profiles.flatMap((one) => [...one.old, ...one.new])
    console.log(
      `read: ${megabytes(bytes)} in ${readMs.toFixed(0)} ms (${((user + system) / 1000).toFixed(0)} ms of processor time), ` +
        `peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB; kept ${kept.length} stacks, ` +
        megabytes(kept.reduce((sum, one) => sum + one.stack.length, 0)),
    )
    const run: Run = {
      ...contents,
      repositoryId: 1,
      pullRequestNumber: 1,
      head: HEAD,
      check: 'performance',
      architecture: null,
      shard: null,
      shards: null,
      attempt: 1,
      source: 'bench',
      finishedAt: new Date().toISOString(),
    }
    await measureStore(join(folder, 'store'), run, profiles)
    if (hasLayouts) await measureLayouts(join(folder, 'layouts'), run, profiles)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureStore(dataDir: string, run: Run, profiles: readonly QueryProfile[]): Promise<void> {
  const store = await openStore({ url: null, dataDir })
  try {
    await store.ping()
    const [, without] = await timed(() => store.runs.save({ ...run, check: 'without', profiles: [] }, []))
    const [, withProfiles] = await timed(() => store.runs.save(run, []))
    const stacks = await lookups(profiles, async (one) => {
      await store.profiles.stacksOf({ ...one, repositoryId: 1, head: HEAD, architecture: null }, one.traceType)
    })
    const summaries = await lookups(profiles, async (one) => {
      await store.profiles.summariesOf({ ...one, repositoryId: 1, head: HEAD, architecture: null })
    })
    console.log(`stored in ${withProfiles.toFixed(0)} ms, without profiles in ${without.toFixed(0)} ms`)
    console.log(`stacks of a query: ${stacks}; what there is of a query: ${summaries}`)
  } finally {
    await store.close()
  }
}

const COLUMNS = `repository_id UInt64, run_id UUID, test LowCardinality(String), query_index Nullable(UInt32),
  query_name Nullable(String) CODEC(ZSTD(3)), ordinal Nullable(UInt32),
  query_hash UInt64 MATERIALIZED halfMD5(concat(test, '\\0', ifNull(query_name, ''))) CODEC(Delta, ZSTD(1)),
  trace_type LowCardinality(String), side Enum8('old' = 0, 'new' = 1), stack String CODEC(ZSTD(3)),
  samples UInt64, expires DateTime('UTC')`

/** The order of the table and the rows of a granule. */
const LAYOUTS = {
  'test, type, side; 8,192': { order: 'test, trace_type, side', granule: 8192 },
  'query, type, side; 8,192': { order: 'query_hash, trace_type, side', granule: 8192 },
  'query, type, side; 512': { order: 'query_hash, trace_type, side', granule: 512 },
  'query, type, side, stack; 512': { order: 'query_hash, trace_type, side, stack', granule: 512 },
}
const RUNS = 4

async function measureLayouts(dataDir: string, run: Run, profiles: readonly QueryProfile[]): Promise<void> {
  const clickhouse = await openClickHouse({ url: null, dataDir, database: 'default' })
  try {
    for (const [name, layout] of Object.entries(LAYOUTS)) await measureLayout(clickhouse, name, layout, run, profiles)
  } finally {
    await clickhouse.close()
  }
}

async function measureLayout(
  clickhouse: ClickHouse,
  name: string,
  { order, granule }: { readonly order: string; readonly granule: number },
  run: Run,
  profiles: readonly QueryProfile[],
): Promise<void> {
  await clickhouse.command(
    'create',
    `CREATE OR REPLACE TABLE layout (${COLUMNS}) ENGINE = MergeTree PARTITION BY toYYYYMM(expires)
     ORDER BY (repository_id, run_id, ${order}) SETTINGS index_granularity = ${granule}`,
  )
  const runId = (i: number) => `00000000-0000-0000-0000-00000000000${i}`
  const expires = new Date(Date.now() + 90 * 86_400_000)
  for (let i = 0; i < RUNS; i += 1)
    await insertInto(clickhouse, { ...STACKS, name: 'layout' }, stackRows(run, runId(i), expires))
  await clickhouse.command('merge', 'OPTIMIZE TABLE layout FINAL')
  const sql = `SELECT side, stack, samples FROM layout
    WHERE repository_id = 1 AND run_id = '${runId(2)}' AND test = {test:String}
      AND query_hash = {hash:UInt64} AND trace_type = {type:String}`
  const row = z.object({ side: z.string(), stack: z.string(), samples: z.string() })
  const times = await lookups(profiles, async (one) => {
    const parameters = { test: one.test, hash: String(queryHash(one)), type: one.traceType }
    const found = await clickhouse.read('lookup', sql, parameters, row)
    if (found.length !== one.old.length + one.new.length) throw new Error(`${name}: ${found.length} rows`)
  })
  const size = `SELECT toFloat64(sum(bytes_on_disk)) AS bytes FROM system.parts WHERE active AND table = 'layout'`
  const [parts] = await clickhouse.read('size', size, {}, z.object({ bytes: z.number() }))
  console.log(`${name}: stacks of a query ${times}, ${megabytes(parts?.bytes ?? 0)} on disk`)
}

/** `9 ms (at best 8)`. */
async function lookups(profiles: readonly QueryProfile[], look: (one: QueryProfile) => Promise<void>): Promise<string> {
  const times: number[] = []
  for (let i = 0; i < LOOKUPS; i += 1) times.push((await timed(() => look(profiles[(i * 97) % profiles.length]!)))[1])
  times.sort((a, b) => a - b)
  return `${times[LOOKUPS >> 1]!.toFixed(0)} ms (at best ${times[0]!.toFixed(0)})`
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now()
  return [await work(), performance.now() - start]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/** A small generator of numbers from 0 to 1: the same stacks every time. */
function seeded(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function argument(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}

if (import.meta.main) {
  await main(argument('--queries', 350), argument('--stacks', 500), process.argv.includes('--layouts'))
}
