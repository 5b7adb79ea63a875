import type {
  FailingExecution,
  Failure,
  MassFailure,
  Subject,
  TestHistory,
  TrunkExecution,
} from '../../src/judge/ledger/failure.ts'
import type { Signature, signatureOf } from '../../src/judge/ledger/signature.ts'
import type { LedgerThresholds } from '../../src/judge/ledger/thresholds.ts'
import { HOUR } from '../../src/text/time.ts'
import { type FailedTest, type Head, type Job, REPOSITORY, TRUNK, type World } from './world.ts'

/** What failed, as the rules see it and with the reason that they don't know. */
export interface KnownRow extends FailingExecution {
  readonly job: Job
  readonly failed: FailedTest
}

/** A history with what earlier rules asked for as well. */
type HistoryOfAllRules = TestHistory & {
  readonly checkRuns: number
  readonly passesBesideFailures: readonly { readonly passes: number }[]
}

/** Newest trunk commits that are told of a check. */
const TRUNK_COMMITS = 10

/** The histories of a world as docs/ledger.md defines them, for rules with their own signatures. */
export class Histories {
  readonly #world: World
  readonly #thresholds: LedgerThresholds
  readonly #rows = new Map<string, KnownRow[]>()
  readonly #rowsOfJob = new Map<Job, KnownRow[]>()
  readonly #jobsOfCheck: ReadonlyMap<string, readonly Job[]>
  #window: { readonly key: string; readonly jobs: ReadonlyMap<string, readonly Job[]> } = { key: '', jobs: new Map() }

  constructor(world: World, signed: typeof signatureOf, thresholds: LedgerThresholds) {
    this.#world = world
    this.#thresholds = thresholds
    this.#jobsOfCheck = Map.groupBy(world.jobs, ({ checkName }) => checkName)
    const signatures = new Map<string, Signature>()
    for (const job of world.jobs) {
      const rows = job.failed.map((failed): KnownRow => {
        const key = JSON.stringify([failed.testName, failed.output])
        const signature = signatures.get(key) ?? signed(failed.testName, failed.output)
        signatures.set(key, signature)
        const { pullRequestNumber, commitSha, checkName, time, baseRef, headRef, headRepo } = job
        const origin = { pullRequestNumber, commitSha, checkName, time, baseRef, headRef, headRepo }
        return { ...origin, baseRepo: REPOSITORY, signature, reportUrl: '', job, failed }
      })
      this.#rowsOfJob.set(job, rows)
      for (const row of rows) {
        const key = keyOf(row)
        const known = this.#rows.get(key)
        if (known === undefined) this.#rows.set(key, [row])
        else known.push(row)
      }
    }
  }

