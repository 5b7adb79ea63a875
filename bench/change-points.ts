import { cpus } from 'node:os'
import { median } from '../src/intake/measurement/median.ts'
import { agreedSteps } from '../src/judge/statistics/change-points/agreed-steps.ts'
import { changePoints } from '../src/judge/statistics/change-points/change-points.ts'
import { DIVISIVE_DEFAULTS, type DivisiveOptions, eDivisive } from '../src/judge/statistics/change-points/e-divisive.ts'
import { pairedEvidence } from '../src/judge/statistics/change-points/paired-evidence.ts'
import type { EvidenceRow } from '../src/judge/statistics/change-points/paired-history.ts'
import { pairedSteps } from '../src/judge/statistics/change-points/step-rule.ts'
import { randomizationTest } from '../src/judge/statistics/randomization-test.ts'
import {
  conbench,
  type MeasuredHistory,
  type MeasuredPoint,
  measured,
  mongoDb,
  type Noise,
  RELEASES,
  tigerBeetle,
  withoutReleases,
} from './change-points/histories.ts'
import { type OtavaJob, type OtavaResult, otava } from './change-points/otava.ts'
import { FOUND_WITHIN, intervals, places, plant, recall } from './change-points/plant.ts'
import { machines } from './change-points/simulated.ts'

/**
 * What the detectors find of steps planted in real noise, beside Apache Otava on the same series in the same run: the
 * figures of docs/benchmarks.md. Repeat with `node bench/change-points.ts`; it needs `bench/otava/requirements.txt`.
 */

const STEPS = [0.05, 0.1, 0.2, 0.5]
const MOST_PLACES = 40
/** Of each of many histories. */
const MOST_PLACES_OF_MANY = 3
/** Rows after that of the step that are there. */
const DELAYS = [1, 2, 3, 5, 8]
const RULES = ['step rule', 'change points', 'both, or 20%', 'paired evidence', 'all three'] as const
const SETTINGS: readonly DivisiveOptions[] = [DIVISIVE_DEFAULTS, { ...DIVISIVE_DEFAULTS, minStep: 0 }]
/** A point farther from the level than this many of its usual distances (1.4826 times the median one) is off. */
const OFF_DISTANCES = 5

const histories = measured()
const paired = histories.map(withoutReleases)
const groups: readonly { readonly name: string; readonly noise: readonly Noise[] }[] = [
  { name: 'measured', noise: paired.map(({ name, points }) => ({ name, values: points.map((p) => median(p.new)) })) },
  { name: 'TigerBeetle', noise: tigerBeetle() },
  { name: 'MongoDB', noise: mongoDb() },
  { name: 'Conbench', noise: conbench() },
]

interface Trial {
  readonly group: string
  readonly size: number
  readonly at: number
  readonly series: readonly number[]
}

const trials: Trial[] = groups.flatMap(({ name, noise }) =>
  STEPS.flatMap((size) =>
    noise.flatMap(({ values }) =>
      places(values.length, MOST_PLACES).map((at) => ({ group: name, size, at, series: plant(values, { at, size }) })),
    ),
  ),
)
const calm = groups.flatMap(({ name, noise }) => noise.map(({ values }) => ({ group: name, series: values })))
const boundaries = histories.map(({ points }) => points.map((point) => median(point.new)))
const [tiger] = tigerBeetle()
const long = Array.from({ length: 20 }, (_, i) => tiger!.values.map((value, at) => value * (at >= 100 + i ? 1.1 : 1)))

// TigerBeetle's points are paired with the one before, as a trunk run would compare them; nothing is known of T.
const tigerRows = tiger!.values.map((value, i) => {
  return { old: tiger!.values[Math.max(0, i - 1)]!, new: value, threshold: null, isClose: true }
})
const pairedGroups: readonly { readonly name: string; readonly rows: readonly (readonly EvidenceRow[])[] }[] = [
  { name: 'measured', rows: paired.map(pairedRows) },
  { name: 'TigerBeetle', rows: [tigerRows] },
  { name: 'simulated, each run its own', rows: machines('independent') },
  { name: 'simulated, autocorrelated', rows: machines('autocorrelated') },
  { name: 'simulated, regimes', rows: machines('regimes') },
]
const pairedTrials = pairedGroups.flatMap(({ name, rows }) =>
  STEPS.flatMap((size) =>
    rows.flatMap((history) =>
      places(history.length, rows.length === 1 ? MOST_PLACES : MOST_PLACES_OF_MANY).flatMap((at) =>
        [null, ...DELAYS].map((until) => {
          const planted = plantPaired(history, at, size)
          return { group: name, size, at, until, rows: until === null ? planted : planted.slice(0, at + 1 + until) }
        }),
      ),
    ),
  ),
)

