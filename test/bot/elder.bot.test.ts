import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Inbox, openSharedInbox } from '../../src/inbox/inbox.ts'
import { DEAD_AFTER_MS } from '../../src/inbox/processes.ts'
import { type Bot, startBot } from '../../src/main.ts'
import { type PostgresServer, postgresServer } from '../inbox/postgres-server.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import { botChecksOf, botComments, environmentVariables } from './bot-setting.ts'
import { CHILD, type Replicas, startReplicas, unserved } from './replicas.ts'

/** A process for webhooks, and two that work: the elder is a process of its own, which is stopped and killed. */

let postgres: PostgresServer
let web: Replicas
let elder: ChildProcess
let younger: Bot
let inbox: Inbox
const folder = mkdtempSync(join(tmpdir(), 'perf-triage-elder-'))
/** A CI database that is away, and how often the younger has asked it for the history of the trunk. */
let asked = 0
const ciDatabase = createServer((request, response) => {
  void text(request).then((statement) => {
    const isYounger = request.headers.authorization === `Basic ${btoa('younger:')}`
    if (isYounger && statement.includes('query_metric')) asked += 1
    response.writeHead(503).end()
  })
})

/** What a process that works has in its environment. */
let working: Record<string, string>

const sweeps = () => web.github.requests.filter(({ path }) => path === '/app/hook/deliveries').length
/** Each process asks once for a token of the installation, before all else that it does for it. */
const tokens = () => web.github.requests.filter(({ path }) => path.endsWith('/access_tokens')).length

/** Resolves when nobody has anything to do, and has not brought about more. */
async function everythingDone(): Promise<void> {
  const left = async () => {
    const { length } = web.github.deliveries
    const deliveries = await inbox.deliveries.counts()
    const triages = await inbox.triages.counts()
    await web.github.idle()
    const delivered = web.github.deliveries.length - length
    return deliveries.received + deliveries.working + triages.due + triages.working + delivered
  }
  await expect.poll(left, { timeout: 60_000 }).toBe(0)
}

beforeAll(async () => {
  ciDatabase.listen(0, '127.0.0.1')
  await once(ciDatabase, 'listening')
  postgres = await postgresServer()
  inbox = await openSharedInbox(postgres.url)
  const origin = `http://127.0.0.1:${(ciDatabase.address() as AddressInfo).port}`
  const shared = {
    ...serverVariablesOf(await migratedDatabase()),
    DATABASE_URL: postgres.url,
    CIDB_URL: origin,
    CIDB_REPOSITORIES: 'acme/engine',
    SLACK_WEBHOOK_URL: `${origin}/slack`,
  }
  web = await startReplicas(1, { ...shared, PERF_TRIAGE_ROLE: 'web' })
  working = { ...environmentVariables(web.github, join(folder, 'elder')), ...shared, PERF_TRIAGE_ROLE: 'worker' }
  elder = fork(CHILD, [], {
    env: { ...process.env, ...working },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(elder, 'message')
})
afterAll(async () => {
  elder?.kill('SIGKILL')
  await younger?.stop()
  await web?.close()
  await inbox?.close()
  await postgres?.remove()
  ciDatabase.closeAllConnections()
  ciDatabase.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

test('a command and "Re-run" that a process for webhooks has heard are rows, and done once by one that works', async () => {
  const { github } = web
  const [pull] = (await web.finished(1)) as [PullRequest]
  await expect.poll(() => unserved(github, [pull]).length, { timeout: 60_000 }).toBe(0)
  await everythingDone()
  // At its start; the one for webhooks has none.
  await expect.poll(sweeps).toBe(1)
  elder.kill('SIGSTOP')
  const command = github.comment(pull, 'stranger', '/perf help')
  github.deleteComment(botComments(pull)[0]!, 'alice')
  github.rerequestCheckRun(botChecksOf(github, pull.head.sha)[0]!, 'alice')
  await github.idle()
  const heard = github.deliveries.slice(-3).map(({ event, statusCode }) => [event, statusCode])
  expect(heard).toEqual([
    ['issue_comment', 200],
    ['issue_comment', 200],
    ['check_run', 200],
  ])
  expect(await inbox.deliveries.counts()).toMatchObject({ received: 3, working: 0 })
  expect([botComments(pull).length, command.reactions.length]).toEqual([0, 0])

  elder.kill('SIGCONT')
  const comments = () => botComments(pull).map(({ body }) => (body.includes('perf-triage-reply') ? 'answer' : 'report'))
  await expect.poll(() => comments().toSorted(), { timeout: 60_000 }).toEqual(['answer', 'report'])
  await everythingDone()
  expect(comments().toSorted()).toEqual(['answer', 'report'])
  expect(command.reactions.map(({ content }) => content)).toEqual(['+1'])
  expect(github.requests.filter(({ operation }) => operation === 'issues/create-comment')).toHaveLength(3)
  expect(tokens()).toBe(1)
  expect(
    unserved(
      github,
      [pull].filter(() => comments().length !== 2),
    ),
  ).toEqual([])
  expect(github.violations).toEqual([])
})

test('the elder sweeps, copies and sends digests; the younger does once it is dead', { timeout: 120_000 }, async () => {
  const { github } = web
  const environment = readEnvironment({
    ...working,
    PERF_TRIAGE_DATA_DIR: join(folder, 'younger'),
    CIDB_USER: 'younger',
  })
  github.requests.length = 0
  /** Milliseconds by which its clock is ahead: that the elder is dead need not be waited for. */
  let ahead = 0
  const now = () => Date.now() + ahead
  younger = await startBot(environment, { log: pino({ level: 'silent' }), paced: false, debounceMs: 0, now })
  const { worker, historySync, digests } = younger
  const inTurn = async () => {
    await worker.sweepInTurn()
    await historySync.round()
    await digests!.round()
  }
  await inTurn()
  expect([sweeps(), asked, await inbox.digests.last('day')]).toEqual([0, 0, null])

  elder.kill('SIGKILL')
  await once(elder, 'exit')
  ahead = DEAD_AFTER_MS
  await expect.poll(() => younger.inbox.processes.isFirst(now()), { timeout: 60_000 }).toBe(true)
  await inTurn()
  expect(sweeps()).toBe(1)
  expect(asked).toBeGreaterThan(0)
  expect(await inbox.digests.last('day')).not.toBeNull()
  // And what people ask for is done as before.
  const [next] = (await web.finished(1)) as [PullRequest]
  await expect.poll(() => unserved(github, [next]).length, { timeout: 60_000 }).toBe(0)
  expect(github.violations).toEqual([])
})
