import { z } from 'zod'
import { saysServerIsLost } from '../../judge/ledger/crash.ts'
import type { Failure, HistoryWanted, MassFailure, Subject, TestHistory } from '../../judge/ledger/failure.ts'
import { infrastructureProblem } from '../../judge/ledger/infrastructure-phrases.ts'
import { formerSignatureOf, type Signature } from '../../judge/ledger/signature.ts'
import { filesOfStack } from '../../judge/ledger/stack-files.ts'
import { comparedName, STATED_STACK, VARYING_PART, varyingName } from '../../judge/ledger/test-name.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { LAST_TIME, timestamp } from '../../text/time.ts'
import { subjectParameters, windowOf } from '../ci-parameters.ts'
import type { QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { reading } from '../table.ts'
import { CHECKS } from './checks.ts'
import { type CiQueries, readSigned, rowOrigin, signatureOfRow, signedRow } from './ci-queries.ts'
import { type CiResults, type CommitWanted, type FailuresOfCommit, MOST_FAILURES } from './ci-results.ts'
import { HistoriesLookup, patternOf } from './histories-lookup.ts'

/** Failing rows that are read of all tests of one lookup together: some 100 MB. */
const MOST_OF_A_LOOKUP = 100_000

const MOST_SOUGHT = 10_000

/** How much a signature says of its failure. */
const SAYS: Readonly<Record<Signature['kind'], number>> = { name: 0, frames: 1, output: 2, 'stack-trace-id': 2 }

const failingRow = signedRow.extend({
  ...rowOrigin,
  testName: z.string(),
  status: z.string(),
  first: count,
  jobStart: count,
  failures: count,
})
type FailingRow = z.infer<typeof failingRow>
const checkOfCommit = z.object({ name: z.string(), first: count, last: count })
const nameOfRow = reading(CHECKS, 'check_name', 'test_name')
const measuredRow = nameOfRow.extend({ status: z.string() })
const passOfCommit = nameOfRow.extend({ jobStart: count })
const testsThatFailed = z.object({ tests: count })
const massFailure = z.object({
  start: count,
  hours: count,
  checkName: z.string(),
  tests: count,
  pullRequests: count,
  /** A name; of several that vary, these, each with a pull request in which it failed. */
  testNames: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.string()]))])),
  checkNames: z.array(z.string()),
})

/** The lookups of `CiResults`, the same for both sources. */
export class CiLookup implements CiResults {
  readonly source: CiResults['source']
  readonly #queries: CiQueries
  readonly #now: () => number
  /** Commits that were looked for further back than the first of `commitSearch`. */
  readonly #sought = new Set<string>()

  constructor(queries: CiQueries, now: () => number = Date.now) {
    this.source = queries.source
    this.#queries = queries
    this.#now = now
  }

