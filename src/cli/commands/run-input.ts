import { readRuns, readSides } from '../../intake/archive/read-run.ts'
import { ofOtherMachines } from '../../intake/measurement/environment.ts'
import {
  type Measurement,
  PRIMARY_METRIC,
  type RunContents,
  resultNumbers,
  unmeasuredBy,
  unreadParts,
} from '../../intake/measurement/run.ts'
import { metricInPlaceOf } from '../../intake/measurement/units.ts'
import type { ClassifiedQuery, OutcomeCounts } from '../../judge/verdict/classified-query.ts'
import { isFailure } from '../../judge/verdict/failed-in.ts'
import { DEFAULT_THRESHOLDS, type ThresholdSettings } from '../../judge/verdict/thresholds.ts'
import { environmentPhrases } from '../../report/environment-words.ts'
import { toText } from '../../text/phrase.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, InputError } from './command.ts'
import type { LiveOptions } from './live-query-log.ts'
import { onlyWhole } from './only-whole.ts'
import type { RepositoryGiven } from './option-values.ts'
import { Progress } from './progress.ts'
import { type FailOn, QUERY_LOG } from './run-options.ts'
import { plainText } from './terminal-text.ts'

/** The options of all commands that read one run, as the command line gives them. */
export interface RunOptions {
  /** Files of one side each; both or none. */
  readonly old?: readonly string[]
  readonly new?: readonly string[]
  /** One of `FORMAT_NAMES`. */
  readonly format: string
  /** The name of a metric or `all`. */
  readonly metric?: string
  /** Fractions. */
  readonly changedThreshold?: number
  readonly unstableThreshold?: number
  readonly failOn?: readonly FailOn[]
  readonly json?: boolean
}

/** Runs of the head alone are judged by the trunk's history. */
export interface AgainstOptions {
  readonly against?: string
  readonly repository?: RepositoryGiven
}

export interface QueryLogCommandOptions extends RunOptions, LiveOptions {
  /** `FIELD=OLD,NEW` */
  readonly side?: string
  readonly group?: string
}

/** Whether the options ask for a query log. Throws `InputError` where they ask for another format, and have what is for one. */
export function isQueryLog(options: QueryLogCommandOptions): boolean {
  const isLive = options.queryLog !== undefined && options.format === 'auto'
  if (options.format === QUERY_LOG || isLive) return true
  const stray = (['side', 'group', 'queryLog', 'since', 'until'] as const).find((name) => options[name] !== undefined)
  if (stray === undefined) return false
  throw new InputError(`--${stray === 'queryLog' ? QUERY_LOG : stray} is for --format ${QUERY_LOG}`)
}

export function isAgainstHistory({ against, repository }: AgainstOptions): boolean {
  if (against === undefined && repository !== undefined) throw new InputError('--repository is for --against history')
  return against !== undefined
}

/** Who names files waits for them alone, and no bot for others: 300,000 queries of 26 samples are read. */
const OWN_FILES = { samples: 12_000_000, measurements: 500_000, text: 256 * 1024 * 1024 } as const

/**
 * Reads the run that the options name, with progress on stderr. Throws `InputError` when they do not fit together and
 * `SourceError` when the run cannot be read.
 */
export async function readRunInput(
  paths: readonly string[],
  { old = [], new: fresh = [], format, metric = PRIMARY_METRIC }: RunOptions,
  io: CommandIO,
): Promise<RunContents> {
  if (old.length > 0 !== fresh.length > 0) {
    throw new InputError(
      old.length > 0
        ? '--new is missing: give the files of both sides'
        : '--old is missing: give the files of both sides; `--against history` judges --new alone',
    )
  }
  if (paths.length > 0 && old.length > 0) {
    throw new InputError('give either PATH (both sides in it) or --old and --new, not both')
  }
  if (paths.length === 0 && old.length === 0) {
    throw new InputError('no PATH: give a folder, an archive or files of a run (or --old FILE --new FILE)')
  }
  const ofStdin = [...paths, ...old, ...fresh].filter((path) => path === '-').length
  if (ofStdin > 1) throw new InputError('stdin (-) can be read only once')
  const progress = new Progress(io.stderr)
  const readOptions = {
    format,
    primaryMetric: metric,
    stdin: ofStdin === 0 ? undefined : (io.stdin ?? process.stdin),
    limits: OWN_FILES,
    onProgress: ({ members, bytes, samples }: { members: number; bytes: number; samples: number }) =>
      progress.update(() => `reading: ${members} files, ${(bytes / 1e6).toFixed(0)} MB, ${samples} samples`),
  }
  try {
    return old.length > 0 ? await readSides(old, fresh, readOptions) : await readRuns(paths, readOptions)
  } finally {
    progress.done()
  }
}

