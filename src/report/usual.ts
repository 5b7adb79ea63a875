import type { HistoryRun } from '../intake/imports/history/history-lines.ts'
import { median } from '../intake/measurement/median.ts'
import { type Measurement, type QueryId, queryLabel, resultKey, type Side } from '../intake/measurement/run.ts'
import { queriesInFile, runsInFile } from '../judge/history/history-file.ts'
import type { ClassifiedHead } from './classify-head.ts'
import type { HeadFacts, LessThanUsual, Named } from './report.ts'

/** Complete runs of the trunk by whose median is told how much is usual: one that was cut short, or two, say nothing then. */
const TRUNK_RUNS = 5

/**
 * So much of the usual queries may be gone or have too few repetitions, and of the usual repetitions of a query be missing.
 *
 * Triggers: 2 of 4 queries are gone, or have 6 repetitions, usually 13. Does not: 1 of 4 is gone, or has 6; 7 repetitions, usually 13.
 */
const HALF = 0.5

/** Queries that a report names; the rest is a number. */
const NAMED = 10

/** One check of a commit of the trunk that gave results. */
export interface TrunkShard {
  readonly runId: string
  readonly head: string
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly shards: number | null
}

/** A query in some of the shards of the trunk, with the fewer of the repetitions and processes of its two sides in each; 0: not known. */
export interface TrunkQuery extends QueryId {
  /** null: that of the shard. */
  readonly architecture: string | null
  /** Places in the list of shards. */
  readonly shards: readonly number[]
  readonly repetitions: readonly number[]
  readonly processes: readonly number[]
}

/** How much one commit of the trunk measures, by the median of the last complete ones. */
export interface Usual {
  /** How many commits it is the median of: five, or as many as there are. */
  readonly trunkRuns: number
  readonly shards: number
  /** The queries that more than half of them measured, by `resultKey`. */
  readonly queries: ReadonlyMap<string, UsualQuery>
}

export interface UsualQuery extends QueryId {
  /** Of the side with fewer; null: not known. */
  readonly repetitions: number | null
  /** That measured the side with fewer; null: not known, or each repetition counts by itself. */
  readonly processes: number | null
}

/** What was measured of a query in one commit. */
interface Measured {
  readonly repetitions: number
  readonly processes: number
}

/**
 * The shards of the last complete runs of the trunk, out of those that are given newest first: each check of a commit once, and all
 * shards that their numbers name.
 *
 * Left out: a commit with `perf (1/3)` and `perf (2/3)` alone.
 */
export function lastCompleteRuns<Shard extends TrunkShard>(newestFirst: readonly Shard[]): readonly Shard[] {
  const commits = [...Map.groupBy(newestFirst, ({ head }) => head).values()].map((shards) => [
    ...new Map(shards.toReversed().map((one) => [placeKey(one), one])).values(),
  ])
  return commits.filter(isWhole).slice(0, TRUNK_RUNS).flat()
}

function isWhole(shards: readonly TrunkShard[]): boolean {
  const numbered = shards.filter(({ shard, shards: all }) => shard !== null && all !== null)
  const families = Map.groupBy(numbered, (one) =>
    JSON.stringify([one.check.replaceAll(/\d+/g, '#'), one.architecture, one.shards]),
  )
  return [...families.values()].every((family) => family.length >= family[0]!.shards!)
}

/** What is usual by the shards of `lastCompleteRuns`; null: nothing was measured on the trunk yet. */
export function usualOf(shards: readonly TrunkShard[], queries: readonly TrunkQuery[]): Usual | null {
  const ofCommits = [...Map.groupBy(shards, ({ head }) => head).values()]
  if (ofCommits.length === 0) return null
  const found = new Map<string, { readonly query: QueryId; readonly inCommits: Map<string, Measured> }>()
  for (const { shards: places, repetitions, processes, ...query } of queries) {
    for (const [index, place] of places.entries()) {
      const { head, architecture } = shards[place]!
      const key = resultKey({ ...query, architecture: query.architecture ?? architecture })
      const known = found.get(key) ?? { query, inCommits: new Map<string, Measured>() }
      const before = known.inCommits.get(head)
      known.inCommits.set(head, {
        repetitions: Math.max(before?.repetitions ?? 0, repetitions[index]!),
        processes: Math.max(before?.processes ?? 0, processes[index]!),
      })
      found.set(key, known)
    }
  }
  const usual = [...found]
    .filter(([, { inCommits }]) => inCommits.size > ofCommits.length / 2)
    .map(([key, { query, inCommits }]): [string, UsualQuery] => {
      const usually = (what: keyof Measured) => {
        const known = [...inCommits.values()].map((one) => one[what]).filter((number) => number > 0)
        return known.length === 0 ? null : median(known)
      }
      return [key, { ...query, repetitions: usually('repetitions'), processes: usually('processes') }]
    })
  return {
    trunkRuns: ofCommits.length,
    shards: median(ofCommits.map(({ length }) => length)),
    queries: new Map(usual),
  }
}