// At p = 0.1 nothing is taken for a spike: the same points as Otava's, or one of the two is wrong.
const EQUAL: DivisiveOptions = { windowLength: 50, maxP: 0.1, minStep: 0 }
const sets = [trials.map(({ series }) => series), calm.map(({ series }) => series), boundaries, long]
const jobs: OtavaJob[] = SETTINGS.flatMap((settings) => sets.map((series) => ({ ...settings, series })))
const valuesOf = (rows: readonly EvidenceRow[]) => rows.map((row) => row.new)
const theirs = await otava([
  ...jobs,
  { ...EQUAL, series: sets.flat() },
  { ...DIVISIVE_DEFAULTS, series: pairedTrials.map(({ rows }) => valuesOf(rows)) },
  { ...DIVISIVE_DEFAULTS, series: pairedGroups.flatMap(({ rows }) => rows.map(valuesOf)) },
])
const [theirEqual, theirPaired, theirCalm] = theirs.results.slice(-3) as [OtavaResult, OtavaResult, OtavaResult]
const ours = jobs.map(({ series, ...settings }) => {
  for (const one of series.slice(0, 100)) changePoints(one, settings)
  const start = performance.now()
  const points = series.map((one) => changePoints(one, settings))
  return { points, seconds: (performance.now() - start) / 1000 }
})

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, apache-otava ${theirs.version}\n`)
printNoise()
for (const [i, settings] of SETTINGS.entries()) printSettings(settings, i * sets.length)
printPaired()
printEqual()
printSpeed()

function printNoise(): void {
  console.log('group        series  points  median spread  points off')
  for (const { name, noise } of groups) {
    let [points, off] = [0, 0]
    const spreads: number[] = []
    for (const { values } of noise) {
      const spread = 1.4826 * median(values.map((value) => Math.abs(value - 1)))
      spreads.push(spread)
      points += values.length
      off += values.filter((value) => Math.abs(value - 1) > OFF_DISTANCES * spread).length
    }
    console.log(
      `${name.padEnd(12)} ${cell(noise.length, 6)}  ${cell(points, 6)}  ${cell(percent(median(spreads)), 13)}  ` +
        `${off} (${percent(off / points)})`,
    )
  }
}

function printSettings(settings: DivisiveOptions, first: number): void {
  console.log(`\nwindow length ${settings.windowLength}, max p ${settings.maxP}, min step ${settings.minStep}`)
  console.log('group        step  planted  found ours/Otava   exact ours/Otava   mean error ours/Otava  interval holds')
  for (const { name } of groups) {
    for (const size of STEPS) {
      const chosen = trials.flatMap((trial, i) => (trial.group === name && trial.size === size ? [i] : []))
      const own = chosen.map((i) => ({ at: trials[i]!.at, points: ours[first]!.points[i]! }))
      const mine = recall(own.map(({ at, points }) => ({ at, points: points.map(({ index }) => index) })))
      const other = recall(chosen.map((i) => ({ at: trials[i]!.at, points: theirs.results[first]!.points[i]! })))
      const interval = intervals(own)
      console.log(
        `${name.padEnd(12)} ${cell(percent(size, 0), 4)}  ${cell(mine.planted, 7)}  ` +
          `${cell(`${percent(mine.found / mine.planted)} / ${percent(other.found / other.planted)}`, 16)}  ` +
          `${cell(`${percent(mine.exact / mine.found)} / ${percent(other.exact / other.found)}`, 17)}  ` +
          `${cell(`${mine.meanError.toFixed(2)} / ${other.meanError.toFixed(2)}`, 13)}  ` +
          cell(`${percent(interval.held / interval.found)}, ${interval.medianWidth} wide`, 16),
      )
    }
  }
  console.log('without a step: points found, and per 1,000 points')
  for (const { name } of groups) {
    let [points, mine, other] = [0, 0, 0]
    for (const [i, { group, series }] of calm.entries()) {
      if (group !== name) continue
      points += series.length
      mine += ours[first + 1]!.points[i]!.length
      other += theirs.results[first + 1]!.points[i]!.length
    }
    console.log(
      `${name.padEnd(12)} ${cell(points, 5)} points: ours ${mine} (${perThousand(mine, points)}), ` +
        `Otava ${other} (${perThousand(other, points)})`,
    )
  }
  const found = (points: readonly (readonly number[])[]) => boundaryCounts(points)
  const [own, other] = [
    found(ours[first + 2]!.points.map((points) => points.map(({ index }) => index))),
    found(theirs.results[first + 2]!.points),
  ]
  console.log(`the two releases: ours ${own}\n                  Otava ${other}`)
}

/** The releases where the paired samples of the point themselves show a change, and what else was found. */
function boundaryCounts(found: readonly (readonly number[])[]): string {
  let [changed, seen, unchanged, elsewhere] = [0, 0, 0, 0]
  for (const [query, points] of found.entries()) {
    for (const release of RELEASES) {
      const isSeen = points.some((point) => Math.abs(point - release) <= 1)
      if (isChanged(histories[query]!.points[release]!)) {
        changed += 1
        if (isSeen) seen += 1
      } else if (isSeen) unchanged += 1
    }
    elsewhere += points.filter((point) => RELEASES.every((release) => Math.abs(point - release) > 1)).length
  }
  const rest = histories.length * RELEASES.length - changed
  return `${seen} of ${changed} that the point's own samples show, ${unchanged} of the other ${rest}, ${elsewhere} elsewhere`
}

