import { parseArgs } from 'node:util'
import { type Measured, nextStep, type PlanSettings } from '../src/cli/measure/plan.ts'
import { benchmarksIn, seriesOf, type TurnOutputs } from '../src/cli/measure/turn-values.ts'
import { BUILDS, type Build } from '../src/intake/measurement/formats/measure-file.ts'
import type { Measurement } from '../src/intake/measurement/run.ts'
import { classify } from '../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../src/judge/verdict/thresholds.ts'
import { percent } from '../src/text/numbers.ts'
import { measuredHistory, type RecordedRun } from './calibration/recorded-runs.ts'

/**
 * What stopping by precision saves, and whether it says the same: 204 recorded benchmarks, each measured in 15 turns, or by the plan of
 * `perf-triage measure`, whose tool can leave out what is exact.
 *
 *     node bench/measure-minutes.ts [--show 0.05] [--startup 500]
 *
 * The measured history has 68 queries of three builds, each against itself in 7 points of 7 turns that follow each other. One in ten is
 * slowed or sped up here. A replay
 * begins at one of the first three points, each with another tenth.
 */

/** What a changed benchmark takes, in that of its base. */
const CHANGES = [1.1, 1.15, 1.2, 1.3, 0.8]
const ONE_IN = 10

/** A benchmark of one of the three builds: seconds of each turn. */
interface Benchmark {
  readonly name: string
  readonly base: readonly number[]
  readonly head: readonly number[]
}

/** By benchmark; as long as its build was measured. */
type Suite = readonly Benchmark[]

function suiteOf(points: readonly RecordedRun[], firstPoint: number, tenth: number): Suite {
  const builds: RecordedRun[][] = [[]]
  for (const point of points) {
    if (point.isSameBuild) builds.at(-1)!.push(point)
    else builds.push([])
  }
  return builds
    .flatMap((ofBuild, build) => {
      const taken = ofBuild.slice(firstPoint)
      return taken[0]!.measurements.map(({ queryName }) => {
        const all = taken.map(({ measurements }) => measurements.find((one) => one.queryName === queryName)!)
        const side = (of: 'old' | 'new') => all.flatMap((one) => one[of])
        return { name: `${queryName} of build ${build}`, base: side('old'), head: side('new') }
      })
    })
    .map((one, at) => {
      const change = at % ONE_IN === tenth ? CHANGES[Math.floor(at / ONE_IN) % CHANGES.length]! : 1
      return { ...one, head: one.head.map((value) => value * change) }
    })
}

const ALL_AT = 15
const FEWEST_COPIES = 5
/** Points of 7 turns that have 35 and more from there on. */
const FIRST_POINTS = 3

interface Told {
  /** By benchmark: slower, faster, or no change. */
  readonly verdicts: readonly string[]
  readonly milliseconds: number
}

function measurementOf(queryName: string, [old, fresh]: readonly (readonly number[])[]): Measurement {
  const about = { test: 'suite', queryIndex: null, queryName, metric: 'client_time', unit: 's', architecture: null }
  return { ...about, old: old ?? [], new: fresh ?? [], reportThreshold: null, rounded: false, problems: [] }
}

/** A turn in which these builds ran these benchmarks. No copy was recorded: the base stands for it, which no outcome depends on. */
function outputsOf(
  suite: Suite,
  turn: number,
  builds: readonly Build[],
  only: ReadonlySet<string> | null,
): TurnOutputs {
  const measured = suite.filter(({ name }) => only === null || only.has(name))
  const valueOf = (one: Benchmark, build: Build) => (build === 'head' ? one.head : one.base)[turn]!
  return new Map(
    builds.map((build) => [build, measured.map((one) => measurementOf(one.name, [[], [valueOf(one, build)]]))]),
  )
}

