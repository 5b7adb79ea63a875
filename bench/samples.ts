import { parseArgs } from 'node:util'
import { recordedRuns as demoTrunk } from '../demo/trunk.ts'
import type { Measurement, Taken } from '../src/measurement/run.ts'
import type { ReportRow } from '../src/report/report.ts'
import { withStore } from './calibration/bench-store.ts'
import { judgeRun, runOf } from './calibration/head.ts'
import type { RecordedRun } from './calibration/recorded-runs.ts'
import { seeded } from './calibration/seeded.ts'
import { judgeInStore, saveAsTrunk } from './calibration/settings.ts'

/**
 * What is said where nothing changed, when samples are not independent: of one process, neighbours in time. Once with what the reader
 * says of processes and order, once without, as all samples were taken before. And what is said of planted slow-downs.
 * Repeat with `npx node bench/samples.ts`; `--json` prints one document, `--seeds N` takes other hosts.
 */

type Normal = () => number

interface Said {
  readonly runs: number
  readonly rows: number
  readonly changed: number
  readonly regression: number
  readonly needsRerun: number
  readonly improvement: number
  /** Runs with a regression. */
  readonly accusing: number
}

interface Setting {
  readonly name: string
  readonly before: Said
  readonly now: Said
}

function normal(random: () => number): Normal {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function benchmark(name: string, old: readonly number[], fresh: readonly number[]): Measurement {
  return {
    test: 'suite',
    queryIndex: null,
    queryName: name,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old,
    new: fresh,
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

/** The spread of processes of one build and of the values of one process, as standard deviations of logarithms. */
const BETWEEN_PROCESSES = 0.04
const WITHIN_PROCESS = 0.02

/** Forks as JMH has them: each at a level of its own, with its iterations about it. `by`: how much slower the new side is. */
function forks(count: number, iterations: number, rows: number, seed: number, by = 1): Measurement[] {
  const draw = normal(seeded(seed))
  const side = (factor: number) =>
    Array.from({ length: count }, () => {
      const level = factor * Math.exp(BETWEEN_PROCESSES * draw())
      return Array.from({ length: iterations }, () => level * Math.exp(WITHIN_PROCESS * draw()))
    })
  return Array.from({ length: rows }, (_, row) => {
    const [old, fresh] = [side(1), side(by)]
    const taken = (values: readonly (readonly number[])[]): Taken => ({
      processes: values.flatMap((ofOne, process) => ofOne.map(() => process)),
      places: values.flat().map((_value, at) => row * count * iterations + at),
    })
    return {
      ...benchmark(`fork${row}`, old.flat(), fresh.flat()),
      taken: { old: taken(old), new: taken(fresh) },
    }
  })
}

interface Host {
  /** The share of the time in which it is slowed, by how much, and for how many samples on average. */
  readonly share: number
  readonly factor: number
  readonly length: number
}

const QUIET: Host = { share: 0, factor: 1, length: 1 }
const BENCHMARKS = 200
const REPETITIONS = 10
const NOISE = 0.01

/** 200 benchmarks of Go, ten values each, one build after the other or round by round; `slower` of them are slower by 10 %. */
function goOn(host: Host, order: 'in one piece' | 'in turns', seed: number, slower = 0, noise = NOISE): Measurement[] {
  const random = seeded(seed)
  const draw = normal(random)
  let isSlow = false
  const value = (level: number) => {
    const leave = 1 / host.length
    const enter = host.share === 0 ? 0 : (host.share / (1 - host.share)) * leave
    isSlow = isSlow ? random() > leave : random() < enter
    return level * (isSlow ? host.factor : 1) * Math.exp(noise * draw())
  }
  const levelOf = (side: number, index: number) => (side === 1 && index % 20 === 7 && index < 20 * slower ? 1.1 : 1)
  const samples = [0, 1].map(() => Array.from({ length: BENCHMARKS }, () => [] as { value: number; place: number }[]))
  const places = [0, 0]
  const take = (side: number, index: number) => {
    samples[side]![index]!.push({ value: value(levelOf(side, index)), place: places[side]! })
    places[side]! += 1
  }
  const all = Array.from({ length: BENCHMARKS }, (_, index) => index)
  if (order === 'in one piece') {
    for (const side of [0, 1]) for (const index of all) for (let i = 0; i < REPETITIONS; i++) take(side, index)
  } else {
    for (let i = 0; i < REPETITIONS; i++)
      for (const side of i % 2 === 0 ? [0, 1] : [1, 0]) for (const index of all) take(side, index)
  }
  return all.map((index) => {
    const [old, fresh] = samples.map((ofSide) => ofSide[index]!) as [(typeof samples)[0][0], (typeof samples)[0][0]]
    const taken = (ofSide: typeof old): Taken => ({
      processes: ofSide.map((_, at) => (order === 'in turns' ? at : 0)),
      places: ofSide.map(({ place }) => place),
    })
    return {
      ...benchmark(
        `B${index}`,
        old.map((one) => one.value),
        fresh.map((one) => one.value),
      ),
      taken: { old: taken(old), new: taken(fresh) },
    }
  })
}

function recorded(name: string, measurements: readonly Measurement[], point = 0): RecordedRun {
  const commit = (at: number) => at.toString(16).padStart(40, '0')
  const [oldCommit, newCommit] = [commit(point), commit(point + 1)]
  return { name, isSameBuild: true, oldCommit, newCommit, time: START + point * HOURS, measurements, warnings: [] }
}

const START = Date.UTC(2026, 10, 1)
const HOURS = 4 * 3_600_000

function said(runs: readonly (readonly ReportRow[])[]): Said {
  const rows = runs.flat()
  const count = (verdict: ReportRow['verdict']) => rows.filter((row) => row.verdict === verdict).length
  return {
    runs: runs.length,
    rows: rows.length,
    changed: rows.filter(({ outcome }) => outcome === 'changed').length,
    regression: count('regression'),
    needsRerun: count('needs-rerun'),
    improvement: count('improvement'),
    accusing: runs.filter((ofRun) => ofRun.some(({ verdict }) => verdict === 'regression')).length,
  }
}

/** As before readers said where a sample comes from. */
function withoutOrigins(measurements: readonly Measurement[]): Measurement[] {
  return measurements.map(({ taken: _taken, clock: _clock, ...rest }) => rest)
}

function rowsOf(measurements: readonly Measurement[]): readonly ReportRow[] {
  return judgeRun(runOf(recorded('made', measurements), 1, 1)).rows
}

function compared(name: string, runs: readonly (readonly Measurement[])[]): Setting {
  return {
    name,
    before: said(runs.map((run) => rowsOf(withoutOrigins(run)))),
    now: said(runs.map(rowsOf)),
  }
}

/** The run of the demo's trunk that has the step. */
const STEP = 25
const HISTORY = 20

/** Each run of the demo's trunk but the one with the step, judged by the first twenty. */
async function demoSettings(): Promise<Setting> {
  const points = Map.groupBy(demoTrunk(), ({ point }) => point)
  const runs = [...points].map(([point, ofPoint]) =>
    recorded(
      `trunk ${point}`,
      ofPoint.map(({ test, query, sides: [old, fresh] }) => ({
        ...benchmark(`query ${query}`, old, fresh),
        test,
        queryIndex: query,
        clock: true as const,
      })),
      point,
    ),
  )
  const unchanged = runs.filter((_, index) => index + 1 !== STEP)
  return await withStore(async (store) => {
    const rows = async (repositoryId: number, ofRuns: readonly RecordedRun[]) => {
      for (const run of ofRuns.slice(0, HISTORY)) await saveAsTrunk(store, runOf(run, repositoryId, 0))
      const found: (readonly ReportRow[])[] = []
      for (const run of ofRuns) {
        const later = { ...run, time: START + 41 * HOURS }
        found.push((await judgeInStore(store, runOf(later, repositoryId, 1))).rows)
      }
      return found
    }
    const plain = unchanged.map((run) => ({ ...run, measurements: withoutOrigins(run.measurements) }))
    return {
      name: `demo’s trunk, one process a side, history of ${HISTORY} runs`,
      before: said(await rows(1, plain)),
      now: said(await rows(2, unchanged)),
    }
  })
}

interface Planted {
  readonly noise: number
  readonly planted: number
  readonly open: number
  readonly doubted: number
}

/** Slow-downs of 10 % on a host that is quiet. */
function plantedOn(noise: number, seeds: number): Planted {
  const rows = Array.from({ length: seeds }, (_, seed) =>
    rowsOf(goOn(QUIET, 'in one piece', 1000 + seed, 10, noise)),
  ).flat()
  const planted = rows.filter(({ queryName }) => Number(queryName!.slice(1)) % 20 === 7)
  return {
    noise,
    planted: planted.length,
    open: planted.filter(({ verdict }) => verdict === 'regression' || verdict === 'needs-rerun').length,
    doubted: planted.filter(({ evidence }) => evidence.some(({ kind }) => kind === 'host-spell')).length,
  }
}

const { values } = parseArgs({ options: { json: { type: 'boolean' }, seeds: { type: 'string', default: '8' } } })
const seeds = Number(values.seeds)
const perSeed = <T>(make: (seed: number) => T) => Array.from({ length: seeds }, (_, seed) => make(seed + 1))
const ROWS = 100

const settings: Setting[] = [
  ...(
    [
      [3, 20],
      [5, 5],
      [5, 20],
      [10, 5],
    ] as const
  ).map(([count, iterations]) =>
    compared(
      `forks, ${count} × ${iterations}`,
      perSeed((seed) => forks(count, iterations, ROWS, seed)),
    ),
  ),
  ...(
    [
      [15, 1.25],
      [40, 1.25],
      [80, 1.25],
      [40, 1.6],
      [40, 2],
    ] as const
  ).flatMap(([length, factor]) =>
    (['in one piece', 'in turns'] as const).map((order) =>
      compared(
        `Go ${order}, spells of ${length} samples, × ${factor}`,
        perSeed((seed) => goOn({ share: 0.05, factor, length }, order, seed)),
      ),
    ),
  ),
  await demoSettings(),
]
const planted = [0.01, 0.03, 0.05].map((noise) => plantedOn(noise, seeds))

if (values.json === true) {
  console.log(JSON.stringify({ settings, planted }, null, 2))
} else {
  const share = (part: number, of: number) => `${part} (${((100 * part) / of).toFixed(2)} %)`
  console.log(
    '| A/A | rows | | changed | regression | needs-rerun | improvement | runs that accuse |\n|---|---|---|---|---|---|---|---|',
  )
  for (const { name, ...both } of settings)
    for (const [when, found] of [['before', both.before] as const, ['now', both.now] as const])
      console.log(
        `| ${name} | ${found.rows} | ${when} | ${[found.changed, found.regression, found.needsRerun, found.improvement].map((part) => share(part, found.rows)).join(' | ')} | ${found.accusing} of ${found.runs} |`,
      )
  console.log('\n| noise | planted +10 % on a quiet host | open | with `host-spell` |\n|---|---|---|---|')
  for (const one of planted)
    console.log(
      `| ${one.noise * 100} % | ${one.planted} | ${share(one.open, one.planted)} | ${share(one.doubted, one.planted)} |`,
    )
}