function isChanged(point: MeasuredPoint): boolean {
  const { difference, threshold } = randomizationTest(point.old, point.new)
  return Math.abs(difference) >= Math.max(threshold, 0.05)
}

/** Every rule over histories of paired runs, Otava over their new values. */
function printPaired(): void {
  console.log(`\nthe two releases by pairs, at the very row:`)
  for (const rule of RULES)
    console.log(`${rule.padEnd(16)} ${boundaryCounts(histories.map((h) => found(pairedRows(h))[rule]))}`)
  for (const { name, rows } of pairedGroups) printPairedGroup(name, rows)
}

function printPairedGroup(name: string, group: readonly (readonly EvidenceRow[])[]): void {
  console.log(`\npaired runs, ${name}: found within ${FOUND_WITHIN} positions (of these exact)`)
  console.log(`step  planted  ${[...RULES, 'Otava'].map((rule) => cell(rule, 20)).join('')}`)
  const planted = pairedTrials.flatMap((trial, i) =>
    trial.group === name ? [{ ...trial, otava: theirPaired.points[i]! }] : [],
  )
  for (const size of STEPS) {
    for (const until of [null, ...DELAYS]) {
      const chosen = planted.filter((trial) => trial.size === size && trial.until === until)
      if (chosen.length === 0) continue
      const results = chosen.map(({ at, rows, otava: points }) => ({ at, found: { ...found(rows), Otava: points } }))
      const cells = ([...RULES, 'Otava'] as const).map((rule) => {
        const {
          planted: all,
          found: seen,
          exact,
        } = recall(results.map((one) => ({ at: one.at, points: one.found[rule] })))
        return cell(`${percent(seen / all)} (${percent(exact / seen, 0)})`, 20)
      })
      const what = until === null ? percent(size, 0) : `${percent(size, 0)} +${until}`
      console.log(`${what.padEnd(9)} ${cell(chosen.length, 4)}  ${cells.join('')}`)
    }
  }
  const calmOnes = group.map((rows) => found(rows))
  const points = group.reduce((sum, rows) => sum + rows.length, 0)
  const first = pairedGroups
    .slice(
      0,
      pairedGroups.findIndex((one) => one.name === name),
    )
    .flatMap(({ rows }) => rows).length
  const others = theirCalm.points.slice(first, first + group.length).flat().length
  const counts = RULES.map((rule) => {
    const count = calmOnes.flatMap((one) => one[rule]).length
    return `${rule} ${count} (${perThousand(count, points)})`
  })
  console.log(
    `without a step, ${points} points: ${counts.join(', ')}, Otava ${others} (${perThousand(others, points)})`,
  )
}

