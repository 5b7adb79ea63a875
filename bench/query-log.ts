import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { Executions } from '../src/intake/measurement/executions.ts'
import { normalTwoSided } from '../src/judge/statistics/normal-tail.ts'
import { SidesComparer } from '../src/judge/statistics/query-log/compare-sides.ts'
import { NEW_TABLE, OLD_TABLE, seedLog } from '../test/intake/imports/query-log/seed-log.ts'
import { type Random, seeded } from './calibration/seeded.ts'

/**
 * How often two equal sides of a query log are called different, and how often a difference is found, beside tests that take
 * executions as repetitions; and what a large log costs. Repeat with `node bench/query-log.ts`, or with `--only simulation` or
 * `--only cost`; it takes about two and a half minutes. The figures are in docs/benchmarks.md.
 */

const LEVEL = 0.01
/** The time of an execution at an even load, in milliseconds. */
const USUAL = 80

interface Scenario {
  readonly name: string
  /** A client sends so many executions of a heavier query to one side, in so many of all minutes. */
  readonly bursts: { readonly share: number; readonly executions: number }
  /** Minutes in which everything takes three times as long. */
  readonly badMinutes: number
  /** The step of the new side's own drift from minute to minute, a logarithm; half of the drift is gone in an hour. */
  readonly drift: number
  /** Values are small counts in the place of times. */
  readonly counts?: true
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'load that changes', bursts: { share: 0, executions: 0 }, badMinutes: 0, drift: 0 },
  { name: 'bursts of one side', bursts: { share: 0.1, executions: 40 }, badMinutes: 0, drift: 0 },
  { name: 'bad minutes', bursts: { share: 0, executions: 0 }, badMinutes: 0.03, drift: 0 },
  { name: 'bursts, counts', bursts: { share: 0.1, executions: 40 }, badMinutes: 0, drift: 0, counts: true },
  { name: 'one side drifts', bursts: { share: 0, executions: 0 }, badMinutes: 0, drift: 0.003 },
]

const SPANS: readonly (readonly [hours: number, logs: number])[] = [
  [1, 600],
  [6, 300],
  [24, 60],
]

interface Log {
  readonly minutes: number[]
  readonly values: number[]
  readonly areNew: boolean[]
}

interface Simulation {
  readonly scenario: Scenario
  readonly hours: number
  readonly perMinute: number
  /** How much longer the new side takes. */
  readonly effect: number
}

function simulate({ scenario, hours, perMinute, effect }: Simulation, random: Random): Log {
  const log: Log = { minutes: [], values: [], areNew: [] }
  const add = (minute: number, isNew: boolean, factor: number) => {
    const own = isNew ? 1 + effect : 1
    const value = USUAL * factor * own * Math.exp(0.4 * normal(random))
    log.minutes.push(minute)
    log.values.push(scenario.counts === true ? Math.floor(value / 8) : Math.floor(value))
    log.areNew.push(isNew)
  }
  let load = 0
  let drift = 0
  for (let minute = 0; minute < hours * 60; minute += 1) {
    // what one minute has of other work, the next has most of
    load = 0.9 * load + 0.1 * normal(random)
    drift = 0.99 * drift + scenario.drift * normal(random)
    const day = 0.2 * Math.sin((2 * Math.PI * minute) / 1440)
    const factor = Math.exp(load + day) * (random() < scenario.badMinutes ? 3 : 1)
    const executions = poisson(perMinute * (1 + day), random)
    for (let i = 0; i < executions; i += 1) {
      const isNew = random() < 0.5
      add(minute, isNew, factor * (isNew ? Math.exp(drift) : 1))
    }
    if (random() < scenario.bursts.share) {
      const isNew = random() < 0.5
      for (let i = 0; i < scenario.bursts.executions; i += 1) add(minute, isNew, 2 * factor)
    }
  }
  return log
}

/** Which of three tests call the sides of a log different. */
function called(log: Log, comparer: SidesComparer): Readonly<Record<'blocks' | 'ranks' | 't', boolean>> {
  const executions = new Executions()
  for (const [index, minute] of log.minutes.entries()) {
    executions.add(minute, 0, log.areNew[index]! ? 1 : 0, [['time', log.values[index]!]])
  }
  const groups = [{ rows: executions.order() }]
  const comparison = { executions, groups, metric: 'time', isTruncated: true, groupDifferences: [] }
  const { median, pValue } = comparer.compare(comparison).compared!
  const isReached = Math.abs(median.difference!) >= median.threshold! && pValue! <= LEVEL
  return { blocks: median.difference !== 0 && isReached, ranks: rankP(log) <= LEVEL, t: welchP(log) <= LEVEL }
}

/** Mann-Whitney of executions, normal with correction for ties: what everybody takes first. */
function rankP({ values, areNew }: Log): number {
  const order = Uint32Array.from(values, (_, index) => index).sort((a, b) => values[a]! - values[b]!)
  let sum = 0
  let ties = 0
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to += 1
    for (let i = from; i < to; i += 1) if (areNew[order[i]!]!) sum += (from + to + 1) / 2
    ties += (to - from) ** 3 - (to - from)
    from = to
  }
  const all = values.length
  const fresh = areNew.filter(Boolean).length
  const variance = ((fresh * (all - fresh)) / 12) * (all + 1 - ties / (all * (all - 1)))
  return normalTwoSided(Math.abs(sum - (fresh * (all + 1)) / 2) / Math.sqrt(variance))
}

