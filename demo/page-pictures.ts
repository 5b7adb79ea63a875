import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TrunkRow } from '../src/intake/imports/history/trunk-row.ts'
import { median } from '../src/intake/measurement/median.ts'
import { type QueryId, queryKey } from '../src/intake/measurement/run.ts'
import type { TriageReport } from '../src/report/report.ts'
import { entryPath, flameGraphPath, ownRowPath, queryPath } from '../src/report/urls.ts'
import { openStore } from '../src/store/store.ts'
import { pages } from '../src/web/pages.ts'
import { type RunningServer, startServer } from '../src/web/server.ts'
import { measuredRows } from '../test/store/history/trunk-rows.ts'
import { launchBrowser } from '../test/web/browser.ts'
import { METRICS_RUN, REPOSITORY, storeReport } from '../test/web/measured-report.ts'
import { LEDGER, REPOSITORY as LEDGER_REPOSITORY, makeLedgerSetting } from '../test/web/pages/ledger/ledger-setting.ts'
import { NOW, queryOf } from '../test/web/pages/query/query-histories.ts'
import { palettePng } from './palette-png.ts'

/**
 * The pictures of the pages in docs/images: `node demo/page-pictures.ts [name …]`. The report is that of `npm run demo`, the
 * recorded run as the bot itself triages it; the others show measured runs, histories and test results of `test/data`.
 */

interface Look {
  readonly width: number
  readonly height: number
  readonly theme?: 'light' | 'dark'
}

const WIDE: Look = { width: 1280, height: 880 }
const PHONE: Look = { width: 390, height: 1000 }
const QUIET = { warn: console.error, error: console.error, info: () => {}, debug: () => {} }

const wanted = process.argv.slice(2)
const browser = await launchBrowser()
try {
  await ofTheDemo()
  await ofMeasuredRuns()
  await ofTheLedger()
} finally {
  await browser.close()
}

async function picture(name: string, url: string, look: Look, at?: string): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return
  const { width, height, theme = 'light' } = look
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale: 'en-US' })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'networkidle' })
    if (at !== undefined)
      await page
        .locator(at)
        .first()
        .evaluate((element) => element.scrollIntoView())
    const small = palettePng(await page.screenshot({ type: 'png' }))
    await writeFile(new URL(`../docs/images/${name}.png`, import.meta.url), small)
    console.log(`${name}.png  ${Math.round(small.length / 1000)} KB`)
  } finally {
    await context.close()
  }
}

/** What `demo.ts --keep --json` prints, as far as it is needed here. */
interface DemoAddresses {
  readonly bot: string
  readonly repository: string
  readonly pullRequests: readonly [{ readonly number: number }, { readonly number: number }]
}

/** The bot of the demo, until the pictures are taken. */
async function ofTheDemo(): Promise<void> {
  const demo = spawn(process.execPath, [fileURLToPath(new URL('demo.ts', import.meta.url)), '--keep', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(demo, 'exit')
  try {
    const [line] = (await once(createInterface(demo.stdout), 'line')) as [string]
    const { bot, repository, pullRequests } = JSON.parse(line) as DemoAddresses
    const report = `${bot}/r/${repository}/pull/${pullRequests[0].number}`
    const read = (await (await fetch(`${report}?format=json`)).json()) as TriageReport
    const { owner, name } = read.repository
    const address = { owner, repo: name, number: read.pullRequest.number, head: read.head }
    await picture('report', report, WIDE)
    await picture('report-dark', report, { ...WIDE, theme: 'dark' })
    await picture('report-phone', report, PHONE)
    await picture('row', `${new URL(report).origin}${ownRowPath(address, read.rows[0]!)}`, WIDE)
    const profiled = `${bot}/r/${repository}/pull/${pullRequests[1].number}`
    const other = (await (await fetch(`${profiled}?format=json`)).json()) as TriageReport
    const row = other.rows.find(({ profile }) => profile != null)!
    const flame = flameGraphPath({ ...address, number: other.pullRequest.number, head: other.head }, row)
    await picture('flame-graph', `${bot}${flame}`, { ...WIDE, height: 760 })
  } finally {
    demo.kill('SIGINT')
    await ended
  }
}

/** A run with eighty counters a query, and a history of the trunk with its two releases. */
async function ofMeasuredRuns(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-pictures-'))
  const store = await openStore({ url: null, dataDir })
  const report = await storeReport(store, 8, 'b'.repeat(40), [{ architecture: 'amd', source: METRICS_RUN }])
  await store.trunkHistory.save(REPOSITORY.id, measuredRows())
  const server = await serve(
    pages({ store, publicUrl: 'https://perf.example.org', version: '', log: QUIET, now: () => NOW }),
  )
  try {
    const repository = { owner: REPOSITORY.owner, repo: REPOSITORY.name }
    const row = report.rows.find(({ test }) => test === 'group_by_spill')!
    const address = { ...repository, number: 8, head: report.head }
    await picture('metrics', `${server.url}${ownRowPath(address, row)}`, WIDE, '#all-metrics')
    const query = `${server.url}${queryPath(repository, mostMoved())}`
    await picture('query', query, { ...WIDE, height: 1100 })
    await picture('query-dark', query, { ...WIDE, theme: 'dark' }, '#history')
  } finally {
    await server.close()
    await store.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The query whose second half is furthest from its first one: the releases changed it. */
function mostMoved(): QueryId {
  const byQuery = Map.groupBy(measuredRows(), (row) => queryKey(row))
  const distance = (rows: readonly TrunkRow[]) => {
    const medians = rows.toSorted((a, b) => a.time - b.time).map((row) => row.new)
    const half = Math.floor(medians.length / 2)
    return Math.abs(Math.log(median(medians.slice(half)) / median(medians.slice(0, half))))
  }
  const [most] = [...byQuery.values()].toSorted((a, b) => distance(b) - distance(a))
  return queryOf(most![0]!)
}

async function ofTheLedger(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-pictures-'))
  const setting = await makeLedgerSetting({ url: null, dataDir })
  const server = await serve(
    pages({ store: setting.store, publicUrl: 'https://perf.example.org', version: '', log: QUIET }),
  )
  try {
    await picture('ledger', `${server.url}${LEDGER}`, WIDE)
    await picture('entry', `${server.url}${entryPath(LEDGER_REPOSITORY, setting.chronic)}`, WIDE)
  } finally {
    await server.close()
    await setting.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function serve(site: ReturnType<typeof pages>): Promise<RunningServer> {
  return await startServer({
    host: '127.0.0.1',
    port: 0,
    webhook: null,
    pages: site,
    readiness: [],
    log: QUIET,
  })
}
