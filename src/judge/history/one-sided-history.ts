import { median } from '../../intake/measurement/median.ts'
import { type Run, resultKey } from '../../intake/measurement/run.ts'

/** The measurements of a check that has one build alone, on the trunk and in each job of a head. */
export interface OneSidedHistory {
  /** Runs of the trunk, and jobs of the head that one is judged by together. */
  readonly trunkRuns: number
  readonly jobs: number
  /** The newest job ran on another kind of machine than some of the trunk's runs, as far as both say; absent: on the same. */
  readonly isOtherMachine?: boolean
  /** The kind of machine of the newest job; absent: it does not say. */
  readonly machine?: string
  /** By `resultKey`. */
  readonly queries: ReadonlyMap<string, OneSidedSeries>
}

/** The medians of one query, a place for each run, oldest first; NaN: it was not measured there. */
export interface OneSidedSeries {
  readonly trunk: readonly number[]
  readonly jobs: readonly number[]
}

/** One run with the medians of its queries, by `resultKey`. */
export interface MeasuredOnce {
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  /** The kind of machine, such as its CPU; absent: the source does not say. */
  readonly machine?: string
  /** Milliseconds. */
  readonly time: number
  readonly medians: ReadonlyMap<string, number>
}

/** Runs of the trunk that a head is judged by. */
export const MOST_TRUNK_RUNS = 100

/** Runs of the trunk among which those of one check are looked for: ten checks of a hundred. */
export const MOST_RUNS_LOOKED_AT = 10 * MOST_TRUNK_RUNS

/** So many runs of the same check on the same kind of machine are a history of their own. */
const LEAST_ALIKE = 10

export type Place = Pick<MeasuredOnce, 'check' | 'architecture' | 'shard' | 'machine'>
type TimedPlace = Place & Pick<MeasuredOnce, 'time'>

/**
 * The runs of the trunk and the jobs of a head, oldest first, that are held against each other. Where the trunk has enough runs on the
 * machine that most of the jobs that name one ran on (of equally many the newest), a job on any other is left out; one that names none
 * stays.
 *
 * Two jobs on an EPYC and one on a Xeon, 30 runs of the trunk on each: the two, and the 30 on the EPYC.
 */
export function comparableRuns<TrunkRun extends TimedPlace, Job extends TimedPlace>(
  of: Place,
  trunk: readonly TrunkRun[],
  jobs: readonly Job[],
): { readonly trunk: readonly TrunkRun[]; readonly jobs: readonly Job[] } {
  const ordered = jobs.toSorted((a, b) => a.time - b.time)
  const named = ordered.filter(({ machine }) => machine !== undefined)
  const newestFirst = Map.groupBy(named.toReversed(), ({ machine }) => machine)
  const [machine = of.machine] = [...newestFirst].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const chosen = trunkRunsFor({ ...of, ...(machine !== undefined && { machine }) }, trunk)
  const isAlike = chosen.length > 0 && machine !== undefined && chosen.every((run) => run.machine === machine)
  const isOther = (run: Job) => run.machine !== undefined && run.machine !== machine
  return { trunk: chosen, jobs: isAlike ? ordered.filter((run) => !isOther(run)) : ordered }
}

/**
 * The runs of the trunk, oldest first, that a check is judged by: its own on the same kind of machine where there are 10, else all of
 * its own, else those of its architecture in the same way, else all.
 */
function trunkRunsFor<Run extends TimedPlace>(of: Place, runs: readonly Run[]): readonly Run[] {
  const ofArchitecture = runs.filter(({ architecture }) => architecture === of.architecture)
  const own = ofArchitecture.filter(({ check, shard }) => check === of.check && shard === of.shard)
  const alike = (candidates: readonly Run[]) =>
    of.machine === undefined ? [] : candidates.filter(({ machine }) => machine === of.machine)
  const found =
    [alike(own), own, alike(ofArchitecture), ofArchitecture].find(({ length }) => length >= LEAST_ALIKE) ?? runs
  return found.toSorted((a, b) => a.time - b.time).slice(-MOST_TRUNK_RUNS)
}

/** The series of each query that one of the jobs measured; both in the order of time. */
export function oneSidedHistory(trunk: readonly MeasuredOnce[], jobs: readonly MeasuredOnce[]): OneSidedHistory {
  const keys = new Set(jobs.flatMap(({ medians }) => [...medians.keys()]))
  const seriesOf = (runs: readonly MeasuredOnce[], key: string) =>
    runs.map(({ medians }) => medians.get(key) ?? Number.NaN)
  const machine = jobs.at(-1)?.machine
  const isOther = (run: MeasuredOnce) => run.machine !== undefined && run.machine !== machine
  return {
    trunkRuns: trunk.length,
    jobs: jobs.length,
    ...(machine !== undefined && { machine, ...(trunk.some(isOther) && { isOtherMachine: true }) }),
    queries: new Map([...keys].map((key) => [key, { trunk: seriesOf(trunk, key), jobs: seriesOf(jobs, key) }])),
  }
}

/**
 * Every query of a run that has a value by a metric has it of one build, or one number a side: the trunk's history alone can judge it. Not
 * where the source has compared them itself.
 */
export function isMeasuredAlone({ measurements }: Pick<Run, 'measurements'>, metric: string): boolean {
  const measured = measurements.filter((one) => one.metric === metric && one.new.length > 0)
  const isAlone = ({ old, new: fresh, given, comparison }: Run['measurements'][number]) =>
    old.length === 0 || given !== undefined || (old.length === 1 && fresh.length === 1 && comparison === undefined)
  return measured.length > 0 && measured.every(isAlone)
}

/** The medians of a run that is not stored. */
export function measuredInRun(run: Run, metric: string): MeasuredOnce {
  const medians = new Map<string, number>()
  for (const measurement of run.measurements) {
    if (measurement.metric !== metric || measurement.new.length === 0) continue
    // as the median of one that is stored
    if (!measurement.new.every((value) => Number.isFinite(value) && value >= 0)) continue
    const architecture = measurement.architecture ?? run.architecture
    medians.set(resultKey({ ...measurement, architecture }), median(measurement.new))
  }
  return { ...run, time: Date.parse(run.finishedAt), medians }
}
