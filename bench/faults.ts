import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type LocalGitHub, startLocalGitHub } from '../demo/github/local-github.ts'
import type { PullRequest, Repository } from '../demo/github/state.ts'
import { zipOf } from '../demo/github/zip.ts'
import { openClickHouse } from '../src/store/client.ts'
import { botChecksOf, botComments, installApp, rawRun, SLOWER, STEADY } from '../test/bot/bot-setting.ts'
import { childrenOf, servedBot } from './served-bot.ts'

/**
 * `node bench/faults.ts`: the real `serve` against faults of GitHub, the engine, the disk and its own process, one after the
 * other. Prints for each how many pull requests were open under it, how many of them had one complete comment within two
 * minutes of the recovery, and how many had not. `--kills 50` (default), `--only NAME`. About 20 minutes.
 */
const { values: flags } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, only: { type: 'string' }, verbose: { type: 'boolean' } },
})

const RECOVERY_MS = 120_000
const STOP_MS = 10_000
/** Longer than what collects hints, and a comment's pace. */
const SECOND_COMMENT_MS = 40_000

/** What a fault does to a bot that has just been told of new results. It ends when everything is whole again. */
type Break = (world: World) => Promise<void>

interface Fault {
  readonly name: string
  /** Pull requests whose results come in while it lasts. */
  readonly pulls: number
  /** Why it can't be tried here; null: it can. */
  readonly impossible?: () => string | null
  readonly during: Break
}

const ofGitHub = (kind: Parameters<LocalGitHub['fault']>[0], milliseconds: number): Break => {
  return async ({ github }) => {
    github.fault(kind)
    await pause(milliseconds)
    github.clearFaults()
  }
}

