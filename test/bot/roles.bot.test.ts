import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { zipOf } from '../../demo/github/zip.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { openSharedInbox } from '../../src/inbox/inbox.ts'
import { type Bot, startBot } from '../../src/main.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { type PostgresServer, postgresServer } from '../inbox/postgres-server.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import {
  type BotSetting,
  botComments,
  environmentVariables,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
  WEBHOOK_SECRET,
} from './bot-setting.ts'

const RESULTS = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

let postgres: PostgresServer
let setting: BotSetting
let worker: Bot
/** What both processes have in their environments. */
let shared: Record<string, string>
const folder = mkdtempSync(join(tmpdir(), 'perf-triage-worker-'))

beforeAll(async () => {
  postgres = await postgresServer()
  shared = { ...serverVariablesOf(await migratedDatabase()), DATABASE_URL: `${postgres.url}?lock_timeout=3000` }
  setting = await makeBotSetting({ env: shared })
})
afterAll(async () => {
  await worker?.stop()
  await setting?.close()
  await postgres?.remove()
  rmSync(folder, { recursive: true, force: true })
})

test('a process that works has no pages, takes what another one has brought', async () => {
  const { github, repo } = setting
  const env = {
    ...environmentVariables(github, folder),
    ...shared,
    PERF_TRIAGE_ROLE: 'worker',
  }
  worker = await startBot(readEnvironment(env), { log: pino({ level: 'silent' }), paced: false, debounceMs: 250 })
  expect((await fetch(`${worker.url}/`)).status).toBe(404)
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200)
  // The other one takes webhooks and works no more.
  await setting.bot.worker.stop(5000)
  const pull = github.openPullRequest({ repo, head: 'work-1' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
  await expect.poll(() => botComments(pull).length, { timeout: 60_000 }).toBe(1)
  expect(github.violations).toEqual([])
})

test('what turns private is shown by no process from the answer to its webhook on, whichever of them had it', async () => {
  const { github, repo, bot } = setting
  const env = { ...environmentVariables(github, join(folder, 'web')), ...shared, PERF_TRIAGE_ROLE: 'web' }
  const other = await startBot(readEnvironment(env), { log: pino({ level: 'silent' }), paced: false })
  try {
    const paths = ['/r/acme/engine/pull/1', '/r/acme/engine', '/r/acme/engine/pull/1?format=json']
    const statuses = async (of: Bot) =>
      await Promise.all(paths.map(async (path) => (await fetch(`${of.url}${path}`)).status))
    // Both have shown it, and what they keep for a while has begun.
    for (const of of [bot, other]) expect(await statuses(of)).toEqual([200, 200, 200])
    for (const of of [bot, other]) expect(await (await fetch(of.url)).text()).toContain('acme/engine')
    github.setPrivate(repo, true)
    await github.idle()
    for (const of of [bot, other]) expect(await statuses(of)).toEqual([404, 404, 404])
    for (const of of [bot, other]) expect(await (await fetch(of.url)).text()).not.toContain('acme/engine')
    const metrics = await (await fetch(`${other.url}/metrics`)).text()
    expect(metrics).not.toContain('acme/engine')
  } finally {
    await other.stop()
  }
})

/** The status with which a delivery of GitHub is answered. */
async function delivered(): Promise<number> {
  const body = '{"zen":"Keep it logically awesome."}'
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-github-delivery': randomUUID(),
    'x-github-event': 'ping',
    'x-hub-signature-256': `sha256=${signature}`,
  }
  return (await fetch(`${setting.bot.url}${WEBHOOK_PATH}`, { method: 'POST', headers, body })).status
}

test('a webhook is answered 503 while PostgreSQL is too slow, cuts its connection in a transaction, or is away, and is asked for again', async () => {
  const taken = await delivered()
  const [locks, cuts] = [new Client(postgres.url), new Client(postgres.url)]
  for (const client of [locks, cuts]) {
    client.on('error', () => {})
    await client.connect()
  }
  await locks.query('BEGIN; LOCK TABLE deliveries IN EXCLUSIVE MODE')
  expect(await delivered()).toBe(503)
  const cut = delivered()
  const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%INTO deliveries%'`
  await expect.poll(async () => (await cuts.query(CUT)).rowCount, { interval: 10 }).toBe(1)
  expect(await cut).toBe(503)
  await locks.query('ROLLBACK')
  expect(await delivered()).toBe(taken)
  await postgres.stop()
  for (let again = 0; again < 2; again++) expect(await delivered()).toBe(503)
  const ready = await fetch(`${setting.bot.url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('inbox')])
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'missed' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
  await github.idle()
  await postgres.start()
  expect(await delivered()).toBe(taken)
  expect(taken).toBeLessThan(300)
  // By the process that takes webhooks: the one that works looks for them at its next sweep, in minutes.
  await expect.poll(() => botComments(pull).length, { timeout: 60_000 }).toBe(1)
})

test('a start waits for a PostgreSQL that is away, says so, and ends the wait when it is stopped; an address that is wrong is refused at once', async () => {
  const env = { ...environmentVariables(setting.github, join(folder, 'late')), ...shared, PERF_TRIAGE_ROLE: 'web' }
  const said: string[] = []
  const log = pino({}, { write: (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg) })
  const WAITS = 'the inbox does not answer; waiting up to 60 s'
  await postgres.stop()
  const stop = new AbortController()
  const stopped = startBot(readEnvironment(env), { log, signal: stop.signal })
  await expect.poll(() => said).toContain(WAITS)
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow()
  await expect(openSharedInbox(postgres.url, { waitMs: 1 })).rejects.toThrow(/check that it runs/)

  const late = startBot(readEnvironment(env), { log })
  await expect.poll(() => said.filter((line) => line === WAITS)).toHaveLength(2)
  await postgres.start()
  const bot = await late
  expect((await fetch(`${bot.url}/readyz`)).status).toBe(200)
  await bot.stop()

  const nowhere = Object.assign(new URL(postgres.url), { pathname: '/nowhere' }).href
  const refused = openSharedInbox(nowhere, { waitMs: 3_600_000 })
  await expect(refused).rejects.toThrow('database "nowhere" does not exist')
})

test('the password may stand beside the address, as compose.postgres.yaml has it, whatever is in it', async () => {
  const file = parse(readFileSync(join(import.meta.dirname, '../../compose.postgres.yaml'), 'utf8'))
  const { DATABASE_URL } = z.looseObject({ DATABASE_URL: z.string() }).parse(file.services.worker.environment)
  expect(DATABASE_URL).not.toContain('$')
  const client = new Client({ connectionString: DATABASE_URL })
  expect(client.password).toBeNull()
  process.env['PGPASSWORD'] = 'a@b/c#d'
  try {
    expect(new Client({ connectionString: DATABASE_URL }).password).toBe('a@b/c#d')
  } finally {
    delete process.env['PGPASSWORD']
  }
})
