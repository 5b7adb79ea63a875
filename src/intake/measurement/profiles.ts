import { profilesOfRuns, type RunStacks } from './profiles-of-runs.ts'
import type { Measurement, QueryId, QueryProfile, Side } from './run.ts'
import type { StackCounts } from './stack-counts.ts'
import { TRACE_TYPES, type TraceType } from './trace-type.ts'
import type { Warnings } from './warnings.ts'

/** The stacks of one side in one member. */
export type MemberStacks = TableStacks | QueryStacks | RunStacks

/** The stacks of all queries. */
export interface TableStacks {
  readonly kind: 'table'
  readonly side: Side
  readonly where: string
  /** The member was read to its end, and the end is there. */
  readonly isWhole: boolean
  readonly profiles: readonly TableProfile[]
}

export interface TableProfile {
  readonly test: string
  readonly queryIndex: number
  readonly traceType: TraceType
  readonly counts: StackCounts
}

/** The stacks of one query and trace type, named by the file. */
export interface QueryStacks {
  readonly kind: 'query'
  readonly side: Side
  readonly where: string
  readonly isWhole: boolean
  /** `<test>_<index>_<trace type>_<text>`, cut, with `_` for what a file name can't have. */
  readonly key: string
  /** null: it is empty. */
  readonly counts: StackCounts | null
}

interface PairSide {
  /** null: there are no stacks. */
  readonly counts: StackCounts | null
  readonly where: string
}

/** A profile while its sides are brought together. */
interface Pair {
  readonly query: QueryId
  readonly traceType: TraceType
  old: PairSide | null
  new: PairSide | null
}

/**
 * The profiles of the queries that were measured, in the order of the measurements. Tables first; files of single queries
 * for what no table has.
 *
 * A profile has one side only where the other side was looked at and has nothing. One whose other side is in a file that
 * is missing, damaged or was cut is left out: it would look as if that build had never run these functions.
 */
export function profilesOf(
  stacks: readonly MemberStacks[],
  measurements: readonly Measurement[],
  warnings: Warnings,
): QueryProfile[] {
  if (stacks.length === 0) return []
  const queries = new MeasuredQueries(measurements)
  const fromTables = pairsOfTables(stacks, queries, warnings)
  const fromFiles = pairsOfFiles(stacks, queries, warnings)
  const pairs = new Map([...fromFiles, ...fromTables])

  const profiles: QueryProfile[] = []
  for (const { query, traceType, old, new: fresh } of pairs.values()) {
    warnOfLeftOut(query, traceType, 'old', old, warnings)
    warnOfLeftOut(query, traceType, 'new', fresh, warnings)
    if (sumOf(old) + sumOf(fresh) === 0) continue
    profiles.push({ ...query, traceType, old: old?.counts?.finish() ?? [], new: fresh?.counts?.finish() ?? [] })
  }
  profiles.sort(
    (a, b) =>
      queries.placeOf(a) - queries.placeOf(b) || TRACE_TYPES.indexOf(a.traceType) - TRACE_TYPES.indexOf(b.traceType),
  )
  const ofRuns = stacks.filter((one) => one.kind === 'run')
  return [...profiles, ...profilesOfRuns(ofRuns, measurements, warnings)]
}

function sumOf(side: PairSide | null): number {
  return side?.counts?.sum ?? 0
}

function pairsOfTables(
  stacks: readonly MemberStacks[],
  queries: MeasuredQueries,
  warnings: Warnings,
): Map<string, Pair> {
  const tables = stacks.filter((one) => one.kind === 'table')
  const pairs = new Map<string, Pair>()
  for (const { side, where, profiles } of tables) {
    let unmeasured = 0
    for (const { test, queryIndex, traceType, counts } of profiles) {
      const query = queries.at(test, queryIndex)
      if (query === null) unmeasured += 1
      else pairOf(pairs, query, traceType)[side] = { counts, where }
    }
    warnOfMany(unmeasured, where, 'of queries that were not measured', warnings)
  }
  const wholeSides = new Set(tables.filter(({ isWhole }) => isWhole).map(({ side }) => side))
  if (wholeSides.size < 2) dropOneSided(pairs, tables[0]?.where ?? '', warnings)
  return pairs
}

function pairsOfFiles(
  stacks: readonly MemberStacks[],
  queries: MeasuredQueries,
  warnings: Warnings,
): Map<string, Pair> {
  const files = stacks.filter((one) => one.kind === 'query')
  const pairs = new Map<string, Pair>()
  let unmeasured = 0
  for (const { side, where, isWhole, key, counts } of files) {
    const named = queries.named(key)
    if (named === null) unmeasured += 1
    else if (isWhole) pairOf(pairs, named.query, named.traceType)[side] ??= { counts, where }
  }
  const where = files[0]?.where ?? ''
  warnOfMany(unmeasured, where, 'whose file names no measured query', warnings)
  // a side without stacks has an empty file
  dropOneSided(pairs, where, warnings)
  return pairs
}