const MANY = 100_000
const PLAN: readonly Fault[] = [
  {
    name: 'GitHub answers 502',
    pulls: 3,
    during: ofGitHub({ path: /./, times: MANY, kind: 'status', status: 502 }, 20_000),
  },
  { name: 'GitHub never answers', pulls: 3, during: ofGitHub({ path: /./, times: MANY, kind: 'timeout' }, 30_000) },
  {
    name: 'GitHub ends the connection',
    pulls: 3,
    during: ofGitHub({ path: /./, times: MANY, kind: 'disconnect' }, 20_000),
  },
  {
    name: 'answers of GitHub are cut off',
    pulls: 3,
    during: ofGitHub({ path: /./, times: MANY, kind: 'truncate' }, 20_000),
  },
  {
    name: 'GitHub takes 3 s an answer',
    pulls: 3,
    during: ofGitHub({ path: /./, times: MANY, kind: 'slow', delay: 3000 }, 40_000),
  },
  {
    name: 'a secondary rate limit of 20 s',
    pulls: 3,
    during: ofGitHub({ path: /./, times: MANY, kind: 'status', status: 403, headers: { 'retry-after': '20' } }, 20_000),
  },
  {
    name: 'the answer to a new comment is lost',
    pulls: 3,
    during: ofGitHub({ method: 'POST', path: /comments$/, times: 3, kind: 'truncate' }, 45_000),
  },
  {
    name: 'downloads are cut off',
    pulls: 3,
    during: ofGitHub({ path: /^\/artifacts\//, times: MANY, kind: 'truncate' }, 40_000),
  },
  {
    name: 'downloads never answer',
    pulls: 3,
    during: ofGitHub({ path: /^\/artifacts\//, times: MANY, kind: 'timeout' }, 40_000),
  },
  {
    name: 'the engine is killed five times',
    pulls: 3,
    during: async ({ serve }) => {
      for (let time = 0; time < 5; time += 1) {
        await pause(randomInt(2000, 8000))
        for (const pid of childrenOf(serve())) process.kill(pid, 'SIGKILL')
      }
    },
  },
  {
    name: 'the engine hangs for 40 s',
    pulls: 3,
    during: async ({ serve }) => {
      const pids = childrenOf(serve())
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      await pause(40_000)
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    },
  },
  {
    name: 'the disk is full for 40 s',
    pulls: 3,
    impossible: () => (hasOwnDisk ? null : 'it needs the right to mount a tmpfs'),
    during: async ({ dataDir }) => {
      const ballast = join(dataDir, 'ballast')
      try {
        for (let size = 64 * 1024 * 1024; size >= 4096; size = Math.floor(size / 2)) fill(ballast, size)
      } finally {
        await pause(40_000)
        for (const file of readdirSync(dataDir)) if (file.startsWith('ballast')) rmSync(join(dataDir, file))
      }
    },
  },
  {
    name: 'the process is stopped for 30 s',
    pulls: 3,
    during: async ({ serve }) => {
      serve().kill('SIGSTOP')
      await pause(30_000)
      serve().kill('SIGCONT')
    },
  },
  {
    name: 'SIGTERM at five random moments',
    pulls: 3,
    during: async (world) => {
      for (let time = 0; time < 5; time += 1) {
        await pause(randomInt(0, 8000))
        const ended = once(world.serve(), 'exit')
        world.serve().kill('SIGTERM')
        const inTime = await Promise.race([ended.then(() => true), pause(STOP_MS, false)])
        if (!inTime) world.problems.push(`SIGTERM had not ended the process after ${STOP_MS / 1000} s`)
        await world.restart()
      }
    },
  },
  {
    name: `kill -9 at ${flags.kills} random moments`,
    pulls: 10,
    during: async (world) => {
      for (let time = 0; time < Number(flags.kills); time += 1) {
        // Also while it starts: the moment is counted from the spawn, not from the first answer.
        await pause(randomInt(50, 6000))
        world.serve().kill('SIGKILL')
        await once(world.serve(), 'exit')
        world.spawn()
      }
      await world.isReady()
    },
  },
]

interface World {
  readonly github: LocalGitHub
  readonly dataDir: string
  readonly problems: string[]
  readonly serve: () => ChildProcess
  /** Starts the process and does not wait for it. */
  readonly spawn: () => void
  /** Starts the process and waits until it answers. */
  readonly restart: () => Promise<void>
  readonly isReady: () => Promise<void>
}

const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-faults-'))
const hasOwnDisk = mountSmallDisk(dataDir)
const github = await startLocalGitHub()
const bot = await servedBot(github, dataDir, (chunk) => {
  if (flags.verbose) process.stderr.write(chunk)
})
const world: World = {
  github,
  dataDir,
  problems: [],
  serve: () => bot.process(),
  spawn: () => bot.spawn(),
  restart: async () => {
    bot.spawn()
    await bot.isReady()
  },
  isReady: () => bot.isReady(),
}

let opened = 0
try {
  await world.restart()
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  installApp(github)
  console.log('| fault | tried | survived | lost | slowest |\n|---|---|---|---|---|')
  for (const fault of PLAN) {
    if (flags.only !== undefined && !fault.name.includes(flags.only)) continue
    const impossible = fault.impossible?.() ?? null
    if (impossible !== null) {
      console.log(`| ${fault.name} | not tried: ${impossible} | | | |`)
      continue
    }
    console.log(await tried(fault, repo))
  }
  world.serve().kill('SIGTERM')
  await once(world.serve(), 'exit')
  console.log(await stored())
  const problems = [...world.problems, ...github.violations]
  for (const problem of problems) console.log(`problem: ${problem}`)
  if (problems.length > 0) process.exitCode = 1
} finally {
  world.serve().kill('SIGKILL')
  await github.stop()
  if (hasOwnDisk) execFileSync('umount', ['-l', dataDir])
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

/** Results come in while the fault lasts; then two minutes for every comment. */
async function tried(fault: Fault, repo: Repository): Promise<string> {
  const pulls: PullRequest[] = []
  const coming = (async () => {
    for (let at = 0; at < fault.pulls; at += 1) {
      pulls.push(await measured(repo))
      await pause(1000)
    }
  })()
  await fault.during(world)
  await coming
  const recovered = Date.now()
  const missing = new Set(pulls)
  let slowest = 0
  while (missing.size > 0 && Date.now() - recovered < RECOVERY_MS) {
    for (const pull of missing) {
      if (problemOf(pull) !== null) continue
      missing.delete(pull)
      slowest = Date.now() - recovered
    }
    await pause(200)
  }
  // A second comment that comes late is seen.
  await pause(SECOND_COMMENT_MS)
  for (const pull of pulls) if (problemOf(pull) !== null) missing.add(pull)
  for (const pull of missing) world.problems.push(`${fault.name}: pull request ${pull.number}: ${problemOf(pull)}`)
  const seconds = missing.size > 0 ? `over ${RECOVERY_MS / 1000}` : (slowest / 1000).toFixed(0)
  return `| ${fault.name} | ${pulls.length} | ${pulls.length - missing.size} | ${missing.size} | ${seconds} s |`
}

async function measured(repo: Repository): Promise<PullRequest> {
  opened += 1
  const pull = github.openPullRequest({ repo, head: `work-${opened}`, files: { 'src/engine.cpp': `// ${opened}\n` } })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  // A query that was flagged in two other pull requests asks for a rerun: each has one of its own.
  const test = `sum_${opened}`
  const zip = zipOf({ [`${test}-raw.tsv`]: rawRun(test, [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  return pull
}

/** null: one comment, one concluded check run and the label, all of them complete. */
function problemOf(pull: PullRequest): string | null {
  const comments = botComments(pull)
  if (comments.length !== 1) return `${comments.length} comments`
  if (!/1 (?:of 1 )?query (?:measured )?slower/.test(comments[0]!.body)) return 'its comment is not complete'
  const checks = botChecksOf(github, pull.head.sha)
  if (checks.length !== 1) return `${checks.length} check runs`
  if (checks[0]!.status !== 'completed' || !checks[0]!.output.title?.includes('slower'))
    return 'its check run is not concluded'
  return pull.labels.some(({ name }) => name === 'perf: slower') ? null : 'its label is missing'
}

/** Plain counts, without FINAL: what was stored twice is seen. */
async function stored(): Promise<string> {
  const clickhouse = await openClickHouse({ url: null, dataDir })
  try {
    const row = z.object({ count: z.coerce.number() })
    const counted = async (table: 'runs' | 'query_results' | 'samples') =>
      (await clickhouse.read('count', `SELECT count() AS count FROM ${table}`, {}, row))[0]!.count
    const [runs, results, samples] = [await counted('runs'), await counted('query_results'), await counted('samples')]
    const each = STEADY.length + SLOWER.length
    return (
      `\nstored after ${opened} pull requests: ${runs} runs, ${results} results, ${samples} samples ` +
      `(expected ${opened}, ${opened}, ${opened * each})`
    )
  } finally {
    await clickhouse.close()
  }
}

/** A disk of 512 MB of its own below the data folder, where this user may mount one. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512m', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function fill(file: string, size: number): void {
  for (let part = 0; part < 1000; part += 1) {
    const path = `${file}-${size}-${part}`
    try {
      writeFileSync(path, Buffer.alloc(size, 1))
      if (statSync(path).size < size) return
    } catch {
      return
    }
  }
}
