import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import { takeDataFolder } from '../../src/bot/triage/data-folder.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { startEmbedded } from '../../src/store/embedded/embedded.ts'
import { portFilePath } from '../../src/store/embedded/port-file.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { environmentVariables, installApp, WEBHOOK_SECRET } from './bot-setting.ts'

const LAUNCHER = fileURLToPath(new URL('../../bin/perf-triage.js', import.meta.url))
/** Docker's time-out before it kills. */
const STOP_TIMEOUT_MS = 10_000

let github: LocalGitHub
let dataDir: string
let child: ChildProcess
let spawned: number

beforeEach(async () => {
  github = await startLocalGitHub()
  dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-stop-'))
})
afterEach(async () => {
  // A stopped engine would outlive its server, and hold the output that the runner waits for.
  if (child.exitCode === null && child.signalCode === null) {
    for (const pid of childPids()) process.kill(Number(pid), 'SIGKILL')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await github.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

function serve(): AsyncIterable<string> {
  spawned = performance.now()
  const env: NodeJS.ProcessEnv = { ...process.env, ...environmentVariables(github, dataDir), LOG_LEVEL: 'info' }
  child = spawn(process.execPath, [LAUNCHER, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return createInterface({ input: child.stdout! })
}

/** The first line of the log that says this. */
async function said(lines: AsyncIterable<string>, message: string): Promise<{ readonly url: string }> {
  for await (const line of lines) {
    const entry = JSON.parse(line) as { readonly msg: string; readonly url: string }
    if (entry.msg === message) return entry
  }
  throw new Error(`the process ended and never said "${message}"`)
}

async function terminated(timeout = STOP_TIMEOUT_MS): Promise<void> {
  const engines = enginePids()
  const started = performance.now()
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  // Where the start was slow the machine is.
  expect(performance.now() - started).toBeLessThan(Math.max(timeout, 3 * (started - spawned)))
  ;(await takeDataFolder(dataDir)).release()
  expect(readdirSync(dataDir).filter((name) => name.includes('port'))).toEqual([])
  expect(engines.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
}

const SIGTERM = 15

function isHeard(signal: number): boolean {
  const caught = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))!
  return ((BigInt(`0x${caught[1]}`) >> BigInt(signal - 1)) & 1n) === 1n
}

function childPids(): string[] {
  return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
}

/** A child is a copy of the server until it runs the engine's program, and the server waits for that: one that is stopped earlier stops both. */
function enginePids(): string[] {
  const server = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')
  return childPids().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== server)
}

test('right after it listens', async () => {
  await said(serve(), 'listening')
  expect(enginePids()).toHaveLength(1)
  await terminated()
})

const SOON = { timeout: 60_000, interval: 5 }

test('during the start', async () => {
  serve()
  await expect.poll(() => existsSync(join(dataDir, 'inbox.sqlite')), SOON).toBe(true)
  await terminated()
})

/** Milliseconds. */
const AT_ONCE = 2_000

test('while the engine is slow to start', async () => {
  serve()
  await expect.poll(() => enginePids(), SOON).toHaveLength(1)
  process.kill(Number(enginePids()[0]), 'SIGSTOP')
  await terminated(AT_ONCE)
})

test('while another process holds the data directory', async () => {
  const holder = await startEmbedded({ dataDir })
  await rm(portFilePath(dataDir))
  serve()
  await expect.poll(() => enginePids(), SOON).toHaveLength(1)
  await expect.poll(() => enginePids(), SOON).toEqual([])
  await terminated(AT_ONCE)
  await holder.stop()
})

test('a second signal, of the other kind too, ends it at once', async () => {
  await said(serve(), 'listening')
  // It stops for seconds.
  const engine = Number(enginePids()[0])
  process.kill(engine, 'SIGSTOP')
  child.kill('SIGTERM')
  // The first one was heard: the system's own handler is there again.
  await expect.poll(() => isHeard(SIGTERM), { interval: 1 }).toBe(false)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
  process.kill(engine, 'SIGKILL')
})

test('while calls to GitHub hang; what was under way is due at once, and has not failed', async () => {
  const { url } = await said(serve(), 'listening')
  github.setWebhook({ url: `${url}${WEBHOOK_PATH}`, secret: WEBHOOK_SECRET })
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  installApp(github)
  await github.idle()
  github.fault({ path: /^\//, kind: 'timeout', times: Number.POSITIVE_INFINITY })
  const pull = github.openPullRequest({ repo, head: 'work' })
  github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.idle()
  await expect.poll(() => github.requests.filter(({ actor }) => actor === 'fault').length).toBeGreaterThan(0)
  await terminated()

  const inbox = await openInbox(dataDir)
  const now = Date.now()
  expect(await inbox.deliveries.counts()).toMatchObject({ working: 0 })
  expect(await inbox.deliveries.nextAt()).toBeLessThanOrEqual(now)
  expect(await inbox.deliveries.claimNext(now)).toMatchObject({ attempts: 1 })
  await inbox.close()
})
