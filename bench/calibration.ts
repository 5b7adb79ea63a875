import { parseArgs } from 'node:util'
import { twoModes } from '../src/judge/statistics/modes.ts'
import type { Interval } from '../src/judge/statistics/wilson.ts'
import type { Store } from '../src/store/store.ts'
import { withStore } from './calibration/bench-store.ts'
import { type Counts, countsOf } from './calibration/counts.ts'
import type { Rate } from './calibration/intervals.ts'
import { type Planted, plantedRates, type Shifted, shiftedRates } from './calibration/planted.ts'
import { type RecordedRun, recordedRuns } from './calibration/recorded-runs.ts'
import {
  type JudgedRun,
  withoutHistory,
  withPast,
  withPastAndPullRequests,
  withResampledPast,
} from './calibration/settings.ts'
import { type Swapped, swappedRates } from './calibration/swapped.ts'
import { type Blocked, blockedOneSided, blockedTwoSided, MOST_RUNS } from './calibration/undecided.ts'
import { recordedSuites } from './one-sided/histories.ts'
import { unchangedIn } from './one-sided.ts'

/**
 * How often each outcome, evidence and verdict fires where nothing changed, and where the release did: the figures of
 * docs/calibration.md. Repeat with `node bench/calibration.ts`; `--json` prints one document.
 */

const REPETITIONS = 7
const RATIOS = [1.05, 1.1, 1.2, 1.5, 2, 3, 5]
const SHIFTS = [1.03, 1.06, 1.1, 0.97, 0.94, 0.9]

interface Setting {
  readonly name: string
  /** The 21 points of the measured history and the A/A run; the A/A run alone; the two points where the release changes. */
  readonly sameBuild: Counts
  readonly runAA: Counts
  readonly releases: Counts
}

interface Calibration {
  readonly blocked: readonly Blocked[]
  /** Sides of one query in one run whose samples fall into two modes, and all sides. */
  readonly modes: readonly { readonly name: string; readonly bimodal: number; readonly sides: number }[]
  readonly settings: readonly Setting[]
  readonly swapped: Swapped
  readonly planted: readonly Planted[]
  readonly shifted: readonly Shifted[]
}

async function calibrate(runs: readonly RecordedRun[], store: Store): Promise<Calibration> {
  const settings: readonly (readonly [string, () => JudgedRun[] | Promise<JudgedRun[]>])[] = [
    ['no history', () => withoutHistory(runs)],
    ['trunk so far', () => withPast(store, runs)],
    ['trunk and pull requests so far', () => withPastAndPullRequests(store, runs)],
    ['resampled trunk', () => withResampledPast(store, runs)],
  ]
  const found: Setting[] = []
  const oneSidedSuites = recordedSuites(new URL('../test/data/', import.meta.url))
  for (const [name, judgeAll] of settings) {
    const judged = await judgeAll()
    const same = judged.filter(({ run }) => run.isSameBuild)
    found.push({
      name,
      sameBuild: countsOf(same),
      runAA: countsOf(same.filter(({ run }) => run.name === 'run-a-a')),
      releases: countsOf(judged.filter(({ run }) => !run.isSameBuild)),
    })
  }
  return {
    modes: [
      { name: 'run-a-a', ...modesOf(runs.filter(({ name }) => name === 'run-a-a')) },
      { name: 'history-measured', ...modesOf(runs.filter(({ name }) => name !== 'run-a-a')) },
    ],
    settings: found,
    blocked: [
      blockedTwoSided(runs),
      ...oneSidedSuites.map((suite) => blockedOneSided(suite, unchangedIn(suite, MOST_RUNS))),
    ],
    swapped: swappedRates(runs, REPETITIONS),
    planted: RATIOS.map((ratio) => plantedRates(runs, ratio)),
    shifted: SHIFTS.map((factor) => shiftedRates(runs, factor)),
  }
}

function modesOf(runs: readonly RecordedRun[]) {
  const sides = runs.flatMap(({ measurements }) => measurements.flatMap((one) => [one.old, one.new]))
  return { bimodal: sides.filter((side) => twoModes(side) !== null).length, sides: sides.length }
}

const VERDICTS = ['regression', 'needs-rerun', 'already-on-trunk', 'likely-noise', 'improvement', 'none'] as const
const OUTCOMES = ['slower', 'faster', 'unstable', 'too-small', 'not-significant', 'not compared'] as const

