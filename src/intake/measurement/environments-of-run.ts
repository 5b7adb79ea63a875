import { type Draft, draftKey } from './draft.ts'
import {
  differingIn,
  ENVIRONMENT_FIELDS,
  type Environment,
  type EnvironmentField,
  type Environments,
  environmentOf,
  type SideEnvironment,
} from './environment.ts'
import type { Side } from './run.ts'

/** Gathers where a run was measured from what its tools say. */

const SIDES: readonly Side[] = ['old', 'new']

/** Where the benchmarks of a run were measured. The first that are kept. */
const MOST_ENVIRONMENTS = 100
const MOST_VALUES = 20

/** One for each architecture, in alphabetical order, the unnamed one last; those of which nothing is said are left out. */
export function environmentsOf(drafts: readonly Draft[]): readonly Environments[] {
  if (drafts.every(({ environment }) => environment === null)) return []
  const differingBetween = memoized(differingIn)
  const byArchitecture = Map.groupBy(drafts, ({ architecture }) => architecture)
  const found = [...byArchitecture].flatMap(([architecture, ofIt]): Environments[] => {
    const differing = new Set(
      [...Map.groupBy(ofIt, draftKey).values()].flatMap((ofBenchmark) =>
        differingBetween(...(SIDES.map((side) => environmentsOn(side, ofBenchmark)) as Pair)),
      ),
    )
    const [old, fresh] = SIDES.map((side) => valuesOf(environmentsOn(side, ofIt))) as [SideEnvironment, SideEnvironment]
    if (Object.keys(old).length + Object.keys(fresh).length === 0) return []
    return [
      {
        architecture,
        old: firstOf(old),
        new: firstOf(fresh),
        differing: ENVIRONMENT_FIELDS.filter((field) => differing.has(field)),
      },
    ]
  })
  return found
    .toSorted((a, b) =>
      a.architecture === null ? 1 : b.architecture === null || a.architecture < b.architecture ? -1 : 1,
    )
    .slice(0, MOST_ENVIRONMENTS)
}

type Pair = [ReadonlySet<Environment>, ReadonlySet<Environment>]

/** Thousands of benchmarks have the same pair of environments. */
function memoized(compute: typeof differingIn) {
  const numbers = new Map<Environment, number>()
  const known = new Map<string, ReturnType<typeof differingIn>>()
  const numberOf = (one: Environment) => {
    if (!numbers.has(one)) numbers.set(one, numbers.size)
    return numbers.get(one)!
  }
  return (...pair: Pair) => {
    const key = pair
      .map((side) =>
        [...side]
          .map(numberOf)
          .toSorted((a, b) => a - b)
          .join(),
      )
      .join('|')
    const found = known.get(key) ?? compute(valuesOf(pair[0]), valuesOf(pair[1]))
    known.set(key, found)
    return found
  }
}

/** The environments of what has a result on a side. */
function environmentsOn(side: Side, drafts: readonly Draft[]): ReadonlySet<Environment> {
  return new Set(
    drafts.flatMap((draft) => (draft.environment !== null && hasResult(draft, side) ? [draft.environment] : [])),
  )
}

/** Samples, or that it failed. */
export function hasResult(draft: Draft, side: Side): boolean {
  return draft[side].values.length > 0 || draft.problems.some((problem) => problem.side === side)
}

/** So many of each as are kept. */
function firstOf(environment: SideEnvironment): SideEnvironment {
  return Object.fromEntries(Object.entries(environment).map(([field, values]) => [field, values.slice(0, MOST_VALUES)]))
}

function valuesOf(environments: ReadonlySet<Environment>): SideEnvironment {
  const fields = ENVIRONMENT_FIELDS.flatMap((field) => {
    const values = new Set([...environments].flatMap((one) => one[field] ?? []))
    return values.size === 0 ? [] : [[field, [...values].sort()] as const]
  })
  return Object.fromEntries(fields)
}

/**
 * The parts of an environment whose values on one side make rows of their own, in this order: what a part tells apart, those after
 * it need not. `joined`: what stands beside a value without being shortened.
 */
const SPLITTING: readonly {
  readonly partOf: (environment: Environment) => string | undefined
  readonly joined?: (environment: Environment) => string | undefined
  /** Only where both sides have the same values: else they may be the change, or differ from run to run. */
  readonly isPaired?: boolean
}[] = [
  { partOf: ({ os }) => os, joined: ({ architecture }) => architecture },
  { partOf: ({ runtime }) => runtime },
  { partOf: ({ compiler }) => compiler },
  { partOf: ({ build }) => build, isPaired: true },
  { partOf: ({ flags }) => (flags === 'none' ? 'no flags' : flags), isPaired: true },
]

/**
 * Results of several systems, runtimes or compilers on one side are no repetitions of each other: each is an architecture of its own,
 * such as `linux/amd64` or `JDK 21`, on both sides. Several CPUs or hosts on a side are repetitions.
 *
 * Splits: JDK 17 and JDK 21 of a benchmark in one folder. Does not: JDK 17 on the old side and JDK 21 on the new one, which may be
 * the change; a benchmark of Linux beside another one of macOS.
 */
