import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { startLocalGitHub } from '../demo/github/local-github.ts'
import { appendHistory, HISTORY_BRANCH } from '../src/bot/action/history-files.ts'
import { HistoryBranch } from '../src/github/history-branch.ts'
import { createJobClient } from '../src/github/job-client.ts'
import {
  type HistoryRow,
  type HistoryRun,
  historyLine,
  parseHistoryLines,
  trunkRowsOf,
} from '../src/intake/imports/history/history-lines.ts'
import { trunkHistoryOfRows } from '../src/judge/history/trunk-history-of-rows.ts'
import { HOUR } from '../src/text/time.ts'
import { seeded } from './calibration/seeded.ts'

/**
 * The cost of the Action's history on its branch: size of the files, reading, appending through the API of a local GitHub, and clones of it
 * by git.
 *
 *     npx node --expose-gc bench/history-file.ts --runs 10000 --benchmarks 200 --folder /tmp/history
 *
 * A run an hour, some 14 months of 10,000. Values are measured ones of six digits with 1% of noise; T has all its digits. A month that is
 * done stays in the folder, and is not done again. Processor time is that of the job and of the local GitHub together.
 */

const NOW = Date.UTC(2026, 10, 30, 23, 30)
const METRIC = 'real_time'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    benchmarks: { type: 'string', default: '200' },
    /** Keeps the branch between months, which are appended; left out: they are read. */
    folder: { type: 'string' },
    /** The month to begin with; those before it are written at once. */
    first: { type: 'string', default: '1' },
    /** So many months are appended now. */
    months: { type: 'string', default: '100' },
  },
})
const [runs, benchmarks] = [values.runs, values.benchmarks].map(Number) as [number, number]

function runAt(place: number, random: () => number): HistoryRun {
  const rows = Array.from({ length: benchmarks }, (_, benchmark): HistoryRow => {
    const measured = () => Number(((0.001 + benchmark / 100) * (0.995 + random() / 100)).toPrecision(6))
    const [old, fresh] = [measured(), measured()]
    return {
      test: `github.com/acme/app/internal/package${benchmark % 12}`,
      queryName: `BenchmarkOperation${benchmark}/size=${2 ** (benchmark % 16)}`,
      queryIndex: null,
      old,
      new: fresh,
      difference: (fresh - old) / old,
      threshold: (0.01 + random() / 100) / 1.7,
      repetitions: 15,
      processes: 15,
    }
  })
  const commitOf = (number: number) => (number * 2_654_435_761).toString(16).padStart(40, 'e5d1c0')
  return {
    ...{ run: 12_000_000_000 + place * 977, attempt: 1, check: 'performance-results', shard: null, shards: null },
    ...{ commit: commitOf(place + 1), base: commitOf(place), branch: 'main', url: '', architecture: 'amd64' },
    ...{ time: NOW - (runs - place) * HOUR, machine: 'AMD EPYC 7763 64-Core Processor', metric: METRIC, rows },
  }
}

interface Month {
  readonly name: string
  readonly lines: string[]
  /** When each line is appended, in milliseconds. */
  readonly times: number[]
}

