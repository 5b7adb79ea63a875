import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { seeded } from './calibration/seeded.ts'
import { SHARD, shardTable } from './shard-table.ts'

/** What `perf-triage classify` costs as a process of its own, from start to exit. */
export interface ClassifyBenchmark {
  readonly queries: number
  readonly repetitions: number
  readonly runs: number
  /** Medians over `runs` processes. */
  readonly wallSeconds: number
  readonly peakMegabytes: number
}

export interface ProcessCost {
  readonly wallSeconds: number
  /** Of all its threads: nearly the same, whatever else the machine does. */
  readonly computedSeconds: number
  readonly peakMegabytes: number
}

const QUERIES_PER_TEST = 15
const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))
/**
 * Prints what the process cost as the last thing it does; what it runs is unchanged before it. VmHWM, since the maximum of
 * `resourceUsage` has that of the process that started it in it.
 */
const COST_HOOK = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
    process.stderr.write('cost ' + (user + system) / 1e6 + ' ' + kilobytes / 1024)
  })
`)}`

/** What `perf-triage` with these arguments costs; what it prints is thrown away. */
export async function costOf(...args: readonly string[]): Promise<ProcessCost> {
  const start = performance.now()
  const child = spawn(process.execPath, ['--import', COST_HOOK, LAUNCHER, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  const [, computed, megabytes] = /cost ([\d.]+) ([\d.]+)$/.exec(stderr) ?? []
  if (exitCode !== 0 || computed === undefined) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`)
  return {
    wallSeconds: (performance.now() - start) / 1000,
    computedSeconds: Number(computed),
    peakMegabytes: Number(megabytes),
  }
}

/** Generates a run folder with a seeded generator and classifies it in `runs` processes, after one that warms up. */
export async function benchClassify(queries = 3000, repetitions = 13, runs = 7): Promise<ClassifyBenchmark> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    await generateRun(join(folder, 'run'), queries, repetitions)
    const { wallSeconds, peakMegabytes } = await medianCost(runs, 'classify', '--json', join(folder, 'run'))
    return { queries, repetitions, runs, wallSeconds, peakMegabytes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Medians over `runs` processes, after one that warms up. */
async function medianCost(runs: number, ...args: readonly string[]): Promise<ProcessCost> {
  const costs: ProcessCost[] = []
  for (let run = -1; run < runs; run += 1) {
    const cost = await costOf(...args)
    if (run >= 0) costs.push(cost)
  }
  const of = (key: keyof ProcessCost) => middle(costs.map((cost) => cost[key]))
  return {
    wallSeconds: of('wallSeconds'),
    computedSeconds: of('computedSeconds'),
    peakMegabytes: of('peakMegabytes'),
  }
}

/** What a shard's `all-query-metrics.tsv` costs, and how many times as much as cutting its lines into fields. */
async function benchTable(runs = 5): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    const path = join(folder, 'all-query-metrics.tsv')
    await writeFile(path, shardTable(1))
    const start = process.cpuUsage()
    const fields = readFileSync(path, 'utf8')
      .split('\n')
      .reduce((sum, line) => sum + line.split('\t').length, 0)
    const { user, system } = process.cpuUsage(start)
    const split = (user + system) / 1e6
    const lines = [
      `${SHARD.queries * SHARD.metrics} lines of all-query-metrics.tsv, ${fields} fields, cut in ${split.toFixed(2)} s`,
    ]
    for (const options of [[], ['--metric', 'all'], ['--metric', 'all', '--json']]) {
      const { wallSeconds, computedSeconds, peakMegabytes } = await medianCost(runs, 'classify', ...options, path)
      lines.push(
        `${['classify', ...options].join(' ')}: ${wallSeconds.toFixed(2)} s, ${computedSeconds.toFixed(2)} s of computing ` +
          `(${(computedSeconds / split).toFixed(1)} times), ${peakMegabytes.toFixed(0)} MB`,
      )
    }
    return lines
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function generateRun(folder: string, queries: number, repetitions: number): Promise<void> {
  await mkdir(folder)
  const random = seeded(20_261_121)
  for (let first = 0; first < queries; first += QUERIES_PER_TEST) {
    const test = `test_${first / QUERIES_PER_TEST}`
    const lines: string[] = []
    for (let index = 0; index < Math.min(QUERIES_PER_TEST, queries - first); index += 1) {
      const base = 0.002 * 10 ** (2 * random())
      const noise = 0.01 + 0.2 * random() ** 3
      const change = random() < 0.1 ? 1 + (random() - 0.3) : 1
      const text = `SELECT sum(number % ${index + 2}) FROM numbers(${1000 * (first + index)}) FORMAT Null`
      lines.push(`display-name\t${index}\t${text}`)
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        for (const side of [0, 1]) {
          const seconds = base * (side === 1 ? change : 1) * (1 + noise * random())
          lines.push(`query\t${index}\t${test}.query${index}.run${repetition}\t${side}\t${seconds.toFixed(9)}`)
        }
      }
    }
    await writeFile(join(folder, `${test}-raw.tsv`), `${lines.join('\n')}\n`)
  }
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

if (import.meta.main) {
  const { queries, repetitions, runs, wallSeconds, peakMegabytes } = await benchClassify()
  console.log(
    `classify, ${queries} queries of ${repetitions} + ${repetitions}: ` +
      `${wallSeconds.toFixed(2)} s, ${peakMegabytes.toFixed(0)} MB (medians of ${runs} processes)`,
  )
  console.log((await benchTable()).join('\n'))
}
