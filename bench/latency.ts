import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { type LocalGitHub, startLocalGitHub } from '../demo/github/local-github.ts'
import { zipOf } from '../demo/github/zip.ts'
import { WEBHOOK_PATH } from '../src/web/server.ts'
import { botComments, environmentVariables, installApp, rawRun, WEBHOOK_SECRET } from '../test/bot/bot-setting.ts'

/**
 * How soon the bot, as a process of its own against a local GitHub, has the comment complete after the last of twelve
 * shards, and how soon it answers webhooks that come 200 a second. Hints are not collected and writes not paced: what is
 * measured is the bot's own time.
 *
 *     node bench/latency.ts [--cpu-prof FOLDER] [--rounds 3] [--seconds 3] [--connections 64,128]
 *
 * More rounds than three wait for GitHub: it takes 80 writes a minute. With `--connections` pages are asked for on as many
 * connections of one address meanwhile, and the bench fails where the comment comes more than `MOST_FLOODED` times later.
 */

const CHILD = fileURLToPath(new URL('../test/bot/serve-child.ts', import.meta.url))
/** The flags of the image and of the services in `docs/operations.md`. */
const AS_SERVED = ['--max-semi-space-size=16', '--heap-growing-percent=50']
const SHARDS = 12
const QUERIES = 250
const REPETITIONS = 7
const WEBHOOKS_A_SECOND = 200
/** Times that the comment may take beside a flood; waited for that long and no longer. */
const MOST_FLOODED = 5
const SETTLES_MS = 3_000

const CONFIG = `
checks:
  - "perf ({shard}/{shards})"
results:
  - artifact: "results-{shard}"
`

export interface Setting {
  readonly github: LocalGitHub
  readonly url: string
  /** The process of the bot. */
  readonly child: ChildProcess
}