function pairedRows({ points }: MeasuredHistory): EvidenceRow[] {
  return points.map((point) => {
    const { oldMedian, newMedian, threshold } = randomizationTest(point.old, point.new)
    return { old: oldMedian, new: newMedian, threshold, isClose: true }
  })
}

/** Positions by each rule, by the two older ones as they are believed, and by all three. */
function found(rows: readonly EvidenceRow[]): Record<(typeof RULES)[number], number[]> {
  const steps = pairedSteps(rows)
  const evidence = pairedEvidence(rows)
  const levels = rows.map((row) => row.new)
  const points = changePoints(levels)
  const together = (evidenced: typeof evidence) =>
    agreedSteps(points, steps, evidenced, levels).map(
      (one) => (one.evidenced ?? one.pairedStep ?? one.changePoint)!.index,
    )
  return {
    'step rule': steps.map(({ index }) => index),
    'change points': points.map(({ index }) => index),
    'both, or 20%': together([]),
    'paired evidence': evidence.map(({ index }) => index),
    'all three': together(evidence),
  }
}

/** Each point compares a build with the one before: the old side has the step one point later. T is relative, and stays. */
function plantPaired(rows: readonly EvidenceRow[], at: number, size: number): EvidenceRow[] {
  return rows.map((row, i) => ({
    ...row,
    old: row.old * (i > at ? 1 + size : 1),
    new: row.new * (i >= at ? 1 + size : 1),
  }))
}

function printEqual(): void {
  const series = sets.flat()
  const same = series.filter((one, i) => {
    const own = eDivisive(one, EQUAL).map(({ index }) => index)
    return own.join() === theirEqual.points[i]!.join()
  })
  console.log(`\nat p = 0.1 exactly Otava's points in ${same.length} of ${series.length} series`)
  for (const [set, name] of ['planted', 'without a step', 'the two releases', 'TigerBeetle again'].entries()) {
    let [equal, spikes, medians, more] = [0, 0, 0, 0]
    for (const [i, one] of sets[set]!.entries()) {
      const divisive = eDivisive(one).map(({ index }) => index)
      const own = ours[set]!.points[i]!.map(({ index }) => index)
      const other = theirs.results[set]!.points[i]!
      if (divisive.join() === other.join()) equal += 1
      spikes += other.filter((index) => !divisive.includes(index)).length
      medians += divisive.filter((index) => !own.includes(index)).length
      more += own.filter((index) => !other.includes(index)).length
    }
    console.log(
      `with the defaults, ${name}: the same in ${equal} of ${sets[set]!.length}; of Otava's points ${spikes} are spikes, ` +
        `the medians do not show ${medians}; ${more} here are not Otava's`,
    )
  }
}

function printSpeed(): void {
  const many = Array.from({ length: 3000 }, (_, i) => long[i % long.length]!)
  const start = performance.now()
  for (const series of many) changePoints(series)
  const seconds = (performance.now() - start) / 1000
  const own = (ours[3]!.seconds / long.length) * 1000
  const other = (theirs.results[3]!.seconds / long.length) * 1000
  console.log(
    `\n365 points: ours ${own.toFixed(2)} ms, Otava ${other.toFixed(1)} ms a series; ` +
      `3,000 series of 365 points: ours ${seconds.toFixed(2)} s`,
  )
}

function cell(value: number | string, width: number): string {
  return String(value).padStart(width)
}

function percent(fraction: number, digits = 1): string {
  return Number.isFinite(fraction) ? `${(fraction * 100).toFixed(digits)}%` : '–'
}

function perThousand(count: number, points: number): string {
  return `${((count / points) * 1000).toFixed(1)} per 1,000`
}
