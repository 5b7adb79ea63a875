import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { CheckRow } from '../src/intake/imports/checks/check-row.ts'
import type { HistoryWanted, Subject } from '../src/judge/ledger/failure.ts'
import { historiesWanted } from '../src/judge/ledger/history-wanted.ts'
import { OUTPUT_READ, SIGNATURE_RULE } from '../src/judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../src/judge/ledger/thresholds.ts'
import { CHECKS, saveChecks } from '../src/store/checks/checks.ts'
import { CiLookup } from '../src/store/checks/ci-lookup.ts'
import type { CiQueries } from '../src/store/checks/ci-queries.ts'
import type { CiResults } from '../src/store/checks/ci-results.ts'
import { ciSql } from '../src/store/checks/ci-sql.ts'
import { ownCiResults, ownRows } from '../src/store/checks/own-ci-results.ts'
import { rememberMassFailures } from '../src/store/checks/remembered-mass-failures.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { MIGRATIONS, migrate } from '../src/store/migrate.ts'
import { type OpenEmbedded, openEmbedded } from '../src/store/open-embedded.ts'
import { readSql } from '../src/store/sql-file.ts'
import { fillPlaceholders } from '../src/store/sql-placeholders.ts'

/** What a lookup of the ledger costs, over rows that the engine makes itself. Milliseconds, medians. */
export interface LedgerBenchmark {
  readonly rows: number
  /** Failing tests that are looked up together. */
  readonly tests: number
  /** Of the table as it was written, before it is merged into one part for each month; null: a kept one, merged before. */
  readonly parts: number
  readonly asWritten: Times | null
  readonly merged: Times
  /** One statement for each test on a table ordered by time: of some tests, in proportion. */
  readonly naive: number
  /** Compressed, on disk. */
  readonly megabytes: number
}

/** The failing tests of the commit, and their histories with the mass failures; `lookup` is both. */
interface Times {
  readonly lookup: number
  readonly failures: number
  readonly histories: number
  /** The quickest lookup: what the machine does when nobody else uses it, for others only ever add to it. */
  readonly best: number
}

const GENERATE = readSql(new URL('./sql/ledger-rows.sql', import.meta.url))
const NAIVE = readSql(new URL('./sql/naive-history.sql', import.meta.url))
const ROWS_PER_INSERT = 1_000_000
/** The end of the generated 30 days. */
const UNTIL = Date.UTC(2026, 10, 19)
const TESTS = 100
/** Tests that the naive way is timed with; what it takes for all is in proportion. */
const NAIVE_TESTS = 20

/** How a table of checks may be laid out; `key` and `granularity` as in the migration where null. */
interface Layout {
  readonly name: string
  readonly key: string | null
  readonly granularity: number | null
  /** Failing and measured rows in a table of their own. */
  readonly failingApart?: boolean
}

const REST = 'commit_sha, pull_request_number, test_status, occurrence'
export const LAYOUTS: readonly Layout[] = [
  { name: 'outcome, test, time; 1024', key: null, granularity: null },
  { name: 'outcome, test, time; 8192', key: null, granularity: 8192 },
  { name: 'outcome, test, time; 256', key: null, granularity: 256 },
  {
    name: 'test, check, time; 8192 (migration 003)',
    key: `repository_id, test_name, check_name, check_start_time, ${REST}`,
    granularity: 8192,
  },
  {
    name: 'test, time; 8192',
    key: `repository_id, test_name, check_start_time, check_name, ${REST}`,
    granularity: 8192,
  },
  {
    name: 'test, time; 1024',
    key: `repository_id, test_name, check_start_time, check_name, ${REST}`,
    granularity: 1024,
  },
  {
    name: 'test, time; 1024, failing rows in a second table',
    key: `repository_id, test_name, check_start_time, check_name, ${REST}`,
    granularity: 1024,
    failingApart: true,
  },
]

const one = z.object({ n: z.coerce.number() })

async function createLayout(clickhouse: ClickHouse, layout: Layout, table: string): Promise<void> {
  const migration = MIGRATIONS.find(({ name }) => name === '005_ledger')!
  let sql = fillPlaceholders(migration.statements[0]!, null)!
    .replace(/\nAS SELECT[\s\S]*$/, '')
    .replace('TABLE checks', `TABLE ${table}`)
  if (layout.key !== null) sql = sql.replace(/ORDER BY \(repository_id, outcome[^)]*\)/, `ORDER BY (${layout.key})`)
  if (layout.granularity !== null)
    sql = sql.replace(/index_granularity = \d+/, `index_granularity = ${layout.granularity}`)
  await clickhouse.command('layout', sql)
}

