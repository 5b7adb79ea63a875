import { z } from 'zod'
import { median } from '../../intake/measurement/median.ts'
import { type Better, type Measurement, type Run, type Side, SOURCE_NOTES } from '../../intake/measurement/run.ts'
import {
  confirmationSchema,
  measurementProblemSchema,
  readWarningSchema,
} from '../../intake/measurement/run-schemas.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { jsonText } from '../../text/json-text.ts'
import { storedBetter } from '../column-values.ts'
import {
  array,
  bool,
  type ColumnType,
  columnOf,
  dateTime,
  dateTime64,
  enum8,
  few,
  float64,
  nullable,
  readAs,
  reading,
  string,
  table,
  uint32,
  uint64,
  uuid,
} from '../table.ts'
import { aboutColumn, writeAbout } from './run-about.ts'

/** The tables of a run. What their rows are made of is in `run-rows.ts`. */

/** A value as JSON; nothing is an empty text, and comes back as null. */
function jsonOrEmpty<Value>(schema: z.ZodType<Value>) {
  const read = z.union([z.literal('').transform(() => null), jsonText(schema)])
  const write = (value: Value | undefined) => (value === undefined ? '' : JSON.stringify(value))
  return { type: 'String', write, read } satisfies ColumnType<Value | undefined, typeof read>
}

function jsonList<Value>(item: z.ZodType<Value>): ColumnType<readonly Value[], z.ZodType<Value[], string>> {
  const write = (list: readonly Value[]) => (list.length === 0 ? '[]' : JSON.stringify(list))
  return { type: 'String', write, read: jsonText(z.array(item)) }
}

const about: ColumnType<Run, typeof aboutColumn> = { type: 'String', write: writeAbout, read: aboutColumn }

export interface RunRow {
  readonly run: Run
  readonly runId: string
  readonly measurements: number
  readonly sampleCount: number
  readonly expires: Date
  readonly storedAt: Date
}

const ofRun = columnOf<RunRow>()

/** A finished check that measures. Its row is written last. */
export const RUNS = table('runs', {
  repository_id: ofRun(uint64, ({ run }) => run.repositoryId),
  head: ofRun(string, ({ run }) => run.head),
  run_id: ofRun(uuid, ({ runId }) => runId),
  pull_request_number: ofRun(uint32, ({ run }) => run.pullRequestNumber),
  check_name: ofRun(few(string), ({ run }) => run.check),
  architecture: ofRun(few(nullable(string)), ({ run }) => run.architecture),
  shard: ofRun(nullable(uint32), ({ run }) => run.shard),
  shards: ofRun(nullable(uint32), ({ run }) => run.shards),
  attempt: ofRun(uint32, ({ run }) => run.attempt),
  source: ofRun(string, ({ run }) => run.source),
  finished_at: ofRun(dateTime64, ({ run }) => run.finishedAt),
  finished_at_text: ofRun(string, ({ run }) => run.finishedAt),
  old_commit: ofRun(nullable(string), ({ run }) => run.oldCommit),
  new_commit: ofRun(nullable(string), ({ run }) => run.newCommit),
  warnings: ofRun(jsonList(readWarningSchema), ({ run }) => run.warnings),
  /** Empty where nothing was measured again. */
  confirmations: ofRun(jsonOrEmpty(z.array(confirmationSchema).readonly()), ({ run }) => run.confirmations),
  about: ofRun(about, ({ run }) => run),
  measurements: ofRun(uint32, ({ measurements }) => measurements),
  samples: ofRun(uint64, ({ sampleCount }) => sampleCount),
  expires: ofRun(dateTime, ({ expires }) => secondsOf(expires)),
  stored_at: ofRun(dateTime64, ({ storedAt }) => storedAt),
})

/** What the rows of a run have in common. */
interface OfRun {
  readonly run: Run
  readonly runId: string
  readonly finishedAt: Date
}

