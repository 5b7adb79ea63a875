import { unitOf } from './metric-group.ts'
import type { OwnFlags, OwnQuery, OwnVerdict } from './own-verdict.ts'
import { ordinals } from './query-hash.ts'
import { type Measurement, PRIMARY_METRIC, unmeasured } from './run.ts'

/** A line of a table of the report. Numbers are rounded: values to four decimals, fractions to three. */
export interface PublishedRow extends OwnQuery {
  readonly queryName: string | null
  readonly metric: string
  readonly old: number
  readonly new: number
  /** D and T, fractions of the old value. */
  readonly difference: number
  readonly threshold: number
  /** The query's own thresholds; null: the table has none. */
  readonly changedThreshold: number | null
  readonly unstableThreshold: number | null
  /** The flags as the table has them; null: they follow from the thresholds, or nobody knows. */
  readonly changed: boolean | null
  readonly unstable: boolean | null
}

/** The tables that have a line for each query, by how much they say. */
export const PUBLISHED_TABLES = ['queries.tsv', 'all-queries.tsv', 'all-query-metrics.tsv'] as const
export type PublishedTable = (typeof PUBLISHED_TABLES)[number]

/** What one file says of the report. */
export type OwnPart =
  | { readonly kind: 'rows'; readonly table: PublishedTable; readonly rows: readonly PublishedRow[] }
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

function tableOf(parts: readonly OwnPart[], table: PublishedTable): readonly (readonly PublishedRow[])[] {
  const found = parts.find((part) => part.kind === 'rows' && part.table === table)
  return found?.kind === 'rows' ? [found.rows] : []
}

export function ownKey({ test, queryIndex }: OwnQuery): string {
  return `${queryIndex} ${test}`
}

/** null: the table has neither flags nor thresholds. */
function flagsOf(all: readonly PublishedRow[], unconfirmed: ReadonlySet<string>): OwnFlags | null {
  const rows = all.filter(({ metric }) => metric === PRIMARY_METRIC)
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
    return part.kind === 'rows' ? part.rows.filter(({ metric }) => metric === PRIMARY_METRIC) : []
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
  const tables = PUBLISHED_TABLES.toReversed().flatMap((table) => tableOf(parts, table))
  const [largest = []] = tables.toSorted((a, b) => b.length - a.length)
  const ordinalOf = ordinals(new Map(largest.map((row) => [ownKey(row), row])).values())
  const units = new Map<string, string | null>()
  const measurements: Measurement[] = []
  for (const row of largest) {
    const { test, queryIndex, queryName, metric } = row
    if (row.old === 0 && row.new === 0 && metric !== primaryMetric) continue
    let unit = units.get(metric)
    if (unit === undefined) {
      unit = unitOf(metric)
      units.set(metric, unit)
    }
    const ordinal = ordinalOf(row)
    measurements.push({
      test,
      queryIndex,
      queryName,
      ...(ordinal > 0 && { ordinal }),
      metric,
      unit,
      architecture: null,
      old: [row.old],
      new: [row.new],
      reportThreshold: null,
      rounded: true,
      problems: NO_PROBLEMS,
      ...comparisonOf(row),
    })
  }
  if (wanted === undefined) return measurements
  const ofWanted = measurements.filter(({ metric }) => wanted.has(metric))
  const measured = new Set(largest.filter(({ metric }) => metric === primaryMetric).map(ownKey))
  const lost = new Map(largest.filter((row) => !measured.has(ownKey(row))).map((row) => [ownKey(row), row]))
  const of = { metric: primaryMetric, architecture: null, problems: NO_PROBLEMS }
  return [...ofWanted, ...[...lost.values()].map((row) => unmeasured(row, of))]
}

/** Of two zeros the report has no numbers, and of a zero before something else none that could be one. */
function comparisonOf({ old, new: fresh, difference, threshold }: PublishedRow): Pick<Measurement, 'comparison'> {
  if (Number.isFinite(difference) && Number.isFinite(threshold)) return { comparison: { difference, threshold } }
  return old === fresh ? { comparison: { difference: 0, threshold: 0 } } : {}
}
