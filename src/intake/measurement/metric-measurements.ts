import type { Limits } from './limits.ts'
import { unitOf } from './metric-group.ts'
import type { MemberMetrics, MetricTable, QueryMetrics } from './metric-table.ts'
import type { Measurement, Side } from './run.ts'
import type { Warnings } from './warnings.ts'

/** A query as the raw files have it, and where each of its repetitions stands among the samples of a side. */
export interface RawQuery {
  readonly measurement: Measurement
  readonly placeOf: (side: Side, id: number | string) => number | null
}

/** The measurements of the source that the files of metrics come beside. */
export interface KnownMeasurements {
  /** The metric that decides, which is kept where it is 0. */
  readonly primaryMetric: string
  /** Whether something else has measured that metric of the query. */
  readonly has: (raw: Measurement, metric: string) => boolean
  readonly measurements: readonly Measurement[]
}

/**
 * A measurement of each metric of each query that the raw files have, in the repetitions that they have and in their order.
 * One file is used, and of several the one that is whole, before that the one with a line for each value.
 *
 * A metric that is 0 in all repetitions of both sides is left out: a query has all events that any query of the run has. The
 * one that decides stays, since 0 is then what was measured. Of a file that was cut a metric is used where it has a value of
 * every repetition.
 */
export function metricMeasurements(
  files: readonly MemberMetrics[],
  raw: readonly RawQuery[],
  known: KnownMeasurements,
  limits: Pick<Limits, 'measurements' | 'samples'>,
  warnings: Warnings,
): Measurement[] {
  const file = files.toSorted((a, b) => rankOf(a) - rankOf(b))[0]
  if (file === undefined) return []
  const queries = raw.flatMap((query) => {
    const metrics = metricsOfQuery(file.table, query.measurement)
    return metrics === null ? [] : [new MeasuredQuery(file, metrics, query)]
  })
  const found = withinLimits(queries, file, known, limits, warnings)
  const leftOut = {
    queries: file.table.size - queries.length,
    repetitions: queries.reduce((sum, { unknownRepetitions }) => sum + unknownRepetitions, 0),
    incomplete: queries.reduce((sum, { incomplete }) => sum + incomplete, 0),
  }
  warnOfLeftOut(leftOut, file.where, warnings)
  return found
}

/** The measurements of the queries up to the most that can be kept. */
function withinLimits(
  queries: readonly MeasuredQuery[],
  { where }: MemberMetrics,
  known: KnownMeasurements,
  limits: Pick<Limits, 'measurements' | 'samples'>,
  warnings: Warnings,
): Measurement[] {
  const found: Measurement[] = []
  let samples = known.measurements.reduce((sum, one) => sum + one.old.length + one.new.length, 0)
  for (const query of queries) {
    for (const measurement of query.measurements(known)) {
      samples += measurement.old.length + measurement.new.length
      if (known.measurements.length + found.length >= limits.measurements || samples > limits.samples) {
        const message = 'more metrics than can be kept; the rest, in order of test and position, are left out'
        warnings.add('limit-reached', where, null, message)
        return found
      }
      found.push(measurement)
    }
  }
  return found
}

/** The whole file before one that was cut, and of two such the one with a line for each value. */
function rankOf({ file, isWhole }: MemberMetrics): number {
  return (isWhole ? 0 : 2) + (file === 'values' ? 0 : 1)
}

function metricsOfQuery(table: MetricTable, { test, queryIndex }: Measurement): QueryMetrics | null {
  return queryIndex === null ? null : table.at(test, queryIndex)
}

/** The metrics of one query, brought together with its raw measurement. */
class MeasuredQuery {
  readonly #file: MemberMetrics
  readonly #metrics: QueryMetrics
  readonly #raw: Measurement
  /** The columns of a side in the order of the samples. */
  readonly #old: readonly number[]
  readonly #new: readonly number[]
  readonly unknownRepetitions: number
  /** Metrics of a file that was cut that are not there in every repetition, of those that were asked for so far. */
  incomplete = 0

  constructor(file: MemberMetrics, metrics: QueryMetrics, { measurement, placeOf }: RawQuery) {
    this.#file = file
    this.#metrics = metrics
    this.#raw = measurement
    const columnsOf = (wanted: Side) =>
      metrics.repetitions
        .flatMap(({ side, id }, column) => {
          const place = side === wanted ? placeOf(side, id) : null
          return place === null ? [] : [{ column, place }]
        })
        .toSorted((a, b) => a.place - b.place)
        .map(({ column }) => column)
    this.#old = columnsOf('old')
    this.#new = columnsOf('new')
    this.unknownRepetitions = metrics.repetitions.length - this.#old.length - this.#new.length
  }

  /** The metrics of both sides by their names. */
  *measurements(known: KnownMeasurements): Generator<Measurement> {
    const { names } = this.#file.table
    const sorted = [...this.#metrics.metrics()].sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
    for (const number of sorted) {
      const metric = names[number]!
      const old = this.#metrics.values(number, this.#old)
      const fresh = this.#metrics.values(number, this.#new)
      if (!this.#isUsable(old, fresh) || known.has(this.#raw, metric)) continue
      if (old.length + fresh.length === 0) continue
      if (metric !== known.primaryMetric && old.every(isZero) && fresh.every(isZero)) continue
      yield { ...this.#raw, metric, unit: unitOf(metric), old, new: fresh, reportThreshold: null }
    }
  }

  /** A metric of a file that was cut counts where it has a value of every repetition. */
  #isUsable(old: readonly number[], fresh: readonly number[]): boolean {
    if (this.#file.isWhole) return true
    const { old: rawOld, new: rawNew } = this.#raw
    const isComplete = old.length === rawOld.length && fresh.length === rawNew.length
    if (!isComplete) this.incomplete += 1
    return isComplete
  }
}

function isZero(value: number): boolean {
  return value === 0
}

interface LeftOut {
  readonly queries: number
  readonly repetitions: number
  readonly incomplete: number
}

function warnOfLeftOut({ queries, repetitions, incomplete }: LeftOut, where: string, warnings: Warnings): void {
  const tell = (count: number, one: string, many: string) => {
    if (count === 0) return
    const message = `${count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`}: left out`
    warnings.add('invalid-value', where, null, message)
  }
  tell(queries, 'query not in any raw file', 'queries not in any raw file')
  tell(repetitions, 'repetition not in any raw file', 'repetitions not in any raw file')
  const reason = 'lacking some repetitions in a file that was cut off'
  tell(incomplete, `metric ${reason}`, `metrics ${reason}`)
}