/** A measurement with its outcome where it was judged, or an outcome of which nothing was measured. */
export type ResultRow = OfRun & {
  /** The position in the run. */
  readonly position: number
  readonly samplesKept: boolean
} & (
    | { readonly measurement: Measurement; readonly result: ClassifiedQuery | null }
    | { readonly measurement: null; readonly result: ClassifiedQuery }
  )

const better: ColumnType<Better | null | undefined, typeof storedBetter> = {
  ...few(string),
  write: (value = 'lower') => value ?? '',
  read: storedBetter,
}

const givenOfSide = z.object({
  kind: z.enum(['mean', 'median', 'minimum', 'value']),
  value: z.number(),
  lower: z.number().nullable(),
  upper: z.number().nullable(),
  spread: z.number().nullable(),
  repetitions: z.number().nullable(),
})
const given = z.object({
  old: givenOfSide.exactOptional(),
  new: givenOfSide.exactOptional(),
  comparison: z.object({ difference: z.number(), threshold: z.number() }).exactOptional(),
})

const takenOfSide = z.object({
  processes: z.array(z.number()).readonly().exactOptional(),
  places: z.array(z.number()).readonly().exactOptional(),
})
const taken = z.object({
  old: takenOfSide.exactOptional(),
  new: takenOfSide.exactOptional(),
  clock: z.literal(true).exactOptional(),
  equalBuilds: z.object({ base: z.array(z.number()).readonly(), copy: z.array(z.number()).readonly() }).exactOptional(),
})

const queryOf = ({ measurement, result }: ResultRow) => measurement ?? result
const ofResult = columnOf<ResultRow>()

export const QUERY_RESULTS = table('query_results', {
  repository_id: ofResult(uint64, ({ run }) => run.repositoryId),
  run_id: ofResult(uuid, ({ runId }) => runId),
  pull_request_number: ofResult(uint32, ({ run }) => run.pullRequestNumber),
  head: ofResult(string, ({ run }) => run.head),
  check_name: ofResult(few(string), ({ run }) => run.check),
  finished_at: ofResult(dateTime64, ({ finishedAt }) => finishedAt),
  measurement: ofResult(uint32, ({ position }) => position),
  is_measurement: ofResult(bool, ({ measurement }) => measurement !== null),
  samples_kept: ofResult(bool, ({ samplesKept }) => samplesKept),
  test: ofResult(few(string), (row) => queryOf(row).test),
  query_index: ofResult(nullable(uint32), (row) => queryOf(row).queryIndex),
  query_name: ofResult(nullable(string), (row) => queryOf(row).queryName),
  ordinal: ofResult(nullable(uint32), (row) => queryOf(row).ordinal ?? null),
  metric: ofResult(few(string), (row) => queryOf(row).metric),
  unit: ofResult(few(nullable(string)), (row) => queryOf(row).unit),
  architecture: ofResult(few(nullable(string)), (row) => queryOf(row).architecture),
  report_threshold: ofResult(nullable(float64), ({ measurement }) => measurement?.reportThreshold ?? null),
  rounded: ofResult(bool, ({ measurement }) => measurement?.rounded ?? false),
  problems: ofResult(jsonList(measurementProblemSchema), ({ measurement }) => measurement?.problems ?? []),
  old_repetitions: ofResult(uint32, (row) => repetitionsOf(row, 'old')),
  new_repetitions: ofResult(uint32, (row) => repetitionsOf(row, 'new')),
  old_median: ofResult(nullable(float64), (row) => medianOf(row, 'old')),
  new_median: ofResult(nullable(float64), (row) => medianOf(row, 'new')),
  status: ofResult(few(nullable(string)), ({ result }) => result?.status ?? null),
  status_reason: ofResult(few(nullable(string)), ({ result }) => result?.statusReason ?? null),
  difference: ofResult(nullable(float64), ({ result }) => result?.difference ?? null),
  threshold: ofResult(nullable(float64), ({ result }) => result?.threshold ?? null),
  p_value: ofResult(nullable(float64), ({ result }) => result?.pValue ?? null),
  rank_p_value: ofResult(nullable(float64), ({ result }) => result?.rankPValue ?? null),
  q_value: ofResult(nullable(float64), ({ result }) => result?.qValue ?? null),
  smallest_p_value: ofResult(nullable(float64), ({ result }) => result?.smallestPValue ?? null),
  separated: ofResult(nullable(bool), ({ result }) => result?.separated ?? null),
  outcome: ofResult(few(nullable(string)), ({ result }) => result?.outcome ?? null),
  direction: ofResult(few(nullable(string)), ({ result }) => result?.direction ?? null),
  changed_threshold: ofResult(nullable(float64), ({ result }) => result?.changedThreshold ?? null),
  changed_threshold_source: ofResult(few(nullable(string)), ({ result }) => result?.changedThresholdSource ?? null),
  unstable_threshold: ofResult(nullable(float64), ({ result }) => result?.unstableThreshold ?? null),
  unstable_threshold_source: ofResult(few(nullable(string)), ({ result }) => result?.unstableThresholdSource ?? null),
  notes: ofResult(array(few(string)), ({ result }) => result?.notes ?? []),
  better: ofResult(better, (row) => queryOf(row).better),
  /** What the source gives in the place of samples. */
  given: ofResult(jsonOrEmpty(given), ({ measurement }) => givenIn(measurement)),
  source_notes: ofResult(
    array(readAs(few(string), z.enum(SOURCE_NOTES))),
    ({ measurement }) => measurement?.notes ?? [],
  ),
  /** Where samples come from; empty: nobody knows, or it is from before that was stored. */
  taken: ofResult(jsonOrEmpty(taken), ({ measurement }) => takenIn(measurement)),
})