/** Gives the work a bot as a process of its own, installed on the account `acme` of a local GitHub. */
export async function withBot<T>(
  work: (setting: Setting) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
  execArgv: string[] = [],
): Promise<T> {
  const github = await startLocalGitHub()
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  const child = fork(CHILD, {
    env: { ...process.env, ...environmentVariables(github, dataDir), ...env },
    execArgv: [...AS_SERVED, ...execArgv],
  })
  try {
    const [url] = (await once(child, 'message')) as [string]
    github.setWebhook({ url: `${url}${WEBHOOK_PATH}`, secret: WEBHOOK_SECRET })
    installApp(github)
    return await work({ github, url, child })
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await github.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Milliseconds from the end of the last shard's check to the comment that says that all are in; it is waited for no longer
 * than `most`.
 */
async function lastShard(
  { github }: Setting,
  name: string,
  beforeLast: () => Promise<void> = async () => {},
  most = Infinity,
): Promise<number> {
  const repo = github.createRepository({
    owner: 'acme',
    name,
    files: { 'README.md': '# engine\n', '.github/perf-triage.yml': CONFIG },
  })
  const pull = github.openPullRequest({ repo, head: 'work' })
  const checks = Array.from({ length: SHARDS }, (_, index) => {
    const run = github.startWorkflowRun(repo, { name: `Performance ${index + 1}`, pull })
    const check = `perf (${index + 1}/${SHARDS})`
    return { index, run, check: github.startCheckRun(repo, { name: check, headSha: pull.head.sha, workflowRun: run }) }
  })
  const said = (count: number) => botComments(pull)[0]?.body.includes(`${count} of ${SHARDS} shards in`) ?? false
  let started = 0
  for (const { index, run, check } of checks) {
    const artifact = { name: `results-${index + 1}`, zip: shardResults(index) }
    await github.finishWorkflowRun(run, { artifacts: [artifact] })
    if (index === SHARDS - 1) await beforeLast()
    started = performance.now()
    github.finishCheckRun(check, 'success')
    while (!said(index + 1)) {
      if (performance.now() - started > most) return Infinity
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return performance.now() - started
}

/** Half of a percent of noise; one query in fifty is slower by a fifth. */
function shardResults(shard: number): Uint8Array {
  const queries = Array.from({ length: QUERIES }, (_, query) => {
    const side = (factor: number) =>
      Array.from({ length: REPETITIONS }, (_, run) => factor * (100 + query + 0.5 * Math.sin(run * 7 + query + factor)))
    return { old: side(1), new: side(query % 50 === 0 ? 1.2 : 1) }
  })
  return zipOf({ [`shard${shard}-raw.tsv`]: rawRun(`shard${shard}`, queries) })
}

/** Milliseconds until each answer, by the second in which it was sent. */
async function webhooks({ github, url }: Setting, seconds: number): Promise<number[][]> {
  const template = github.deliveries.find(({ event }) => event === 'check_run')
  if (template === undefined) throw new Error('the local GitHub has sent no check_run')
  const agent = new Agent({ keepAlive: true })
  const sent: Promise<number>[][] = []
  for (let second = 0; second < seconds; second += 1) {
    const answers: Promise<number>[] = []
    sent.push(answers)
    for (let index = 0; index < WEBHOOKS_A_SECOND; index += 1) {
      answers.push(send(`${url}${WEBHOOK_PATH}`, template.event, template.payload, agent))
      await new Promise((resolve) => setTimeout(resolve, 1000 / WEBHOOKS_A_SECOND - 1))
    }
  }
  const times = await Promise.all(sent.map((answers) => Promise.all(answers)))
  agent.destroy()
  return times
}

export async function send(url: string, event: string, payload: string, agent: Agent): Promise<number> {
  const signature = `sha256=${createHmac('sha256', WEBHOOK_SECRET).update(payload).digest('hex')}`
  const headers = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': signature,
  }
  const started = performance.now()
  const asking = request(url, { method: 'POST', headers, agent })
  asking.end(payload)
  const [response] = (await once(asking, 'response')) as [import('node:http').IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`a webhook was answered with ${response.statusCode}`)
  return performance.now() - started
}

const floodSchema = z.object({ url: z.string(), connections: z.int() })

/** Asks for pages on all connections without a pause, in a thread of its own, and posts how many answers had which status. */
async function flood(given: unknown): Promise<never> {
  const { url, connections } = floodSchema.parse(given)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const page = '/r/acme/engine-0/pull/1'
  const paths = [page, '/quality', '/', '/queue', `${page}?q=query&sort=difference`, '/record', '/r/acme/engine-0']
  const answers: Record<string, number> = {}
  parentPort!.postMessage(answers)
  setInterval(() => parentPort!.postMessage(answers), 500)
  const ask = async (): Promise<void> => {
    for (let turn = 0; ; turn += 1) {
      const asking = request(`${url}${paths[turn % paths.length]}`, { agent, headers: { 'accept-encoding': 'gzip' } })
      const status = await new Promise<number>((resolve) => {
        asking
          .on('error', () => resolve(0))
          .on('response', (response) => {
            response
              .on('error', () => resolve(0))
              .on('end', () => resolve(response.statusCode!))
              .resume()
          })
        asking.end()
      })
      answers[status] = (answers[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, ask))
  throw new Error('no connection ends by itself')
}

/** As `lastShard`, with what a flood of pages was answered meanwhile. */
async function lastShardFlooded(setting: Setting, connections: number, most: number) {
  let worker: Worker | null = null
  let answers: Readonly<Record<string, number>> = {}
  const begin = async () => {
    worker = new Worker(new URL(import.meta.url), { workerData: { url: setting.url, connections } })
    worker.on('message', (counts: Readonly<Record<string, number>>) => (answers = counts))
    await once(worker, 'message')
    await new Promise((resolve) => setTimeout(resolve, SETTLES_MS))
  }
  try {
    return { milliseconds: await lastShard(setting, `flooded-${connections}`, begin, most), answers }
  } finally {
    await (worker as Worker | null)?.terminate()
  }
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
}

if (!isMainThread && workerData !== null) await flood(workerData)
else if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      'cpu-prof': { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '' },
    },
  })
  const folder = values['cpu-prof']
  const bench = async (setting: Setting) => {
    let quiet = 0
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const milliseconds = await lastShard(setting, `engine-${round}`)
      quiet = milliseconds
      console.log(`last of ${SHARDS} shards to the comment, round ${round + 1}: ${Math.round(milliseconds)} ms`)
    }
    for (const connections of values.connections.split(',').filter(Boolean).map(Number)) {
      const { milliseconds, answers } = await lastShardFlooded(setting, connections, MOST_FLOODED * quiet)
      const words = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
      console.log(
        `beside pages on ${connections} connections: ${Math.round(milliseconds)} ms (${words.join(', ') || 'nothing answered'})`,
      )
      if (milliseconds > MOST_FLOODED * quiet) process.exitCode = 1
    }
    for (const [second, times] of (await webhooks(setting, Number(values.seconds))).entries()) {
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(1))
      console.log(
        `webhooks, second ${second + 1}: ${times.length} answered, p50 ${p50} ms, p99 ${p99} ms, most ${most} ms`,
      )
    }
  }
  await withBot(bench, {}, folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`])
}
