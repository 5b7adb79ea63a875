import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { seeded } from './calibration/seeded.ts'
import { LANGUAGES, type Variant } from './measure/repositories.ts'

/**
 * How often `perf-triage measure` accuses two commits that do the same work, and how often it finds 10% that were planted: real repositories
 * in five languages, real builds, a host whose cores are kept busy in spells.
 *
 *     node bench/measure.ts --output FOLDER [--languages go,python] [--runs 20] [--planted 10] [--budget 60s] [--quiet-host]
 *
 * A run takes its budget and its builds, so it goes on where the folder ends: each run is a line of `runs.jsonl`, with what `measure` wrote
 * beside it as `LANGUAGE-KIND-NUMBER.tar.gz`. Not for CI: all of it takes hours.
 */

const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))

const KINDS = { 'a-a': 100, planted: 110, 'trunk-slower': 100 } as const

type Kind = keyof typeof KINDS

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
const measured = z.object({ end: z.string(), turns: z.array(z.unknown()) })

const line = z.object({
  language: z.string(),
  kind: z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]),
  number: z.number(),
  end: z.string(),
  turns: z.number(),
  seconds: z.number(),
  rows: z.array(
    z.object({
      name: z.string(),
      isPlanted: z.boolean(),
      outcome: z.string().nullable(),
      verdict: z.string().nullable(),
      direction: z.string().nullable(),
      difference: z.number().nullable(),
      threshold: z.number().nullable(),
    }),
  ),
})
type Line = z.infer<typeof line>

interface MeasureRates {
  readonly kind: Kind
  readonly runs: number
  /** Runs in which a row that nothing was planted in is called a regression. */
  readonly accused: number
  /** Runs in which the planted row is a regression or needs a rerun. */
  readonly open: number
  readonly turns: number
  readonly seconds: number
}

/** The rates of each kind of run. */
function ratesOf(lines: readonly Line[]): readonly MeasureRates[] {
  return [...Map.groupBy(lines, ({ kind }) => kind)].map(([kind, of]) => {
    const having = (is: (row: Line['rows'][number]) => boolean) => of.filter(({ rows }) => rows.some(is)).length
    const mean = (value: (one: Line) => number) => of.reduce((sum, one) => sum + value(one), 0) / of.length
    return {
      kind,
      runs: of.length,
      accused: having(({ isPlanted, verdict }) => !isPlanted && verdict === 'regression'),
      open: having(
        ({ isPlanted, verdict, direction }) =>
          isPlanted && direction === 'slower' && (verdict === 'regression' || verdict === 'needs-rerun'),
      ),
      turns: mean(({ turns }) => turns),
      seconds: mean(({ seconds }) => seconds),
    }
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

/** Measures and judges one pair of commits; what was measured stays beside the line. */
function measureOnce(name: string, kind: Kind, number: number, budget: string, output: string): Line {
  const root = mkdtempSync(join(tmpdir(), 'perf-triage-bench-measure-'))
  try {
    const folder = repositoryOf(name, kind, root)
    const start = performance.now()
    const options = ['--budget', budget, '--seed', String(number), '-o', join(root, 'results')]
    // Without --base the base is where the change left main, also where main has moved on.
    perfTriage(['measure', ...LANGUAGES[name]!.measure, ...options], folder)
    const seconds = (performance.now() - start) / 1000
    const { end, turns } = measured.parse(JSON.parse(readFileSync(join(root, 'results', 'measure.json'), 'utf8')))
    const { report } = commented.parse(JSON.parse(perfTriage(['comment', 'results', '--json'], root)))
    execFileSync('tar', ['-czf', join(output, `${name}-${kind}-${number}.tar.gz`), '-C', root, 'results'])
    const rows = report.rows.map(({ queryName, test, outcome, verdict, direction, results }) => {
      const of = queryName ?? test
      const isPlanted = kind === 'planted' && LANGUAGES[name]!.sort.test(of)
      const { difference = null, threshold = null } = results[0] ?? {}
      return { name: of, isPlanted, outcome, verdict, direction, difference, threshold }
    })
    return { language: name, kind, number, end, turns: turns.length, seconds, rows }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Two threads each burn a core in spells. However this process ends, they end with it. */
function keepBusy(): void {
  const burn = `const random=()=>${SPELL.from}+Math.random()*${SPELL.to - SPELL.from};for(;;){const end=Date.now()+1000*random();while(Date.now()<end);Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,1000*random())}`
  for (const _ of [0, 1]) new Worker(burn, { eval: true }).unref()
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      output: { type: 'string' },
      languages: { type: 'string', default: Object.keys(LANGUAGES).join(',') },
      runs: { type: 'string', default: '20' },
      planted: { type: 'string', default: '10' },
      'trunk-slower': { type: 'string', default: '2' },
      budget: { type: 'string', default: '60s' },
      'quiet-host': { type: 'boolean', default: false },
    },
  })
  if (values.output === undefined) throw new Error('--output FOLDER is missing: where the runs are kept')
  const output = resolve(values.output)
  mkdirSync(output, { recursive: true })
  const file = join(output, 'runs.jsonl')
  const lines = !existsSync(file)
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => line.parse(JSON.parse(text)))
  const counts = {
    'a-a': Number(values.runs),
    planted: Number(values.planted),
    'trunk-slower': Number(values['trunk-slower']),
  }
  if (!values['quiet-host']) keepBusy()
  for (const { language, kind, number } of missing(lines, values.languages.split(','), counts)) {
    const one = measureOnce(language, kind, number, values.budget, output)
    appendFileSync(file, `${JSON.stringify(one)}\n`)
    lines.push(one)
    const verdicts = one.rows.map(
      ({ name, verdict, difference }) => `${name} ${verdict ?? '-'} ${((difference ?? 0) * 100).toFixed(1)}%`,
    )
    console.error(
      `${language} ${kind} ${number}: ${one.turns} turns, ${one.end}, ${one.seconds.toFixed(0)} s; ${verdicts.join(', ')}`,
    )
  }
  for (const { kind, runs, accused, open, turns, seconds } of ratesOf(lines))
    console.log(
      `${kind}: ${runs} runs of ${turns.toFixed(0)} turns in ${seconds.toFixed(0)} s; ${accused} accuse${kind === 'planted' ? ` another row, ${open} planted rows are open` : ''}`,
    )
}