  failuresOf(head: Head): readonly (Failure & { readonly row: KnownRow })[] {
    return head.jobs.flatMap((job) =>
      this.#rowsOfJob.get(job)!.map((row) => ({
        ...origin(row),
        testName: row.failed.testName,
        status: 'FAIL',
        passedOnRetry: false,
        passedInChecks: head.jobs.filter(
          (other) => other.checkName !== job.checkName && ranIn(other, row.failed.testName),
        ).length,
        row,
      })),
    )
  }

  /** The same test (or check) at any time. */
  alike(row: KnownRow): readonly KnownRow[] {
    return this.#rows.get(keyOf(row))!
  }

  /** The one place where values of `TestHistory` are made. */
  historyOf(
    failure: Failure & { readonly row: KnownRow },
    failedIn: readonly string[],
    subject: Subject,
    until: number,
  ): TestHistory {
    const { testName } = failure
    const from = until - this.#thresholds.lookbackDays * 24 * HOUR
    const isIn = (time: number) => from < time && time <= until
    const failing = this.alike(failure.row)
      .filter(({ time }) => isIn(time))
      .toReversed()
    const failedJobs = new Set(failing.map(({ job }) => job))
    const window = this.#jobsIn(from, until)
    const onlyFails = isNameOfFailure(testName)
    const checkNames = new Set([...failing.map(({ checkName }) => checkName), ...failedIn])
    // An ordinary test runs in each check whose name has the same beginning.
    for (const check of window.keys())
      if (testName !== '' && !onlyFails && runsIn(check, testName)) checkNames.add(check)

    const of = [...checkNames].map((checkName) => {
      const jobs = (window.get(checkName) ?? []).filter((job) => !isOwnJob(job, subject))
      const without = jobs.filter((job) => !failedJobs.has(job) && (job.passed?.has(testName) ?? true))
      const passed = onlyFails ? [] : without
      const trunk = without.filter(({ pullRequestNumber }) => pullRequestNumber === 0)
      const failedOnTrunk = failing.filter((row) => row.checkName === checkName && row.pullRequestNumber === 0)
      const failedCommits = new Set(failedOnTrunk.map(({ commitSha }) => commitSha))
      const clean = onlyFails ? trunk.filter(({ commitSha }) => !failedCommits.has(commitSha)) : trunk
      const tellsClean = onlyFails ? failedCommits.size >= this.#thresholds.brokenTrunkRuns : failedCommits.size > 0
      return { checkName, jobs, passed, trunk, clean: tellsClean ? clean : [], failedOnTrunk, tellsClean }
    })
    const all = of.flatMap(({ passed }) => passed)
    const trunkPasses = all.filter(({ pullRequestNumber }) => pullRequestNumber === 0)
    const lastTrunkPass = trunkPasses.toSorted((a, b) => b.time - a.time)[0] ?? null
    const checkRuns = onlyFails
      ? new Set(
          of.flatMap(({ checkName, jobs }) =>
            failedIn.includes(checkName) ? jobs.map(({ commitSha }) => commitSha) : [],
          ),
        ).size
      : 0
    const beside = new Set(failing.map((row) => JSON.stringify([row.commitSha, row.checkName])))
    const history: HistoryOfAllRules = {
      testName,
      checkName: testName === '' ? failure.checkName : null,
      until,
      failing,
      failingNotRead: 0,
      passes: all.length,
      checkRuns,
      checks: of.map(({ checkName, passed, jobs, clean }) => ({
        checkName,
        passes: new Set(
          passed.map((job) => (job.pullRequestNumber === 0 ? job.commitSha : `${job.headRepo} ${job.headRef}`)),
        ).size,
        runs: onlyFails && failedIn.includes(checkName) ? new Set(jobs.map(({ commitSha }) => commitSha)).size : 0,
        trunkClean: clean.map(({ time }) => time),
      })),
      trunkPasses: trunkPasses.length,
      lastTrunkPass: lastTrunkPass && { commitSha: lastTrunkPass.commitSha, time: lastTrunkPass.time },
      passesBesideFailures: all
        .filter((job) => beside.has(JSON.stringify([job.commitSha, job.checkName])))
        .map(({ commitSha, checkName, pullRequestNumber, time }) => ({
          commitSha,
          checkName,
          pullRequestNumber,
          times: [time],
          passes: 1,
        })),
      latestTrunk: of
        .filter(({ checkName }) => failedIn.includes(checkName))
        .flatMap(({ checkName, trunk, failedOnTrunk, tellsClean }) => {
          const told = !onlyFails || tellsClean ? trunk : []
          return latest([
            ...told.map(({ commitSha, time }) => ({ commitSha, checkName, time, failed: false })),
            ...failedOnTrunk.map(({ commitSha, time }) => ({ commitSha, checkName, time, failed: true })),
          ])
        })
        .toSorted((a, b) => b.time - a.time),
    }
    return history
  }

  #jobsIn(from: number, until: number): ReadonlyMap<string, readonly Job[]> {
    const key = `${from} ${until}`
    if (this.#window.key !== key) {
      const jobs = new Map(
        [...this.#jobsOfCheck].map(([check, all]) => [check, all.slice(firstAfter(all, from), firstAfter(all, until))]),
      )
      this.#window = { key, jobs }
    }
    return this.#window.jobs
  }

  /**
   * Mass failures by their definition, from the windows that are one with everybody's rows: without the subject's own there
   * are none beside these.
   */
  massFailuresOf(subject: Subject, until: number): readonly MassFailure[] {
    const from = until - this.#thresholds.lookbackDays * 24 * HOUR
    this.#windows ??= this.#windowsOf(this.#world.jobs[0]!.time, this.#world.jobs.at(-1)!.time, null, null)
    return this.#windows
      .filter(({ start, hours }) => start < until && start + hours * HOUR > from)
      .flatMap(({ start, hours, checkName }) =>
        this.#windowsOf(Math.max(start, from + 1), Math.min(start + hours * HOUR - 1, until), subject, {
          start,
          hours,
          checkName,
        }),
      )
  }
  #windows: readonly MassFailure[] | null = null

  #windowsOf(
    from: number,
    until: number,
    subject: Subject | null,
    only: Pick<MassFailure, 'start' | 'hours' | 'checkName'> | null,
  ): readonly MassFailure[] {
    const { massTests, massPullRequests, massPullRequestsPerTest, massTimesAsOften, brokenTrunkRuns } = this.#thresholds
    const jobs = this.#world.jobs
    const windows = new Map<
      string,
      { readonly of: Pick<MassFailure, 'start' | 'hours' | 'checkName'>; readonly failed: Map<string, KnownRow[]> }
    >()
    for (let at = firstAfter(jobs, from - 1); at < jobs.length && jobs[at]!.time <= until; at += 1) {
      const job = jobs[at]!
      if (subject !== null && isOwnJob(job, subject)) continue
      const rows = this.#rowsOfJob.get(job)!
      if (rows.length === 0) continue
      for (const of of only === null ? windowsAt(job, this.#hoursOf(job.checkName)) : [only]) {
        if (of.checkName !== null && of.checkName !== job.checkName) continue
        const key = JSON.stringify(of)
        const window = windows.get(key) ?? { of, failed: new Map<string, KnownRow[]>() }
        windows.set(key, window)
        for (const row of rows) {
          const name = keyOf(row)
          window.failed.set(name, [...(window.failed.get(name) ?? []), row])
        }
      }
    }
    return [...windows.values()].flatMap(({ of, failed }) => {
      const shared = [...failed.values()].filter((rows) => {
        const pulls = ownersOf(rows).size
        if (pulls < massPullRequestsPerTest) return false
        if (of.hours === 1) return true
        const commits = new Set(rows.flatMap((row) => (row.pullRequestNumber === 0 ? row.commitSha : [])))
        const lookback = this.#thresholds.lookbackDays * 24
        const before = this.alike(rows[0]!).filter(
          ({ time, checkName }) => checkName === of.checkName && time <= until && time > until - lookback * HOUR,
        )
        const elsewhere = ownersOf(before).size - pulls
        return (
          commits.size < brokenTrunkRuns && pulls * (lookback - of.hours) >= massTimesAsOften * elsewhere * of.hours
        )
      })
      const tests = shared.filter(([row]) => row!.failed.testName !== '')
      const files = new Set(tests.map(([row]) => row!.failed.testName.split('::', 1)[0]))
      const pullRequests = ownersOf(tests.flat()).size
      if (files.size < massTests || pullRequests < massPullRequests) return []
      return {
        ...of,
        tests: tests.length,
        pullRequests,
        testNames: new Set(tests.map(([row]) => row!.failed.testName)),
        checkNames: new Set(shared.filter(([row]) => row!.failed.testName === '').map(([row]) => row!.checkName)),
      }
    })
  }

  /** The hours that hold as many builds of a check as a large project has in an hour. */
  #hoursOf(checkName: string): number {
    const jobs = this.#jobsOfCheck.get(checkName)!
    const known = this.#hours.get(checkName)
    if (known !== undefined) return known
    const builds = new Set(jobs.flatMap((job) => (job.pullRequestNumber > 0 ? job.commitSha : []))).size
    const days = Math.max(1, (jobs.at(-1)!.time - jobs[0]!.time) / (24 * HOUR))
    const hours =
      [1, 2, 3, 4, 6, 8, 12].find((some) => (builds / days) * some >= this.#thresholds.massBuilds * 24) ?? 24
    this.#hours.set(checkName, hours)
    return hours
  }
  readonly #hours = new Map<string, number>()
}

