import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import type { PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import {
  botChecksOf,
  botComments,
  environmentVariables,
  installApp,
  rawRun,
  SLOWER,
  STEADY,
  WEBHOOK_SECRET,
} from './bot-setting.ts'

export const CHILD = fileURLToPath(new URL('serve-child.ts', import.meta.url))
const RESULTS = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

/** A triage as its process has logged it; times in milliseconds. */
export interface Look {
  readonly subject: string
  readonly begun: number
  readonly ended: number
}

/** Several bots on one PostgreSQL and one ClickHouse server, behind one address to which a local GitHub sends its webhooks. */
export interface Replicas {
  readonly github: LocalGitHub
  /** Where webhooks go: to one process after the other, to the next where one does not answer. */
  readonly url: string
  readonly looks: readonly Look[]
  /** Ends one with `kill -9` and starts another in its place, for which is not waited. */
  kill(index: number): Promise<void>
  /** Opens pull requests, in turn in the repositories of so many installations, each with a finished job that has results. */
  finished(count: number, installations?: number): Promise<PullRequest[]>
  close(): Promise<void>
}

/** @param shared `DATABASE_URL`, `CLICKHOUSE_URL` and what else all of them are given */
export async function startReplicas(count: number, shared: Readonly<Record<string, string>>): Promise<Replicas> {
  const github = await startLocalGitHub()
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-replicas-'))
  const looks: Look[] = []
  const replicas = Array.from({ length: count }, (_, index) => ({
    index,
    url: null as string | null,
    child: null as ChildProcess | null,
  }))
  type Replica = (typeof replicas)[number]
  const start = async (replica: Replica) => {
    const dataDir = join(folder, String(replica.index))
    const env = { ...process.env, ...environmentVariables(github, dataDir), ...shared, LOG_LEVEL: 'info' as const }
    const child = fork(CHILD, [], { env, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    replica.child = child
    child.stdout!.setEncoding('utf8')
    let rest = ''
    child.stdout!.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      looks.push(...lines.flatMap(looksIn))
    })
    const [url] = (await once(child, 'message')) as [string]
    if (replica.child === child) replica.url = url
  }
  const end = async (replica: Replica, signal: 'SIGKILL' | 'SIGTERM') => {
    const { child } = replica
    replica.url = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  // The tables are made by one of them while the others wait.
  await Promise.all(replicas.map(start))
  let turn = 0
  const front = createServer((incoming, answer) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => void forward(Buffer.concat(chunks)))
    const forward = async (body: Buffer) => {
      const alive = replicas.flatMap(({ url }) => url ?? [])
      turn += 1
      for (let attempt = 0; attempt < alive.length; attempt += 1) {
        const to = request(`${alive[(turn + attempt) % alive.length]}${incoming.url}`, {
          method: 'POST',
          headers: incoming.headers,
        })
        to.end(body)
        const [got] = await once(to, 'response').catch(() => [null])
        if (got === null) continue
        answer.writeHead(got.statusCode)
        got.on('error', () => answer.destroy())
        got.pipe(answer)
        return
      }
      answer.writeHead(502).end()
    }
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const url = `http://127.0.0.1:${(front.address() as { port: number }).port}${WEBHOOK_PATH}`
  github.setWebhook({ url, secret: WEBHOOK_SECRET })
  const repositories: Repository[] = []
  const install = (account: string) => {
    repositories.push(github.createRepository({ owner: account, name: 'engine' }))
    installApp(github, account)
  }
  install('acme')
  let opened = 0
  return {
    github,
    url,
    looks,
    async kill(index) {
      await end(replicas[index]!, 'SIGKILL')
      start(replicas[index]!).catch(() => {})
    },
    async finished(number, installations = 1) {
      while (repositories.length < installations) install(`acme-${repositories.length}`)
      const pulls: PullRequest[] = []
      for (let left = number; left > 0; left -= 1) {
        opened += 1
        const repo = repositories[left % installations]!
        const pull = github.openPullRequest({ repo, head: `work-${opened}` })
        const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
        await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
        pulls.push(pull)
      }
      return pulls
    },
    async close() {
      await Promise.all(replicas.map((replica) => end(replica, 'SIGKILL')))
      front.closeAllConnections()
      front.close()
      await github.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const triagedLine = z.object({
  msg: z.literal('triaged'),
  time: z.number(),
  milliseconds: z.number(),
  repository: z.string(),
  pullRequest: z.number().nullable(),
})

function looksIn(line: string): Look[] {
  const read = triagedLine.safeParse(JSON.parse(line))
  if (!read.success) return []
  const { time, milliseconds, repository, pullRequest } = read.data
  return [{ subject: `${repository} ${pullRequest}`, begun: time - milliseconds, ended: time }]
}

/** Triages of one pull request that began while another one of it went on. A clock that says whole milliseconds is believed to one. */
export function overlapsAmong(looks: readonly Look[]): Look[] {
  return [...Map.groupBy(looks, ({ subject }) => subject).values()].flatMap((of) => {
    const sorted = of.toSorted((a, b) => a.begun - b.begun)
    return sorted.filter(({ begun }, index) => index > 0 && begun + 1 < sorted[index - 1]!.ended)
  })
}

/** Pull requests that have not yet what they should: one comment that says what was slower, and one check run that has ended. */
export function unserved(github: LocalGitHub, pulls: readonly PullRequest[]): PullRequest[] {
  return pulls.filter((pull) => {
    const [comment, ...others] = botComments(pull)
    const checks = botChecksOf(github, pull.head.sha)
    const isWhole = comment?.body.includes('slower') === true
    return !isWhole || others.length > 0 || checks.length !== 1 || checks[0]!.status !== 'completed'
  })
}
