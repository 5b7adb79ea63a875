import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Inbox, inboxIn } from '../src/inbox/inbox.ts'
import { openPostgres } from '../src/inbox/postgres.ts'
import { openSqlite } from '../src/inbox/sqlite.ts'
import type { TriageClaim } from '../src/inbox/triages.ts'
import { WORK_AT_ONCE } from '../src/inbox/turns.ts'
import { postgresServer } from '../test/inbox/postgres-server.ts'
import { quantile } from './latency.ts'

/**
 * What the inbox costs on SQLite and on a PostgreSQL that waits for its disk: deliveries, claims and hints a second, and how long
 * one, two and three processes take for 600 hints on 30 pull requests whose triages take 200 ms of waiting each. Prints whether two ever
 * held one pull request.
 *
 *     node bench/inbox.ts [--deliveries 1000] [--hints 600] [--pulls 30]
 */

const TRIAGE_MS = 200
/** How long a process without work waits before it looks again. */
const IDLE_MS = 100
const INSTALLATIONS = 20
/** A `check_run` of GitHub's. */
const PAYLOAD_BYTES = 9000

interface Look {
  readonly pull: number
  readonly begun: number
  readonly ended: number
}

if (process.env['WORKS_ON'] === undefined) await measure()
else await work(process.env['WORKS_ON'])

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '1000' },
      hints: { type: 'string', default: '600' },
      pulls: { type: 'string', default: '30' },
    },
  })
  const deliveries = Number(values.deliveries)
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-bench-'))
  const server = await postgresServer({ isSynced: true })
  try {
    for (const [name, open] of [
      ['SQLite', async () => openSqlite(join(folder, 'inbox.sqlite'))],
      ['PostgreSQL', () => openPostgres(server.url)],
    ] as const) {
      const inbox = inboxIn(await open(), { debounceMs: 0 })
      console.log(`\n${name}`)
      await costs(inbox, deliveries)
      await inbox.close()
    }
    console.log('\nPostgreSQL: hints worked off')
    for (const processes of [1, 2, 3]) await drained(server.url, processes, Number(values.hints), Number(values.pulls))
  } finally {
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function costs({ deliveries, triages }: Inbox, count: number): Promise<void> {
  const payload = JSON.stringify(Array.from({ length: PAYLOAD_BYTES / 20 }, () => Math.random()))
  const numbers = Array.from({ length: count }, (_, index) => index)
  const target = (index: number) => {
    const installationId = index % INSTALLATIONS
    return {
      installationId,
      repositoryId: installationId,
      owner: 'o',
      repo: 'r',
      pullRequestNumber: 1 + index,
      head: 'a',
    }
  }
  await said('deliveries received', numbers, (index) =>
    deliveries.receive({ guid: `${index}`, event: 'check_run', installationId: index % INSTALLATIONS, payload }, index),
  )
  await said('deliveries claimed and done', numbers, async () => {
    const claim = await deliveries.claimNext(count)
    await deliveries.finish(claim!, count)
  })
  await said('hints', numbers, (index) => triages.wake(target(index), index))
  await said('triages claimed and done', numbers, async () => {
    const claim = await triages.claimNext(count)
    await triages.finish(claim!, { waitUntil: null }, count)
  })
}

/** Six at a time, as the worker does. */
async function said(what: string, numbers: readonly number[], one: (index: number) => Promise<unknown>): Promise<void> {
  const waiting = [...numbers]
  const times: number[] = []
  const began = performance.now()
  const lane = async () => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
      const from = performance.now()
      await one(index)
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: WORK_AT_ONCE }, lane))
  const rate = numbers.length / ((performance.now() - began) / 1000)
  const [half, most] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(1))
  console.log(`  ${what.padEnd(30)} ${rate.toFixed(0).padStart(6)} /s   half within ${half} ms, 99% within ${most} ms`)
}

async function drained(url: string, processes: number, hints: number, pulls: number): Promise<void> {
  const inbox = inboxIn(await openPostgres(url), { debounceMs: 0 })
  const looks: Look[] = []
  const children = await Promise.all(Array.from({ length: processes }, () => started(url, looks)))
  const began = performance.now()
  for (let hint = 0; hint < hints; hint += 1) {
    const installationId = 1000 + (hint % 10)
    const of = { installationId, repositoryId: installationId, owner: 'o', repo: 'r', head: null }
    await inbox.triages.wake({ ...of, pullRequestNumber: 1 + (hint % pulls) }, Date.now())
  }
  const hinted = performance.now() - began
  for (;;) {
    const { due, working } = await inbox.triages.counts()
    if (due + working === 0) break
    await pause(20)
  }
  const seconds = (performance.now() - began) / 1000
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map((child) => once(child, 'exit')))
  await inbox.close()
  const overlaps = [...Map.groupBy(looks, ({ pull }) => pull).values()].flatMap((of) => {
    const sorted = of.toSorted((a, b) => a.begun - b.begun)
    return sorted.filter(({ begun }, index) => index > 0 && begun < sorted[index - 1]!.ended)
  })
  console.log(
    `  ${processes} ${processes === 1 ? 'process:  ' : 'processes:'} ${seconds.toFixed(1)} s, of which the hints took ${(hinted / 1000).toFixed(1)} s; ` +
      `${looks.length} triages, ${overlaps.length} of them overlapped another of their pull request`,
  )
}

async function started(url: string, looks: Look[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, WORKS_ON: url }, execArgv: [] })
  child.on('message', (message) => {
    if (message !== 'ready') looks.push(message as Look)
  })
  await once(child, 'message')
  return child
}

/** A process that claims and waits as a worker does. */
async function work(url: string): Promise<void> {
  const inbox = inboxIn(await openPostgres(url))
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort())
  process.send!('ready')
  const underWay = new Set<Promise<void>>()
  while (!stopping.signal.aborted) {
    const claim = underWay.size < WORK_AT_ONCE ? await inbox.triages.claimNext(Date.now()) : null
    if (claim === null) {
      await Promise.race([...underWay, pause(IDLE_MS)])
      continue
    }
    const triage = triaged(inbox, claim).finally(() => underWay.delete(triage))
    underWay.add(triage)
  }
  await Promise.all(underWay)
  await inbox.close()
  process.disconnect()
}

async function triaged(inbox: Inbox, claim: TriageClaim): Promise<void> {
  const begun = Date.now()
  await pause(TRIAGE_MS)
  process.send!({ pull: claim.installationId * 1000 + (claim.pullRequestNumber ?? 0), begun, ended: Date.now() })
  await inbox.triages.finish(claim, { waitUntil: null }, Date.now())
}
