import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { PullRequest } from '../demo/github/state.ts'
import { openEmbedded } from '../src/store/open-embedded.ts'
import { overlapsAmong, type Replicas, startReplicas, unserved } from '../test/bot/replicas.ts'
import { postgresServer } from '../test/inbox/postgres-server.ts'
import { quantile, send } from './latency.ts'

/**
 * The time that one, two and three bots take for the pull requests of a burst, whose installations are ten and whose GitHub takes its
 * time for each call; and how far apart the comments of three bots in one installation are at GitHub's pace of writes. Then three bots
 * on one PostgreSQL and one ClickHouse: hints and a burst of webhooks while one of them is killed every 3 s, and then PostgreSQL away for a
 * while. GitHub is asked for failed deliveries again, as the sweep does. Prints what was lost, what overlapped and what was answered with what.
 *
 *     node bench/replicas.ts [--drain 30] [--call 200] [--paced 8] [--pulls 30] [--hints 600] [--burst 1000] [--seconds 60] [--outage 30]
 */
const { values } = parseArgs({
  options: {
    drain: { type: 'string', default: '30' },
    call: { type: 'string', default: '200' },
    paced: { type: 'string', default: '8' },
    pulls: { type: 'string', default: '30' },
    hints: { type: 'string', default: '600' },
    burst: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    outage: { type: 'string', default: '30' },
  },
})
const INSTALLATIONS = 10
const KILL_EVERY_MS = 3000
const SERVED_WITHIN_MS = 300_000

const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-replicas-'))
const engine = await openEmbedded({ dataDir })
const clickHouse = {
  CLICKHOUSE_URL: engine.url,
  CLICKHOUSE_USER: engine.user,
  CLICKHOUSE_PASSWORD: engine.password,
}
if (Number(values.drain) > 0) for (const bots of [1, 2, 3]) await drained(bots, Number(values.drain))
if (Number(values.paced) > 0) await paced(Number(values.paced))
const postgres = await postgresServer({ isSynced: true })
const replicas = await startReplicas(3, { ...clickHouse, DATABASE_URL: postgres.url })
const agent = new Agent({ keepAlive: true })
try {
  const pulls = await replicas.finished(Number(values.pulls))
  await replicas.github.idle()
  await Promise.all([
    killed(Number(values.seconds) * 1000),
    hinted(pulls.length, Number(values.hints), 50),
    hinted(pulls.length, Number(values.burst), 0),
  ])
  await served('killed every 3 s', pulls)

  await postgres.stop()
  const away = pause(Number(values.outage) * 1000)
  const before = replicas.github.deliveries.length
  const during = await replicas.finished(5)
  await away
  await replicas.github.idle()
  console.log(`  answered meanwhile: ${answersOf(replicas, before)}`)
  await postgres.start()
  await served(`PostgreSQL away for ${values.outage} s`, during)
} finally {
  agent.destroy()
  await replicas.close()
  await postgres.remove()
  await engine.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

/** From the first webhook of all these pull requests to the last comment. Hints are collected for no time. */
async function drained(bots: number, count: number): Promise<void> {
  const server = await postgresServer({ isSynced: true })
  const shared = { ...clickHouse, CLICKHOUSE_DATABASE: `drained_${bots}`, DATABASE_URL: server.url }
  const some = await startReplicas(bots, shared)
  try {
    // What is read and compiled at the first comments of each process is no question of how many there are.
    await until(some, await some.finished(6 * bots, INSTALLATIONS))
    some.github.fault({ path: /./, kind: 'slow', delay: Number(values.call), times: Number.POSITIVE_INFINITY })
    const began = performance.now()
    await until(some, await some.finished(count, INSTALLATIONS))
    const seconds = (performance.now() - began) / 1000
    console.log(
      `${bots} bots: ${count} pull requests of ${INSTALLATIONS} installations in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(1)} a second; a call takes ${values.call} ms`,
    )
  } finally {
    await some.close()
    await server.remove()
  }
}

/** Three bots at GitHub's pace of writes: how far apart the comments of one installation are. */
async function paced(count: number): Promise<void> {
  const server = await postgresServer({ isSynced: true })
  const shared = { ...clickHouse, CLICKHOUSE_DATABASE: 'paced', DATABASE_URL: server.url, PACED: 'true' }
  const some = await startReplicas(3, shared)
  const times: number[] = []
  some.github.onEvent(({ event, action }) => {
    if (event === 'issue_comment' && action === 'created') times.push(performance.now())
  })
  try {
    await until(some, await some.finished(count))
    const apart = times.slice(1).map((time, index) => (time - times[index]!) / 1000)
    console.log(
      `3 bots at GitHub's pace: ${times.length} comments of one installation, from ${Math.min(...apart).toFixed(2)} to ${Math.max(...apart).toFixed(2)} s apart`,
    )
  } finally {
    await some.close()
    await server.remove()
  }
}

async function until({ github }: Replicas, pulls: readonly PullRequest[]): Promise<void> {
  while (unserved(github, pulls).length > 0) await pause(20)
}

async function killed(milliseconds: number): Promise<void> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await pause(KILL_EVERY_MS))
    await replicas.kill(Math.floor(Math.random() * 3))
}

/** Sends the webhooks of the pull requests again as new ones; 0 ms between them: all at once. */
async function hinted(pulls: number, count: number, between: number): Promise<void> {
  const templates = replicas.github.deliveries.filter(({ event }) => event === 'workflow_run').slice(-pulls)
  const times: number[] = []
  let refused = 0
  const one = async (index: number) => {
    const { event, payload } = templates[index % templates.length]!
    for (;;) {
      const time = await send(replicas.url, event, payload, agent).catch(() => null)
      if (time !== null) return times.push(time)
      refused += 1
      await pause(1000)
    }
  }
  const sent: Promise<number>[] = []
  for (let index = 0; index < count; index += 1) {
    sent.push(one(index))
    if (between > 0) await pause(between)
  }
  await Promise.all(sent)
  const [half, most] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(0))
  console.log(
    `  ${count} webhooks, ${between} ms apart: half answered within ${half} ms, 99% within ${most} ms; ${refused} sent again`,
  )
}

async function served(what: string, pulls: readonly PullRequest[]): Promise<void> {
  const { github, looks } = replicas
  const began = performance.now()
  while (unserved(github, pulls).length > 0 && performance.now() - began < SERVED_WITHIN_MS) {
    for (const { guid, statusCode } of github.deliveries) {
      const isDone = github.deliveries.some((other) => other.guid === guid && other.statusCode === 200)
      if (statusCode !== 200 && !isDone) github.redeliver(guid)
    }
    await github.idle()
    await pause(200)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const left = unserved(github, pulls).length
  console.log(
    `${what}: ${pulls.length - left} of ${pulls.length} pull requests have one comment and one check, ${seconds} s after it ended; ` +
      `${looks.length} triages so far, ${overlapsAmong(looks).length} of them overlapped; violations: ${github.violations.length}`,
  )
}

function answersOf({ github }: Replicas, from: number): string {
  const counts = new Map<number, number>()
  for (const { statusCode } of github.deliveries.slice(from)) counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} with ${status}`).join(', ')
}
