import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { startLocalGitHub } from '../demo/github/local-github.ts'
import type { PullRequest } from '../demo/github/state.ts'
import { zipOf } from '../demo/github/zip.ts'
import { type ClickHouse, openClickHouse } from '../src/store/client.ts'
import { WEBHOOK_PATH } from '../src/web/server.ts'
import { installApp, rawRun } from '../test/bot/bot-setting.ts'
import { quantile, send } from './latency.ts'
import { childrenOf, servedBot } from './served-bot.ts'

/**
 * What `serve` holds while it works for long: a flood of webhooks, then webhooks, performance runs and pages side by side.
 * Prints every 15 seconds memory, descriptors and threads of both processes, the inbox's journal, the parts in the engine
 * and how soon webhooks were answered; at the end the same against the middle.
 *
 *     node bench/soak.ts [--minutes 10] [--flood 60]
 *
 * `--flood`: seconds. `LOG_LEVEL` and `NODE_OPTIONS` reach the bot.
 */
const { values: flags } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, flood: { type: 'string', default: '60' } },
})
const MINUTES = Number(flags.minutes)
const FLOOD_MS = Number(flags.flood) * 1000

const FLOOD_A_SECOND = 200
const MIXED_A_SECOND = 10
const PULLS = 12
const RUN_EVERY_MS = 5000
const PAGE_EVERY_MS = 500
const LOOK_EVERY_MS = 15_000
const TESTS = 10
const QUERIES_OF_TEST = 20
const REPETITIONS = 7

interface Look {
  readonly minute: number
  readonly phase: string
  readonly values: Readonly<Record<string, number>>
}

/** Columns of the table; sizes in MB. */
const COLUMNS = [
  'serve RSS',
  'serve anonymous',
  'serve fds',
  'serve threads',
  'engine RSS',
  'engine anonymous',
  'engine fds',
  'engine threads',
  'WAL',
  'parts',
  'writes',
  'pages',
  'webhooks',
  'p50',
  'p99',
  'max',
]

