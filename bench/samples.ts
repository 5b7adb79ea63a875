import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { recordedRuns as demoTrunk } from '../demo/trunk.ts'
import { readSides } from '../src/intake/archive/read-run.ts'
import type { TriageReport } from '../src/report/report.ts'
import { withStore } from './calibration/bench-store.ts'
import { runOf } from './calibration/head.ts'
import { measuredHistory, type RecordedRun, recordedRuns } from './calibration/recorded-runs.ts'
import { judgeInStore, saveAsTrunk } from './calibration/settings.ts'
import { type Attempts, joinedOf } from './samples/attempts.ts'
import { benchmark, forks, goOn } from './samples/made.ts'
import { type Found, foundOf, plantedOn, runsInTurns } from './samples/power.ts'
import { compared, HOURS, recorded, type Setting, START, said, withoutOrigins } from './samples/said.ts'

/**
 * What is said where nothing changed, when samples are not independent: of one process, neighbours in time. Once with what the reader
 * says of processes and order, once without, as all samples were taken before. And what is said of planted slow-downs.
 * Repeat with `npx node bench/samples.ts`; `--json` prints one document, `--seeds N` takes other hosts.
 */

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
      const found: TriageReport['rows'][] = []
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

const JMH = new URL('../test/data/aa-jmh/', import.meta.url)

/** JMH's own runs of one build, one after the other on a busy machine, as the reader takes them. */
async function jmhSetting(forksAndIterations: string): Promise<Setting> {
  const file = (attempt: number, side: string) =>
    fileURLToPath(new URL(`${forksAndIterations}-${attempt}-${side}.json`, JMH))
  const runs = await Promise.all(
    [1, 2].map(async (attempt) => await readSides([file(attempt, 'old')], [file(attempt, 'new')])),
  )
  return compared(
    `JMH itself, ${forksAndIterations.replace('x', ' × ')}`,
    runs.map(({ measurements }) => measurements),
  )
}

/** How much slower the new side is. */
const FACTORS = [1, 1.05, 1.1, 1.2]

const { values } = parseArgs({ options: { json: { type: 'boolean' }, seeds: { type: 'string', default: '16' } } })
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
  await jmhSetting('5x20'),
  await jmhSetting('3x20'),
  await demoSettings(),
]
const onQuietHost = [0.01, 0.03, 0.05].map((noise) => plantedOn(noise, seeds))

const sameBuild = (await recordedRuns()).filter((run) => run.isSameBuild).map((run) => run.measurements)
const power = (
  [
    ['7 + 7, noise 1%', runsInTurns(7, 0.01, seeds)],
    ['13 + 13, noise 1%', runsInTurns(13, 0.01, seeds)],
    ['7 + 7, noise 5%', runsInTurns(7, 0.05, seeds)],
    ['13 + 13, noise 5%', runsInTurns(13, 0.05, seeds)],
    ['7 + 7, recorded', sameBuild],
  ] as const
).flatMap(([name, runs]) => FACTORS.map((factor) => foundOf(name, runs, factor)))

/** Two runs that follow each other, of one build on one machine, each in one pair. */
const pairs = pairsOf((await measuredHistory()).filter((run) => run.isSameBuild).map((run) => run.measurements))
const attempts = FACTORS.map((factor) => joinedOf(pairs, factor))

if (values.json === true) console.log(JSON.stringify({ settings, onQuietHost, power, attempts }, null, 2))
else
  console.log(
    [settingsTable(), hostTable(), powerTable(power), unstableTable(power), attemptsTable(attempts)].join('\n\n'),
  )

function pairsOf<T>(items: readonly T[]): (readonly [T, T])[] {
  return Array.from({ length: Math.floor(items.length / 2) }, (_, at) => [items[2 * at]!, items[2 * at + 1]!] as const)
}

function settingsTable(): string {
  const rows = settings.flatMap(({ name, ...both }) =>
    (['before', 'now'] as const).map((when) => {
      const { rows: of, runs, accusing, ...found } = both[when]
      const counts = [found.changed, found.regression, found.needsRerun, found.improvement]
      return [name, of, when, ...counts.map((part) => share(part, of)), `${accusing} of ${runs}`]
    }),
  )
  const head = ['A/A', 'rows', '', 'changed', 'regression', 'needs-rerun', 'improvement', 'runs that accuse']
  return table(head, rows)
}

function hostTable(): string {
  return table(
    ['noise', 'planted +10% on a quiet host', 'open', 'with `host-spell`'],
    onQuietHost.map(({ noise, planted, open, doubted }) => [
      `${noise * 100}%`,
      planted,
      share(open, planted),
      share(doubted, planted),
    ]),
  )
}

function powerTable(found: readonly Found[]): string {
  const head = ['', 'planted', 'queries', 'slower', 'regression', 'open', 'unstable', 'p ≤ 0.05', 'p ≤ 0.01']
  return table(
    head,
    found.map((one) => [
      one.name,
      plantedText(one.factor),
      one.queries,
      ...[one.changed, one.regression, one.open, one.unstable, one.rankAt5, one.rankAt1].map((part) =>
        percent(part, one.queries),
      ),
    ]),
  )
}

function unstableTable(found: readonly Found[]): string {
  return table(
    ['', 'planted', 'unstable before', 'now', 'of them within 10%', 'left', 'open before', 'open now'],
    found
      .filter(({ unstableBefore }) => unstableBefore > 0)
      .map((one) => [
        one.name,
        plantedText(one.factor),
        ...[one.unstableBefore, one.unstable, one.within, one.unstable - one.within, one.changed, one.open].map(
          (part) => percent(part, one.queries),
        ),
      ]),
  )
}

function attemptsTable(found: readonly Attempts[]): string {
  return table(
    [
      'two attempts of',
      'planted',
      'first: unstable',
      'slower',
      'faster',
      'second: unstable',
      'slower',
      'faster',
      'together: unstable',
      'slower',
      'faster',
    ],
    found.map(({ factor, pairs: count, queries, first, second, together }) => [
      `${queries} queries, ${count} pairs`,
      plantedText(factor),
      ...[first, second, together].flatMap(({ unstable, slower, faster }) => [unstable, slower, faster]),
    ]),
  )
}

function plantedText(factor: number): string {
  return factor === 1 ? 'none' : `+${Math.round(100 * (factor - 1))}%`
}

function percent(part: number, of: number): string {
  return `${((100 * part) / of).toFixed(1)}%`
}

function share(part: number, of: number): string {
  return `${part} (${((100 * part) / of).toFixed(2)}%)`
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
