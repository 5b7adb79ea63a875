import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { trunkSteps } from '../src/judge/bisect/trunk-steps.ts'
import type { HistoryOf, TrunkHistory } from '../src/judge/history/trunk-history.ts'
import type { QueryOnArchitecture } from '../src/judge/history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { storedTrunkHistory } from '../src/store/history/stored-trunk-history.ts'
import { TRUNK_HISTORY } from '../src/store/history/trunk-history-rows.ts'
import { MIGRATIONS, migrate } from '../src/store/migrate.ts'
import { openEmbedded } from '../src/store/open-embedded.ts'
import { readSql } from '../src/store/sql-file.ts'
import { fillPlaceholders } from '../src/store/sql-placeholders.ts'

/** What the trunk's history costs, over rows that the engine makes itself. */

const GENERATE = readSql(new URL('./sql/trunk-rows.sql', import.meta.url))
/** In the order of the statement; how a row stands beside others is settled by itself. */
const COLUMNS = TRUNK_HISTORY.columnNames.filter((column) => !['precedence', 'copied_from'].includes(column))
const ROWS_PER_INSERT = 150_000
const NOW = Date.UTC(2026, 10, 21)
const DAY = 86_400_000
const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOW }

interface Filling {
  readonly queries: number
  readonly runs: number
  /** Between two runs. */
  readonly seconds: number
  /** Milliseconds; where the last run ends. */
  readonly until: number
}

/** In the order of time, many runs at a time. */
async function fill(clickhouse: ClickHouse, table: string, { queries, runs, seconds, until }: Filling): Promise<void> {
  const from = Math.floor(until / 1000) - runs * seconds
  const together = Math.max(1, Math.floor(ROWS_PER_INSERT / queries))
  for (let first = 0; first < runs; first += together) {
    const count = Math.min(together, runs - first)
    const parameters = { from, seconds, runs, first, count, queries }
    await clickhouse.command('fill', `INSERT INTO ${table} (${COLUMNS.join(', ')}) ${GENERATE}`, parameters)
  }
}

interface Scan {
  readonly queries: number
  readonly points: number
  readonly steps: number
  /** Seconds: all of it, and of it the work in this process. */
  readonly seconds: number
  readonly detecting: number
}

/** Reads every history and looks for steps as the bot does. */
async function scan(history: TrunkHistory): Promise<Scan> {
  const start = performance.now()
  const range = { from: 0, to: NOW }
  let [queries, points, steps, detecting] = [0, 0, 0, 0]
  for await (const some of history.allSeries(OF, range)) {
    const detectingFrom = performance.now()
    for (const series of some) {
      steps += trunkSteps(series).length
      queries += 1
      points += series.points.length
    }
    detecting += performance.now() - detectingFrom
  }
  return { queries, points, steps, seconds: (performance.now() - start) / 1000, detecting: detecting / 1000 }
}

interface Times {
  readonly learned: number
  readonly queries: number
}