function textOf({ modes: found, settings, blocked, swapped, planted, shifted }: Calibration): string {
  const [bare] = settings as readonly [Setting, ...Setting[]]
  const kinds = [
    ['A/A', ({ sameBuild }: Setting) => sameBuild],
    ['release changes', ({ releases }: Setting) => releases],
  ] as const
  const names = settings.map(({ name }) => name)
  return [
    '## Outcomes',
    table(
      ['', 'A/A', 'of them run-a-a', 'release changes'],
      OUTCOMES.map((name) => [
        name,
        ...[bare.sameBuild, bare.runAA, bare.releases].map((one) => part(one.outcomes[name] ?? 0, one.queries)),
      ]),
    ),
    ...kinds.flatMap(([name, of]) => [
      `## Verdicts, ${name}: ${of(bare).runs} runs, ${of(bare).queries} queries`,
      table(
        ['', ...names],
        VERDICTS.map((verdict) => [
          verdict,
          ...settings.map((one) => part(of(one).verdicts[verdict], of(one).queries)),
        ]),
      ),
      `## Evidence, ${name}: rows that have it`,
      table(
        ['', ...names],
        [...new Set(settings.flatMap((one) => Object.keys(of(one).evidence)))].map((kind) => [
          kind,
          ...settings.map((one) => String(of(one).evidence[kind] ?? 0)),
        ]),
      ),
    ]),
    '## Thresholds for a change, A/A',
    table(
      ['', ...names],
      ['floor', 'learned'].map((source) => [
        source,
        ...settings.map(({ sameBuild }) => part(sameBuild.thresholds[source] ?? 0, sameBuild.queries)),
      ]),
    ),
    '## Of the measurement itself',
    table(
      ['', 'found', 'of'],
      [
        [
          'changed rows whose samples do not overlap, A/A',
          String(bare.sameBuild.separated),
          String(bare.sameBuild.queries),
        ],
        ['runs of which everything moved, A/A', String(bare.sameBuild.shifted), String(bare.sameBuild.runs)],
        ...found.map(({ name, bimodal, sides }) => [`sides with two modes, ${name}`, String(bimodal), String(sides)]),
      ],
    ),
    '## False alarms, A/A',
    table(
      ['', 'queries', 'share', '95% (Wilson)', '95% (whole runs)', 'runs with 0, 1, 2, …'],
      [
        rateCells('`slower`, by the outcome alone', bare.sameBuild.slower),
        ...settings.map((one) => rateCells(`\`regression\`, ${one.name}`, one.sameBuild.regression)),
        ...settings.map((one) => rateCells(`open, ${one.name}`, one.sameBuild.open)),
        rateCells('`faster`, by the outcome alone', bare.sameBuild.faster),
        ...settings.map((one) => rateCells(`\`improvement\`, ${one.name}`, one.sameBuild.improvement)),
      ],
    ),
    '## Labels, A/A: reports that get them',
    table(
      ['', 'reports', 'perf: slower', 'perf: faster'],
      [
        ...settings.map(({ name, sameBuild: { runs, labelled } }) => [name, runs, labelled.slower, labelled.faster]),
        ['all ways, no history', bare.sameBuild.runs * swapped.ways, swapped.labelled.slower, swapped.labelled.faster],
      ].map((cells) => cells.map(String)),
    ),
    `## By chance, in this noise: all ${swapped.ways} ways to call the repetitions old and new`,
    table(
      ['', 'queries', 'share', '95% (whole runs)'],
      [
        rateCells('`slower`', swapped.slower),
        rateCells('`regression`, no history', swapped.regression),
        rateCells('`faster`', swapped.faster),
        rateCells('`improvement`, no history', swapped.improvement),
      ].map(([name, queries, share, , ofRuns]) => [name!, queries!, share!, ofRuns!]),
    ),
    '## Pull requests that change nothing, with `mode: gating` and `undecided: block`, after the reruns',
    table(
      ['', 'pull requests', 'run again', 'blocked by an undecided row', 'by a regression'],
      blocked.map(({ name, pullRequests, ...counts }) => [
        name,
        String(pullRequests),
        ...[counts.rerun, counts.undecided, counts.regression].map((count) => part(count, pullRequests)),
      ]),
    ),
    '## Planted, without history',
    table(
      ['ratio of the medians', 'queries', 'changed', 'regression', 'open', 'at the top'],
      planted.map(({ ratio, queries, ...shares }) => [
        String(ratio),
        String(queries),
        ...[shares.changed, shares.regression, shares.open, shares.top].map(percent),
      ]),
    ),
    '## A shifted machine, A/A, without history: all new samples times a factor',
    table(
      [
        'factor',
        'runs',
        'said',
        'queries',
        'changed',
        'regression',
        'needs-rerun',
        'improvement',
        'perf: slower',
        'perf: faster',
      ],
      shifted.map(({ labelled, ...one }) =>
        [
          one.factor,
          one.runs,
          one.said,
          one.queries,
          one.changed,
          part(one.regression, one.queries),
          one.needsRerun,
          one.improvement,
          labelled.slower,
          labelled.faster,
        ].map(String),
      ),
    ),
  ].join('\n\n')
}

function rateCells(name: string, { found, queries, wilson, ofRuns, runsByCount }: Rate): string[] {
  const runs = runsByCount.length > 20 ? '' : runsByCount.join(', ')
  return [name, `${found} of ${queries}`, percent(found / queries), interval(wilson), interval(ofRuns), runs]
}

function interval(limits: Interval | null): string {
  return limits === null ? '' : `${percent(limits.low)} to ${percent(limits.high)}`
}

function part(count: number, of: number): string {
  return count === 0 ? '0' : `${count} (${percent(count / of)})`
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(fraction > 0 && fraction < 0.0995 ? 2 : 1)}%`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
  const calibration = await withStore(async (store) => await calibrate(await recordedRuns(), store))
  console.log(values.json === true ? JSON.stringify(calibration, null, 1) : textOf(calibration))
}
