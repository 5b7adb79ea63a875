import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { HISTORY_BRANCH } from '../src/bot/action/history-files.ts'
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
 * The cost of the Action's history on its branch: size of the files, reading and appending, and growth of the repository.
 *
 *     npx node --expose-gc bench/history-file.ts --runs 10000 --benchmarks 200 --appends 60
 *
 * A run an hour, some 14 months of 10,000. Values are measured ones of six digits with 1% of noise; T has all its digits.
 */

const NOW = Date.UTC(2026, 10, 30, 23, 30)
const METRIC = 'real_time'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    benchmarks: { type: 'string', default: '200' },
    /** The last runs, which are appended one by one in a real repository; 0: git is left out. */
    appends: { type: 'string', default: '60' },
  },
})
const [runs, benchmarks, appends] = [values.runs, values.benchmarks, values.appends].map(Number) as [
  number,
  number,
  number,
]

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
}

function monthsOfRuns(): Month[] {
  const random = seeded(1)
  const months: Month[] = []
  for (let place = 0; place < runs; place += 1) {
    const run = runAt(place, random)
    const name = new Date(run.time).toISOString().slice(0, 7)
    if (months.at(-1)?.name !== name) months.push({ name, lines: [] })
    months.at(-1)!.lines.push(historyLine(run))
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

interface Files {
  /** Path to contents, all of a commit. */
  readonly closed: ReadonlyMap<string, Buffer>
  /** The file that the next line is appended to, by the number of the line. */
  readonly pathOf: (place: number) => string
  readonly lines: readonly string[]
}

/** Appends as the Action does: each a commit with the whole file anew, and as GitHub's API stores it: whole, until it is packed. */
function growInGit(name: string, { closed, pathOf, lines }: Files): void {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-history-file-'))
  const git = (args: readonly string[], input?: string | Buffer) =>
    execFileSync('git', ['-C', folder, '-c', 'gc.auto=0', ...args], {
      ...(input !== undefined && { input }),
      maxBuffer: 2 ** 28,
    })
      .toString()
      .trim()
  const write = (contents: string | Buffer) => git(['hash-object', '-w', '--stdin'], contents)
  const sizeOf = (path: string): number =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name: file }) => sum + statSync(join(parentPath, file)).size, 0)
  const author = { GIT_AUTHOR_NAME: 'bot', GIT_AUTHOR_EMAIL: 'bot@example.com' }
  Object.assign(process.env, author, { GIT_COMMITTER_NAME: 'bot', GIT_COMMITTER_EMAIL: 'bot@example.com' })
  try {
    git(['init', '--quiet', '--bare'])
    const blobs = new Map([...closed].map(([path, contents]) => [path, write(contents)]))
    const texts = new Map<string, string>()
    let parent: string | null = null
    const commit = () => {
      const tree = git(['mktree'], [...blobs].map(([path, id]) => `100644 blob ${id}\t${path}\n`).join(''))
      parent = git(['commit-tree', tree, '-m', 'History', ...(parent === null ? [] : ['-p', parent])])
      git(['update-ref', `refs/heads/${HISTORY_BRANCH}`, parent])
    }
    const first = lines.length - appends
    for (const [place, line] of lines.entries()) {
      const path = pathOf(place)
      texts.set(path, `${texts.get(path) ?? ''}${line}\n`)
      if (place < first - 1) continue
      for (const [changed, text] of place < first ? texts : [[path, texts.get(path)!] as const])
        blobs.set(changed, write(text))
      commit()
      if (place === first - 1) git(['repack', '-adq'])
    }
    const packed = sizeOf(join(folder, 'objects/pack'))
    const grown = sizeOf(folder) - packed
    const last = texts.get(pathOf(lines.length - 1))!.length
    git(['repack', '-adq', '-f'])
    const repacked = sizeOf(join(folder, 'objects/pack'))
    console.log(
      `${name}: the last append writes a file of ${megabytes(last)}; ${appends} appends grow the repository by ${megabytes(grown)}, ` +
        `packed by ${megabytes(repacked - packed)} to ${megabytes(repacked)}`,
    )
    for (const depth of [[], ['--depth', '1']]) {
      const clone = join(folder, 'clone')
      const start = performance.now()
      execFileSync('git', [
        'clone',
        '--quiet',
        '--bare',
        ...depth,
        '--branch',
        HISTORY_BRANCH,
        `file://${folder}`,
        clone,
      ])
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(`  git clone ${depth.join(' ') || '(whole)'}: ${seconds} s, ${megabytes(sizeOf(clone))}`)
      rmSync(clone, { recursive: true })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const months = timed('lines written', monthsOfRuns)
const open = months.at(-1)!
const plain = months.map(({ lines }) => Buffer.from(textOf(lines)))
const packed = timed('months compressed', () => plain.map((month) => gzipSync(month)))
const sum = (files: readonly Buffer[]) => files.reduce((bytes, { length }) => bytes + length, 0)
console.log(
  `${runs} runs of ${benchmarks} benchmarks in ${months.length} months: ${megabytes(sum(plain))}, gzip ${megabytes(sum(packed))} ` +
    `(${(sum(plain) / sum(packed)).toFixed(1)} times smaller); a line ${(sum(plain) / runs / 1000).toFixed(1)} kB, a full month ${megabytes(plain.at(-2)?.length ?? 0)}`,
)
const files = [...packed.slice(0, -1), plain.at(-1)!]
await read('the last 3 months', files.slice(-3))
await read('all months', files)

if (appends === 0) process.exit()
const closed = new Map(months.slice(0, -1).map(({ name }, month) => [`${name}.jsonl.gz`, packed[month]!]))
const dayOf = (place: number) => new Date(NOW - (open.lines.length - place) * HOUR).toISOString().slice(0, 10)
growInGit('a file a month', { closed, pathOf: () => `${open.name}.jsonl`, lines: open.lines })
growInGit('a file a day', { closed, pathOf: (place) => `${dayOf(place)}.jsonl`, lines: open.lines })
