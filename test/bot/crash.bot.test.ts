import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import {
  botChecksOf,
  botComments,
  countRowsIn,
  environmentVariables,
  installApp,
  recordedArtifact,
  WEBHOOK_SECRET,
} from './bot-setting.ts'

const CHILD = fileURLToPath(new URL('serve-child.ts', import.meta.url))
const SAMPLES = 67 * 14 + 7

/** When the process is killed, in milliseconds after the results are in: while it reads, stores, posts. */
const KILLED_AFTER = [0, 60, 150, 300, 500, 800, 1200]

test('kill -9 at any moment: one comment, complete, every sample stored once', { timeout: 120_000 }, async () => {
  const github = await startLocalGitHub()
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-crash-'))
  const port = await freePort()
  github.setWebhook({ url: `http://127.0.0.1:${port}${WEBHOOK_PATH}`, secret: WEBHOOK_SECRET })
  let child = await start(github, dataDir, port)
  try {
    const repo = github.createRepository({ owner: 'acme', name: 'engine' })
    installApp(github)
    const pull = github.openPullRequest({ repo, head: 'work' })
    const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
    for (const delay of KILLED_AFTER) {
      await new Promise((resolve) => setTimeout(resolve, delay))
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = await start(github, dataDir, port)
    }
    await expect
      .poll(() => botChecksOf(github, pull.head.sha).map(({ status }) => status), { timeout: 60_000, interval: 100 })
      .toEqual(['completed'])
    await expect
      .poll(() => pull.labels.map(({ name }) => name).toSorted(), { timeout: 60_000, interval: 100 })
      .toEqual(['perf: faster', 'perf: slower'])
    await github.idle()

    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.body).toContain('### 7 of 67 queries got slower, 13 got faster')
    // The row of a run comes last, after the comment.
    await expect.poll(() => countRowsIn({ url: null, dataDir }, 'runs')).toBe(1)
    expect(await countRowsIn({ url: null, dataDir }, 'samples')).toBe(SAMPLES)
    expect(await countRowsIn({ url: null, dataDir }, 'query_results')).toBe(68)
    expect(github.violations).toEqual([])
  } finally {
    child.kill('SIGKILL')
    await github.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
})

async function start(github: LocalGitHub, dataDir: string, port: number): Promise<ChildProcess> {
  const variables = { ...environmentVariables(github, dataDir), PORT: String(port) }
  const child = fork(CHILD, { env: { ...process.env, ...variables }, execArgv: [] })
  await once(child, 'message')
  return child
}

/** The bot has one address before and after each kill, as in production. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