export async function generate(clickhouse: ClickHouse, table: string, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += ROWS_PER_INSERT) {
    const count = Math.min(ROWS_PER_INSERT, rows - first)
    const parameters = { rows, first, count, signatureRule: SIGNATURE_RULE }
    const columns = CHECKS.columnNames.join(', ')
    await clickhouse.command(
      'generate',
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${GENERATE})`,
      parameters,
    )
  }
}

interface Question {
  readonly subject: Subject
  readonly wanted: readonly HistoryWanted[]
}

/** A commit of a pull request near the end, with the failing tests that the generator gave it, `TESTS` of them. */
export async function question(clickhouse: ClickHouse, ciResults: CiResults): Promise<Question> {
  const subjects = await clickhouse.read(
    'subject',
    `SELECT commit_sha AS commitSha, pull_request_number AS pullRequestNumber, any(head_repo) AS headRepo, any(head_ref) AS headRef,
       countIf(outcome = 'failing' AND test_name != '') AS n
     FROM checks WHERE outcome = 'failing' AND pull_request_number > 0
     GROUP BY 1, 2 HAVING n >= ${TESTS} ORDER BY max(check_start_time) DESC LIMIT 1`,
    {},
    z.object({
      commitSha: z.string(),
      pullRequestNumber: z.number(),
      headRepo: z.string(),
      headRef: z.string(),
      n: z.coerce.number(),
    }),
  )
  const { n: _, ...found } = subjects[0]!
  const subject: Subject = { ...found, repository: 'o/r', trunk: ['master'], mergeBase: null }
  const { failures } = await ciResults.failuresOf({ repositoryId: 1, repository: 'o/r', ...found })
  const tests = failures.filter(({ testName }) => testName !== '').slice(0, TESTS)
  return { subject, wanted: historiesWanted(tests, ({ time }) => time) }
}

export async function lookUp(
  ciResults: CiResults,
  { subject, wanted }: Question,
): Promise<Omit<Times, 'best'> & { readonly rows: number }> {
  const start = performance.now()
  await ciResults.failuresOf({
    repositoryId: 1,
    repository: 'o/r',
    commitSha: subject.commitSha,
    pullRequestNumber: subject.pullRequestNumber,
  })
  const failures = performance.now()
  // Both at once, as the bot asks.
  const [histories] = await Promise.all([
    ciResults.historiesOf(wanted, subject, 1, LEDGER_THRESHOLDS),
    ciResults.massFailuresOf(UNTIL, subject, 1, LEDGER_THRESHOLDS),
  ])
  const end = performance.now()
  const rows = histories.reduce((sum, { failing, passes }) => sum + failing.length + passes, 0)
  return { lookup: end - start, failures: failures - start, histories: end - failures, rows }
}

async function measure(ciResults: CiResults, asked: Question, times: number): Promise<Times> {
  await lookUp(ciResults, asked)
  await lookUp(ciResults, asked)
  const all: Omit<Times, 'best'>[] = []
  for (let time = 0; time < times; time += 1) all.push(await lookUp(ciResults, asked))
  const middle = (of: (times: Omit<Times, 'best'>) => number) =>
    all.map(of).toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
  return {
    lookup: middle(({ lookup }) => lookup),
    failures: middle(({ failures }) => failures),
    histories: middle(({ histories }) => histories),
    best: Math.min(...all.map(({ lookup }) => lookup)),
  }
}

/** One statement for each test, as one would ask by hand. Milliseconds for all tests, of one round. */
async function naive(clickhouse: ClickHouse, { wanted }: Question): Promise<number> {
  const start = performance.now()
  for (const { testName, until } of wanted) {
    const end = Math.floor(until / 1000)
    const parameters = { testName, from: end - LEDGER_THRESHOLDS.lookbackDays * 86_400, until: end }
    await clickhouse.read('naive', NAIVE, parameters, z.looseObject({}))
  }
  return performance.now() - start
}

/** The lookup over a table of another layout. */
function ciResultsOver(clickhouse: ClickHouse, table: string, failingTable: string): CiResults {
  const read: CiQueries['read'] = async (name, parameters, row, options = {}) => {
    const isOfFailing = ['failures-of-commit', 'failing-executions', 'mass-failures'].includes(name)
    const sql = ciSql(name, ownRows(options)).replaceAll('FROM checks', `FROM ${isOfFailing ? failingTable : table}`)
    return await clickhouse.read(name, sql, { ...parameters, outputRead: OUTPUT_READ }, row)
  }
  return new CiLookup({ source: 'own', commitSearch: [null], parameterLength: 100_000, read })
}

async function sizeOf(clickhouse: ClickHouse, table: string): Promise<number> {
  const rows = await clickhouse.read(
    'size',
    'SELECT sum(bytes_on_disk) AS n FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}',
    { table },
    one,
  )
  return (rows[0]?.n ?? 0) / 2 ** 20
}

/** @param kept folder of the database; one that is removed afterwards where left out */
async function inFolder<T>(
  work: (clickhouse: ClickHouse, embedded: OpenEmbedded) => Promise<T>,
  kept?: string,
): Promise<T> {
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), 'perf-triage-bench-')))
  try {
    const embedded = await openEmbedded({ dataDir })
    const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
    try {
      await migrate(clickhouse)
      return await work(clickhouse, embedded)
    } finally {
      await clickhouse.close()
      await embedded.stop()
    }
  } finally {
    if (kept === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

/** The rows in `checks` and, ordered by time as a CI database has them, in `raw_checks`. */
async function fill(clickhouse: ClickHouse, rows: number): Promise<void> {
  await generate(clickhouse, 'checks', rows)
  await clickhouse.command(
    'raw',
    'CREATE TABLE raw_checks ENGINE = MergeTree ORDER BY check_start_time AS SELECT * EXCEPT (outcome, signature_kind, signature, signature_rule, occurrence, stored_at) FROM checks LIMIT 0',
  )
  for (let day = 0; day < 30; day += 5) {
    await clickhouse.command(
      'raw',
      `INSERT INTO raw_checks SELECT * EXCEPT (signature_kind, signature, signature_rule, occurrence, stored_at) FROM checks
       WHERE check_start_time >= toDateTime('2026-10-20 00:00:00', 'UTC') + INTERVAL ${day} DAY
         AND check_start_time < toDateTime('2026-10-20 00:00:00', 'UTC') + INTERVAL ${day + 5} DAY`,
    )
  }
}

/**
 * @param rows of the table; 30 million take some ten minutes and 5 GB of disk
 * @param folder where they stay, and are taken from the next time
 */
export async function benchLedger(rows = 2_000_000, folder?: string): Promise<LedgerBenchmark> {
  return await inFolder(async (clickhouse) => {
    const isThere = (await countOf(clickhouse, 'SELECT count() AS n FROM checks')) === rows
    if (!isThere) await fill(clickhouse, rows)
    const ciResults = rememberMassFailures(ownCiResults(clickhouse))
    const asked = await question(clickhouse, ciResults)
    const parts = await countOf(
      clickhouse,
      "SELECT count() AS n FROM system.parts WHERE active AND database = currentDatabase() AND table = 'checks'",
    )
    const asWritten = isThere ? null : await measure(ciResults, asked, 15)
    await clickhouse.command('merge', 'OPTIMIZE TABLE checks FINAL', {})
    const merged = await measure(ciResults, asked, 15)
    await naive(clickhouse, { ...asked, wanted: asked.wanted.slice(0, 2) })
    const some = asked.wanted.slice(0, NAIVE_TESTS)
    const naiveTime = ((await naive(clickhouse, { ...asked, wanted: some })) / some.length) * asked.wanted.length
    return {
      rows,
      tests: asked.wanted.length,
      parts,
      asWritten,
      merged,
      naive: naiveTime,
      megabytes: await sizeOf(clickhouse, 'checks'),
    }
  }, folder)
}

async function countOf(clickhouse: ClickHouse, sql: string): Promise<number> {
  return (await clickhouse.read('count', sql, {}, one))[0]!.n
}

/** The same lookup over every layout of the table. */
export async function compareLayouts(rows: number): Promise<string[]> {
  return await inFolder(async (clickhouse) => {
    await generate(clickhouse, 'checks', rows)
    const asked = await question(clickhouse, ownCiResults(clickhouse))
    const lines: string[] = []
    for (const [index, layout] of LAYOUTS.entries()) {
      const table = `layout_${index}`
      const columns = `${CHECKS.columnNames.join(', ')}, stored_at`
      await createLayout(clickhouse, layout, table)
      const start = performance.now()
      await clickhouse.command('fill', `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM checks`)
      const filled = (performance.now() - start) / 1000
      let failing = table
      if (layout.failingApart === true) {
        failing = `${table}_failing`
        await createLayout(clickhouse, LAYOUTS[0]!, failing)
        await clickhouse.command(
          'fill',
          `INSERT INTO ${failing} (${columns}) SELECT ${columns} FROM checks WHERE outcome IN ('failing', 'measured')`,
        )
      }
      const ciResults = ciResultsOver(clickhouse, table, failing)
      const before = await measure(ciResults, asked, 5)
      await clickhouse.command('merge', `OPTIMIZE TABLE ${table} FINAL`)
      const after = await measure(ciResults, asked, 5)
      const size = await sizeOf(clickhouse, table)
      lines.push(
        `| ${layout.name} | ${timesText(before)} | ${timesText(after)} | ${size.toFixed(0)} MB | ${filled.toFixed(0)} s |`,
      )
      console.log(lines.at(-1))
      await clickhouse.command('drop', `DROP TABLE ${table}`)
    }
    return lines
  })
}

function timesText({ lookup, failures, histories, best }: Times): string {
  return `${lookup.toFixed(0)} ms (${failures.toFixed(0)} + ${histories.toFixed(0)}), at best ${best.toFixed(0)} ms`
}

export interface ImportBenchmark {
  readonly rows: number
  readonly seconds: number
  /** Peaks of the resident memory. */
  readonly nodeMegabytes: number
  readonly engineMegabytes: number
}

/** Stores rows through `saveChecks`, from a stream that holds one row at a time. */
export async function benchImport(rows = 1_000_000): Promise<ImportBenchmark> {
  return await inFolder(async (clickhouse, embedded) => {
    let nodePeak = 0
    let enginePeak = 0
    const sample = () => {
      nodePeak = Math.max(nodePeak, process.memoryUsage.rss())
      enginePeak = Math.max(enginePeak, residentBytes(embedded.pid()))
    }
    const timer = setInterval(sample, 50)
    const start = performance.now()
    await saveChecks(clickhouse, 1, generatedRows(rows))
    const seconds = (performance.now() - start) / 1000
    clearInterval(timer)
    sample()
    return { rows, seconds, nodeMegabytes: nodePeak / 2 ** 20, engineMegabytes: enginePeak / 2 ** 20 }
  })
}

function residentBytes(pid: number | null): number {
  if (pid === null) return 0
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

function* generatedRows(rows: number): Generator<CheckRow> {
  for (let index = 0; index < rows; index += 1) {
    const job = Math.floor(index / 500)
    const pullRequest = 50_000 + Math.floor(job / 60)
    const fails = index % 200 === 0
    const commitSha = String(pullRequest).padStart(40, '0')
    yield {
      pullRequestNumber: pullRequest,
      commitSha,
      checkName: `Stateless tests (configuration ${job % 60})`,
      checkStatus: 'failure',
      checkDurationMs: 1_800_000,
      checkStartTime: UNTIL - 30 * 86_400_000 + job * 1000,
      testName: `${String((job * 250 + (index % 500)) % 15_000).padStart(5, '0')}_some_behaviour_of_the_server`,
      testStatus: fails ? 'FAIL' : 'OK',
      testDurationMs: index % 60_000,
      reportUrl: `https://ci.example.com/reports/${pullRequest}/${commitSha}/${job % 60}.html`,
      pullRequestUrl: `https://example.com/o/r/pull/${pullRequest}`,
      commitUrl: `https://example.com/o/r/commit/${commitSha}`,
      taskUrl: '',
      baseRef: 'master',
      baseRepo: 'o/r',
      headRef: `branch-${pullRequest}`,
      headRepo: `user${pullRequest % 300}/r`,
      testContextRaw: fails
        ? `Expected ${index}, got ${job}\n${'a line of the context of this failure\n'.repeat(26)}`
        : '',
      instanceType: 'c7g.4xlarge',
      instanceId: `i-${job}`,
      workflowName: 'PR',
      attributes: '',
    }
  }
}

