import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { wilsonInterval } from '../src/judge/statistics/wilson.ts'
import { percent } from '../src/text/numbers.ts'
import { seeded } from './calibration/seeded.ts'
import { LANGUAGES, type Variant } from './measure/repositories.ts'

/**
 * How often `perf-triage measure` accuses two commits that do the same work, and how often it finds 10% that were planted: real repositories
 * in five languages, real builds, a host whose cores are kept busy in spells.
 *
 *     node bench/measure.ts [--languages go,python] [--runs 20] [--planted 10] [--budget 60s] [--quiet-host] [--only-rates]
 *
 * Each run is a line of `measure/runs.jsonl`, and a later call does what is missing there. A run begins once the host does little else:
 * `--most-load`. What `measure` wrote is kept in `--raw`, outside of the repository. Not for CI: all of it takes hours.
 */

const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))

const KINDS = { 'a-a': 100, planted: 110, 'trunk-slower': 100 } as const

type Kind = keyof typeof KINDS

/** How long a run takes, and where what it wrote is kept. */
interface Kept {
  readonly budget: string
  readonly raw: string
}

/** Seconds that a busy spell lasts, and those of the pause after it. */
const SPELL = { from: 5, to: 40 }

const commented = z.object({
  report: z.object({
    rows: z.array(
      z.object({
        queryName: z.string().nullable(),
        test: z.string(),
        outcome: z.string().nullable(),
        verdict: z.string().nullable(),
        direction: z.string().nullable(),
        results: z.array(z.object({ difference: z.number().nullable(), threshold: z.number().nullable() }).loose()),
      }),
    ),
  }),
})
const measured = z.object({
  end: z.string(),
  startedAt: z.string(),
  turns: z.array(z.object({ load: z.number() })),
})
const classified = z.object({ equalBuilds: z.object({ difference: z.number() }).optional() })

const line = z.object({
  date: z.string(),
  language: z.string(),
  kind: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]),
  /** The seed of the order too. */
  number: z.number(),
  budget: z.string(),
  end: z.string(),
  turns: z.number(),
  seconds: z.number(),
  /** The mean over the turns. */
  load: z.number(),
  /** What 19 of 20 benchmarks of the base and its copy differed by at most; null: too few turns. */
  aA: z.number().nullable(),
  /** Those with a verdict, and what was planted. */
  rows: z.array(
    z.object({
      name: z.string(),
      isPlanted: z.boolean(),
      verdict: z.string().nullable(),
      direction: z.string().nullable(),
      difference: z.number().nullable(),
      threshold: z.number().nullable(),
    }),
  ),
})
type Line = z.infer<typeof line>

/** The rates of each kind of run, in words. */
function ratesOf(lines: readonly Line[]): readonly string[] {
  return [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, of]) => {
    const rate = (is: (row: Line['rows'][number]) => boolean) => {
      const count = of.filter(({ rows }) => rows.some(is)).length
      const { low, high } = wilsonInterval(count, of.length)
      return `${count} of ${of.length} (${percent(low)} to ${percent(high)})`
    }
    const accused = rate(({ isPlanted, verdict }) => !isPlanted && verdict === 'regression')
    const open = rate(
      ({ isPlanted, verdict, direction }) =>
        isPlanted && direction === 'slower' && (verdict === 'regression' || verdict === 'needs-rerun'),
    )
    const turns = of.map((one) => one.turns).toSorted((a, b) => a - b)
    const planted = kind === 'planted' ? `the planted row is open in ${open}; another is accused in ` : 'accused in '
    return `${kind}: ${planted}${accused}; ${turns[0]} to ${turns.at(-1)} turns`
  })
}

/** Commits two builds of a language in a fresh repository, and gives its folder. */
function repositoryOf(name: string, kind: Kind, root: string): string {
  const { files, prepare } = LANGUAGES[name]!
  const folder = join(root, 'repository')
  mkdirSync(folder)
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', folder, ...who, ...args], { stdio: 'ignore' })
  const commit = (of: Variant) => {
    for (const [path, text] of Object.entries(files(of))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const [program, ...args] = of.note === 0 ? (prepare ?? []) : []
    if (program !== undefined) execFileSync(program, args, { cwd: folder, stdio: 'ignore' })
    git('add', '--all')
    git('commit', '--quiet', '--message', `note ${of.note}`)
  }
  git('init', '--quiet', '--initial-branch', 'main')
  commit({ sorts: 100, note: 0 })
  git('checkout', '--quiet', '-b', 'change')
  commit({ sorts: KINDS[kind], note: 1 })
  if (kind === 'trunk-slower') {
    git('checkout', '--quiet', 'main')
    commit({ sorts: 120, note: 2 })
    git('checkout', '--quiet', 'change')
  }
  return folder
}

function perfTriage(args: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, [LAUNCHER, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  })
}