function monthsOfRuns(): Month[] {
  const random = seeded(1)
  const months: Month[] = []
  for (let place = 0; place < runs; place += 1) {
    const run = runAt(place, random)
    const name = new Date(run.time).toISOString().slice(0, 7)
    if (months.at(-1)?.name !== name) months.push({ name, lines: [], times: [] })
    months.at(-1)!.lines.push(historyLine(run))
    months.at(-1)!.times.push(run.time)
  }
  return months
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function timed<T>(name: string, work: () => T): T {
  const start = processorSeconds()
  const made = work()
  console.log(`${name}: ${(processorSeconds() - start).toFixed(2)} s of processor time`)
  return made
}

/** Of this process alone: other work of the machine is not counted. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Reads files as the judging job has them, and learns from them. */
async function read(name: string, files: readonly Buffer[]): Promise<void> {
  const before = heap()
  const start = processorSeconds()
  const texts = files.map((file) => (file[0] === 0x1f ? gunzipSync(file) : file).toString('utf8'))
  const parsed = parseHistoryLines(...texts)
  const parsedAt = processorSeconds()
  const history = trunkHistoryOfRows(parsed.runs.values().flatMap(trunkRowsOf))
  const { queries } = await history.learnedThresholds({ repositoryId: 1, metric: METRIC, now: NOW })
  const seconds = [parsedAt - start, processorSeconds() - parsedAt].map((each) => each.toFixed(2))
  const held = heap() - before
  console.log(
    `${name}: ${parsed.runs.length} runs of ${megabytes(files.reduce((sum, { length }) => sum + length, 0))} read in ${seconds[0]} s of processor time, ` +
      `history made and ${queries} thresholds learned in ${seconds[1]} s, ${megabytes(held)} held`,
  )
}

interface Appended {
  readonly appends: number
  /** Bytes of requests: of all appends, and of the largest. */
  readonly uploaded: number
  readonly mostUploaded: number
  readonly downloaded: number
  readonly requests: number
  /** Seconds of processor time of all appends, and of the last fifty. */
  readonly seconds: number
  readonly lastSeconds: number
  /** Bytes of clones after the last append, before the month is closed. */
  readonly clone: number
  readonly shallow: number
}

/** Appends a month as jobs do, each with a client of its own, on the files that the months before have left in the folder. */
async function appendMonth({ lines, times }: Month, folder: string): Promise<Appended> {
  const github = await startLocalGitHub({ limits: { contentPerMinute: 1e9, primary: 1e9 } })
  try {
    const repo = github.createRepository({ owner: 'acme', name: 'engine', defaultBranch: 'main', files: { a: '1' } })
    const kept = join(folder, 'branch')
    const before = existsSync(kept) ? readdirSync(kept, { recursive: true, encoding: 'utf8' }) : []
    const files = before.filter((path) => statSync(join(kept, path)).isFile())
    if (files.length > 0) {
      const contents = Object.fromEntries(files.map((path) => [path, readFileSync(join(kept, path))]))
      github.commit(repo, { branch: HISTORY_BRANCH, parents: [], files: { a: null, ...contents } })
    }
    const figures = { uploaded: 0, mostUploaded: 0, downloaded: 0, requests: 0, seconds: 0, lastSeconds: 0 }
    const token = github.jobToken(repo, { contents: 'write' })
    for (const [place, line] of lines.entries()) {
      const stopping = new AbortController().signal
      const octokit = createJobClient({ token, apiUrl: `${github.url}/api/v3`, paced: false, stopping })
      let uploaded = 0
      octokit.hook.wrap('request', async (request, options) => {
        const { body } = octokit.request.endpoint.parse(options)
        uploaded += body === undefined ? 0 : JSON.stringify(body).length
        const response = await request(options)
        figures.downloaded += response.headers['content-length'] ?? 0
        figures.requests += 1
        return response
      })
      const start = processorSeconds()
      const branch = new HistoryBranch(octokit, { owner: 'acme', repo: 'engine' }, HISTORY_BRANCH)
      await appendHistory(branch, [line], times[place]!, 'Keep the results of a commit')
      const seconds = processorSeconds() - start
      figures.seconds += seconds
      if (place >= lines.length - 50) figures.lastSeconds += seconds
      figures.uploaded += uploaded
      figures.mostUploaded = Math.max(figures.mostUploaded, uploaded)
    }
    const [clone, shallow] = [await cloned(github.url), await cloned(github.url, '--depth', '1')]
    rmSync(kept, { recursive: true, force: true })
    for (const [path, { content }] of repo.graph.get(repo.branches.get(HISTORY_BRANCH)!)!.files) {
      mkdirSync(dirname(join(kept, path)), { recursive: true })
      writeFileSync(join(kept, path), content)
    }
    return { appends: lines.length, ...figures, clone, shallow }
  } finally {
    await github.stop()
  }
}

/** Bytes of a clone of the branch. The server is in this process, which must not wait for git. */
async function cloned(url: string, ...depth: readonly string[]): Promise<number> {
  const clone = mkdtempSync(join(tmpdir(), 'perf-triage-history-file-'))
  try {
    const options = ['--quiet', '--bare', '--single-branch', '--branch', HISTORY_BRANCH, ...depth]
    await promisify(execFile)('git', ['clone', ...options, `${url}/acme/engine.git`, clone])
    return readdirSync(clone, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0)
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

function say(name: string, { appends, ...of }: Appended): void {
  const milliseconds = (seconds: number, count: number) => `${((seconds / count) * 1000).toFixed(0)} ms`
  console.log(
    `${name}: ${appends} appends upload ${kilobytes(of.uploaded / appends)} each (at most ${megabytes(of.mostUploaded)}), download ` +
      `${kilobytes(of.downloaded / appends)}, in ${(of.requests / appends).toFixed(1)} requests and ${milliseconds(of.seconds, appends)} of processor ` +
      `time (the last 50: ${milliseconds(of.lastSeconds, Math.min(50, appends))}); a clone then has ${megabytes(of.clone)}, a shallow one ${megabytes(of.shallow)}`,
  )
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1e3).toFixed(0)} kB`
}

const months = timed('lines written', monthsOfRuns)
const packed = ({ lines }: Month) => gzipSync(textOf(lines))
await (values.folder === undefined ? readMonths() : appendMonths(values.folder))

async function readMonths(): Promise<void> {
  const plain = months.map(({ lines }) => Buffer.from(textOf(lines)))
  const closed = timed('months compressed', () => months.map(packed))
  const sum = (files: readonly Buffer[]) => files.reduce((bytes, { length }) => bytes + length, 0)
  console.log(
    `${runs} runs of ${benchmarks} benchmarks in ${months.length} months: ${megabytes(sum(plain))}, gzip ${megabytes(sum(closed))} ` +
      `(${(sum(plain) / sum(closed)).toFixed(1)} times smaller); a line ${(sum(plain) / runs / 1000).toFixed(1)} kB, a full month ${megabytes(plain.at(-2)?.length ?? 0)}`,
  )
  const files = [...closed.slice(0, -1), plain.at(-1)!]
  await read('the last 3 months', files.slice(-3))
  await read('all months', files)
}

async function appendMonths(folder: string): Promise<void> {
  const history = join(folder, 'branch/history')
  const first = Number(values.first) - 1
  if (!existsSync(history)) {
    mkdirSync(history, { recursive: true })
    for (const month of months.slice(0, first)) writeFileSync(join(history, `${month.name}.jsonl.gz`), packed(month))
  }
  const fileOf = ({ name }: Month) => join(folder, `${name}.json`)
  const left = months.slice(first).filter((month) => !existsSync(fileOf(month)))
  for (const month of left.slice(0, Number(values.months)))
    writeFileSync(fileOf(month), JSON.stringify(await appendMonth(month, folder)))
  for (const month of months.filter((one) => existsSync(fileOf(one))))
    say(month.name, JSON.parse(readFileSync(fileOf(month), 'utf8')) as Appended)
}