export function ledgerText(figures: LedgerBenchmark): string {
  const { rows, tests, parts, asWritten, merged, naive: byHand, megabytes } = figures
  const ratio = (times: Times) => `${(byHand / times.lookup).toFixed(0)} times as fast`
  return [
    `ledger, ${tests} failing tests against ${rows.toLocaleString('en')} rows (${megabytes.toFixed(0)} MB on disk):`,
    ...(asWritten === null ? [] : [`  in ${parts} parts as written  ${timesText(asWritten)}, ${ratio(asWritten)}`]),
    `  merged  ${timesText(merged)}, ${ratio(merged)}`,
    `  one statement for each test, table ordered by time  ${byHand.toFixed(0)} ms`,
  ].join('\n')
}

export function importText({ rows, seconds, nodeMegabytes, engineMegabytes }: ImportBenchmark): string {
  return (
    `import of ${rows.toLocaleString('en')} rows: ${seconds.toFixed(1)} s, peak ${nodeMegabytes.toFixed(0)} MB in this ` +
    `process, ${engineMegabytes.toFixed(0)} MB in the engine`
  )
}

/** `--rows N`; `--folder F`: the rows are kept there, and taken from there the next time; `--layouts`: the lookup over every layout of the table; `--import`: the import alone. */
if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string' },
      folder: { type: 'string' },
      layouts: { type: 'boolean' },
      import: { type: 'boolean' },
    },
  })
  const rows = values.rows === undefined ? undefined : Number(values.rows)
  if (values.import === true) console.log(importText(await benchImport(rows)))
  else if (values.layouts === true) await compareLayouts(rows ?? 3_000_000)
  else console.log(ledgerText(await benchLedger(rows, values.folder)))
}