  async failuresOf(wanted: CommitWanted): Promise<FailuresOfCommit> {
    const commit = {
      repositoryId: wanted.repositoryId,
      repository: wanted.repository.toLowerCase(),
      commitSha: wanted.commitSha,
      pullRequestNumber: wanted.pullRequestNumber ?? -1,
    }
    // Where the commit is found at once, whenever it was, nothing waits for the time of its checks.
    const search = this.#checksOf(wanted.commitSha, commit)
    const isFoundAtOnce = this.#queries.commitSearch[0] === null
    const time = isFoundAtOnce ? { from: 0, until: LAST_TIME } : timeOf(await search)
    if (time === null) return { failures: [], notRead: 0, checks: [] }

    const parameters = { ...commit, ...time }
    const [checks, rows] = await Promise.all([
      search,
      readSigned(this.#queries, 'failures-of-commit', { ...parameters, mostFailures: MOST_FAILURES }, failingRow, {
        unmerged: true,
        // Of rows that are signed as well: the rule before is asked of them.
        withOutput: true,
      }),
    ])
    // Passes of all these tests are read only around the commit's own checks.
    const around = { ...commit, ...(timeOf(checks) ?? time) }
    const brokenDown = checksBrokenDown(rows)
    const [measured, passes, withTests] = await Promise.all([
      rows.length > 0
        ? []
        : this.#queries.read('measured-of-commit', { ...around, mostFailures: MOST_FAILURES }, measuredRow),
      rows.length === 0 ? [] : this.#queries.read('passes-of-commit', around, passOfCommit, { unmerged: true }),
      this.#jobsWithTests(around, brokenDown),
    ])
    const { failures, replaced } = failuresIn(rows, passes, { brokenDown, withTests })
    return {
      failures,
      notRead: Math.max(0, (rows[0]?.failures ?? 0) - failures.length - replaced),
      checks: checks.map(({ name }) => name),
      ...(measured.length > 0 && { measured }),
    }
  }

  /** The jobs, by `jobTestKey` of the check itself, in which tests are known to have run. */
  async #jobsWithTests(parameters: QueryParameters, checks: readonly string[]): Promise<ReadonlySet<string>> {
    if (checks.length === 0) return new Set()
    const row = z.object({ checkName: z.string(), jobStart: count })
    const jobs = await this.#queries.read('jobs-with-tests', { ...parameters, checks }, row, { unmerged: true })
    return new Set(jobs.map((job) => jobTestKey({ ...job, testName: '' })))
  }

  async #checksOf(sha: string, commit: QueryParameters): Promise<z.infer<typeof checkOfCommit>[]> {
    const now = Math.floor(this.#now() / 1000)
    const [recent, ...earlier] = this.#queries.commitSearch
    // A commit without rows may have new ones next time.
    const search = this.#sought.has(sha) ? [recent] : [recent, ...earlier]
    for (const seconds of search) {
      if (seconds === undefined) break
      const from = seconds === null ? 0 : timestamp(now - seconds)
      const parameters = { ...commit, from, until: LAST_TIME }
      const checks = await this.#queries.read('checks-of-commit', parameters, checkOfCommit, { unmerged: true })
      if (checks.length > 0) {
        this.#sought.delete(sha)
        return checks
      }
      if (this.#sought.size >= MOST_SOUGHT) this.#sought.clear()
      this.#sought.add(sha)
    }
    return []
  }

  async historiesOf(
    wanted: readonly HistoryWanted[],
    subject: Subject,
    repositoryId: number,
    thresholds: LedgerThresholds,
  ): Promise<readonly TestHistory[]> {
    const parameters = { ...subjectParameters(subject), repositoryId }
    const found = new Map<HistoryWanted, TestHistory>()
    let left = MOST_OF_A_LOOKUP
    const kinds = Map.groupBy(wanted, kindOf)
    for (const kind of ['of-tests', 'of-patterns', 'of-checks'] as const) {
      const options = { ofChecks: kind === 'of-checks', byPattern: kind === 'of-patterns' }
      const lookup = new HistoriesLookup(this.#queries, parameters, thresholds, options)
      for (const chunk of chunksOf(kinds.get(kind) ?? [], kind, this.#queries.parameterLength)) {
        for (const [index, history] of (await lookup.read(chunk, left)).entries()) {
          found.set(chunk[index]!, history)
          left -= history.failing.length
        }
      }
    }
    return wanted.map((one) => found.get(one)!)
  }

  async massFailuresOf(
    until: number,
    subject: Subject,
    repositoryId: number,
    thresholds: LedgerThresholds,
  ): Promise<readonly MassFailure[]> {
    const { massTests, massPullRequestsPerTest, massPullRequests, massBuilds, massTimesAsOften, brokenTrunkRuns } =
      thresholds
    const of = { ...subjectParameters(subject), repositoryId, ...windowOf(until, thresholds) }
    if (!(await this.#haveFailed(massTests, of))) return []
    const rows = await this.#queries.read(
      'mass-failures',
      {
        ...of,
        massTests,
        massPullRequestsPerTest,
        massPullRequests,
        massBuilds,
        massTimesAsOften,
        brokenTrunkRuns,
        varyingPart: VARYING_PART,
        statedStack: STATED_STACK,
      },
      massFailure,
      { unmerged: true },
    )
    // Overlapping windows have the same tests: each name is there once.
    const kept = new Map<string, string>()
    const once = (name: string): string => {
      if (!kept.has(name)) kept.set(name, comparedName(name))
      return kept.get(name)!
    }
    return rows.flatMap(({ checkName, testNames, checkNames, ...row }) => {
      const names = new Set(testNames.flatMap((gathered) => namesOf(gathered, massPullRequestsPerTest, once)))
      if (names.size < massTests) return []
      const windowCheck = row.hours === 1 ? null : checkName
      return [
        {
          ...row,
          start: row.start * 1000,
          tests: names.size,
          checkName: windowCheck,
          testNames: names,
          checkNames: new Set(checkNames),
        },
      ]
    })
  }

  /** Whether so many tests failed in a time, in whatever way. */
  async #haveFailed(tests: number, of: QueryParameters): Promise<boolean> {
    const parameters = { ...of, enough: tests }
    const [row] = await this.#queries.read('tests-that-failed', parameters, testsThatFailed, { unmerged: true })
    return row !== undefined && row.tests >= tests
  }
}

/** The names as they are compared that failed in enough pull requests, of those that the statement gathered under one. */
function namesOf(
  [name, shown]: z.infer<typeof massFailure>['testNames'][number],
  enough: number,
  once: (name: string) => string,
): readonly string[] {
  if (shown.length === 0) return [once(name)]
  const byName = Map.groupBy(shown, ([of]) => once(of))
  return [...byName].flatMap(([compared, of]) =>
    new Set(of.map(([, pullRequest]) => pullRequest)).size < enough ? [] : [compared],
  )
}

/** The checks whose job itself says that something broke down: only of these it decides whether tests ran. */
function checksBrokenDown(rows: readonly FailingRow[]): readonly string[] {
  const brokenDown = rows.filter(
    (row) => row.testName === '' && infrastructureProblem(signatureOfRow('', row).text) !== null,
  )
  return [...new Set(brokenDown.map(({ checkName }) => checkName))]
}

/** How the rows of a history are found. */
type HistoryKind = 'of-tests' | 'of-patterns' | 'of-checks'

function kindOf({ testName }: HistoryWanted): HistoryKind {
  if (testName === '') return 'of-checks'
  return varyingName(testName) === null ? 'of-tests' : 'of-patterns'
}

/** Each name that is found is asked about each pattern: so many characters are some 100 of these. */
const MOST_OF_PATTERNS = 20_000

/** What is known of the jobs of a commit beside their failures. */
interface JobsOfCommit {
  /** Checks whose job says that something broke down. */
  readonly brokenDown: readonly string[]
  /** Jobs in which tests are known to have run, by `jobTestKey` of the check. */
  readonly withTests: ReadonlySet<string>
}

/** Each test that fails on a commit once, and how many are left out because they were run again since and passed. */
function failuresIn(
  rows: readonly FailingRow[],
  passes: readonly z.infer<typeof passOfCommit>[],
  jobs: JobsOfCommit,
): { readonly failures: readonly Failure[]; readonly replaced: number } {
  const passed = new Set(passes.map((pass) => jobTestKey(pass)))
  const passedLast = new Map<string, number>()
  for (const pass of passes) {
    passedLast.set(keyOf(pass), Math.max(passedLast.get(keyOf(pass)) ?? 0, pass.jobStart))
  }
  const passedIn = checksByTest(passes)
  const failedIn = checksByTest(rows)
  const replaced = new Set<string>()
  const failures = new Map<string, Failure>()
  for (const row of rows) {
    const key = keyOf(row)
    const signature = signatureOfRow(row.testName, row)
    const known = failures.get(key)
    // Several tries of a test are one failure: the first output that says most is its signature.
    if (known !== undefined && says(known.signature) >= says(signature)) continue
    // The test was run again since and passed: the newest attempt stands.
    if (row.testName !== '' && (passedLast.get(key) ?? 0) > row.jobStart) {
      replaced.add(key)
      continue
    }
    const former = formerSignatureOf(row.testName, row.output)
    const files = filesOfStack(row.output)
    const failed = failedIn.get(row.testName)
    const others = [...(passedIn.get(row.testName) ?? [])].filter((check) => failed?.has(check) !== true).length
    failures.set(key, {
      ...originOf(row),
      time: row.time * 1000,
      ...(row.first === row.jobStart && row.time === row.jobStart
        ? {}
        : { inJob: { start: row.jobStart * 1000, first: row.first * 1000 } }),
      signature,
      ...(former !== null && { formerSignature: former }),
      ...(files.length > 0 && { files }),
      passedOnRetry: passed.has(jobTestKey(row)),
      ...(passedLast.has(key) ? { passedOnCommit: true } : {}),
      ...(others > 0 ? { passedInChecks: others } : {}),
      reportUrl: row.reportUrl,
      ...(jobs.brokenDown.includes(row.checkName) && row.testName === ''
        ? { testsRan: jobs.withTests.has(jobTestKey(row)) }
        : {}),
    })
  }
  return { failures: [...failures.values()], replaced: replaced.size }
}

function checksByTest(rows: readonly z.infer<typeof nameOfRow>[]): ReadonlyMap<string, Set<string>> {
  const byTest = Map.groupBy(rows, ({ testName }) => testName)
  return new Map([...byTest].map(([test, of]) => [test, new Set(of.map(({ checkName }) => checkName))]))
}

/** That a server was lost says less than what another try of the test was about. */
function says(signature: Signature): number {
  return SAYS[signature.kind] - (saysServerIsLost({ signature }) ? 0.5 : 0)
}

function originOf(row: FailingRow) {
  return {
    testName: row.testName,
    checkName: row.checkName,
    status: row.status,
    pullRequestNumber: row.pullRequestNumber,
    commitSha: row.commitSha,
    headRepo: row.headRepo,
    headRef: row.headRef,
    baseRef: row.baseRef,
    baseRepo: row.baseRepo,
  }
}

function timeOf(checks: readonly z.infer<typeof checkOfCommit>[]): { from: number; until: number } | null {
  if (checks.length === 0) return null
  return {
    from: Math.min(...checks.map(({ first }) => first)),
    until: Math.max(...checks.map(({ last }) => last)),
  }
}

function keyOf({ checkName, testName }: z.infer<typeof nameOfRow>): string {
  return JSON.stringify([checkName, testName])
}

function jobTestKey({ checkName, testName, jobStart }: z.infer<typeof passOfCommit>): string {
  return JSON.stringify([checkName, testName, jobStart])
}

/** The histories in the order given, in groups short enough for one request; a group has at least one. */
function* chunksOf(
  wanted: readonly HistoryWanted[],
  kind: HistoryKind,
  parameterLength: number,
): Generator<readonly HistoryWanted[]> {
  const length = kind === 'of-patterns' ? Math.min(parameterLength, MOST_OF_PATTERNS) : parameterLength
  let chunk: HistoryWanted[] = []
  let taken = 0
  for (const one of wanted) {
    // A pattern stands there alone and among all.
    const pattern = kind === 'of-patterns' ? patternOf(one.testName).pattern : null
    const names = pattern === null ? [one.testName, one.checkName ?? ''] : [pattern, pattern]
    const needed = [...names, ...one.failedIn].reduce(
      (sum, text) => sum + encodeURIComponent(text.toWellFormed()).length + NUMBERS_LENGTH,
      0,
    )
    if (chunk.length > 0 && taken + needed > length) {
      yield chunk
      chunk = []
      taken = 0
    }
    chunk.push(one)
    taken += needed
  }
  if (chunk.length > 0) yield chunk
}

/** Characters of a name's quotes and of the times and numbers that go with it, in an address. */
const NUMBERS_LENGTH = 40