export function splitByEnvironment(drafts: readonly Draft[]): void {
  for (const { partOf, joined = () => undefined, isPaired = false } of SPLITTING) {
    const wholeOf = (one: Environment) => [partOf(one), joined(one)].filter((part) => part !== undefined).join('/')
    if (!isSeveralOfOne(drafts, wholeOf) || (isPaired && !areSame(drafts, wholeOf))) continue
    const shorten = isPaired ? (value: string) => value : shortener(drafts, partOf)
    for (const draft of drafts) {
      const { environment } = draft
      if (environment === null) continue
      const value = partOf(environment)
      const part = [value === undefined ? undefined : shorten(value), joined(environment)]
        .filter((text) => text !== undefined)
        .join('/')
      if (part !== '') draft.architecture = draft.architecture === null ? part : `${draft.architecture}, ${part}`
    }
  }
}

/** Both sides have the same values. */
function areSame(drafts: readonly Draft[], partOf: (environment: Environment) => string): boolean {
  const [old, fresh] = SIDES.map((side) => new Set([...environmentsOn(side, drafts)].map(partOf)))
  return old!.size === fresh!.size && [...old!].every((value) => fresh!.has(value))
}

/** A side has a benchmark with several values. */
function isSeveralOfOne(drafts: readonly Draft[], partOf: (environment: Environment) => string): boolean {
  return SIDES.some((side) => {
    if (new Set([...environmentsOn(side, drafts)].map(partOf)).size < 2) return false
    const firsts = new Map<string, string>()
    return drafts.some((draft) => {
      const value = draft.environment === null ? '' : partOf(draft.environment)
      if (value === '' || !hasResult(draft, side)) return false
      const { test, queryIndex, metric, architecture } = draft
      const key = draftKey({ test, queryIndex, queryName: withoutCores(draft.queryName), metric, architecture })
      const first = firsts.get(key)
      if (first === undefined) firsts.set(key, value)
      return first !== undefined && first !== value
    })
  })
}

/**
 * Cuts versions to the fewest numbers by which the values of each side are still told apart, so that `JDK 17.0.9` and `JDK 17.0.10`
 * of two sides are one environment: `JDK 17` beside `JDK 21`, `CPython 3.11` beside `CPython 3.12`.
 */
function shortener(
  drafts: readonly Draft[],
  partOf: (environment: Environment) => string | undefined,
): (value: string) => string {
  const sides = SIDES.map((side) => [
    ...new Set([...environmentsOn(side, drafts)].flatMap((environment) => partOf(environment) ?? [])),
  ])
  for (let numbers = 1; numbers <= MOST_NUMBERS; numbers += 1) {
    const isApart = sides.every((values) => new Set(values.map((value) => cut(value, numbers))).size === values.length)
    if (isApart) return (value) => cut(value, numbers)
  }
  return (value) => value
}

const MOST_NUMBERS = 4
const VERSION = /(\d+(?:\.\d+)*)[\w.+-]*/

function cut(value: string, numbers: number): string {
  return value.replace(VERSION, (_, version: string) => version.split('.').slice(0, numbers).join('.'))
}

/** How people write the place into the path of a file, as the values of a job's matrix: `bench-macos-14/new.json`. */
const WORDS_OF_PATHS: readonly (readonly [field: EnvironmentField, words: RegExp])[] = [
  [
    'os',
    /(?<![a-z\d])(?:ubuntu|debian|fedora|alpine|linux|mac-?os|darwin|windows)(?:-?(?:latest|\d+(?:\.\d+)*))?(?![a-z\d.])/gi,
  ],
  ['architecture', /(?<![a-z\d])(?:amd64|x86_64|x64|arm64|aarch64|i?386)(?![a-z\d])/gi],
  [
    'runtime',
    // `node1` is the name of a host
    /(?<![a-z\d])(?:(?:node(?:js)?|bun|deno|jdk|java|ruby|php|dotnet|julia)[-_]?v?(?:\d\d|\d\.\d)\d*(?:\.\d+)*|(?:jdk|java|php|dotnet)[-_]?[5-9]|(?:python|pypy|py)[-_]?[23](?:\.?\d+)*|go[-_]?v?1\.\d+(?:\.\d+)*)(?![a-z\d])/gi,
  ],
  ['compiler', /(?<![a-z\d])(?:(?:gcc|clang|msvc)(?:-?\d+(?:\.\d+)*)?|stable|beta|nightly)(?![a-z\d])/gi],
]

/** What was read of one file. */
interface OfFile {
  readonly name: string
  readonly drafts: readonly Draft[]
}

/**
 * Results of a matrix whose tool does not say where it measured are known by the paths of their files, where both sides have the same
 * several words there.
 *
 * Places: `bench-ubuntu/old.json` and `bench-macos/old.json` of hyperfine, and the same of the new side. Does not: `linux/old.json` alone;
 * `gcc/old.json` and `clang/new.json`.
 */
