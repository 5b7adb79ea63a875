import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Bot, startBot } from '../../src/main.ts'
import { migratedDatabase, serverVariablesOf } from '../embedded/engine-fixture.ts'
import { type PostgresServer, postgresServer } from '../inbox/postgres-server.ts'
import {
  type BotSetting,
  botComments,
  environmentVariables,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
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
  shared = { ...serverVariablesOf(await migratedDatabase()), DATABASE_URL: postgres.url }
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
  await expect.poll(() => botComments(pull).length, { timeout: 20_000 }).toBe(1)
  expect(github.violations).toEqual([])
})
