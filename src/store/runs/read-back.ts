import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { type Measurement, type QueryId, type Run, unmeasured, unmeasuredBy } from '../../intake/measurement/run.ts'
import { metricInPlaceOf } from '../../intake/measurement/units.ts'
import { isWorkMetric, metricsOfReport, WORK_METRICS } from '../../judge/verdict/evidence/different-work.ts'
import { text } from '../table.ts'
import type { StoredMeasurement } from './run-queries.ts'
import { QUERY_RESULTS, type ResultRow, RUNS, type RunRow } from './run-tables.ts'

/**
 * What of a run a report is made of: read back from the database, or of a run in memory as if it were. Who judges a run that is not stored
 * judges it as it would come back.
 */

/** A run as it is read back by the metric that decides. */
export function asReadBack(run: Run, primaryMetric: string): Run {
  const known = shortReadBack(run, primaryMetric)
  if (known !== null) return known
  const { measurements: all } = run
  const stored = all.map(asStored)
  const isAsked = new Set(metricsOfReport(primaryMetric))
  const asked = stored.filter(({ metric }) => isAsked.has(metric))
  const decides = decidingMetric(primaryMetric, asked)
  const found = [...decidedBy(asked, decides), ...unmeasuredIn(stored, decides)]
  const measurements = needsAll(found, primaryMetric, run) ? madeOf(stored, primaryMetric, found, run) : found
  const deciding = decidingMetric(primaryMetric, measurements)
  return { ...aboutOf(run), measurements, ...(deciding !== primaryMetric && { decides: deciding }) }
}

/** The same where no query has to be looked at by another metric; null: it has, as of two programs, or of a query without the one. */
export function shortReadBack(run: Run, primaryMetric: string): Run | null {
  const { measurements, labels } = run
  const keys = (of: readonly Measurement[]) => new Set(of.map(keyOfQuery))
  const decided = measurements.filter(({ metric }) => metric === primaryMetric)
  if (labels !== undefined || decided.length === 0 || keys(decided).size < keys(measurements).size) return null
  const isWanted = ({ metric }: Measurement) => metric === primaryMetric || isWorkMetric(metric)
  return { ...aboutOf(run), measurements: measurements.filter(isWanted).map(asStored) }
}

/** What a run says beside its measurements, as it comes back: fields that no column has are left out, the others have an order. */
function aboutOf(whole: Run): Omit<Run, 'measurements'> {
  const { measurements: _, profiles: __, decides: ___, ...run } = whole
  const { about, warnings, confirmations } = RUNS.columns
  const row = { run } as RunRow
  return {
    ...run,
    warnings: warnings.read.parse(warnings.of(row)),
    ...(run.confirmations !== undefined && { confirmations: confirmations.read.parse(confirmations.of(row))! }),
    ...about.read.parse(about.of(row)),
  }
}

/** As it comes back: half a surrogate pair does not. */
function asStored(measurement: Measurement): Measurement {
  const { ordinal, better, notes = [], given, comparison, ...rest } = measurement
  const isGiven = given !== undefined || comparison !== undefined
  return {
    ...rest,
    test: text(rest.test),
    queryName: text(rest.queryName),
    metric: text(rest.metric),
    unit: text(rest.unit),
    architecture: text(rest.architecture),
    ...(ordinal !== undefined && { ordinal }),
    ...(better !== undefined && better !== 'lower' && { better }),
    ...(isGiven && givenOf({ given: GIVEN.read.parse(GIVEN.of({ measurement, result: null } as ResultRow)) })),
    ...(notes.length > 0 && { notes }),
  }
}

const GIVEN = QUERY_RESULTS.columns.given

/** What a row of a measurement gives in the place of samples. */
export function givenOf({ given }: Pick<StoredMeasurement, 'given'>): Pick<Measurement, 'given' | 'comparison'> {
  if (given === null) return {}
  const { comparison, ...bySide } = given
  return {
    ...(Object.keys(bySide).length > 0 && { given: bySide }),
    ...(comparison !== undefined && { comparison }),
  }
}