export function placeByPaths(files: readonly OfFile[]): void {
  for (const [field, words] of WORDS_OF_PATHS) {
    const placed = files.flatMap(({ name, drafts }) => {
      const word = name
        .match(words)
        ?.map((found) => found.toLowerCase())
        .join(' ')
      return drafts.map((draft) => ({ draft, word }))
    })
    const valuesOn = (side: Side) =>
      new Set(placed.flatMap(({ draft, word }) => (hasResult(draft, side) ? [word ?? ''] : [])))
    const [old, fresh] = SIDES.map(valuesOn)
    const areSame = old!.size === fresh!.size && [...old!].every((word) => fresh!.has(word))
    const isSaid = placed.some(({ draft, word }) => word === undefined || draft.environment?.[field] !== undefined)
    if (isSaid || !areSame || old!.size < 2) continue
    for (const { draft, word } of placed) draft.environment = environmentOf({ ...draft.environment, [field]: word })
  }
}

/** How tools write the number of CPUs into the names of benchmarks. */
const CORE_COUNTS: readonly {
  /** Names of the tool; one without a number ran on one CPU. */
  readonly isOfTool: RegExp
  readonly suffix: (cpus: string) => string
  readonly number: RegExp
  /** Somebody may have written the number himself: it must be that of the CPUs. */
  readonly isChecked: boolean
}[] = [
  // GOMAXPROCS
  { isOfTool: /^Benchmark/, suffix: (cpus) => `-${cpus}`, number: /-(\d+)$/, isChecked: false },
  // `ThreadPerCpu()` of Google Benchmark
  { isOfTool: /\/threads:\d+$/, suffix: (cpus) => `/threads:${cpus}`, number: /\/threads:(\d+)$/, isChecked: true },
]

/**
 * A benchmark that ran with other numbers of CPUs on the sides is one benchmark, with the name of the new side, where all names of
 * each side differ in that number alone.
 *
 * Joins: `BenchmarkA-8` and `BenchmarkB-8` with `BenchmarkA-16` and `BenchmarkB-16`. Does not: `-cpu 1,8` against `-cpu 1,16`, of
 * which one is measured on both sides.
 */
export function joinCoreCounts(drafts: readonly Draft[]): void {
  for (const ofIt of Map.groupBy(drafts, ({ architecture }) => architecture).values()) {
    for (const kind of CORE_COUNTS) {
      const ofTool = ofIt.filter(({ queryName }) => queryName !== null && kind.isOfTool.test(queryName))
      joinNames(ofTool, kind)
    }
  }
}

function joinNames(drafts: readonly Draft[], { suffix, number, isChecked }: (typeof CORE_COUNTS)[number]): void {
  const [old, fresh] = SIDES.map((side) => drafts.filter((draft) => hasResult(draft, side)))
  const [before, after] = [coresOf(old!, number), coresOf(fresh!, number)]
  const bare = ({ queryName }: Draft, cores: string | null) =>
    cores === null ? queryName! : queryName!.replace(number, '')
  const isMeant = (ofSide: readonly Draft[], cores: string | null) =>
    cores === null || !isChecked || ofSide.every(({ environment }) => environment?.cpus === cores)
  if (before !== after && isMeant(old!, before) && isMeant(fresh!, after)) {
    const names = new Set(fresh!.map(({ queryName }) => queryName))
    const bareNames = new Set(fresh!.map((draft) => bare(draft, after)))
    const isOther = old!.every((draft) => !names.has(draft.queryName))
    const isBare = [old!, fresh!].every((side, index) => [before, after][index] !== null || isWithout(side, number))
    if (isOther && isBare && old!.some((draft) => bareNames.has(bare(draft, before)))) {
      tellCores(old!, before ?? '1')
      tellCores(fresh!, after ?? '1')
      for (const draft of old!) draft.queryName = `${bare(draft, before)}${after === null ? '' : suffix(after)}`
      return
    }
  }
  if (isChecked) return
  tellCores(old!, before)
  tellCores(fresh!, after)
}

/** The number that all names of a side end in; null: they do not. */
function coresOf(drafts: readonly Draft[], number: RegExp): string | null {
  const numbers = new Set(drafts.map(({ queryName }) => number.exec(queryName!)?.[1]))
  const [only = null] = numbers
  return numbers.size === 1 ? only : null
}

/** No name is another one with a number, as of `-cpu 1,8`. */
function isWithout(drafts: readonly Draft[], number: RegExp): boolean {
  const names = new Set(drafts.map(({ queryName }) => queryName))
  return drafts.every(({ queryName }) => !number.test(queryName!) || !names.has(queryName!.replace(number, '')))
}

function tellCores(drafts: readonly Draft[], cpus: string | null): void {
  if (cpus === null) return
  const told = new Map<Environment | null, Environment>()
  for (const draft of drafts) {
    const { environment } = draft
    if (environment?.cpus !== undefined) continue
    const known = told.get(environment) ?? environmentOf({ ...environment, cpus })!
    told.set(environment, known)
    draft.environment = known
  }
}

/** The name without the number of CPUs that Go puts behind it. */
function withoutCores(name: string | null): string | null {
  return name !== null && /^Benchmark/.test(name) ? name.replace(/-\d+$/, '') : name
}
