import { type Measurement, type QueryId, type QueryProfile, queryKey, type Side, type StackCount } from './run.ts'
import type { StackCounts } from './stack-counts.ts'
import { TRACE_TYPES, type TraceType } from './trace-type.ts'
import type { Warnings } from './warnings.ts'

/** The stacks of a run of all benchmarks, as profilers of other tools write them. */
export interface RunStacks {
  readonly kind: 'run'
  readonly side: Side
  readonly where: string
  /** What the file is called, without its side and its ending: it may be the benchmark. */
  readonly name: string
  readonly traceType: TraceType
  readonly counts: StackCounts
}

/** The test of a benchmark of Go whose output does not name its package. */
const UNNAMED = 'go'

/** Benchmarks that a profile of all of them is shown for, where it does not say which stack is of which. */
const MOST_SHARING = 20

/**
 * The profiles of benchmarks out of those of a whole run. Go's test binary runs each benchmark in a function of its name: a stack is
 * of the benchmark that it runs through, and sub-benchmarks share those of theirs. A file that is called as a benchmark is its own;
 * any other one is of all benchmarks, where those are few. A profile of one side alone shows no difference and is left out.
 */
export function profilesOfRuns(
  stacks: readonly RunStacks[],
  measurements: readonly Measurement[],
  warnings: Warnings,
): QueryProfile[] {
  if (stacks.length === 0) return []
  const queries = [...new Map(measurements.map((one) => [queryKey(one), queryOf(one)])).values()]
  const isNamed = (query: QueryId, { name }: RunStacks) => name === query.queryName || name === query.test
  const own = new Set(stacks.filter((one) => queries.some((query) => isNamed(query, one))))
  const shared = stacks.filter((one) => !own.has(one))
  const profiles: QueryProfile[] = []
  let notShared = 0
  for (const traceType of TRACE_TYPES) {
    const ofAll = split(shared, traceType)
    for (const query of queries) {
      const named = split(
        [...own].filter((one) => isNamed(query, one)),
        traceType,
      )
      const found = isOfBothSides(named) ? named : ofAll
      const isOfBenchmark = found.hasBenchmarks
      if (!isOfBenchmark && found === ofAll && queries.length > MOST_SHARING) {
        if (isOfBothSides(found)) notShared += 1
        continue
      }
      const sideOf = (side: Side) =>
        isOfBenchmark && found === ofAll ? ofBenchmark(found, side, query) : found[side].all
      const profile = { ...query, traceType, old: sideOf('old'), new: sideOf('new') }
      if (profile.old.length > 0 && profile.new.length > 0) profiles.push(profile)
    }
  }
  if (notShared > 0) {
    const message = `a profile of ${notShared.toLocaleString('en')} benchmarks together doesn’t say which one a stack belongs to: left out`
    warnings.add('invalid-value', shared[0]!.where, null, message)
  }
  return profiles
}

function queryOf({ test, queryIndex, queryName, ordinal }: Measurement): QueryId {
  return { test, queryIndex, queryName, ...(ordinal !== undefined && { ordinal }) }
}

interface SideStacks {
  readonly all: readonly StackCount[]
  /** Those of Go's benchmarks by package and function. */
  readonly byBenchmark: ReadonlyMap<string, readonly StackCount[]>
}

type Split = Readonly<Record<Side, SideStacks>> & { readonly hasBenchmarks: boolean }

function split(stacks: readonly RunStacks[], traceType: TraceType): Split {
  const [old, fresh] = (['old', 'new'] as const).map((side): SideStacks => {
    const counts = new Map<string, number>()
    for (const one of stacks.filter((member) => member.side === side && member.traceType === traceType)) {
      for (const { stack, count } of one.counts.finish()) counts.set(stack, (counts.get(stack) ?? 0) + count)
    }
    const all = Array.from(counts, ([stack, count]): StackCount => ({ stack, count })).sort((a, b) => b.count - a.count)
    const byBenchmark = new Map<string, StackCount[]>()
    for (const one of all) {
      for (const key of keysOfStack(one.stack)) {
        const known = byBenchmark.get(key)
        if (known === undefined) byBenchmark.set(key, [one])
        else known.push(one)
      }
    }
    return { all, byBenchmark }
  })
  return { old: old!, new: fresh!, hasBenchmarks: old!.byBenchmark.size + fresh!.byBenchmark.size > 0 }
}

function isOfBothSides({ old, new: fresh }: Split): boolean {
  return old.all.length > 0 && fresh.all.length > 0
}

function ofBenchmark(found: Split, side: Side, { test, queryName }: QueryId): readonly StackCount[] {
  const name = /^(Benchmark[^/]*?)(?:-\d+)?(?:\/|$)/.exec(queryName ?? '')?.[1]
  const { byBenchmark } = found[side]
  return byBenchmark.get(test === UNNAMED ? `${name}` : `${test} ${name}`) ?? []
}

/** `example.com/words.BenchmarkSort.func1`: the package, with `%2e` for a point in its last part, and the function. */
const BENCHMARK_FRAME = /(?:^|;)((?:[^;]*?\/)?[^;/.]+)\.(Benchmark[^;.(]*)(?=[.;(]|$)/

/** By the function alone for an output that does not name its package. */
function keysOfStack(stack: string): readonly string[] {
  const [, path, name] = BENCHMARK_FRAME.exec(stack) ?? []
  if (path === undefined || name === undefined) return []
  return [`${path.replaceAll('%2e', '.').replace(/_test$/, '')} ${name}`, name]
}
