import { unitOf } from './metric-group.ts'
import type { OwnFlags, OwnQuery, OwnVerdict } from './own-verdict.ts'
import { ordinals } from './query-hash.ts'
import { type ByMetric, type Measurement, PRIMARY_METRIC, unmeasured } from './run.ts'

export interface PublishedQuery extends OwnQuery {
  readonly queryName: string | null
}

/** Rounded: values to four decimals, fractions to three. */
interface Compared {
  readonly old: number
  readonly new: number
  /** D and T, fractions of the old value. */
  readonly difference: number
  readonly threshold: number
}

/** A line of a table of the report. */
export interface PublishedRow extends PublishedQuery, Compared {
  readonly metric: string
  /** The query's own thresholds; null: the table has none. */
  readonly changedThreshold: number | null
  readonly unstableThreshold: number | null
  /** The flags as the table has them; null: they follow from the thresholds, or nobody knows. */
  readonly changed: boolean | null
  readonly unstable: boolean | null
}

/** Rows whose numbers are in one block. */
const OF_A_BLOCK = 1024

/** The rows of a table in little memory: a shard has 180,000, of which the report itself judges one in two hundred. */
export class PublishedRows {
  readonly #queries: PublishedQuery[] = []
  readonly #metrics: string[] = []
  /** Old, new, D and T of each, in blocks: one array that grows leaves its copies behind. */
  readonly #numbers: Float64Array[] = []
  /** The rows of the metric that the report judges by. */
  readonly judged: PublishedRow[] = []

  get length(): number {
    return this.#queries.length
  }

  /** `query` is the same object for all rows of a query. */
  push(query: PublishedQuery, row: PublishedRow): void {
    if (row.metric === PRIMARY_METRIC) this.judged.push(row)
    const place = this.length % OF_A_BLOCK
    if (place === 0) this.#numbers.push(new Float64Array(4 * OF_A_BLOCK))
    const block = this.#numbers.at(-1)!
    block[4 * place] = row.old
    block[4 * place + 1] = row.new
    block[4 * place + 2] = row.difference
    block[4 * place + 3] = row.threshold
    this.#queries.push(query)
    this.#metrics.push(row.metric)
  }

  places(): ArrayIterator<number> {
    return this.#queries.keys()
  }

