import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type LocalGitHub, startLocalGitHub } from '../demo/github/local-github.ts'
import type { PullRequest, Repository } from '../demo/github/state.ts'
import { zipOf } from '../demo/github/zip.ts'
import { openInbox } from '../src/inbox/inbox.ts'
import {
  botChecksOf,
  botComments,
  environmentVariables,
  installApp,
  rawRun,
  SLOWER,
  STEADY,
  WEBHOOK_SECRET,
} from './bot/bot-setting.ts'
import { migratedDatabase, serverVariablesOf } from './store/embedded/engine-fixture.ts'

// Probot's own commands with `src/app.ts`, as somebody uses them who knows Probot.

const PROBOT = join(import.meta.dirname, '../node_modules/probot/bin/probot.js')
const ROOT = join(import.meta.dirname, '..')

let github: LocalGitHub
let repo: Repository
let installationId: number
let database: Record<string, string>
let folder: string
let dataDirs = 0

beforeAll(async () => {
  github = await startLocalGitHub()
  repo = github.createRepository({ owner: 'acme', name: 'engine' })
  installationId = installApp(github).id
  database = serverVariablesOf(await migratedDatabase())
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-probot-'))
})
afterAll(async () => {
  await github.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** One of Probot's commands with all that it prints so far. */
function probot(args: readonly string[], dataDir: string) {
  const variables: Record<string, string> = {
    ...environmentVariables(github, dataDir),
    ...database,
    LOG_FORMAT: 'json',
  }
  const child = spawn(process.execPath, [PROBOT, ...args], { cwd: ROOT, env: { ...process.env, ...variables } })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  return { child, output: () => output.join('') }
}

function newDataDir(): string {
  dataDirs += 1
  return join(folder, `data-${dataDirs}`)
}

async function finish(head: string): Promise<PullRequest> {
  const pull = github.openPullRequest({ repo, head })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun(`sum of ${head}`, [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  return pull
}

/** A payload as GitHub sent it once, of this pull request. */
function received({ number, head }: PullRequest): object {
  const recorded = z
    .object({ repository: z.looseObject({}), check_run: z.looseObject({}) })
    .loose()
    .parse(JSON.parse(readFileSync(join(ROOT, 'test/data/github-webhooks/check_run/completed.payload.json'), 'utf8')))
  return {
    ...recorded,
    installation: { id: installationId },
    repository: {
      ...recorded.repository,
      id: repo.id,
      name: 'engine',
      full_name: 'acme/engine',
      default_branch: 'main',
      owner: { login: 'acme' },
    },
    check_run: {
      ...recorded.check_run,
      name: 'Performance',
      head_sha: head.sha,
      app: { id: 15368, slug: 'github-actions' },
      pull_requests: [{ number, base: { repo: { id: repo.id } } }],
    },
  }
}

test('probot receive works off one event and ends', { timeout: 120_000 }, async () => {
  const pull = await finish('received')
  const payload = join(folder, 'payload.json')
  writeFileSync(payload, JSON.stringify(received(pull)))
  const { child, output } = probot(['receive', '-e', 'check_run', '-p', payload, './src/app.ts'], newDataDir())
  const [code] = await once(child, 'close')
  expect(code, output()).toBe(0)
  expect(botComments(pull)).toHaveLength(1)
  expect(botChecksOf(github, pull.head.sha)).toMatchObject([{ status: 'completed' }])
})

/** Of so many requests of one page that arrive at once. */
async function statusesOf(address: string, count: number): Promise<ReadonlySet<string>> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const request = (connection: string) => `GET /words HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`
  socket.write(request('keep-alive').repeat(count - 1) + request('close'))
  const answers = await text(socket)
  return new Set(Array.from(answers.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => status!))
}

test('probot run has a webhook on disk when it answers it, and has the pages, of which each visitor has a share', {
  timeout: 60_000,
}, async () => {
  const dataDir = newDataDir()
  const { child, output } = probot(['run', './src/app.ts'], dataDir)
  const address = () => /Listening on (http:\/\/[^\s"]+)/.exec(output())?.[1]
  try {
    await expect.poll(address, { timeout: 30_000 }).toBeDefined()
    const crowd = statusesOf(address()!, 40)
    github.setWebhook({ url: `${address()}/api/github/webhooks`, secret: 'another secret' })
    await finish('unsigned')
    await github.idle()
    github.setWebhook({ url: `${address()}/api/github/webhooks`, secret: WEBHOOK_SECRET })
    const pull = await finish('run')
    await github.idle()
    expect(await crowd).toEqual(new Set(['200', '429']))
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(github.violations).toEqual([])

    const inbox = await openInbox(dataDir, { debounceMs: 0 })
    await inbox.recoverAfterCrash(Date.now())
    const { received, working, done } = await inbox.deliveries.counts()
    expect(received + working + done).toBe(github.deliveries.filter(({ statusCode }) => statusCode === 200).length)
    expect(received + working + done).toBeGreaterThan(0)
    await inbox.close()
    expect(botComments(pull)).toEqual([])
  } finally {
    child.kill('SIGKILL')
  }
})
