import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { z } from 'zod'
import { readRun } from '../src/intake/archive/read-run.ts'
import type { Measurement, Run } from '../src/intake/measurement/run.ts'
import type { ClassifiedQuery } from '../src/judge/verdict/classified-query.ts'
import { classify } from '../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../src/judge/verdict/thresholds.ts'
import { openClickHouse } from '../src/store/client.ts'
import { runIdOf } from '../src/store/runs/run-rows.ts'
import { storeOn } from '../src/store/store.ts'

/**
 * What all metrics of a shard of ClickHouse's check cost: 340 queries, 100 metrics each, 7 + 7 repetitions; and how many small runs are
 * stored in a second. The counters are those of `test/data/run-metrics`, each query's and counter's by a factor of its own.
 *
 *     node bench/query-metrics.ts [shards]
 */

const QUERIES = 340
const METRICS = 100
/** Of the queries of a shard that changed, as in a busy pull request. */
const CHANGED = 20
const DATA = fileURLToPath(new URL('../test/data/run-metrics/measurements.jsonl.gz', import.meta.url))

/** The same numbers each time. */
function noise(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function shardOf(shard: number): Promise<Measurement[]> {
  const { measurements } = await readRun(DATA)
  const byTest = [...Map.groupBy(measurements, ({ test }) => test).values()]
  const random = noise(shard + 1)
  return Array.from({ length: QUERIES }, (_, query) => {
    const all = byTest[query % byTest.length]!
    return Array.from({ length: METRICS }, (__, index): Measurement => {
      const of = all[index % all.length]!
      const isTime = of.metric === 'client_time' && index === 0
      const factor = 0.5 + random()
      const sample = (value: number) => {
        const scaled = value * factor * (isTime ? 1 + 0.02 * random() : 1)
        return isTime ? Math.round(scaled * 1e6) / 1e6 : Math.round(scaled)
      }
      // Some change and the rest stand still.
      const moved = isTime && query < CHANGED ? 2 : 1
      return {
        ...of,
        test: `test_${shard}_${Math.floor(query / 12)}`,
        queryIndex: query % 12,
        queryName: `SELECT sum(c${query % 7}), uniq(k${query % 11}) FROM t_${query} WHERE d = ${query * 17}`,
        metric: isTime ? 'client_time' : `${of.metric}${index < all.length ? '' : '2'}`,
        old: of.old.map(sample),
        new: of.old.map((value) => sample(value) * moved),
      }
    })
  }).flat()
}

function runOf(head: string, shard: number, measurements: readonly Measurement[]): Run {
  return {
    repositoryId: 1,
    pullRequestNumber: 7,
    head,
    check: `Performance (arm, ${shard}/12)`,
    architecture: 'arm',
    shard,
    shards: 12,
    attempt: 1,
    source: 'artifact 7',
    finishedAt: '2026-11-21T10:00:00Z',
    measurements,
    oldCommit: null,
    newCommit: null,
    warnings: [],
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function timed<T>(times: number[], work: () => Promise<T> | T): Promise<T> {
  const started = performance.now()
  const value = await work()
  times.push(performance.now() - started)
  return value
}

const SMALL_RUNS = 300
const AT_ONCE = 6

/** Runs of 50 queries by their time alone, as many at once as a process has triages under way. */
async function smallRuns(): Promise<string> {
  const all = (await shardOf(99)).filter(({ metric }) => metric === 'client_time').slice(0, 50)
  const results = classify(all, DEFAULT_THRESHOLDS)
  const started = performance.now()
  await pLimit(AT_ONCE).map(Array.from({ length: SMALL_RUNS }), async (_, index) => {
    await store.runs.save(runOf(String(index).padStart(40, '0'), 1, all), results)
  })
  const seconds = (performance.now() - started) / 1000
  return `${SMALL_RUNS} runs of ${all.length} queries, ${AT_ONCE} at once: ${(SMALL_RUNS / seconds).toFixed(0)} a second`
}

const shards = Number(process.argv[2] ?? '3')
const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
const clickhouse = await openClickHouse({ url: null, dataDir })
const store = storeOn(clickhouse)
try {
  await store.ping()
  const rows: Record<string, string | number>[] = []
  const bytesOf = async (table: string, runs: readonly Run[]) => {
    // Of these runs alone, and merged: each part is written for one run.
    const sizes = z.object({ bytes: z.coerce.number() })
    await clickhouse.command('merge', `OPTIMIZE TABLE ${table} FINAL`)
    const [size] = await clickhouse.read(
      'size',
      'SELECT sum(data_compressed_bytes) AS bytes FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active',
      { table },
      sizes,
    )
    return runs.length === 0 ? 0 : size!.bytes
  }

  for (const kept of ['by the rule', 'every sample'] as const) {
    const head = kept === 'by the rule' ? 'a'.repeat(40) : 'b'.repeat(40)
    const [judging, saving, reading, asking]: [number[], number[], number[], number[]] = [[], [], [], []]
    const before = {
      results: await bytesOf('query_results', [runOf(head, 1, [])]),
      samples: await bytesOf('samples', [runOf(head, 1, [])]),
    }
    let samples = 0
    let query: Measurement | null = null
    for (let shard = 1; shard <= shards; shard++) {
      const run = runOf(head, shard, await shardOf(shard))
      query = run.measurements[0]!
      const results = await timed(judging, () =>
        classify(
          run.measurements.map((one) => ({ ...one, architecture: 'arm' })),
          DEFAULT_THRESHOLDS,
        ),
      )
      // To keep all of them: every query has changed.
      const given: readonly ClassifiedQuery[] =
        kept === 'by the rule' ? results : results.map((result) => ({ ...result, outcome: 'changed' }))
      await timed(saving, () => store.runs.save(run, given))
      const counted = z.object({ n: z.coerce.number() })
      const [found] = await clickhouse.read(
        'count',
        'SELECT count() AS n FROM samples WHERE run_id = {run:UUID}',
        { run: runIdOf(run) },
        counted,
      )
      samples += found!.n
    }
    // a store remembers what it has read
    for (let times = 0; times < 3; times++) await timed(reading, () => storeOn(clickhouse).runs.of(1, head))
    for (let times = 0; times < 9; times++) await timed(asking, () => store.runs.metricsOf(1, head, query!, ['arm']))
    const after = {
      results: await bytesOf('query_results', [runOf(head, 1, [])]),
      samples: await bytesOf('samples', [runOf(head, 1, [])]),
    }
    rows.push({
      samples: kept,
      'samples of a shard': Math.round(samples / shards),
      'judge, ms': Math.round(median(judging)),
      'save, ms': Math.round(median(saving)),
      'results, KB': Math.round((after.results - before.results) / shards / 1000),
      'samples, KB': Math.round((after.samples - before.samples) / shards / 1000),
      'read all runs, ms': Math.round(median(reading)),
      'metrics of a query, ms': Math.round(median(asking)),
    })
  }
  console.log(`${shards} shards of ${QUERIES} queries, ${METRICS} metrics, 7 + 7 repetitions`)
  console.table(rows)
  console.log(await smallRuns())
} finally {
  await store.close()
  await rm(dataDir, { recursive: true, force: true })
}
