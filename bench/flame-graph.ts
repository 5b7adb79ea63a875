import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { seeded } from './calibration/seeded.ts'

/** What it costs to difference two profiles and to draw them, each as a process of its own, from start to exit. */
export interface FlameGraphBenchmark {
  readonly stacks: number
  /** Of both files. */
  readonly megabytes: number
  readonly runs: number
  /** Medians over `runs` processes. */
  readonly svgSeconds: number
  readonly foldedSeconds: number
  readonly textSeconds: number
  readonly peakMegabytes: number
  /** `inferno-diff-folded | inferno-flamegraph`, version 0.12; null where they are not on the path. */
  readonly infernoSeconds: number | null
}

const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))
/** Prints the peak of its own memory as the last thing it does; the launcher runs unchanged before it. */
const PEAK_HOOK = `data:text/javascript,process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))`
const MOST_OUTPUT = 1024 * 1024 * 1024
const run = promisify(execFile)

/**
 * Generates two profiles with the same distinct stacks and other counts, 8 to 30 frames deep with names as long as those of
 * C++, and sorted as the stackcollapse scripts sort them.
 */
export async function benchFlameGraph(stacks = 100_000, runs = 7): Promise<FlameGraphBenchmark> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    const [old, fresh] = [join(folder, 'old.folded'), join(folder, 'new.folded')]
    await generate(old, fresh, stacks)
    const bytes = (await stat(old)).size + (await stat(fresh)).size
    const peaks: number[] = []
    const own = async (as: string): Promise<void> => {
      const { stderr } = await run(
        process.execPath,
        ['--import', PEAK_HOOK, LAUNCHER, 'flamegraph', old, fresh, '--as', as],
        { maxBuffer: MOST_OUTPUT },
      )
      if (as === 'svg') peaks.push(Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024)
    }
    const svgSeconds = await medianSeconds(runs, () => own('svg'))
    return {
      stacks,
      megabytes: bytes / 1e6,
      runs,
      svgSeconds,
      foldedSeconds: await medianSeconds(runs, () => own('folded')),
      textSeconds: await medianSeconds(runs, () => own('text')),
      peakMegabytes: middle(peaks),
      infernoSeconds: await inferno(runs, old, fresh),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function inferno(runs: number, old: string, fresh: string): Promise<number | null> {
  const command = 'inferno-diff-folded --quiet "$0" "$1" | inferno-flamegraph --quiet > /dev/null'
  const present = await run('sh', ['-c', 'command -v inferno-diff-folded && command -v inferno-flamegraph']).catch(
    () => null,
  )
  if (present === null) return null
  return await medianSeconds(runs, async () => {
    await run('sh', ['-c', command, old, fresh])
  })
}

/** After one that warms up. */
async function medianSeconds(runs: number, work: () => Promise<void>): Promise<number> {
  const seconds: number[] = []
  for (let i = -1; i < runs; i += 1) {
    const start = performance.now()
    await work()
    if (i >= 0) seconds.push((performance.now() - start) / 1000)
  }
  return middle(seconds)
}

/** Distinct stacks, 8 to 30 frames deep, sorted. */
export function distinctStacks(stacks: number, random: () => number): string[] {
  const frames = Array.from({ length: 3000 }, (_, i) => `DB::Module${i % 40}::Class${i % 401}::method${i}`)
  const distinct = new Set<string>()
  const path: string[] = []
  while (distinct.size < stacks) {
    const depth = 8 + Math.floor(22 * random())
    // a stack shares its outer frames with the one before
    path.length = Math.min(path.length, Math.floor(depth * Math.sqrt(random())))
    while (path.length < depth) path.push(frames[Math.floor(frames.length * random() ** 3)]!)
    distinct.add(path.join(';'))
  }
  return [...distinct].sort()
}

async function generate(old: string, fresh: string, stacks: number): Promise<void> {
  const random = seeded(20_261_121)
  const sorted = distinctStacks(stacks, random)
  for (const path of [old, fresh]) {
    const file = createWriteStream(path)
    for (const stack of sorted) {
      if (!file.write(`${stack} ${1 + Math.floor(200 * random() ** 4)}\n`)) await once(file, 'drain')
    }
    file.end()
    await once(file, 'close')
  }
}

function middle(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

/** The figures as lines. */
export function flameGraphTable(figures: FlameGraphBenchmark): string {
  const { stacks, megabytes, runs, svgSeconds, foldedSeconds, textSeconds, peakMegabytes, infernoSeconds } = figures
  const other =
    infernoSeconds === null
      ? 'not on the path (`cargo install inferno` gives inferno-diff-folded and inferno-flamegraph)'
      : `${infernoSeconds.toFixed(2)} s`
  return [
    `flamegraph, whole process, ${stacks.toLocaleString('en')} + ${stacks.toLocaleString('en')} stacks, ` +
      `${megabytes.toFixed(0)} MB, medians of ${runs}:`,
    `  --as svg     ${svgSeconds.toFixed(2)} s, ${peakMegabytes.toFixed(0)} MB`,
    `  --as folded  ${foldedSeconds.toFixed(2)} s`,
    `  --as text    ${textSeconds.toFixed(2)} s`,
    `  inferno, diff and draw: ${other}`,
  ].join('\n')
}

if (import.meta.main) console.log(flameGraphTable(await benchFlameGraph()))
