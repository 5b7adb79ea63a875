import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What `perf-triage classify` costs as a process of its own, from start to exit. */
export interface ClassifyBenchmark {
  readonly queries: number
  readonly repetitions: number
  readonly runs: number
  /** Medians over `runs` processes. */
  readonly wallSeconds: number
  readonly peakMegabytes: number
}

const QUERIES_PER_TEST = 15
const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))
/** Prints the peak of its own memory as the last thing it does; the launcher runs unchanged before it. */
const PEAK_HOOK = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))`

/** Generates a run folder with a seeded generator and classifies it in `runs` processes, after one that warms up. */
export async function benchClassify(queries = 3000, repetitions = 13, runs = 7): Promise<ClassifyBenchmark> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    await generateRun(join(folder, 'run'), queries, repetitions)
    const walls: number[] = []
    const peaks: number[] = []
    for (let run = -1; run < runs; run += 1) {
      const start = performance.now()
      const { stderr } = await promisify(execFile)(
        process.execPath,
        ['--import', PEAK_HOOK, LAUNCHER, 'classify', '--json', join(folder, 'run')],
        { maxBuffer: 256 * 1024 * 1024 },
      )
      if (run < 0) continue
      walls.push((performance.now() - start) / 1000)
      peaks.push(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024)
    }
    return { queries, repetitions, runs, wallSeconds: middle(walls), peakMegabytes: middle(peaks) }
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

/** A small generator of numbers from 0 to 1 (mulberry32): the same run every time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function middle(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

if (import.meta.main) {
  const { queries, repetitions, runs, wallSeconds, peakMegabytes } = await benchClassify()
  console.log(
    `classify, ${queries} queries of ${repetitions} + ${repetitions}: ` +
      `${wallSeconds.toFixed(2)} s, ${peakMegabytes.toFixed(0)} MB (medians of ${runs} processes)`,
  )
}