/** What is usual by the history file, of the runs that ended before a time in milliseconds; null: nothing was measured on the trunk yet. */
export function usualInFile(history: readonly HistoryRun[], metric: string, before: number): Usual | null {
  const shards = lastCompleteRuns(runsInFile(history, before))
  const queries = new Map<string, Omit<TrunkQuery, Places> & Record<Places, number[]>>()
  for (const [place, shard] of shards.entries()) {
    for (const { query, architecture, row } of queriesInFile(shard, metric)) {
      const key = resultKey({ ...query, architecture })
      const known = queries.get(key) ?? { ...query, architecture, shards: [], repetitions: [], processes: [] }
      known.shards.push(place)
      known.repetitions.push(row.repetitions)
      known.processes.push(row.processes)
      queries.set(key, known)
    }
  }
  return usualOf(shards, [...queries.values()].toSorted(compareQueries))
}

type Places = 'shards' | 'repetitions' | 'processes'

/** The order of the database, which puts what is not there last. */
function compareQueries(a: TrunkQuery, b: TrunkQuery): number {
  const compare = <T extends string | number>(one: T | null, other: T | null) =>
    one === other ? 0 : other === null || (one !== null && one < other) ? -1 : 1
  return (
    compare(a.test, b.test) ||
    compare(a.queryIndex, b.queryIndex) ||
    compare(a.queryName, b.queryName) ||
    compare(a.ordinal ?? null, b.ordinal ?? null) ||
    compare(a.architecture, b.architecture)
  )
}

const SIDES: readonly Side[] = ['old', 'new']

/** 0: the tool does not say of how many its summary is. */
function repetitionsOf({ given, ...samples }: Measurement, side: Side): number {
  const summary = given?.[side]
  return summary === undefined ? samples[side].length : (summary.repetitions ?? 0)
}

/** 0: nobody knows, or each sample counts by itself. */
function processesOf({ taken }: Measurement, side: Side): number {
  return new Set(taken?.[side]?.processes).size
}

/** A file that a pull request changes, as far as it can say that a test of it is gone. */
interface Changed {
  readonly path: string
  readonly status: string
  readonly previousPath?: string
  readonly patch?: string
}

interface CountedThere {
  readonly usual: number
  readonly now: number
  /** Absent: repetitions. */
  readonly of?: 'processes'
}

/** What the trunk's last runs tell of a head, each fact by itself; takes what `lessThanUsual` does. */
export function headFacts(...of: Parameters<typeof lessThanUsual>): HeadFacts {
  const facts: { readonly [Fact in keyof HeadFacts]-?: HeadFacts[Fact] | null } = {
    lessThanUsual: lessThanUsual(...of),
  }
  return Object.fromEntries(Object.entries<unknown>(facts).filter(([, fact]) => fact !== null))
}

/**
 * What a head measured less of than is usual on the trunk; null: nothing. `changed` null: there may be more files than are known.
 * Queries that the pull request removes together with the file of their test are named and not counted. Shards without results are
 * said elsewhere, with the queries in them. `maySkip`: what was skipped, with the queries in it, is not missed.
 */