/** A query as a row names it, on a machine. */
export const storedQuery = reading(QUERY_RESULTS, 'test', 'query_index', 'query_name', 'ordinal', 'architecture')

function repetitionsOf({ measurement, result }: ResultRow, side: Side): number {
  return measurement?.[side].length ?? result?.[side].repetitions ?? 0
}

/** null where there is none or not all samples are finite numbers. */
function medianOf({ measurement, result }: ResultRow, side: Side): number | null {
  const judged = result?.[side].median ?? null
  const samples = measurement?.[side] ?? []
  if (judged !== null || samples.length === 0) return judged
  return samples.every(Number.isFinite) ? median(samples) : null
}

function givenIn(measurement: Measurement | null): z.infer<typeof given> | undefined {
  const { given: bySide, comparison } = measurement ?? {}
  return comparison === undefined ? bySide : { ...bySide, comparison }
}

function takenIn(measurement: Measurement | null): z.infer<typeof taken> | undefined {
  const { taken: bySide, clock, equalBuilds } = measurement ?? {}
  if (clock === undefined && equalBuilds === undefined) return bySide
  return { ...bySide, ...(clock && { clock }), ...(equalBuilds !== undefined && { equalBuilds }) }
}

export interface SampleRow {
  readonly run: Run
  readonly runId: string
  readonly position: number
  readonly measurement: Measurement
  readonly side: Side
  readonly repetition: number
  readonly value: number
  /** Seconds since 1970. */
  readonly until: number
}

const ofSample = columnOf<SampleRow>()

export const SAMPLES = table('samples', {
  repository_id: ofSample(uint64, ({ run }) => run.repositoryId),
  run_id: ofSample(uuid, ({ runId }) => runId),
  measurement: ofSample(uint32, ({ position }) => position),
  side: ofSample(enum8('old', 'new'), ({ side }) => side),
  repetition: ofSample(uint32, ({ repetition }) => repetition),
  test: ofSample(few(string), ({ measurement }) => measurement.test),
  metric: ofSample(few(string), ({ measurement }) => measurement.metric),
  value: ofSample(float64, ({ value }) => value),
  expires: ofSample(dateTime, ({ until }) => until),
})

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