export interface MetricSelection {
  readonly measurements: readonly Measurement[]
  /** The metric that counts are over. */
  readonly counted: string
}

/**
 * The measurements of the metric that was asked for, one without samples for each query that it was not measured of. Throws
 * `InputError` that lists the metrics there are.
 */
export function selectMetric(
  { measurements, decides = PRIMARY_METRIC }: Pick<RunContents, 'measurements' | 'decides'>,
  asked: string | undefined,
): MetricSelection {
  // one program has many counters, and the point of them is to be seen together
  const metric = asked ?? (decides === PRIMARY_METRIC ? undefined : 'all')
  const metrics = [...new Set(measurements.map((measurement) => measurement.metric))].sort()
  if (metrics.length === 0) {
    return { measurements, counted: metric === undefined || metric === 'all' ? PRIMARY_METRIC : metric }
  }
  if (metric === 'all') {
    const counted = metrics.includes(decides) ? decides : metrics[0]!
    const numberOf = resultNumbers()
    const queries = Map.groupBy(measurements, numberOf)
    const isOther = (one: Measurement) => metricInPlaceOf(counted, queries.get(numberOf(one)) ?? []) !== counted
    const unmeasured = unmeasuredBy(counted, measurements).filter((one) => !isOther(one))
    return { measurements: [...measurements, ...unmeasured], counted }
  }
  const counted = metric ?? decides
  if (!metrics.includes(counted)) {
    const shown = metrics.slice(0, 20).join(', ')
    const more = metrics.length > 20 ? ` and ${metrics.length - 20} more` : ''
    const what =
      metric === undefined ? `no measurements of ${counted}, the default metric` : `unknown metric "${metric}"`
    throw new InputError(`${what}; available: ${shown}${more} (choose with --metric NAME, or all)`)
  }
  const ofMetric = measurements.filter((measurement) => measurement.metric === counted)
  return { measurements: [...ofMetric, ...unmeasuredBy(counted, measurements)], counted }
}

/** The thresholds with what the command line gives. */
export function thresholdsGiven({ changedThreshold, unstableThreshold }: RunOptions): ThresholdSettings {
  return { ...DEFAULT_THRESHOLDS, given: { changed: changedThreshold ?? null, unstable: unstableThreshold ?? null } }
}

/**
 * The exit code that `--fail-on` asks for. A condition that holds is met however much was read. That none holds is known only
 * when everything was read and something was compared: a cut archive may have lost the slower half.
 */
export function failOnCode(
  command: string,
  {
    counts,
    results,
    warnings,
    environments,
    failOn = [],
  }: Pick<RunContents, 'warnings'> & {
    readonly environments?: RunContents['environments'] | undefined
    readonly counts: OutcomeCounts
    readonly results: readonly ClassifiedQuery[]
    readonly failOn: readonly FailOn[] | undefined
  },
  io: CommandIO,
): number {
  if (failOn.length === 0) {
    onlyWhole(warnings)
    return EXIT_OK
  }
  if (ofOtherMachines(environments).length > 0) {
    const [words] = environmentPhrases(ofOtherMachines(environments))
    throw new InputError(`${plainText(toText(words!))}; so --fail-on can’t be decided`)
  }
  const conditions = conditionsThatHold(counts, results, failOn)
  if (conditions.length > 0) {
    io.stderr.write(`perf-triage ${command}: --fail-on: ${conditions.join(', ')}\n`)
    return EXIT_CONDITION
  }
  const [unread] = unreadParts(warnings)
  if (unread !== undefined) {
    const message = `not all results were read (${unread.where}: ${unread.message})`
    throw new InputError(`${message}, so --fail-on can’t be decided`)
  }
  const { faster, tooSmall, notSignificant, slower, unstable, changed = 0 } = counts
  if (slower + faster + changed + unstable + tooSmall + notSignificant === 0) {
    throw new InputError('nothing could be compared, so --fail-on can’t be decided')
  }
  return EXIT_OK
}

/** `7 slower`, as a person reads it. */
function conditionsThatHold(
  counts: OutcomeCounts,
  results: readonly ClassifiedQuery[],
  failOn: readonly FailOn[],
): readonly string[] {
  const counted: Readonly<Record<FailOn, number>> = {
    slower: counts.slower,
    unstable: counts.unstable,
    changed: counts.slower + counts.faster + (counts.changed ?? 0),
    failed: results.filter(isFailure).length,
  }
  return failOn.filter((condition) => counted[condition] > 0).map((condition) => `${counted[condition]} ${condition}`)
}