export function lessThanUsual(
  { trunkRuns, shards: usualShards, queries }: Usual,
  { input: { runs, shards }, measured }: Pick<ClassifiedHead, 'input' | 'measured'>,
  changed: readonly Changed[] | null,
  maySkip = false,
): LessThanUsual | null {
  const here = new Map(
    [...measured].map(([key, { measurement }]) => {
      const known = SIDES.map((side) => repetitionsOf(measurement, side)).filter((repetitions) => repetitions > 0)
      const processes = Math.min(...SIDES.map((side) => processesOf(measurement, side)))
      return [key, { isThere: SIDES.some((side) => measurement[side].length > 0), known, processes }] as const
    }),
  )
  const missing = [...queries].filter(([key]) => here.get(key)?.isThere !== true).map(([, query]) => query)
  const removed = missing.filter(isRemovedBy(changed ?? []))
  const gone = missing.filter((query) => !removed.includes(query))
  const counted = queries.size - removed.length
  const both = [...queries].flatMap(([key, { repetitions, processes }]): CountedThere[] => {
    const { known = [], processes: started = 0 } = here.get(key) ?? {}
    const counted: CountedThere[] = [
      // twenty values of one process are no twenty repetitions
      ...(processes !== null && started > 0 ? [{ usual: processes, now: started, of: 'processes' as const }] : []),
      ...(repetitions === null || known.length === 0 ? [] : [{ usual: repetitions, now: Math.min(...known) }]),
    ]
    return counted.toSorted((a, b) => a.now / a.usual - b.now / b.usual).slice(0, 1)
  })
  const few = both.filter(({ usual, now }) => now < HALF * usual)
  const ofProcesses = few.filter(({ of }) => of === 'processes')
  const told = ofProcesses.length > 0 ? ofProcesses : few
  const measuredShards = new Set(runs.map(placeKey)).size
  const skipped = shards.filter(({ state }) => state === 'skipped').map(({ check }) => check)
  const isLost = shards.some(({ state }) => state !== 'measured' && state !== 'skipped')
  const isExcused = isLost || (maySkip && skipped.length > 0)
  const less = {
    ...(!isExcused &&
      measuredShards < usualShards && { shards: { measured: measuredShards, usual: usualShards, skipped } }),
    ...(!isExcused &&
      gone.length > 0 &&
      gone.length >= HALF * counted && {
        queries: { measured: counted - gone.length, usual: counted, gone: named(gone) },
      }),
    ...(!isLost && removed.length > 0 && missing.length >= HALF * queries.size && { removed: named(removed) }),
    ...(few.length > 0 &&
      few.length >= HALF * both.length && {
        repetitions: {
          measured: median(told.map(({ now }) => now)),
          usual: median(told.map(({ usual }) => usual)),
          ...(ofProcesses.length > 0 && { of: 'processes' as const }),
        },
      }),
  }
  return Object.keys(less).length === 0 ? null : { trunkRuns, ...less }
}

/**
 * Whether a pull request removes a query: it deletes or renames the file that is called like the query's test, or takes the name of the
 * query out of it.
 *
 * Removed: a query of the test `sum` with `tests/performance/sum.xml` deleted, or `-<query>SELECT sum(n)</query>` in its difference. Not:
 * with a line of `src/sum.cpp` replaced, with the query on another line now, or where GitHub gives no difference of the file.
 */
function isRemovedBy(changed: readonly Changed[]): (query: QueryId) => boolean {
  const files = changed.flatMap(({ path, previousPath = path, status, patch = '' }) =>
    [previousPath, nameOfFile(previousPath)].map((name) => ({
      name,
      isGone: status === 'removed' || status === 'renamed',
      minus: linesOf(patch, '-'),
      plus: linesOf(patch, '+'),
    })),
  )
  const byName = Map.groupBy(files, ({ name }) => name)
  return ({ test, queryName }) =>
    [test, nameOfFile(test)]
      .flatMap((name) => byName.get(name) ?? [])
      .some(({ isGone, minus, plus }) => isGone || (isNamedIn(minus, queryName) && !isNamedIn(plus, queryName)))
}

function linesOf(patch: string, sign: '-' | '+'): string {
  const lines = patch.split('\n').filter((line) => line.startsWith(sign))
  return lines.map((line) => line.slice(1)).join('\n')
}

/** As a whole word: `sum` is in `sum(n)` and not in `summary`. */
function isNamedIn(lines: string, name: string | null): boolean {
  const word = name?.trim() ?? ''
  if (word === '') return false
  for (let at = lines.indexOf(word); at >= 0; at = lines.indexOf(word, at + 1)) {
    if (!/\w/.test(lines.charAt(at - 1)) && !/\w/.test(lines.charAt(at + word.length))) return true
  }
  return false
}

/** `tests/performance/sum.xml` is `sum`. */
function nameOfFile(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const end = name.lastIndexOf('.')
  return end > 0 ? name.slice(0, end) : name
}

function named(queries: readonly QueryId[]): Named {
  return {
    names: queries.slice(0, NAMED).map((query) => queryLabel(query)),
    more: Math.max(0, queries.length - NAMED),
  }
}

function placeKey({ check, architecture, shard }: Pick<TrunkShard, 'check' | 'architecture' | 'shard'>): string {
  return JSON.stringify([check, architecture, shard])
}
