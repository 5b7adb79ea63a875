import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { ExternalDatabase } from '../src/store/external-database.ts'
import { historyCopies } from '../src/store/history/history-copies.ts'
import { TRUNK_HISTORY } from '../src/store/history/trunk-history-rows.ts'
import { migrate } from '../src/store/migrate.ts'
import { openEmbedded } from '../src/store/open-embedded.ts'
import { readSql } from '../src/store/sql-file.ts'
import { copyHistory } from '../src/store/sync/copy-history.ts'
import { SourceTable } from '../src/store/sync/source-table.ts'

/** What it costs to copy the trunk's history out of a CI database: time, pages and the memory of this process at its peak. */

const GENERATE = readSql(new URL('./sql/trunk-rows.sql', import.meta.url))
const NOW = Date.UTC(2026, 10, 21)
const RUNS_A_DAY = 10
const OWN_COLUMNS = ['repository_id', 'source', 'precedence', 'copied_from']
const CI_COLUMNS = TRUNK_HISTORY.columnNames.filter((column) => !OWN_COLUMNS.includes(column))

async function fill(clickhouse: ClickHouse, queries: number, rows: number): Promise<void> {
  await clickhouse.command(
    'create',
    `CREATE TABLE query_metrics_v2 ENGINE = MergeTree ORDER BY (event_date, event_time, test)
     AS SELECT toDate(event_time) AS event_date, ${CI_COLUMNS.join(', ')} FROM trunk_history LIMIT 0`,
  )
  const runs = Math.round(rows / queries)
  const seconds = 86_400 / RUNS_A_DAY
  const from = NOW / 1000 - runs * seconds
  for (let first = 0; first < runs; first += 200) {
    const parameters = { from, seconds, runs, first, count: Math.min(200, runs - first), queries }
    await clickhouse.command(
      'fill',
      `INSERT INTO query_metrics_v2 SELECT toDate(event_time), ${CI_COLUMNS.join(', ')} FROM (${GENERATE})`,
      parameters,
    )
  }
}

const { values } = parseArgs({ options: { queries: { type: 'string' }, rows: { type: 'string' } } })
const queries = Number(values.queries ?? 1000)
const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
const embedded = await openEmbedded({ dataDir })
const clickhouse = await openClickHouse({ url: null, dataDir })
const { url, user, password } = embedded
const ci = new ExternalDatabase({ url, user, password, called: 'the CI database' })
try {
  await migrate(clickhouse)
  await fill(clickhouse, queries, Number(values.rows ?? 1_000_000))
  const source = SourceTable.ofMedians(ci, `${clickhouse.database}.query_metrics_v2`)
  const copy = { repositoryId: 1, source, metric: 'client_time', trunk: ['master'], days: 3650 }
  const pages: number[] = []
  let [rows, peak] = [0, 0]
  const begun = performance.now()
  let last = begun
  for await (const step of copyHistory(historyCopies(clickhouse), copy, null, () => NOW)) {
    rows += step.rows
    if (step.rows > 0) pages.push(performance.now() - last)
    last = performance.now()
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const tenth = Math.max(1, Math.floor(pages.length / 10))
  const mean = (some: readonly number[]) => Math.round(some.reduce((sum, one) => sum + one, 0) / some.length)
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`)
  console.log(
    JSON.stringify({
      rows,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      pages: pages.length,
      millisecondsOfAPage: { first: mean(pages.slice(0, tenth)), last: mean(pages.slice(-tenth)) },
      peakMegabytes: Math.round(peak / 1e6),
    }),
  )
} finally {
  await ci.close()
  await clickhouse.close()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