async function timeLearned(history: TrunkHistory, times: number): Promise<Times> {
  const all: number[] = []
  let queries = 0
  for (let time = 0; time <= times; time += 1) {
    const start = performance.now()
    queries = (await history.learnedThresholds(OF)).queries
    // The first time is a warm-up.
    if (time > 0) all.push((performance.now() - start) / 1000)
  }
  return { learned: middle(all), queries }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** The history of one query, as its page asks for it: best and median of the times after the first one, in seconds. */
async function timeSeries(history: TrunkHistory, queries: number): Promise<HistoryBenchmark['series']> {
  const all: number[] = []
  let points = 0
  for (let time = 0; time <= 20; time += 1) {
    const start = performance.now()
    const [series] = await history.series(OF, [queryAt((time * 7) % queries)], { from: 0, to: NOW })
    points = series?.points.length ?? 0
    if (time > 0) all.push((performance.now() - start) / 1000)
  }
  return { best: Math.min(...all), median: middle(all), points }
}

/** As `trunk-rows.sql` names it. */
function queryAt(query: number): QueryOnArchitecture {
  const text = `SELECT ${query}, ${'a_column_of_the_table, '.repeat(2 + (query % 10))}count() FROM hits_100m_single`
  return { test: `test_${Math.floor(query / 10)}`, queryName: text, queryIndex: query % 10, architecture: 'amd' }
}

export interface HistoryBenchmark {
  readonly scan: Scan
  readonly learned: Times & { readonly rows: number; readonly parts: number }
  readonly learnedMerged: Times
  readonly series: { readonly best: number; readonly median: number; readonly points: number }
  readonly megabytes: number
}

/** 3,000 queries: 365 points of each scanned, and thresholds learned from 30 days of 50 runs. */
export async function benchHistory(queries = 3000): Promise<HistoryBenchmark> {
  return await inFolder(async (clickhouse) => {
    const history = storedTrunkHistory(clickhouse)
    await fill(clickhouse, 'trunk_history', { queries, runs: 365, seconds: 86_400, until: NOW })
    await scan(history)
    const scans = [await scan(history), await scan(history), await scan(history)]
    const scanned = scans.toSorted((a, b) => a.seconds - b.seconds)[1]!

    await clickhouse.command('empty', 'TRUNCATE TABLE trunk_history')
    await fill(clickhouse, 'trunk_history', { queries, runs: 37 * 50, seconds: 1728, until: NOW })
    const parts = await partsOf(clickhouse, 'trunk_history')
    const learned = await timeLearned(history, 5)
    const series = await timeSeries(history, queries)
    await clickhouse.command('merge', 'OPTIMIZE TABLE trunk_history FINAL')
    const learnedMerged = await timeLearned(history, 5)
    const { megabytes } = await partsOf(clickhouse, 'trunk_history')
    return { scan: scanned, learned: { ...learned, ...parts }, learnedMerged, series, megabytes }
  })
}

export function historyText({ scan, learned, learnedMerged, series }: HistoryBenchmark): string {
  return (
    `trunk history: ${scan.queries} queries x ${scan.points / scan.queries} points read and scanned for steps in ` +
    `${scan.seconds.toFixed(2)} s (all rules ${scan.detecting.toFixed(2)} s); ` +
    `thresholds of ${learned.queries} queries learned from 30 days of ${learned.rows.toLocaleString('en')} rows in ` +
    `${learned.learned.toFixed(2)} s (${learnedMerged.learned.toFixed(2)} s merged); ` +
    `the ${series.points} points of one query read in ${(series.median * 1000).toFixed(0)} ms (at best ${(series.best * 1000).toFixed(0)})`
  )
}

const GRANULARITY = 'SETTINGS index_granularity ='
/** How the table may be laid out: changes to the migration's statement. */
const LAYOUTS: readonly (readonly [name: string, change: (sql: string) => string])[] = [
  ['as it is', (sql) => sql],
  ['granularity 1024', (sql) => `${sql}\n${GRANULARITY} 1024`],
  ['granularity 32768', (sql) => `${sql}\n${GRANULARITY} 32768`],
  ['a part for each year', (sql) => sql.replace('toYYYYMM(event_time)', 'toYear(event_time)')],
  [
    'by time, then query',
    (sql) =>
      sql.replace(
        'metric, test, query_hash, arch, query_index, event_time,',
        'metric, event_time, test, query_hash, arch, query_index,',
      ),
  ],
  [
    'texts and commits as String',
    (sql) =>
      sql.replaceAll(
        /(old_sha|new_sha|query_display_name|report_url|instance_id)(\s+)LowCardinality\(String\)/g,
        '$1$2String CODEC(ZSTD(1))',
      ),
  ],
  ['Gorilla for values', (sql) => sql.replaceAll('CODEC(ZSTD(1)),', 'CODEC(Gorilla, ZSTD(1)),')],
]

const ROUNDS = 7

/**
 * The same questions over every layout of the table: a year of 50 runs a day. One after the other in each round, so that
 * what else the machine does meets all of them.
 */
export async function compareLayouts(queries: number): Promise<void> {
  await inFolder(async (clickhouse) => {
    const statement = MIGRATIONS.find((one) => one.name === '006_trunk_history')!.statements[0]!
    const sql = fillPlaceholders(statement, null)!.replace(/\nAS SELECT[\s\S]*$/, '')
    const columns = MIGRATIONS.find((one) => one.name === '011_copied_history')!.statements[0]!
    const more = fillPlaceholders(columns, null)!
    const tables = LAYOUTS.map(([name], index) => ({ name, table: `layout_${index}` }))
    for (const [index, { table }] of tables.entries()) {
      const create = LAYOUTS[index]![1](sql.replace('TABLE trunk_history', `TABLE ${table}`))
      await clickhouse.command('layout', create)
      await clickhouse.command('layout', more.replace('TABLE trunk_history', `TABLE ${table}`))
      await fill(clickhouse, table, { queries, runs: 365 * 50, seconds: 1728, until: NOW })
    }
    const asItComes = await compare(clickhouse, tables, queries)
    for (const { table } of tables) await clickhouse.command('merge', `OPTIMIZE TABLE ${table} FINAL`)
    const merged = await compare(clickhouse, tables, queries)
    console.log(
      '| layout | learned, as it comes | merged | histories of 20 queries, as it comes | merged | size |\n|---|---|---|---|---|---|',
    )
    for (const [index, { name, table }] of tables.entries()) {
      const [before, after] = [asItComes[index]!, merged[index]!]
      const { megabytes } = await partsOf(clickhouse, table)
      const cells = [before.learned, after.learned, before.series, after.series].map(
        (seconds) => `${(seconds * 1000).toFixed(0)} ms`,
      )
      console.log(`| ${name} | ${cells.join(' | ')} | ${megabytes.toFixed(0)} MB |`)
    }
  })
}

/** Medians over the rounds, in seconds. */
async function compare(clickhouse: ClickHouse, tables: readonly { readonly table: string }[], queries: number) {
  const wanted = Array.from({ length: 20 }, (_, i) => queryAt(Math.floor((i * queries) / 20)))
  const times = tables.map(() => ({ learned: [] as number[], series: [] as number[] }))
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, { table }] of tables.entries()) {
      const history = historyOver(clickhouse, table)
      const start = performance.now()
      const { queries: learned } = await history.learnedThresholds(OF)
      const between = performance.now()
      const found = await history.series(OF, wanted, { from: NOW - 60 * DAY, to: NOW })
      if (learned !== queries || found.length !== wanted.length) throw new Error(`${table} gives less`)
      if (round === 0) continue
      times[index]!.learned.push((between - start) / 1000)
      times[index]!.series.push((performance.now() - between) / 1000)
    }
  }
  return times.map(({ learned, series }) => ({ learned: middle(learned), series: middle(series) }))
}

function historyOver(clickhouse: ClickHouse, table: string): TrunkHistory {
  return storedTrunkHistory({
    read: async (name, sql, ...asked) =>
      await clickhouse.read(name, sql.replaceAll('FROM trunk_history', `FROM ${table}`), ...asked),
  })
}

async function partsOf(clickhouse: ClickHouse, table: string) {
  const number = z.coerce.number()
  const rows = await clickhouse.read(
    'parts',
    'SELECT sum(rows) AS rows, count() AS parts, sum(bytes_on_disk) / 1e6 AS megabytes FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}',
    { table },
    z.object({ rows: number, parts: number, megabytes: number }),
  )
  return rows[0]!
}

async function inFolder<T>(work: (clickhouse: ClickHouse) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    const embedded = await openEmbedded({ dataDir })
    const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
    try {
      await migrate(clickhouse)
      return await work(clickhouse)
    } finally {
      await clickhouse.close()
      await embedded.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { queries: { type: 'string' }, layouts: { type: 'boolean' } } })
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`)
  const queries = Number(values.queries ?? 3000)
  if (values.layouts === true) await compareLayouts(queries)
  else console.log(JSON.stringify(await benchHistory(queries), null, 1))
}