function origin(row: KnownRow): FailingExecution {
  const { pullRequestNumber, commitSha, checkName, time, baseRef, baseRepo, headRef, headRepo, signature } = row
  return {
    pullRequestNumber,
    commitSha,
    checkName,
    time,
    baseRef,
    baseRepo,
    headRef,
    headRepo,
    signature,
    reportUrl: '',
  }
}

/** A test by its name, a check that failed without one by its own. */
function keyOf({ failed: { testName }, checkName }: Pick<KnownRow, 'failed' | 'checkName'>): string {
  return testName === '' ? ` ${checkName}` : testName
}

function isNameOfFailure(testName: string): boolean {
  return testName.includes('(STID: ')
}

function runsIn(checkName: string, _testName: string): boolean {
  return checkName.startsWith('tests')
}

/** It ran in the job and passed. */
function ranIn(job: Job, testName: string): boolean {
  return (
    testName !== '' &&
    !isNameOfFailure(testName) &&
    (job.passed?.has(testName) ?? runsIn(job.checkName, testName)) &&
    !job.failed.some((one) => one.testName === testName)
  )
}

function isOwnJob(job: Job, { pullRequestNumber, commitSha, headRepo, headRef }: Subject): boolean {
  if (job.commitSha === commitSha) return true
  if (job.pullRequestNumber === 0) return false
  return job.pullRequestNumber === pullRequestNumber || (job.headRepo === headRepo && job.headRef === headRef)
}

function latest(executions: readonly TrunkExecution[]): readonly TrunkExecution[] {
  const sorted = executions.toSorted((a, b) => b.time - a.time)
  const commits = new Set([...new Set(sorted.map(({ commitSha }) => commitSha))].slice(0, TRUNK_COMMITS))
  return sorted.filter(({ commitSha }) => commits.has(commitSha))
}

/** The pull requests of one owner of a fork are one, and no commit of the trunk is any. */
function ownersOf(rows: readonly KnownRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => (row.pullRequestNumber === 0 ? [] : row.headRepo)))
}

function windowsAt(
  { time, checkName }: Job,
  longer: number,
): readonly Pick<MassFailure, 'start' | 'hours' | 'checkName'>[] {
  return [1, ...(longer === 1 ? [] : [longer])].flatMap((hours) => {
    const half = (hours * HOUR) / 2
    const start = Math.floor(time / half) * half
    return [start, start - half].map((at) => ({ start: at, hours, checkName: hours === 1 ? null : checkName }))
  })
}

/** The index of the first job after a time. */
function firstAfter(jobs: readonly { readonly time: number }[], time: number): number {
  let [low, high] = [0, jobs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (jobs[middle]!.time <= time) low = middle + 1
    else high = middle
  }
  return low
}

/** Who is judged: a head of a pull request. */
export function subjectOf(head: Head): Subject {
  const { pullRequestNumber, commitSha, headRepo, headRef } = head.jobs[0]!
  return {
    pullRequestNumber,
    commitSha,
    headRepo,
    headRef,
    repository: REPOSITORY,
    trunk: [TRUNK],
    mergeBase: head.mergeBase,
  }
}