/** Measures and judges one pair of commits; what was measured stays in `raw`. */
function measureOnce(name: string, kind: Kind, number: number, { budget, raw }: Kept): Line {
  const root = mkdtempSync(join(tmpdir(), 'perf-triage-bench-measure-'))
  const { measure, build, sort } = LANGUAGES[name]!
  try {
    const folder = repositoryOf(name, kind, root)
    const start = performance.now()
    const options = ['--budget', budget, '--seed', String(number), '-o', join(root, 'results')]
    const built = build === undefined ? [] : ['--build', build(join(raw, 'built', name))]
    // Without --base the base is where the change left main, also where main has moved on.
    perfTriage(['measure', ...measure, ...built, ...options], folder)
    const seconds = Math.round((performance.now() - start) / 1000)
    const { end, startedAt, turns } = measured.parse(read(join(root, 'results', 'measure.json')))
    const { report } = commented.parse(JSON.parse(perfTriage(['comment', 'results', '--json'], root)))
    const { equalBuilds } = classified.parse(JSON.parse(perfTriage(['classify', 'results', '--json'], root)))
    execFileSync('tar', ['-czf', join(raw, `${name}-${kind}-${number}.tar.gz`), '-C', root, 'results'])
    const rows = report.rows
      .map(({ queryName, test, verdict, direction, results }) => {
        const of = queryName ?? test
        const { difference = null, threshold = null } = results[0] ?? {}
        const isPlanted = kind === 'planted' && sort.test(of)
        return { name: of, isPlanted, verdict, direction, difference: short(difference), threshold: short(threshold) }
      })
      .filter(({ isPlanted, verdict }) => isPlanted || verdict !== null)
    const load = short(turns.reduce((sum, turn) => sum + turn.load, 0) / turns.length)!
    const about = { date: startedAt, language: name, kind, number, budget, end, turns: turns.length, seconds, load }
    return { ...about, aA: short(equalBuilds?.difference ?? null), rows }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function short(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3))
}

/** Two threads each burn a core in spells, until they are told to stop. However this process ends, they end with it. */
function keepBusy(): () => Promise<void> {
  const burn = `const random=()=>${SPELL.from}+Math.random()*${SPELL.to - SPELL.from};for(;;){const end=Date.now()+1000*random();while(Date.now()<end);Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,1000*random())}`
  const workers = [0, 1].map(() => new Worker(burn, { eval: true }))
  for (const worker of workers) worker.unref()
  return async () => void (await Promise.all(workers.map(async (worker) => await worker.terminate())))
}

/** The runs that are still to be done, the languages and kinds in turns and in an order that a seed gives. */
function missing(lines: readonly Line[], languages: readonly string[], runs: Readonly<Record<Kind, number>>) {
  const keyOf = (language: string, kind: Kind, number: number) => `${language} ${kind} ${number}`
  const done = new Set(lines.map(({ language, kind, number }) => keyOf(language, kind, number)))
  const random = seeded(1)
  return languages
    .flatMap((language) =>
      (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
        Array.from({ length: runs[kind] }, (_, number) => ({ language, kind, number, place: number + random() })),
      ),
    )
    .toSorted((a, b) => a.place - b.place)
    .filter(({ language, kind, number }) => !done.has(keyOf(language, kind, number)))
}

/** Waits until the host does little but what this bench does. */
async function calm(most: number): Promise<void> {
  for (let told = false; loadavg()[0]! > most; told = true) {
    if (!told) console.error(`waits: the load is ${loadavg()[0]!.toFixed(1)}`)
    await delay(CALM_EVERY_MS)
  }
}

const CALM_EVERY_MS = 10_000

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: fileURLToPath(new URL('./measure/runs.jsonl', import.meta.url)) },
      raw: { type: 'string', default: join(tmpdir(), 'perf-triage-measure-raw') },
      languages: { type: 'string', default: Object.keys(LANGUAGES).join(',') },
      runs: { type: 'string', default: '20' },
      planted: { type: 'string', default: '10' },
      'trunk-slower': { type: 'string', default: '2' },
      budget: { type: 'string', default: '60s' },
      'most-load': { type: 'string', default: '4' },
      'quiet-host': { type: 'boolean', default: false },
      'only-rates': { type: 'boolean', default: false },
    },
  })
  const raw = resolve(values.raw)
  mkdirSync(join(raw, 'built'), { recursive: true })
  const lines = !existsSync(values.output)
    ? []
    : readFileSync(values.output, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => line.parse(JSON.parse(text)))
  const counts = {
    'a-a': Number(values.runs),
    planted: Number(values.planted),
    'trunk-slower': Number(values['trunk-slower']),
  }
  const todo = values['only-rates'] ? [] : missing(lines, values.languages.split(','), counts)
  for (const { language, kind, number } of todo) {
    await calm(Number(values['most-load']))
    const rest = values['quiet-host'] ? null : keepBusy()
    const one = measureOnce(language, kind, number, { budget: values.budget, raw })
    await rest?.()
    appendFileSync(values.output, `${JSON.stringify(one)}\n`)
    lines.push(one)
    console.error(JSON.stringify(one))
  }
  for (const words of ratesOf(lines)) console.log(words)
}