function pairOf(pairs: Map<string, Pair>, query: QueryId, traceType: TraceType): Pair {
  const key = JSON.stringify([query.test, query.queryIndex, traceType])
  const known = pairs.get(key)
  if (known !== undefined) return known
  const pair: Pair = { query, traceType, old: null, new: null }
  pairs.set(key, pair)
  return pair
}

function dropOneSided(pairs: Map<string, Pair>, where: string, warnings: Warnings): void {
  let dropped = 0
  for (const [key, { old, new: fresh }] of pairs) {
    if (old !== null && fresh !== null) continue
    pairs.delete(key)
    dropped += 1
  }
  if (dropped === 0) return
  const what = dropped === 1 ? '1 profile has' : `${dropped.toLocaleString('en')} profiles have`
  const message = `${what} only one side, since the other side’s file is incomplete: left out`
  warnings.add('unreadable-member', where, null, message)
}

function warnOfMany(count: number, where: string, what: string, warnings: Warnings): void {
  if (count === 0) return
  const profiles = count === 1 ? '1 profile' : `${count.toLocaleString('en')} profiles`
  warnings.add('invalid-value', where, null, `${profiles} ${what}: left out`)
}

function warnOfLeftOut(
  query: QueryId,
  traceType: TraceType,
  side: Side,
  profile: PairSide | null,
  warnings: Warnings,
): void {
  const counts = profile?.counts ?? null
  if (profile === null || counts === null || counts.leftOut.stacks === 0) return
  const { leftOut, size, sum } = counts
  const share = ((100 * leftOut.count) / sum).toFixed(1)
  const stacks = `${leftOut.stacks.toLocaleString('en')} of ${(leftOut.stacks + size).toLocaleString('en')}`
  const message = `${query.test} #${query.queryIndex} ${traceType} ${side}: the lightest stacks, ${stacks} with ${share}% of the count, are left out`
  warnings.add('light-stacks', profile.where, null, message)
}

/** The queries that were measured, found as the files of profiles name them. */
class MeasuredQueries {
  readonly #byIndex = new Map<string, { readonly query: QueryId; readonly place: number }>()
  /** Queries by the beginning of a file name; null where that fits several of them. */
  readonly #byPrefix = new Map<string, { readonly query: QueryId; readonly traceType: TraceType } | null>()

  constructor(measurements: readonly Measurement[]) {
    for (const { test, queryIndex, queryName, ordinal } of measurements) {
      const key = JSON.stringify([test, queryIndex])
      if (queryIndex === null || this.#byIndex.has(key)) continue
      const query = { test, queryIndex, queryName, ...(ordinal !== undefined && { ordinal }) }
      this.#byIndex.set(key, { query, place: this.#byIndex.size })
      for (const traceType of TRACE_TYPES) {
        const prefix = inFileName(`${test}_${queryIndex}_${traceType}_`)
        this.#byPrefix.set(prefix, this.#byPrefix.has(prefix) ? null : { query, traceType })
      }
    }
  }

  at(test: string, queryIndex: number): QueryId | null {
    return this.#byIndex.get(JSON.stringify([test, queryIndex]))?.query ?? null
  }

  placeOf({ test, queryIndex }: QueryId): number {
    return this.#byIndex.get(JSON.stringify([test, queryIndex]))?.place ?? -1
  }

  /** The query that a file name stands for; null where it is none, or may be several. */
  named(key: string): { readonly query: QueryId; readonly traceType: TraceType } | null {
    const found = Array.from(key.matchAll(AFTER_TEST), ({ index, 1: rest = '' }) => {
      const end = index + rest.length
      const named = this.#byPrefix.get(key.slice(0, end))
      return named === undefined || named === null ? [] : [{ ...named, text: key.slice(end) }]
    }).flat()
    if (found.length < 2) return found[0] ?? null
    // a test whose name ends like the beginning of another's text
    const fitting = found.filter(({ query, text }) => inFileName(query.queryName ?? '').startsWith(text))
    return fitting.length === 1 ? fitting[0]! : null
  }
}

/** `_3_CPU_`: what stands between a test's name and a query's text. Found also where one begins within another. */
const AFTER_TEST = new RegExp(`(?=(_\\d{1,9}_(?:${TRACE_TYPES.join('|')})_))`, 'g')

function inFileName(text: string): string {
  return text.replaceAll(/[/\t]/g, '_')
}
