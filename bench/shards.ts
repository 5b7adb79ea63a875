import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ArtifactValues } from '../demo/github/changes/workflows.ts'
import type { CheckRun, PullRequest, WorkflowRun } from '../demo/github/state.ts'
import { zipOf } from '../demo/github/zip.ts'
import { botComments } from '../test/bot/bot-setting.ts'
import { type Setting, withBot } from './latency.ts'
import { SHARD, shardTable } from './shard-table.ts'

/**
 * The jobs of ClickHouse's check with `all-query-metrics.tsv` of 181,700 lines each, out of order, one webhook twice: how long
 * the bot, as a process of its own against a local GitHub, takes to the comment that has all of them, where its time goes, and its
 * memory. Hints are not collected and writes not paced.
 *
 *     node bench/shards.ts [--shards 6] [--queries 790] [--apart] [--rounds 1] [--collect] [--cpu-prof FOLDER]
 *
 * `--apart`: each job ends when the comment has the one before, as when a check takes minutes; else all end at once. `--rounds`: as many
 * pull requests, one after the other, so that what the comment on one did not need is read while the next is waited for. `--collect`: what is
 * in use after each round, when garbage has been collected by force, which later rounds then have the good of.
 */

const METRICS_TOKEN = 'a-token-of-the-bench'
const ARCHITECTURES = ['amd', 'arm']
const CONFIG = `
checks:
  - "Performance Comparison ({architecture}_release, master_head, {shard}/{shards})"
results:
  - artifact: "performance-{architecture}-{shard}"
`

interface Job {
  readonly run: WorkflowRun
  readonly check: CheckRun
  readonly artifact: ArtifactValues
}

async function artifactsOf(shards: number, queries: number): Promise<{ check: string; artifact: ArtifactValues }[]> {
  const jobs: { check: string; artifact: ArtifactValues }[] = []
  for (const [machine, architecture] of ARCHITECTURES.entries()) {
    for (let shard = 1; shard <= shards; shard += 1) {
      const table = await buffer(Readable.from(shardTable(shard, { ...SHARD, queries, machine })))
      jobs.push({
        check: `Performance Comparison (${architecture}_release, master_head, ${shard}/${shards})`,
        artifact: {
          name: `performance-${architecture}-${shard}`,
          zip: zipOf({ 'report/all-query-metrics.tsv': table }),
        },
      })
    }
  }
  return jobs
}

/** Seconds of the triages so far by stage, and of the calls to GitHub within them. */
async function spent(url: string): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  const text = await answer.text()
  const sums = new Map<string, number>()
  for (const [, stage, seconds] of text.matchAll(/^perf_triage_triage_seconds_sum\{stage="(\w+)"\} (.*)$/gm))
    sums.set(stage!, Number(seconds))
  const calls = [...text.matchAll(/^perf_triage_github_request_seconds_sum\{.*\} (.*)$/gm)]
  sums.set(
    'calls to GitHub',
    calls.reduce((sum, [, seconds]) => sum + Number(seconds), 0),
  )
  return sums
}

/** Megabytes of the process: now, and at the most. */
function memoryOf({ pid }: ChildProcess): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [now, peak] = ['VmRSS', 'VmHWM'].map((of) => Number(new RegExp(`${of}:\\s+(\\d+)`).exec(status)![1]) / 1024)
  return { now: now!, peak: peak! }
}

/** Seconds of processor time that the process has had, with the system's for it. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const COLLECTING = [
  '--expose-gc',
  '--import=data:text/javascript,process.on("message",()=>{gc();process.send(process.memoryUsage())})',
]

/** Megabytes of the heap that are in use. */
async function collected(child: ChildProcess): Promise<number> {
  child.send('collect')
  const [{ heapUsed }] = (await once(child, 'message')) as [NodeJS.MemoryUsage]
  return heapUsed / 1024 / 1024
}

/** Whether the one comment says that so many are in. */
function says(pull: PullRequest, count: number, of: number): boolean {
  const comments = botComments(pull)
  if (comments.length > 1) throw new Error(`there are ${comments.length} comments`)
  return comments[0]?.body.includes(`${count} of ${of} shards in`) ?? false
}

/** By then what the comment on the pull request before did not need is being read. */
const ROUND_MS = 12_000

async function bench(
  { github, url, child }: Setting,
  name: string,
  shards: number,
  queries: number,
  isApart: boolean,
): Promise<void> {
  const files = { 'README.md': '# engine\n', '.github/perf-triage.yml': CONFIG }
  const repo = github.createRepository({ owner: 'acme', name, files })
  const pull = github.openPullRequest({ repo, head: 'work' })
  const jobs = (await artifactsOf(shards, queries)).map(({ check, artifact }): Job => {
    const run = github.startWorkflowRun(repo, { name: artifact.name, pull })
    return {
      run,
      artifact,
      check: github.startCheckRun(repo, { name: check, headSha: pull.head.sha, workflowRun: run }),
    }
  })
  await github.idle()
  // 1, 8, 3, 10, …: seven and twelve have no common divisor
  const order = jobs.map((_, place) => jobs[(place * 7) % jobs.length]!)
  const line = (
    of: string,
    milliseconds: number,
    before: ReadonlyMap<string, number>,
    now: ReadonlyMap<string, number>,
  ) => {
    const parts = [...now].map(([stage, seconds]) => `${stage} ${(seconds - (before.get(stage) ?? 0)).toFixed(2)}`)
    console.log(`${of}: ${(milliseconds / 1000).toFixed(2)} s to the comment; ${parts.join(', ')}`)
  }
  let before = await spent(url)
  let last = 0
  for (const [place, { run, artifact, check }] of order.entries()) {
    await github.finishWorkflowRun(run, { artifacts: [artifact] })
    last = performance.now()
    github.finishCheckRun(check, 'success')
    if (!isApart && place === 0) github.redeliver(github.deliveries.at(-1)!.guid)
    if (!isApart) continue
    while (!says(pull, place + 1, jobs.length)) await pause(5)
    const milliseconds = performance.now() - last
    await github.idle()
    await pause(300)
    const now = await spent(url)
    line(`job ${place + 1}`, milliseconds, before, now)
    before = now
  }
  if (!isApart) {
    while (!says(pull, jobs.length, jobs.length)) await pause(5)
    const milliseconds = performance.now() - last
    await pause(300)
    line(`${jobs.length} jobs at once, after the last`, milliseconds, before, await spent(url))
  }
  const [, compared] = /of ([\d,]+) queries/.exec(botComments(pull)[0]!.body) ?? []
  const { now, peak } = memoryOf(child)
  console.log(
    `${compared} queries compared; the bot has ${now.toFixed(0)} MB, at most ${peak.toFixed(0)}, beside its database, ` +
      `and has had ${cpuSeconds(child).toFixed(1)} s of processor time`,
  )
}

const { values } = parseArgs({
  options: {
    shards: { type: 'string', default: '6' },
    queries: { type: 'string', default: String(SHARD.queries) },
    apart: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
    collect: { type: 'boolean', default: false },
    'cpu-prof': { type: 'string' },
  },
})
const folder = values['cpu-prof']
await withBot(
  async (setting) => {
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      if (round > 1) await pause(ROUND_MS)
      await bench(setting, `engine-${round}`, Number(values.shards), Number(values.queries), values.apart)
      if (values.collect) console.log(`${(await collected(setting.child)).toFixed(0)} MB of its heap are in use`)
    }
  },
  { METRICS_TOKEN },
  [...(values.collect ? COLLECTING : []), ...(folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`])],
)