type Placed = Omit<QueryId, 'ordinal'> & {
  readonly ordinal?: number | null
  readonly metric: string
  readonly architecture: string | null
}

/** Of these measurements those by the metric that decides, those in its place, and the work beside them. */
export function decidedBy<T extends Placed>(asked: readonly T[], decides: string): readonly T[] {
  const wanted = new Set([decides, ...WORK_METRICS])
  const inPlace = new Map(
    [...Map.groupBy(asked, keyOfQuery)].map(([query, ofQuery]) => [query, metricInPlaceOf(decides, ofQuery)]),
  )
  return asked.filter((row) => wanted.has(row.metric) || row.metric === inPlace.get(keyOfQuery(row)))
}

/** A measurement without samples of each query of a run that has none by a metric, in the order of the queries. */
function unmeasuredIn(all: readonly Measurement[], metric: string): readonly Measurement[] {
  return [...Map.groupBy(all, keyOfQuery).values()]
    .filter((ofQuery) => ofQuery.every((one) => one.metric !== metric))
    .map(([first, ...others]) => {
      const lists = [first!, ...others].map(({ problems }) => problems).filter(({ length }) => length > 0)
      const problems = [...new Map(lists.map((list) => [JSON.stringify(list), list])).values()].flat()
      return unmeasured(first!, { metric, architecture: first!.architecture, problems })
    })
}

/** Whether what was found by one metric is not all that a report is made of. */
export function needsAll(found: readonly Measurement[], metric: string, { labels }: Pick<Run, 'labels'>): boolean {
  return isWhole(found, metric, labels) || mayLack(found, decidingMetric(metric, found) === metric)
}

/**
 * The measurements that a report is made of, of all that there are: of two programs or machines, or of one program that has a metric of its own,
 * all of them, which its report has beside each other. `found` are those by the one metric.
 */
export function madeOf(
  all: readonly Measurement[],
  metric: string,
  found: readonly Measurement[],
  { labels }: Pick<Run, 'labels'>,
): readonly Measurement[] {
  const deciding = decidingMetric(metric, all)
  const kept = isWhole(found, metric, labels) ? all : inTheirPlace(all, deciding)
  return [...kept, ...unmeasuredBy(deciding, all)]
}

function isWhole(found: readonly Measurement[], metric: string, labels: Run['labels']): boolean {
  const decides = decidingMetric(metric, found)
  return labels !== undefined || (decides !== metric && found.filter((one) => one.metric === decides).length === 1)
}

/** Benchmarks may be judged by metrics that are not among those that were asked for; a query of ClickHouse is not, unless none has a time. */
function mayLack(found: readonly Measurement[], isAsked: boolean): boolean {
  const ofQueries = [...Map.groupBy(found, keyOfQuery).values()].map((ofQuery) => ofQuery.every(isEmpty))
  return isAsked ? ofQueries.every(Boolean) : ofQueries.some(Boolean)
}

/** Of each benchmark the metric that it is judged by, and the work beside it. */
function inTheirPlace(all: readonly Measurement[], decides: string): readonly Measurement[] {
  return [...Map.groupBy(all, keyOfQuery).values()].flatMap((ofQuery) => {
    const measured = ofQuery.filter((one) => !isEmpty(one))
    const place = metricInPlaceOf(decides, measured)
    return ofQuery.filter(({ metric }) => metric === decides || metric === place || isWorkMetric(metric))
  })
}

function isEmpty({ old, new: fresh }: Measurement): boolean {
  return old.length + fresh.length === 0
}

function keyOfQuery(row: Omit<Placed, 'metric'>): string {
  return JSON.stringify([row.test, row.queryIndex, row.queryName, row.ordinal ?? null, row.architecture])
}