  /** Each query by its `ownKey`: where two texts have one, the last. */
  queries(): ReadonlyMap<string, PublishedQuery> {
    return new Map([...new Set(this.#queries)].map((query) => [ownKey(query), query]))
  }

  queryAt(place: number): PublishedQuery {
    return this.#queries[place]!
  }

  metricAt(place: number): string {
    return this.#metrics[place]!
  }

  comparedAt(place: number): Compared {
    const block = this.#numbers[Math.floor(place / OF_A_BLOCK)]!
    const at = 4 * (place % OF_A_BLOCK)
    return { old: block[at]!, new: block[at + 1]!, difference: block[at + 2]!, threshold: block[at + 3]! }
  }
}

/** The tables that have a line for each query, by how much they say. */
export const PUBLISHED_TABLES = ['queries.tsv', 'all-queries.tsv', 'all-query-metrics.tsv'] as const
export type PublishedTable = (typeof PUBLISHED_TABLES)[number]

/** What one file says of the report. */
export type OwnPart =
  | { readonly kind: 'rows'; readonly table: PublishedTable; readonly rows: PublishedRows }
  | { readonly kind: 'thresholds'; readonly rows: readonly Thresholds[] }
  /** How many queries have a threshold that history has taught. */
  | { readonly kind: 'learned'; readonly queries: number }
  | Conclusion

/** The result of the job stands before what the report says of itself: it knows the report, and what it was told besides. */
export interface Conclusion {
  readonly kind: 'conclusion'
  readonly of: 'job' | 'report'
  readonly status: OwnVerdict['status']
  readonly message: string | null
  readonly flagged?: OwnFlags | null
  readonly dashboard?: readonly OwnQuery[]
}

interface Thresholds extends OwnQuery {
  readonly changedThreshold: number | null
  readonly unstableThreshold: number | null
}

/** Flagged queries that are named. */
export const MOST_FLAGGED = 100

/** null: the source has nothing of a report that concludes. `unconfirmed`: what the rerun took back, by `ownKey`. */
export function ownVerdictOf(parts: readonly OwnPart[], unconfirmed: ReadonlySet<string>): OwnVerdict | null {
  const conclusions = parts
    .filter((part) => part.kind === 'conclusion')
    .toSorted((a, b) => Number(b.of === 'job') - Number(a.of === 'job'))
  const first = <Key extends 'status' | 'message' | 'flagged'>(key: Key): Conclusion[Key] =>
    conclusions.find((one) => one[key] != null)?.[key] ?? null
  const tables = PUBLISHED_TABLES.flatMap((table) => tableOf(parts, table))
  const flags = tables.map((rows) => flagsOf(rows, unconfirmed)).find((found) => found !== null)
  const verdict = {
    status: first('status'),
    message: first('message'),
    flagged: flags ?? first('flagged') ?? null,
    thresholds: learnedOrBare(parts),
    dashboard: conclusions.flatMap(({ dashboard = [] }) => dashboard),
  }
  return conclusions.length > 0 || verdict.flagged !== null || verdict.thresholds !== null ? verdict : null
}

function tableOf(parts: readonly OwnPart[], table: PublishedTable): readonly PublishedRows[] {
  const found = parts.find((part) => part.kind === 'rows' && part.table === table)
  return found?.kind === 'rows' ? [found.rows] : []
}

export function ownKey({ test, queryIndex }: OwnQuery): string {
  return `${queryIndex} ${test}`
}

/** null: the table has neither flags nor thresholds. */
function flagsOf({ judged: rows }: PublishedRows, unconfirmed: ReadonlySet<string>): OwnFlags | null {
  const judged = rows.flatMap((row) => {
    const flag = flagOf(row, unconfirmed)
    return flag === undefined ? [] : [{ row, flag }]
  })
  if (judged.length === 0 && rows.length > 0) return null
  const of = (wanted: 'slower' | 'faster' | 'unstable') => judged.filter(({ flag }) => flag === wanted)
  const named = (flag: 'slower' | 'faster') =>
    of(flag)
      .slice(0, MOST_FLAGGED)
      .map(({ row: { test, queryIndex } }) => ({ test, queryIndex, flag }))
  return {
    slower: of('slower').length,
    faster: of('faster').length,
    unstable: of('unstable').length,
    rows: [...named('slower'), ...named('faster')],
  }
}

/** undefined: nobody can tell. Both comparisons with the query's thresholds are strict, the one with T is not. */
function flagOf(
  row: PublishedRow,
  unconfirmed: ReadonlySet<string>,
): 'slower' | 'faster' | 'unstable' | null | undefined {
  const { difference, threshold, changedThreshold, unstableThreshold } = row
  const direction = difference > 0 ? 'slower' : 'faster'
  if (row.changed !== null) return row.changed ? direction : row.unstable === true ? 'unstable' : null
  if (changedThreshold === null || unstableThreshold === null) return undefined
  if (unconfirmed.has(ownKey(row))) return null
  const size = Math.abs(difference)
  if (size > changedThreshold && size >= threshold) return direction
  return threshold > unstableThreshold ? 'unstable' : null
}

/** Queries beside others of their test from which on it is no chance that none differs from them. */
const ENOUGH_QUERIES = 20

/**
 * Thresholds that history has taught differ from query to query; without it all queries of a test have the same ones.
 *
 * Bare: the list of what history has taught is empty, or 25 queries of 3 tests with 15% each. Nobody can tell: 25 tests of one query.
 */
function learnedOrBare(parts: readonly OwnPart[]): OwnVerdict['thresholds'] {
  const listed = parts.find((part) => part.kind === 'learned')
  if (listed !== undefined) return listed.queries > 0 ? 'learned' : 'bare'
  const rows = parts.flatMap((part): readonly Thresholds[] => {
    if (part.kind === 'thresholds') return part.rows
    return part.kind === 'rows' ? part.rows.judged : []
  })
  const known = new Map(rows.filter((row) => row.changedThreshold !== null).map((row) => [ownKey(row), row]))
  const tests = [...Map.groupBy(known.values(), ({ test }) => test).values()].filter(({ length }) => length > 1)
  const differs = tests.some(
    (ofTest) => new Set(ofTest.map((row) => `${row.changedThreshold} ${row.unstableThreshold}`)).size > 1,
  )
  if (differs) return 'learned'
  return tests.flat().length >= ENOUGH_QUERIES ? 'bare' : null
}

const NO_PROBLEMS: Measurement['problems'] = []

/**
 * The measurements of a source that has a table of the report and nothing from which it was made: medians, D and T as the report gives
 * them. A metric that is 0 on both sides is left out, but for the one that decides. `wanted`: of these metrics alone, and a query that has
 * others only is one that was not measured.
 */
export function publishedMeasurements(
  parts: readonly OwnPart[],
  primaryMetric: string,
  wanted?: ReadonlySet<string>,
): Measurement[] {
  const table = largestOf(parts)
  const isWanted = (place: number) => wanted?.has(table.metricAt(place)) ?? true
  const measurements = measuring(table, primaryMetric)(table.places().filter(isWanted))
  if (wanted === undefined) return measurements
  const lost = new Map(table.queries())
  for (const place of table.places())
    if (table.metricAt(place) === primaryMetric) lost.delete(ownKey(table.queryAt(place)))
  const of = { metric: primaryMetric, architecture: null, problems: NO_PROBLEMS }
  return [...measurements, ...[...lost.values()].map((query) => unmeasured(query, of))]
}

/** `publishedMeasurements` of all metrics. */
export function publishedByMetric(parts: readonly OwnPart[], primaryMetric: string): ByMetric {
  const table = largestOf(parts)
  const measurementsAt = measuring(table, primaryMetric)
  const metrics = [...Map.groupBy(table.places(), (place) => table.metricAt(place))]
  return new Map(metrics.map(([metric, places]) => [metric, () => measurementsAt(places)]))
}

function largestOf(parts: readonly OwnPart[]): PublishedRows {
  const tables = PUBLISHED_TABLES.toReversed().flatMap((table) => tableOf(parts, table))
  const [largest = new PublishedRows()] = tables.toSorted((a, b) => b.length - a.length)
  return largest
}

/** The measurements of the rows at some places, of those that have one. */
function measuring(table: PublishedRows, primaryMetric: string): (places: Iterable<number>) => Measurement[] {
  const ordinalOf = ordinals(table.queries().values())
  const units = new Map<string, string | null>()
  const measurementAt = (place: number): Measurement | null => {
    const compared = table.comparedAt(place)
    const metric = table.metricAt(place)
    if (compared.old === 0 && compared.new === 0 && metric !== primaryMetric) return null
    let unit = units.get(metric)
    if (unit === undefined) {
      unit = unitOf(metric)
      units.set(metric, unit)
    }
    const { test, queryIndex, queryName } = table.queryAt(place)
    const ordinal = ordinalOf({ test, queryIndex, queryName })
    return {
      test,
      queryIndex,
      queryName,
      ...(ordinal > 0 && { ordinal }),
      metric,
      unit,
      architecture: null,
      old: [compared.old],
      new: [compared.new],
      reportThreshold: null,
      rounded: true,
      problems: NO_PROBLEMS,
      ...comparisonOf(compared),
    }
  }
  return (places) => {
    const measurements: Measurement[] = []
    for (const place of places) {
      const measurement = measurementAt(place)
      if (measurement !== null) measurements.push(measurement)
    }
    return measurements
  }
}

/** Of two zeros the report has no numbers, and of a zero before something else none that could be one. */
function comparisonOf({ old, new: fresh, difference, threshold }: Compared): Pick<Measurement, 'comparison'> {
  if (Number.isFinite(difference) && Number.isFinite(threshold)) return { comparison: { difference, threshold } }
  return old === fresh ? { comparison: { difference: 0, threshold: 0 } } : {}
}
