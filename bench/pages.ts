import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readRun } from '../src/intake/archive/read-run.ts'
import type { Measurement } from '../src/intake/measurement/run.ts'
import type { LedgerEntry } from '../src/judge/ledger/entry.ts'
import type { TriageReport } from '../src/report/report.ts'
import { entryPath, flameGraphPath, ownRowPath, queryPath } from '../src/report/urls.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import type { Store } from '../src/store/store.ts'
import { storeOn } from '../src/store/store.ts'
import { pages } from '../src/web/pages.ts'
import { byRules, failingTests, failure } from '../test/report/render/failing-tests-builder.ts'
import { DEMO_RUN, REPOSITORY, storeReport } from '../test/web/measured-report.ts'
import { LONG, longRows, NOW } from '../test/web/pages/query/query-histories.ts'
import { seeded } from './calibration/seeded.ts'
import { entryOf } from './entry-timeline.ts'
import { distinctStacks } from './flame-graph.ts'
import { generate } from './ledger.ts'

/**
 * What each page costs the server, from the request to the last byte, compressed for a browser: 3,000 queries on two
 * architectures with 500 failing tests, a ledger of 20,000 entries, a history of 5,000 runs, a profile of 10,000 stacks.
 *
 *     node bench/pages.ts [--checks 300000] [--only 'flame graph'] [--times 15]
 */

const ARCHITECTURES = ['arm', 'amd']
const QUERIES = 3000
const FAILING_TESTS = 500
const ENTRIES = 20_000
const RUNS = 5000
const STACKS = 10_000
const REPORTS = 300
const NUMBER = 7
const HEAD = '9c41d0e5b7f2aa43ae659e02d9c1100999a1b2c3'
const ADDRESS = { owner: REPOSITORY.owner, repo: REPOSITORY.name, number: NUMBER, head: HEAD }
const BROWSER = { accept: 'text/html', 'accept-encoding': 'gzip, deflate, br, zstd' }

export interface PageCost {
  readonly name: string
  /** Milliseconds: the median, and the quickest, which is what the machine does when nobody else uses it. */
  readonly median: number
  readonly best: number
  /** Milliseconds of computing in this process, the quickest: what the machine does beside is not in it, nor is the engine. */
  readonly computed: number
  /** As sent. */
  readonly kilobytes: number
}

/**
 * @param checks rows of CI results that the ledger's timelines are looked up in
 * @param only pages whose names begin so
 */
