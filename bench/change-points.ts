import { cpus } from 'node:os'
import { agreedSteps } from '../src/statistics/change-points/agreed-steps.ts'
import { changePoints } from '../src/statistics/change-points/change-points.ts'
import { DIVISIVE_DEFAULTS, type DivisiveOptions, eDivisive } from '../src/statistics/change-points/e-divisive.ts'
import { type PairedPoint, pairedSteps } from '../src/statistics/change-points/step-rule.ts'
import { median } from '../src/statistics/median.ts'
import { randomizationTest } from '../src/statistics/randomization-test.ts'
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
import { type OtavaJob, otava } from './change-points/otava.ts'
import { intervals, places, plant, recall } from './change-points/plant.ts'

/**
 * What the detectors find of steps planted in real noise, beside Apache Otava on the same series in the same run: the
 * figures of docs/change-points.md. Repeat with `node bench/change-points.ts`; it needs `bench/otava/requirements.txt`.
 */

const STEPS = [0.05, 0.1, 0.2, 0.5]
const MOST_PLACES = 40
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

// At p = 0.1 nothing is taken for a spike: the same points as Otava's, or one of the two is wrong.
const EQUAL: DivisiveOptions = { windowLength: 50, maxP: 0.1, minStep: 0 }
const sets = [trials.map(({ series }) => series), calm.map(({ series }) => series), boundaries, long]
const jobs: OtavaJob[] = SETTINGS.flatMap((settings) => sets.map((series) => ({ ...settings, series })))
const theirs = await otava([...jobs, { ...EQUAL, series: sets.flat() }])
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

/** The article's rule, and both detectors together, on histories of paired runs. */
function printPaired(): void {
  printPairedGroup('measured', paired.map(pairedRows))
  // Each point against the one before it, as a trunk run would compare them; nothing is known of T.
  const { values } = tiger!
  const rows = values.map((value, i) => ({ old: values[Math.max(0, i - 1)]!, new: value, threshold: null }))
  printPairedGroup('TigerBeetle', [rows])
  console.log(`the two releases: step rule ${boundaryCounts(histories.map((h) => bothDetectors(pairedRows(h)).rule))}`)
  console.log(`                  agreed    ${boundaryCounts(histories.map((h) => bothDetectors(pairedRows(h)).both))}`)
}

function printPairedGroup(name: string, group: readonly (readonly PairedPoint[])[]): void {
  console.log(`\npaired runs, ${name}: found; of these exact; mean error`)
  for (const size of STEPS) {
    const rule: { at: number; points: number[] }[] = []
    const both: { at: number; points: number[] }[] = []
    for (const rows of group) {
      for (const at of places(rows.length, MOST_PLACES)) {
        const found = bothDetectors(plantPaired(rows, at, size))
        rule.push({ at, points: found.rule })
        both.push({ at, points: found.both })
      }
    }
    const text = (trialsOfOne: typeof rule) => {
      const { found, planted, exact, meanError } = recall(trialsOfOne)
      return `${percent(found / planted)}, ${percent(exact / found)}, ${meanError.toFixed(2)}`
    }
    console.log(`${cell(percent(size, 0), 4)} of ${rule.length}: step rule ${text(rule)}; agreed ${text(both)}`)
  }
  let [points, rule, both] = [0, 0, 0]
  for (const rows of group) {
    const found = bothDetectors(rows)
    points += rows.length
    rule += found.rule.length
    both += found.both.length
  }
  console.log(
    `without a step, ${points} points: step rule ${rule} (${perThousand(rule, points)}), ` +
      `agreed ${both} (${perThousand(both, points)})`,
  )
}

function pairedRows({ points }: MeasuredHistory): PairedPoint[] {
  return points.map((point) => {
    const { oldMedian, newMedian, threshold } = randomizationTest(point.old, point.new)
    return { old: oldMedian, new: newMedian, threshold }
  })
}

function bothDetectors(rows: readonly PairedPoint[]) {
  const steps = pairedSteps(rows)
  const levels = rows.map((row) => row.new)
  const agreed = agreedSteps(changePoints(levels), steps, levels)
  return {
    rule: steps.map(({ index }) => index),
    both: agreed.map(({ changePoint, pairedStep }) => changePoint?.index ?? pairedStep!.index),
  }
}

/** Each point compares a build with the one before: the old side has the step one point later. T is relative, and stays. */
function plantPaired(rows: readonly PairedPoint[], at: number, size: number): PairedPoint[] {
  return rows.map((row, i) => ({
    old: row.old * (i > at ? 1 + size : 1),
    new: row.new * (i >= at ? 1 + size : 1),
    threshold: row.threshold,
  }))
}

function printEqual(): void {
  const series = sets.flat()
  const same = series.filter((one, i) => {
    const own = eDivisive(one, EQUAL).map(({ index }) => index)
    return own.join() === theirs.results.at(-1)!.points[i]!.join()
  })
  console.log(`\nat p = 0.1 exactly Otava's points in ${same.length} of ${series.length} series`)
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
  return Number.isFinite(fraction) ? `${(fraction * 100).toFixed(digits)} %` : '–'
}

function perThousand(count: number, points: number): string {
  return `${((count / points) * 1000).toFixed(1)} per 1,000`
}