const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-soak-'))
const github = await startLocalGitHub()
const bot = await servedBot(github, dataDir)
const agent = new Agent({ keepAlive: true })
let clickhouse: ClickHouse | undefined
try {
  bot.spawn()
  await bot.isReady()
  clickhouse = await openClickHouse({ url: null, dataDir })
  await soak(clickhouse)
  bot.process().kill('SIGTERM')
  await once(bot.process(), 'exit')
} finally {
  bot.process().kill('SIGKILL')
  agent.destroy()
  await clickhouse?.close()
  await github.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function soak(engine: ClickHouse): Promise<void> {
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  installApp(github)
  const pulls = Array.from({ length: PULLS }, (_, index) =>
    github.openPullRequest({ repo, head: `work-${index}`, files: { 'src/engine.cpp': `// ${index}\n` } }),
  )
  for (const pull of pulls.slice(0, 3)) await measured(pull, 0)
  await github.idle()
  const templates = github.deliveries.map(({ event, payload }) => ({ event, payload }))

  const looks: Look[] = []
  let latencies: number[] = []
  let failed = 0
  let pages = 0
  const began = Date.now()
  const end = began + MINUTES * 60_000
  const phase = () => (Date.now() - began < FLOOD_MS ? 'flood' : 'mixed')
  const phases = new Map<string, number[]>([
    ['flood', []],
    ['mixed', []],
  ])

  console.log(`| minute | phase | ${COLUMNS.join(' | ')} |\n|---|---|${COLUMNS.map(() => '--:|').join('')}`)
  await Promise.all([webhooks(), runs(), visits(), looked()])
  await github.idle()

  const middle = looks.findLast(({ minute }) => minute <= MINUTES / 2) ?? looks[0]!
  const last = looks.at(-1)!
  console.log(`\n| | minute ${middle.minute.toFixed(1)} | minute ${last.minute.toFixed(1)} |\n|---|--:|--:|`)
  for (const column of COLUMNS)
    console.log(`| ${column} | ${shown(middle.values[column])} | ${shown(last.values[column])} |`)
  for (const [name, times] of phases) {
    if (times.length > 0) console.log(`webhooks, ${name}: ${times.length} answered, ${latencyText(times)}`)
  }
  console.log(`${failed} webhooks or pages were not answered with 200`)

  /** At even times, however long the answers take. */
  async function webhooks(): Promise<void> {
    const asked: Promise<void>[] = []
    let sent = 0
    let due = began
    while (Date.now() < end) {
      due += 1000 / (phase() === 'flood' ? FLOOD_A_SECOND : MIXED_A_SECOND)
      if (due > Date.now()) await pause(due - Date.now())
      const { event, payload } = templates[sent++ % templates.length]!
      const of = phases.get(phase())!
      asked.push(
        send(`${bot.address}${WEBHOOK_PATH}`, event, payload, agent).then(
          (milliseconds) => {
            latencies.push(milliseconds)
            of.push(milliseconds)
          },
          () => {
            failed += 1
          },
        ),
      )
    }
    await Promise.all(asked)
  }

  /** New commits of one pull request after the other, with results. */
  async function runs(): Promise<void> {
    for (let count = 1; ; count += 1) {
      await pause(phase() === 'flood' ? FLOOD_MS - (Date.now() - began) : RUN_EVERY_MS)
      if (Date.now() >= end) return
      const pull = pulls[count % pulls.length]!
      github.push(pull, { 'src/engine.cpp': `// ${count}\n` })
      await measured(pull, count)
    }
  }

  async function visits(): Promise<void> {
    const rest = ['', '/ledger', '/pull/1', '/pull/2', '/pull/3', '/pull/4', '/pull/5', '/pull/6', '/pull/7', '/pull/8']
    const paths = ['/', '/words', '/readyz', ...rest.map((path) => `/r/acme/engine${path}`)]
    for (let count = 0; Date.now() < end; count += 1) {
      await pause(PAGE_EVERY_MS)
      const asked = fetch(`${bot.address}${paths[count % paths.length]}`, { signal: AbortSignal.timeout(30_000) })
      const answer = await asked.catch(() => null)
      // What nobody has measured yet has no page.
      if (answer?.status === 200) pages += 1
      else if (answer?.status !== 404) failed += 1
      await answer?.arrayBuffer()
    }
  }

  async function looked(): Promise<void> {
    for (let at = began + LOOK_EVERY_MS; at <= end; at += LOOK_EVERY_MS) {
      await pause(at - Date.now())
      const [times, name] = [latencies, phase()]
      latencies = []
      const serve = bot.process().pid!
      const values = {
        ...processOf('serve', serve),
        ...processOf('engine', childrenOf(bot.process())[0]!),
        WAL: sizeOf(join(dataDir, 'inbox.sqlite-wal')),
        parts: await partsIn(engine),
        writes: github.requests.filter(({ method, actor }) => method !== 'GET' && actor.startsWith('installation'))
          .length,
        pages,
        webhooks: times.length,
        p50: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        max: quantile(times, 1),
      }
      const look = { minute: (at - began) / 60_000, phase: name, values }
      looks.push(look)
      const cells = COLUMNS.map((column) => shown(look.values[column as keyof typeof values]))
      console.log(`| ${look.minute.toFixed(2)} | ${look.phase} | ${cells.join(' | ')} |`)
    }
  }
}

async function measured(pull: PullRequest, count: number): Promise<void> {
  const repo = github.state.repositories[0]!
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const files = Array.from({ length: TESTS }, (_, test) => {
    const queries = Array.from({ length: QUERIES_OF_TEST }, (_, query) => {
      const side = (factor: number) =>
        Array.from({ length: REPETITIONS }, (_, at) => factor * (100 + query + 0.5 * Math.sin(at * 7 + query + count)))
      return { old: side(1), new: side((query + count) % 50 === 0 ? 1.2 : 1) }
    })
    return [`test${test}-raw.tsv`, rawRun(`test${test}`, queries)] as const
  })
  await github.finishWorkflowRun(run, {
    artifacts: [{ name: 'performance-results', zip: zipOf(Object.fromEntries(files)) }],
  })
}

/** Of `/proc`: what it holds. Anonymous memory is its own; the rest of RSS are files, of the engine its 250 MB of program. */
function processOf(name: string, pid: number): Record<string, number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)![1])
  return {
    [`${name} RSS`]: of('VmRSS') / 1024,
    [`${name} anonymous`]: of('RssAnon') / 1024,
    [`${name} fds`]: readdirSync(`/proc/${pid}/fd`).length,
    [`${name} threads`]: of('Threads'),
  }
}

function sizeOf(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20
}

async function partsIn(engine: ClickHouse): Promise<number> {
  const row = z.object({ count: z.coerce.number() })
  const [counted] = await engine.read('count', 'SELECT count() AS count FROM system.parts WHERE active', {}, row)
  return counted!.count
}

function latencyText(times: readonly number[]): string {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1))
  return `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`
}

function shown(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(Number.isInteger(value) ? 0 : 1)
}
