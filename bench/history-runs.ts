import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { changePoints } from '../src/statistics/change-points/change-points.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { openCiTrunkHistory } from '../src/store/history/ci-trunk-history.ts'
import type { HistoryOf, TrunkHistory } from '../src/store/history/trunk-history.ts'
import { migrate } from '../src/store/migrate.ts'
import { openEmbedded } from '../src/store/open-embedded.ts'
import { readSql } from '../src/store/sql-file.ts'

/** What the trunk's history costs where it is read from raw runs, against the same history as medians. */

const GENERATE = readSql(new URL('./sql/repetition-rows.sql', import.meta.url))
const TABLE = `event_date Date, check_start_time DateTime('UTC'), pr_number UInt32, old_sha String, new_sha String,
  arch LowCardinality(String), baseline_kind LowCardinality(String), workflow_name LowCardinality(String), base_branch String,
  test LowCardinality(String), query_index UInt32, query_display_name String, side LowCardinality(String), query_id String,
  metric_name LowCardinality(String), metric_value Float64`
const REPETITIONS = 7
const ROWS_PER_INSERT = 2_000_000
const NOW = Date.UTC(2026, 10, 21)
const OF: HistoryOf = { repositoryId: 1, metric: 'client_time', now: NOW, trunk: ['master'] }

interface Filling {
  readonly queries: number
  readonly runs: number
  /** Between two runs. */
  readonly seconds: number
}

/** The raw runs, and their medians with T as the statements over raw runs give it. */
async function fill(clickhouse: ClickHouse, { queries, runs, seconds }: Filling): Promise<void> {
  const from = Math.floor(NOW / 1000) - runs * seconds
  const together = Math.max(1, Math.floor(ROWS_PER_INSERT / (queries * 2 * REPETITIONS)))
  await clickhouse.command('empty', 'TRUNCATE TABLE repetitions')
  await clickhouse.command('empty', 'TRUNCATE TABLE medians')
  for (let first = 0; first < runs; first += together) {
    const count = Math.min(together, runs - first)
    const parameters = { from, seconds, runs, first, count, queries, repetitions: REPETITIONS }
    await clickhouse.command(
      'fill',
      `INSERT INTO repetitions (event_date, check_start_time, pr_number, old_sha, new_sha, arch, baseline_kind, workflow_name, base_branch, test, query_index, query_display_name, side, query_id, metric_name, metric_value) ${GENERATE}`,
      parameters,
    )
    await clickhouse.command(
      'medians',
      `INSERT INTO medians SELECT event_date, check_start_time, 0, old_sha, new_sha, test, query_index, any(query_display_name), metric_name,
        medianExactIf(metric_value, side = 'baseline') AS old, medianExactIf(metric_value, side = 'candidate') AS new,
        (new - old) / old, 0.02, arch, any(base_branch)
      FROM (${GENERATE}) GROUP BY event_date, check_start_time, old_sha, new_sha, test, query_index, metric_name, arch`,
      parameters,
    )
  }
}

interface Scan {
  readonly queries: number
  readonly points: number
  /** All of it, and of it the step rule. */
  readonly seconds: number
  readonly steps: number
}

async function scan(history: TrunkHistory): Promise<Scan> {
  const start = performance.now()
  const range = { from: 0, to: NOW }
  await history.pairedStepsOfAll(OF, range)
  const steps = (performance.now() - start) / 1000
  let [queries, points] = [0, 0]
  for await (const some of history.allSeries(OF, range)) {
    for (const series of some) {
      changePoints(Float64Array.from(series.points, (point) => point.new))
      queries += 1
      points += series.points.length
    }
  }
  return { queries, points, steps, seconds: (performance.now() - start) / 1000 }
}

async function learned(history: TrunkHistory): Promise<{ readonly queries: number; readonly seconds: number }> {
  const start = performance.now()
  const { queries } = await history.learnedThresholds(OF)
  return { queries, seconds: (performance.now() - start) / 1000 }
}

/** What the engine has cost since it began, from Linux; it is the only process that this one has started. */
function engineCosts(): { readonly cpuSeconds: number; readonly peakMegabytes: number } {
  const child = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ')[0]
  const ticks = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const kilobytes = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]
  return {
    cpuSeconds: (Number(ticks[11]) + Number(ticks[12])) / 100,
    peakMegabytes: Math.round(Number(kilobytes) / 1000),
  }
}

async function report(name: string, work: () => Promise<object>): Promise<void> {
  const before = engineCosts()
  const found = await work()
  const { cpuSeconds, peakMegabytes } = engineCosts()
  const cpu = (cpuSeconds - before.cpuSeconds).toFixed(1)
  console.log(`${name}: ${JSON.stringify(found)}, processor time of the engine ${cpu} s, its peak ${peakMegabytes} MB`)
}

async function benchHistoryOfRuns(part: 'scan' | 'learned', queries: number, rounds: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  const embedded = await openEmbedded({ dataDir })
  const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
  const { url, user, password } = embedded
  const open = (table: string | null, runsTable: string | null) => {
    const of = (name: string | null) => (name === null ? null : `${clickhouse.database}.${name}`)
    return openCiTrunkHistory({ url, user, password, timeout: 290_000, table: of(table), runsTable: of(runsTable) })
  }
  try {
    await migrate(clickhouse)
    const order = 'ENGINE = MergeTree ORDER BY (event_date, check_start_time, test)'
    await clickhouse.command('create', `CREATE TABLE repetitions (${TABLE}) ${order}`)
    await clickhouse.command(
      'create',
      `CREATE TABLE medians (event_date Date, event_time DateTime('UTC'), pr_number UInt32, old_sha String, new_sha String, test LowCardinality(String),
        query_index UInt32, query_display_name String, metric LowCardinality(String), old_value Float64, new_value Float64, diff Float64,
        stat_threshold Float64, arch LowCardinality(String), base_branch String) ${order.replace('check_start_time', 'event_time')}`,
    )
    const sources = [
      ['medians', () => open('medians', null)],
      ['raw runs', () => open(null, 'repetitions')],
      ['both', () => open('medians', 'repetitions')],
    ] as const

    const filling = part === 'scan' ? { runs: 365, seconds: 86_400 } : { runs: 37 * 50, seconds: 1728 }
    await fill(clickhouse, { queries, ...filling })
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, source] of sources) {
        const history = source()
        await report(`${part} ${name}`, async () => await (part === 'scan' ? scan(history) : learned(history)))
        await history.close()
      }
    }
  } finally {
    await clickhouse.close()
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: { part: { type: 'string' }, queries: { type: 'string' }, rounds: { type: 'string' } },
})
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}`)
await benchHistoryOfRuns(
  values.part === 'learned' ? 'learned' : 'scan',
  Number(values.queries ?? 3000),
  Number(values.rounds ?? 2),
)