/** Milliseconds: each build is a process. */
function costOf(outputs: TurnOutputs, startup: number): number {
  const all = [...outputs.values()].map((of) => startup + 1000 * of.reduce((sum, one) => sum + one.new[0]!, 0))
  return all.reduce((sum, cost) => sum + cost, 0)
}

function verdictsOf(suite: Suite, turns: readonly TurnOutputs[]): readonly string[] {
  const measurements = seriesOf(turns).map(({ queryName, values: { base, head } }) =>
    measurementOf(queryName!, [[...base.values()], [...head.values()]]),
  )
  const changed = classify(measurements, DEFAULT_THRESHOLDS).filter(({ outcome }) => outcome === 'changed')
  const byName = new Map(changed.map(({ queryName, direction }) => [queryName, String(direction)]))
  return suite.map(({ name }) => byName.get(name) ?? 'no change')
}

/** Every benchmark in every one of so many turns, from this one on. */
function allAt(suite: Suite, { copies }: Pick<PlanSettings, 'copies'>, startup: number, first = 0): Told {
  const done = Array.from({ length: ALL_AT }, (_, turn) => {
    const hasCopy = copies && (turn < FEWEST_COPIES || turn % 2 === 1)
    return outputsOf(suite, first + turn, hasCopy ? BUILDS : ['base', 'head'], null)
  })
  const milliseconds = done.reduce((sum, outputs) => sum + costOf(outputs, startup), 0)
  return { verdicts: verdictsOf(suite, done), milliseconds }
}

/** By the plan, with the same turns at most. */
function byPrecision(suite: Suite, settings: PlanSettings, startup: number): Told {
  const done: TurnOutputs[] = []
  const durations: number[] = []
  for (;;) {
    const elapsed = durations.reduce((sum, one) => sum + one, 0)
    const measured: Measured = {
      elapsed,
      durations,
      turns: done.length,
      turnsWithCopy: done.filter((outputs) => outputs.has('copy')).length,
      failuresInARow: 0,
      benchmarks: benchmarksIn(seriesOf(done)),
      isInterrupted: false,
    }
    const step = nextStep(measured, settings)
    if (step.kind === 'end' || done.length >= ALL_AT)
      return { verdicts: verdictsOf(suite, done), milliseconds: elapsed }
    const outputs = outputsOf(suite, done.length, step.order, step.only === null ? null : new Set(step.only))
    done.push(outputs)
    durations.push(costOf(outputs, startup))
  }
}

function equalIn(pairs: readonly (readonly [Told, Told])[]): string {
  const all = pairs.flatMap(([one, other]) => one.verdicts.map((verdict, at) => verdict === other.verdicts[at]))
  return `${percent(all.filter((isEqual) => isEqual).length / all.length)} of ${all.length}`
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { show: { type: 'string', default: '0.05' }, startup: { type: 'string', default: '500' } },
  })
  const [points, startup] = [await measuredHistory(), Number(values.startup)]
  const suites = Array.from({ length: ONE_IN }, (_, tenth) => suiteOf(points, tenth % FIRST_POINTS, tenth))
  const full = suites.map((suite) => allAt(suite, { copies: false }, startup))
  const again = suites.map((suite) => allAt(suite, { copies: false }, startup, ALL_AT))
  console.log(
    `15 turns of all, and 15 later ones: ${equalIn(full.map((one, at) => [one, again[at]!]))} verdicts are equal`,
  )
  for (const copies of [true, false]) {
    const pairs = suites.map((suite) => {
      const all = allAt(suite, { copies }, startup)
      const show = Number(values.show)
      const settings = { budget: all.milliseconds, show, copies, areEqual: false, seed: 1, canFilter: true }
      return [all, byPrecision(suite, settings, startup)] as const
    })
    const time = (of: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[of].milliseconds, 0)
    const words = `15 turns of all, and by precision ${copies ? 'with' : 'without'} a copy of the base`
    console.log(`${words}: ${equalIn(pairs)} verdicts are equal; ${percent(1 - time(1) / time(0))} less time`)
  }
}