/** Welch's t of executions. */
function welchP({ values, areNew }: Log): number {
  const side = (isNew: boolean) => {
    const own = values.filter((_, index) => areNew[index] === isNew)
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length
    const variance = own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (own.length - 1)
    return { mean, error: variance / own.length }
  }
  const [old, fresh] = [side(false), side(true)]
  return normalTwoSided(Math.abs(fresh.mean - old.mean) / Math.sqrt(old.error + fresh.error))
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function poisson(mean: number, random: Random): number {
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
}

function rates(simulation: Simulation, logs: number, seed: number): string {
  const random = seeded(seed)
  const comparer = new SidesComparer()
  const counts = { blocks: 0, ranks: 0, t: 0 }
  for (let i = 0; i < logs; i += 1) {
    const found = called(simulate(simulation, random), comparer)
    for (const test of ['blocks', 'ranks', 't'] as const) counts[test] += found[test] ? 1 : 0
  }
  const percent = (count: number) => `${((100 * count) / logs).toFixed(1)}%`
  return `${percent(counts.blocks)} | ${percent(counts.ranks)} | ${percent(counts.t)}`
}

function printSimulation(): void {
  console.log('| two equal sides, 60 executions a minute | hours | logs | blocks | Mann-Whitney | t-test |')
  console.log('|---|---|---|---|---|---|')
  for (const scenario of SCENARIOS) {
    for (const [hours, logs] of SPANS) {
      const found = rates({ scenario, hours, perMinute: 60, effect: 0 }, logs, 20_261_123 + hours)
      console.log(`| ${scenario.name} | ${hours} | ${logs} | ${found} |`)
    }
  }
  console.log(
    '\n| slower by, bursts of one side | hours | logs | blocks | Mann-Whitney | t-test |\n|---|---|---|---|---|---|',
  )
  for (const effect of [0.05, 0.1, 0.2]) {
    for (const [hours, logs] of SPANS) {
      const found = rates({ scenario: SCENARIOS[1]!, hours, perMinute: 60, effect }, Math.min(logs, 100), 7 + hours)
      console.log(`| ${100 * effect}% | ${hours} | ${Math.min(logs, 100)} | ${found} |`)
    }
  }
}

const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))
/** Prints the peak of its memory and its CPU time as the last thing it does; the launcher runs unchanged before it. */
const PEAK_HOOK = `data:text/javascript,process.on('exit',()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();process.stderr.write('peak '+maxRSS+' cpu '+(userCPUTime+systemCPUTime))})`
/** Of the 1.3 million executions of the talk. */
const HALF_A_MILLION = 0.3846
const RUNS = 3

type Row = Readonly<Record<string, unknown>>

/** The forms that a log is written in, each as ClickHouse writes it. */
const FORMS: Readonly<Record<string, { readonly head: string; readonly line: (row: Row) => string }>> = {
  JSONEachRow: { head: '', line: (row) => `${JSON.stringify(row)}\n` },
  TSVWithNames: { head: `${columnsOf(seedLog({ share: 0.001, hours: 1 })).join('\t')}\n`, line: tsvLine },
}

function columnsOf(rows: Iterable<Row>): readonly string[] {
  const [first] = rows
  return Object.keys(first!)
}

function tsvLine(row: Row): string {
  return `${Object.values(row).map(tsvValue).join('\t')}\n`
}

function tsvValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(',')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `'${key}':${one}`)
    .join(',')}}`
}

/** The talk's log with half a million executions, as a process of its own, from start to exit. */
async function printCost(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  try {
    for (const form of Object.keys(FORMS)) {
      const path = join(folder, form)
      const { rows, metrics } = await writeLog(path, FORMS[form]!)
      const figures: string[] = []
      for (let run = 0; run < RUNS; run += 1) figures.push(await costOf(path))
      const of = `${rows.toLocaleString('en')} executions with ${metrics} metrics in 6 groups`
      console.log(`\n${of}, ${form}, the whole process: ${figures.join('; ')}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function costOf(path: string): Promise<string> {
  const start = performance.now()
  const side = ['--side', `tables=${OLD_TABLE},${NEW_TABLE}`, '--group', 'log_comment.time_window_in_mins']
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', PEAK_HOOK, LAUNCHER, 'classify', path, '--format', 'query-log', ...side],
    { maxBuffer: 64 * 1024 * 1024 },
  )
  const [, peak, cpu] = /peak (\d+) cpu (\d+)/.exec(stderr)!
  const seconds = (performance.now() - start) / 1000
  return `${seconds.toFixed(1)} s, ${(Number(cpu) / 1e6).toFixed(1)} s of CPU, ${Math.round(Number(peak) / 1024)} MB`
}

async function writeLog(
  path: string,
  { head, line }: (typeof FORMS)[string],
): Promise<{ readonly rows: number; readonly metrics: number }> {
  const file = createWriteStream(path)
  let rows = 0
  let metrics = 0
  let text = head
  for (const row of seedLog({ share: HALF_A_MILLION, hours: 24 })) {
    text += line(row)
    rows += 1
    metrics = Object.keys(row['ProfileEvents'] as object).length + 4
    if (text.length < 1_000_000) continue
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', () => resolve()))
    text = ''
  }
  await new Promise<void>((resolve) => file.end(text, () => resolve()))
  return { rows, metrics }
}

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values
if (only !== 'cost') printSimulation()
if (only !== 'simulation') await printCost()
