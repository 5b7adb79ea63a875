import { z } from 'zod'
import type {
  CheckExecutions,
  FailingExecution,
  HistoryWanted,
  TestHistory,
  TrunkExecution,
} from '../../judge/ledger/failure.ts'
import { statedStackTraceId } from '../../judge/ledger/stack-trace-id.ts'
import { comparedName, namesOfStack, type VaryingName, varyingName } from '../../judge/ledger/test-name.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { windowOf } from '../ci-parameters.ts'
import type { QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { type CiQueries, type ReadOptions, readSigned, rowOrigin, signatureOfRow, signedRow } from './ci-queries.ts'

/** Failing rows that are read of one test: the newest ones. */
const MOST_OF_A_TEST = 5000
/** Rows that one answer holds: with an output each they are some 80 MB of text. */
const MOST_OF_AN_ANSWER = 20_000
/** Trunk commits that are told of each test and check, and executions on the trunk that are read for them. */
const TRUNK_COMMITS = 10
const TRUNK_EXECUTIONS = 100
/** Runs of the trunk without a failure that are read of each check, the newest: eighty a day in 60 days. */
const CLEAN_RUNS = 5000
/** Commits on which a test failed and passed that are read of each: one is enough to call it flaky. */
const PASSES_BESIDE = 500

const timeAndCommit = z.tuple([count, z.string()])
const countsOfCheck = z.object({
  wanted: z.number(),
  checkName: z.string(),
  rows: count,
  different: count,
  jobs: count,
  failing: count,
  failingTimes: z.array(count),
  passes: count,
  independentPasses: count,
  passedBy: z.array(z.string()),
  trunkPasses: count,
  trunkClean: z.array(count),
  lastTrunkPass: timeAndCommit,
  failedOnTrunk: z.array(timeAndCommit),
  passedOnTrunk: z.array(timeAndCommit),
  hasPassesBeside: z.number(),
})
const passBeside = z.object({
  wanted: z.number(),
  checkName: z.string(),
  commitSha: z.string(),
  pullRequestNumber: z.number(),
  times: z.array(count),
})
const jobsOfCheck = z.object({ wanted: z.number(), jobs: z.array(timeAndCommit) })
const runsOfCheck = z.object({ wanted: z.number(), runs: count })
const failingExecution = signedRow.extend({ ...rowOrigin, testName: z.string(), wanted: z.number() })

type CountsOfCheck = z.infer<typeof countsOfCheck>
type TimeAndCommit = z.infer<typeof timeAndCommit>
type FailingRow = z.infer<typeof failingExecution>

/** A history and its place among those that are read together. */
interface Numbered {
  readonly number: number
  readonly history: HistoryWanted
  readonly from: number
  readonly until: number
}

/** The failing rows of one history that were read. */
interface FailingRead {
  readonly failing: FailingExecution[]
  /** As in `TestHistory`. */
  readonly sameStack: FailingExecution[]
  /** How many rows these are of, with those that are of neither. */
  read: number
}

const NO_ROWS: FailingRead = { failing: [], sameStack: [], read: 0 }

/** The histories of many tests (or of many checks themselves) with two statements, however many there are. */
export class HistoriesLookup {
  readonly #queries: CiQueries
  readonly #subject: QueryParameters
  readonly #thresholds: LedgerThresholds
  readonly #ofChecks: boolean
  readonly #byPattern: boolean

  /** @param subject parameters that say who is judged, with `repositoryId` */
  constructor(
    queries: CiQueries,
    subject: QueryParameters,
    thresholds: LedgerThresholds,
    { ofChecks = false, byPattern = false }: Pick<ReadOptions, 'ofChecks' | 'byPattern'>,
  ) {
    this.#queries = queries
    this.#subject = subject
    this.#thresholds = thresholds
    this.#ofChecks = ofChecks
    this.#byPattern = byPattern
  }

  /** @param most failing rows that are kept in all */
  async read(wanted: readonly HistoryWanted[], most: number): Promise<TestHistory[]> {
    const all = wanted.map((history, number) => ({ number, history, ...windowOf(history.until, this.#thresholds) }))
    const unmerged = await this.#countsAndRows(all, true)
    const isOnce = this.#queries.source === 'ci-database' || areOnce(unmerged.counts)
    const { counts, early } = isOnce ? unmerged : await this.#countsAndRows(all, false)
    const jobs = await this.#trunkJobsOf(all, counts)
    const runs = await this.#checkRunsOf(all, counts)
    const passesBeside = await this.#passesBesideOf(all, counts)
    const limit = limitOf([...counts.values()].map(failingOf), most)
    const isWhole = early !== null && early.length <= MOST_OF_AN_ANSWER && limit === MOST_OF_A_TEST
    const rows = isWhole ? this.#executionsOf(all, early) : await this.#failingBy(all, counts, limit)
    return all.map(({ number, history }) => {
      const checks = counts.get(number) ?? []
      const jobsOf = (check: CountsOfCheck) =>
        this.#wantsJobs(checks, check) ? (jobs.get(checkKey(all[number]!, check.checkName)) ?? []) : []
      const runsOf = (check: string) => runs.get(checkKey(all[number]!, check)) ?? 0
      const passesBesideFailures = (passesBeside.get(number) ?? []).map(
        ({ commitSha, checkName, pullRequestNumber, times }) => {
          return { commitSha, checkName, pullRequestNumber, times: times.map((time) => time * 1000) }
        },
      )
      const found = historyOf(history, checks, rows.get(number) ?? NO_ROWS, jobsOf)
      return { ...found, passesBesideFailures, checks: executionsOf(history, checks, jobsOf, runsOf) }
    })
  }

  async #passesBesideOf(
    all: readonly Numbered[],
    counts: ReadonlyMap<number, readonly CountsOfCheck[]>,
  ): Promise<ReadonlyMap<number, z.infer<typeof passBeside>[]>> {
    const areTold = (number: number) => (counts.get(number) ?? []).filter(tellsPassesBeside)
    const some = all.filter(({ number }) => areTold(number).length > 0)
    if (some.length === 0) return new Map()
    const parameters = { ...this.#parameters(some), ...jobsWindow(all), most: PASSES_BESIDE }
    const options = { ...this.#options, unmerged: true }
    const rows = await this.#queries.read('passes-beside', parameters, passBeside, options)
    const told = rows.filter((row) => areTold(row.wanted).some(({ checkName }) => checkName === row.checkName))
    return Map.groupBy(told, ({ wanted }) => wanted)
  }

  /**
   * Rows of our own table may be there twice until they are merged. Reading them merged takes twice the time, so they are
   * read as they are, and again where the counts say that one came twice.
   */
  async #countsAndRows(
    all: readonly Numbered[],
    unmerged: boolean,
  ): Promise<{ readonly counts: ReadonlyMap<number, CountsOfCheck[]>; readonly early: readonly FailingRow[] | null }> {
    // Without outputs the rows are small: they are read beside the counts, and again by the counts if they are too many.
    const isOwn = this.#queries.source === 'own'
    const rows = isOwn ? this.#failingRows(all, MOST_OF_A_TEST, MOST_OF_AN_ANSWER + 1, unmerged) : null
    const [counts, early] = await Promise.all([this.#countsOf(all, unmerged), rows])
    return { counts, early }
  }

  async #countsOf(all: readonly Numbered[], unmerged: boolean): Promise<Map<number, CountsOfCheck[]>> {
    const pairs = all.flatMap(({ number, history }) => history.failedIn.map((check) => ({ number, check })))
    const parameters = {
      ...this.#parameters(all),
      most: MOST_OF_A_TEST,
      executions: TRUNK_EXECUTIONS,
      byPattern: this.#byPattern,
      cleanRuns: CLEAN_RUNS,
      pairNumbers: pairs.map(({ number }) => number),
      pairChecks: pairs.map(({ check }) => check),
    }
    const found = new Map<number, CountsOfCheck[]>()
    const options = { ...this.#options, unmerged }
    const rows = await this.#queries.read('counts', parameters, countsOfCheck, options)
    for (const row of rows) add(found, row.wanted, row)
    return found
  }

  /**
   * The jobs on the trunk, by `checkKey`, of the checks where the trunk may be broken by a test of which no pass is known:
   * its name may exist only when it fails, and then the jobs alone say when it did not. Mostly there are none, and
   * nothing is asked.
   */
  async #trunkJobsOf(
    all: readonly Numbered[],
    counts: ReadonlyMap<number, readonly CountsOfCheck[]>,
  ): Promise<ReadonlyMap<string, readonly TimeAndCommit[]>> {
    const wanted = new Map<string, { readonly check: string; readonly from: number; readonly until: number }>()
    for (const one of all) {
      const checks = counts.get(one.number) ?? []
      for (const check of checks.filter((some) => this.#wantsJobs(checks, some))) {
        wanted.set(checkKey(one, check.checkName), { ...one, check: check.checkName })
      }
    }
    if (wanted.size === 0) return new Map()
    const checks = [...wanted.values()]
    const parameters = {
      ...this.#subject,
      ...windowsOf(checks),
      numbers: checks.map((_, number) => number),
      tests: checks.map(({ check }) => check),
      executions: CLEAN_RUNS,
    }
    const rows = await this.#queries.read('trunk-jobs', parameters, jobsOfCheck)
    const keys = [...wanted.keys()]
    return new Map(rows.map((row) => [keys[row.wanted]!, row.jobs]))
  }

  /**
   * How often the checks ran, by `checkKey`, in which a test failed of which no pass is known: then nothing else says how
   * often it could have failed.
   */
  async #checkRunsOf(
    all: readonly Numbered[],
    counts: ReadonlyMap<number, readonly CountsOfCheck[]>,
  ): Promise<ReadonlyMap<string, number>> {
    const wanted = new Map<string, { readonly check: string; readonly from: number; readonly until: number }>()
    for (const one of this.#ofChecks ? [] : all) {
      if ((counts.get(one.number) ?? []).some(({ passes }) => passes > 0)) continue
      for (const check of one.history.failedIn) wanted.set(checkKey(one, check), { ...one, check })
    }
    if (wanted.size === 0) return new Map()
    const checks = [...wanted.values()]
    const parameters = {
      ...this.#subject,
      ...windowsOf(checks),
      numbers: checks.map((_, number) => number),
      tests: checks.map(({ check }) => check),
    }
    const rows = await this.#queries.read('runs-of-checks', parameters, runsOfCheck)
    const keys = [...wanted.keys()]
    return new Map(rows.map((row) => [keys[row.wanted]!, row.runs]))
  }

  /** @param of all that is counted of one history, `check` is one of it */
  #wantsJobs(checks: readonly CountsOfCheck[], { failedOnTrunk }: CountsOfCheck): boolean {
    const commits = new Set(failedOnTrunk.map(([, commit]) => commit)).size
    return commits >= this.#thresholds.brokenTrunkRuns && checks.every(({ passes }) => passes === 0)
  }

  /** Some tests at a time, each from its oldest row on that is kept. */
  async #failingBy(
    all: readonly Numbered[],
    counts: ReadonlyMap<number, readonly CountsOfCheck[]>,
    limit: number,
  ): Promise<Map<number, FailingRead>> {
    const found = new Map<number, FailingRead>()
    const failed = all.flatMap((one) => {
      const checks = counts.get(one.number) ?? []
      const failing = failingOf(checks)
      if (failing === 0) return []
      const times = checks.flatMap(({ failingTimes }) => failingTimes).toSorted((a, b) => b - a)
      const oldest = times[Math.min(limit, times.length) - 1] ?? one.from
      return [{ ...one, from: Math.max(one.from, oldest - 1), rows: Math.min(failing, limit) }]
    })
    for (const group of groupsOf(failed)) {
      const rows = await this.#failingRows(group, limit, MOST_OF_AN_ANSWER + MOST_OF_A_TEST, false, all)
      for (const [number, read] of this.#executionsOf(group, rows)) found.set(number, read)
    }
    return found
  }

  async #failingRows(
    some: readonly Numbered[],
    most: number,
    mostInAll: number,
    unmerged: boolean,
    all = some,
  ): Promise<FailingRow[]> {
    const parameters = { ...this.#parameters(some), ...jobsWindow(all), most, mostInAll, withNames: this.#byPattern }
    const options = { ...this.#options, unmerged }
    return await readSigned(this.#queries, 'failing-executions', parameters, failingExecution, options)
  }

  #executionsOf(some: readonly Numbered[], rows: readonly FailingRow[]): Map<number, FailingRead> {
    const wanted = new Map(
      some.map(({ number, history: { testName } }) => [number, { testName, compared: comparedName(testName) }]),
    )
    const found = new Map<number, FailingRead>(
      some.map(({ number }) => [number, { failing: [], sameStack: [], read: 0 }]),
    )
    for (const { wanted: number, testName, ...row } of rows) {
      const { signatureKind, signatureText, signatureRule, output, time, ...execution } = row
      const { testName: asked, compared } = wanted.get(number)!
      const name = this.#byPattern ? testName : asked
      const signature = signatureOfRow(name, { signatureKind, signatureText, signatureRule, output })
      const histories = found.get(number)!
      histories.read += 1
      // A pattern finds more names than are compared as one.
      const isAlike = !this.#byPattern || comparedName(name) === compared
      if (!isAlike && statedStackTraceId(compared) === null) continue
      const rowsAlike = isAlike ? histories.failing : histories.sameStack
      rowsAlike.push({ ...execution, time: time * 1000, signature })
    }
    return found
  }

  #parameters(some: readonly Numbered[]): QueryParameters {
    return {
      ...this.#subject,
      numbers: some.map(({ number }) => number),
      ...this.#names(some.map(({ history }) => history)),
      ...windowsOf(some),
    }
  }

  #names(some: readonly HistoryWanted[]): QueryParameters {
    if (this.#byPattern) return patternParameters(some.map(({ testName }) => patternOf(testName)))
    return { tests: some.map(({ checkName, testName }) => (this.#ofChecks ? (checkName ?? '') : testName)) }
  }

  get #options() {
    return { ofChecks: this.#ofChecks, byPattern: this.#byPattern }
  }
}

/** A test whose name varies, and all of its names; of one that states a stack trace id all that state it. */
export function patternOf(testName: string): VaryingName {
  const stack = statedStackTraceId(testName)
  return stack === null ? varyingName(testName)! : namesOfStack(stack)
}

/** What `executions-of-patterns.sql` is given. */
export function patternParameters(names: readonly VaryingName[]) {
  const prefixes = names.map(({ prefix }) => Buffer.from(prefix.toWellFormed())).toSorted((a, b) => a.compare(b))
  return {
    tests: names.map(({ pattern }) => pattern.toWellFormed()),
    anyTest: names.map(({ pattern }) => `(?:${pattern.toWellFormed()})`).join('|'),
    firstName: prefixes[0]!.toString(),
    lastName: `${prefixes.at(-1)!.toString()}${LAST_CHARACTER}`,
  }
}

/** No name has a character above it. */
const LAST_CHARACTER = '\u{10ffff}'

/**
 * The jobs that rows may belong to: those of all lookbacks that are asked for together, and not of those alone of which
 * something is told. Else the job of a row would depend on the failures of other tests.
 */
function jobsWindow(all: readonly { readonly from: number; readonly until: number }[]) {
  const { from, until } = windowsOf(all)
  return { from, until }
}

function windowsOf(some: readonly { readonly from: number; readonly until: number }[]) {
  return {
    froms: some.map(({ from }) => from),
    untils: some.map(({ until }) => until),
    from: Math.min(...some.map(({ from }) => from)),
    until: Math.max(...some.map(({ until }) => until)),
  }
}

/** Names a check in a window. */
function checkKey({ from, until }: { readonly from: number; readonly until: number }, check: string): string {
  return JSON.stringify([check, from, until])
}

/** No row of our own table is there twice. In a CI database, where rows have no key, two that are equal were two. */
function areOnce(counts: ReadonlyMap<number, readonly CountsOfCheck[]>): boolean {
  return [...counts.values()].flat().every(({ rows, different }) => rows === different)
}

/** A history by the sum of what the rows of its checks say. */
function historyOf(
  { testName, checkName, failedIn, until }: HistoryWanted,
  counts: readonly CountsOfCheck[],
  { failing, sameStack, read }: FailingRead,
  jobsOf: (check: CountsOfCheck) => readonly TimeAndCommit[],
): Omit<TestHistory, 'checks' | 'passesBesideFailures'> {
  const passes = sum(counts.map((check) => check.passes))
  const trunkPasses = sum(counts.map((check) => check.trunkPasses))
  const [lastTrunkPass] = counts
    .filter((check) => check.trunkPasses > 0)
    .map((check) => check.lastTrunkPass)
    .toSorted(newestFirst)
  return {
    testName,
    checkName,
    until,
    failing: newest(failing),
    ...(sameStack.length > 0 && { sameStack: newest(sameStack) }),
    failingNotRead: failingOf(counts) - read,
    passes,
    trunkPasses,
    lastTrunkPass: lastTrunkPass === undefined ? null : { time: lastTrunkPass[0] * 1000, commitSha: lastTrunkPass[1] },
    latestTrunk: newest(
      counts.flatMap((check) => (failedIn.includes(check.checkName) ? latestTrunkOf(check, jobsOf(check)) : [])),
    ),
  }
}

/**
 * It failed and passed on one commit in this check. Where a job ran a test under several names that are compared as one, with
 * two random ids for one, the one that passed need not be the one that failed.
 */
function tellsPassesBeside({ hasPassesBeside, rows, jobs }: CountsOfCheck): boolean {
  return hasPassesBeside !== 0 && (jobs === 0 || rows <= jobs)
}

/** Of every check in which the test ran, and of those in which the subject failed although it never ran there elsewhere. */
function executionsOf(
  { failedIn }: HistoryWanted,
  counts: readonly CountsOfCheck[],
  jobsOf: (check: CountsOfCheck) => readonly TimeAndCommit[],
  runsOf: (check: string) => number,
): readonly CheckExecutions[] {
  const known = new Set(counts.map(({ checkName }) => checkName))
  const ran = counts.map((check) => {
    const { checkName, independentPasses, passedBy, trunkClean, failedOnTrunk } = check
    const failed = new Set(failedOnTrunk.map(([, commitSha]) => commitSha))
    const withoutFailure = jobsOf(check).flatMap(([time, commitSha]) => (failed.has(commitSha) ? [] : time))
    const clean = [...trunkClean, ...withoutFailure].map((time) => time * 1000)
    const runs = runsOf(checkName)
    const ofForks = passedBy.length > 0 ? { passedBy } : {}
    return { checkName, passes: independentPasses, ...ofForks, runs, trunkClean: clean }
  })
  const others = failedIn.filter((check) => !known.has(check))
  return [...ran, ...others.map((checkName) => ({ checkName, passes: 0, runs: runsOf(checkName), trunkClean: [] }))]
}

/** The executions of the newest commits. A job in which the test has no failing row is one that did not fail it. */
function latestTrunkOf(
  { checkName, failedOnTrunk, passedOnTrunk }: CountsOfCheck,
  jobs: readonly TimeAndCommit[],
): readonly TrunkExecution[] {
  const failed = new Set(failedOnTrunk.map((row) => timeAndCommitKey(jobOf(row, jobs))))
  const oldest = failedOnTrunk.length < TRUNK_EXECUTIONS ? 0 : Math.min(...failedOnTrunk.map(([time]) => time))
  const withoutFailure = jobs.filter((job) => job[0] >= oldest && !failed.has(timeAndCommitKey(job)))
  const executions = [
    ...failedOnTrunk.map(([time, commitSha]) => ({ commitSha, checkName, time: time * 1000, failed: true })),
    ...[...passedOnTrunk, ...withoutFailure].map(([time, commitSha]) => ({
      commitSha,
      checkName,
      time: time * 1000,
      failed: false,
    })),
  ]
  const commits = new Set([...new Set(newest(executions).map(({ commitSha }) => commitSha))].slice(0, TRUNK_COMMITS))
  return executions.filter(({ commitSha }) => commits.has(commitSha))
}

/** The job of a row, which may have a start time of its own: the latest of its commit that had begun. */
function jobOf([time, commitSha]: TimeAndCommit, jobs: readonly TimeAndCommit[]): TimeAndCommit {
  const begun = jobs.filter((job) => job[1] === commitSha && job[0] <= time)
  return [Math.max(...begun.map((job) => job[0])), commitSha]
}

function timeAndCommitKey([time, commitSha]: TimeAndCommit): string {
  return `${time} ${commitSha}`
}

function failingOf(counts: readonly CountsOfCheck[]): number {
  return sum(counts.map(({ failing }) => failing))
}

/** Rows of one test, so that all tests together stay within `most`. */
function limitOf(failing: readonly number[], most: number): number {
  let limit = MOST_OF_A_TEST
  while (limit > 1 && sum(failing.map((rows) => Math.min(rows, limit))) > most) limit = Math.floor(limit / 2)
  return limit
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function newestFirst(a: readonly [number, string], b: readonly [number, string]): number {
  return b[0] - a[0] || compare(a[1], b[1])
}

/** The histories in their order, in groups with no more rows than one answer should hold; a group has at least one. */
function* groupsOf<T extends { readonly rows: number }>(all: readonly T[]): Generator<readonly T[]> {
  let group: T[] = []
  let rows = 0
  for (const one of all) {
    if (group.length > 0 && rows + one.rows > MOST_OF_AN_ANSWER) {
      yield group
      group = []
      rows = 0
    }
    group.push(one)
    rows += one.rows
  }
  if (group.length > 0) yield group
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** Newest first; what happened at the same time in an order of its own, so that the same rows always give the same. */
function newest<T extends { readonly time: number; readonly commitSha: string; readonly checkName: string }>(
  rows: readonly T[],
): T[] {
  return rows.toSorted(
    (a, b) => b.time - a.time || compare(a.commitSha, b.commitSha) || compare(a.checkName, b.checkName),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