export async function benchPages(checks: number, only = '', times = 15): Promise<PageCost[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
  const store = storeOn(clickhouse)
  try {
    const report = await fill(store)
    const entry = await fillLedger(clickhouse, store, checks)
    const row = report.rows.find(({ test }) => test === profiled(0).test)!
    const path = `/r/${ADDRESS.owner}/${ADDRESS.repo}`
    const page = `${path}/pull/${NUMBER}`
    // Nothing is remembered by a store that was just made.
    const cold = async () => {
      const fresh = storeOn(clickhouse)
      await fresh.ping()
      const app = site(fresh)
      // Routes are compiled by the first request of a process.
      await app.request('/words')
      return app
    }
    const warm = site(store)
    const same = async () => warm
    // With a report that was read, as by who comes from it.
    const reopened = async () => site(store)
    const costs: PageCost[] = []
    for (const [name, of, address] of [
      ['start', same, '/'],
      ['start, not read before', cold, '/'],
      ['words', same, '/words'],
      ['runs of a repository', same, path],
      ['report, not read before', cold, page],
      ['report', same, page],
      ['report, page 15', same, `${page}?page=15`],
      ['report, searched and sorted', same, `${page}?q=sum&sort=difference`],
      ['failing tests as JSON', same, `${page}/${HEAD}/failing-tests`],
      ['query of a report', same, ownRowPath(ADDRESS, row)],
      ['query of a report, not read before', cold, ownRowPath(ADDRESS, row)],
      ['flame graph, not read before', reopened, flameGraphPath(ADDRESS, row)],
      ['flame graph', same, flameGraphPath(ADDRESS, row)],
      ['query over time', same, queryPath(ADDRESS, LONG)],
      ['query over time, not read before', cold, queryPath(ADDRESS, LONG)],
      ['ledger', same, `${path}/ledger`],
      ['ledger, searched', same, `${path}/ledger?q=behaviour`],
      ['entry', same, entryPath(ADDRESS, entry.entryId)],
      ['entry, not read before', cold, entryPath(ADDRESS, entry.entryId)],
    ] as const) {
      if (name.startsWith(only)) costs.push({ name, ...(await costOf(of, address, times)) })
    }
    return costs
  } finally {
    await store.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function site(store: Store) {
  const log = { warn: console.error, error: console.error, info: () => {}, debug: () => {} }
  return pages({ store, publicUrl: 'https://perf.example.org', version: 'bench', log, now: () => NOW })
}

async function costOf(
  of: () => Promise<ReturnType<typeof site>>,
  address: string,
  wanted: number,
): Promise<Omit<PageCost, 'name'>> {
  const times: number[] = []
  const computed: number[] = []
  let bytes = 0
  for (let time = -2; time < wanted; time += 1) {
    const app = await of()
    const start = performance.now()
    const before = process.cpuUsage()
    const answer = await app.request(address, { headers: BROWSER })
    bytes = (await answer.arrayBuffer()).byteLength
    if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`)
    if (time < 0) continue
    times.push(performance.now() - start)
    const { user, system } = process.cpuUsage(before)
    computed.push((user + system) / 1000)
  }
  times.sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)]!
  return { median, best: times[0]!, computed: Math.min(...computed), kilobytes: bytes / 1000 }
}

const profiled = (place: number) => ({ test: `test_${place}`, queryIndex: 0, queryName: `SELECT ${place}` })

/** The samples of the recorded run over and over, each time under another name, read, classified, saved and judged. */
async function fill(store: Store): Promise<TriageReport> {
  const { measurements } = await readRun(DEMO_RUN)
  const times = measurements.filter(({ metric }) => metric === 'client_time')
  const source = Array.from({ length: QUERIES }, (_, place): Measurement => {
    const one = times[place % times.length]!
    const factor = 1 + (place % 89) / 100
    const scaled = (values: readonly number[]) => values.map((value) => value * factor)
    return {
      ...one,
      test: `${one.test}_${Math.floor(place / times.length)}`,
      queryName: `${one.queryName} /* ${place} */`,
      old: scaled(one.old),
      new: scaled(one.new),
    }
  })
  const [first, ...others] = source
  const random = seeded(7)
  const stacks = distinctStacks(STACKS, random)
  const side = () => stacks.map((stack) => ({ stack, count: 1 + Math.floor(200 * random() ** 4) }))
  const query = { ...first!, ...profiled(0) }
  const report = await storeReport(
    store,
    NUMBER,
    HEAD,
    ARCHITECTURES.map((architecture) => ({
      architecture,
      source: [query, ...others],
      profiles: [{ ...profiled(0), traceType: 'CPU' as const, old: side(), new: side() }],
    })),
    (judged) => ({ ...judged, failingTests: failing() }),
  )
  for (let number = 0; number < REPORTS; number += 1) {
    const small = { ...report, rows: report.rows.slice(0, 5), failingTests: null }
    const head = (number + 1).toString(16).padStart(8, '0').repeat(5)
    await store.reports.save({
      ...small,
      pullRequest: { number: 1000 + Math.floor(number / 3), baseRef: 'main' },
      head,
      judgedAt: new Date(Date.parse(report.judgedAt) - number * 3_600_000).toISOString(),
    })
  }
  await store.trunkHistory.save(REPOSITORY.id, longRows(RUNS))
  for (const architecture of ARCHITECTURES) {
    await store.trunkHistory.save(REPOSITORY.id, longRows(RUNS, { ...profiled(0), architecture }))
  }
  return report
}

function failing() {
  return failingTests(
    Array.from({ length: FAILING_TESTS }, (_, place) =>
      byRules(failure(`test_${place}/test.py::test_case`, 'Integration tests (asan)')),
    ),
  )
}

const failingTest = z.object({
  testName: z.string(),
  checkName: z.string(),
  signature: z.string(),
  n: z.coerce.number(),
})

async function fillLedger(clickhouse: ClickHouse, store: Store, checks: number): Promise<LedgerEntry> {
  await generate(clickhouse, 'checks', checks)
  const tests = await clickhouse.read(
    'chronic',
    `SELECT test_name AS testName, any(check_name) AS checkName, signature, count() AS n FROM checks
     WHERE outcome = 'failing' AND test_name != '' GROUP BY test_name, signature ORDER BY n DESC LIMIT 1000`,
    {},
    failingTest,
  )
  const entries = Array.from({ length: ENTRIES }, (_, place) => entryOf(tests[place % tests.length]!, place))
  await store.ledger.save(REPOSITORY.id, entries)
  return entries[0]!
}

/** The figures as lines. */
export function pagesText(costs: readonly PageCost[]): string {
  const lines = costs.map(
    ({ name, median, best, computed, kilobytes }) =>
      `  ${name.padEnd(34)}${median.toFixed(0).padStart(5)} ms, at best ${best.toFixed(0).padStart(4)} ms, computing ${computed.toFixed(0).padStart(4)} ms ${kilobytes.toFixed(0).padStart(6)} KB`,
  )
  return [
    `pages of ${QUERIES} queries on 2 architectures, ${FAILING_TESTS} failing tests, ${ENTRIES} entries, ${RUNS} runs, ${STACKS} stacks; server time, compressed:`,
    ...lines,
  ].join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      checks: { type: 'string', default: '300000' },
      only: { type: 'string', default: '' },
      times: { type: 'string', default: '15' },
    },
  })
  console.log(pagesText(await benchPages(Number(values.checks), values.only, Number(values.times))))
}
