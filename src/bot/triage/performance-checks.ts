import type { RepositoryConfig, ResultsSource } from '../../config/repository-config.ts'
import { isWatchedWorkflow, workflowFile } from '../../config/watched.ts'
import type { Artifact } from '../../github/artifacts.ts'
import type { CommitCheck, WorkflowJob, WorkflowRun } from '../../github/performance-checks.ts'
import type { Origin } from '../../report/report.ts'
import { matchName } from '../../text/name-pattern.ts'

/** The checks of one head as GitHub reports them, as far as they can matter here. */
export interface HeadChecks {
  readonly checkRuns: readonly CommitCheck[]
  readonly statuses: readonly CommitCheck[]
  readonly workflowRuns: readonly WorkflowRun[]
  /** Artifacts by workflow run id. */
  readonly artifacts: ReadonlyMap<number, readonly Artifact[]>
  /** `Runs.workflowsOfTrunk`; absent: the head is one of the trunk. */
  readonly ofTrunk?: ReadonlyMap<string, string>
}

/** A check that is expected to give one run. */
export interface PerformanceCheck {
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly shards: number | null
  /** `missing`: its siblings' names say that it will come. */
  readonly state: 'finished' | 'pending' | 'missing'
  readonly conclusion: string | null
  /** Its title; absent of a workflow as a whole, and while it runs. */
  readonly said?: string
  readonly url: string | null
  /** ISO 8601; null where nobody knows. */
  readonly startedAt: string | null
  /** ISO 8601; null unless finished. */
  readonly finishedAt: string | null
  /** Grows with every attempt: the second since 1970 at which it finished. 0 unless finished. */
  readonly attempt: number
  readonly workflowRun: WorkflowRun | null
  /** The artifacts that may hold its results, best first, each with the configured source whose pattern its name fits. */
  readonly artifacts: readonly { readonly artifact: Artifact; readonly source: ResultsSource }[]
  readonly isAmbiguous: boolean
  /** Artifacts that are there and fit no pattern, where none does; absent: there are none. */
  readonly unfit?: readonly string[]
  /** Why a check that was skipped is missed all the same; absent of every other one. */
  readonly skipped?: 'needed-failed' | 'shard-skipped'
  /** Absent: its workflow is the one that measures it on the trunk. */
  readonly origin?: Origin
}

/** The path of the workflow of a check, empty where no workflow of GitHub Actions gives it. */
export function workflowOf({ workflowRun }: Pick<PerformanceCheck, 'workflowRun'>): string {
  return workflowRun === null ? '' : workflowFile(workflowRun.path)
}

/**
 * Whether a check is measured by another workflow than on the trunk. Anybody may add a workflow with a job of the same name: it is
 * told by its path, a reusable one by that of its caller.
 *
 * `unknown`: nothing of the trunk is known, or a shard that it does not have yet comes from a workflow that measures others there.
 */
function originOf(
  config: RepositoryConfig,
  { ofTrunk }: HeadChecks,
  check: string,
  workflowRun: WorkflowRun | null,
): { readonly origin?: Origin } {
  if (ofTrunk === undefined) return {}
  const workflow = workflowOf({ workflowRun })
  const isNamed = config.workflows.length > 0 && workflowRun !== null
  if (isNamed ? isWatchedWorkflow(config, workflowRun) : ofTrunk.get(check) === workflow) return {}
  const mayBe = !isNamed && !ofTrunk.has(check) && (ofTrunk.size === 0 || [...ofTrunk.values()].includes(workflow))
  return { origin: { kind: mayBe ? 'unknown' : 'other-workflow', workflow: workflow === '' ? null : workflow } }
}

/**
 * The performance checks of a head. With `checks` in the configuration they are the check runs and statuses whose names
 * match; without, they are the artifacts whose names match, since an artifact is all that the defaults ask for.
 */
export function performanceChecks(config: RepositoryConfig, head: HeadChecks): PerformanceCheck[] {
  const { checks } = expectedChecks(config, head)
  // A check that was skipped on purpose is not waited for and not missed; it is known only so that it does not count as missing.
  return checks.filter(({ conclusion }) => conclusion !== 'skipped')
}

/**
 * The performance checks that were skipped. GitHub also skips a job that needs one that failed; and of shards that belong
 * together CI skips all or none on purpose.
 */
export function skippedChecks(
  config: RepositoryConfig,
  head: HeadChecks,
): { readonly missed: PerformanceCheck[]; readonly onPurpose: PerformanceCheck[] } {
  const { checks, found } = expectedChecks(config, head)
  const skipped = checks
    .filter(({ conclusion }) => conclusion === 'skipped')
    .map((check) => {
      const why = whyMissed(check, found, head)
      return why === null ? check : { ...check, skipped: why }
    })
  return {
    missed: skipped.filter((check) => check.skipped !== undefined),
    onPurpose: skipped.filter((check) => check.skipped === undefined),
  }
}

function whyMissed(
  check: PerformanceCheck,
  found: readonly Found[],
  head: HeadChecks,
): NonNullable<PerformanceCheck['skipped']> | null {
  const named = found.find((one) => one.check === check)
  if (named === undefined) return null
  const failedBefore = head.checkRuns.some(
    (other) =>
      other.checkSuiteId !== null &&
      other.checkSuiteId === named.checkSuiteId &&
      FAILED.has(other.conclusion ?? '') &&
      (other.finishedAt ?? '') <= (check.finishedAt ?? ''),
  )
  if (failedBefore) return 'needed-failed'
  const family = familyOf(named)
  const hasSibling = found.some((one) => familyOf(one) === family && one.check.conclusion !== 'skipped')
  return check.shard !== null && hasSibling ? 'shard-skipped' : null
}

/** Conclusions of a job for which GitHub skips those that need it. */
const FAILED: ReadonlySet<string> = new Set(['failure', 'cancelled', 'timed_out', 'startup_failure'])

function expectedChecks(
  config: RepositoryConfig,
  head: HeadChecks,
): { readonly checks: readonly PerformanceCheck[]; readonly found: readonly Found[] } {
  if (config.checks.length === 0) return { checks: checksByArtifact(config, head), found: [] }
  const found = foundByName(config, head)
  return { checks: [...found.map(({ check }) => check), ...missingSiblings(found)], found }
}

/** A check that a pattern of the configuration names. */
interface Found {
  readonly check: PerformanceCheck
  readonly pattern: string | null
  readonly parts: NameParts
  readonly checkSuiteId?: number | null
}

type NameParts = Readonly<Record<string, string>>

function foundByName(config: RepositoryConfig, head: HeadChecks): Found[] {
  const runOfSuite = new Map(head.workflowRuns.map((run) => [run.checkSuiteId, run]))
  const found: Found[] = []
  const runOf = ({ checkSuiteId }: CommitCheck) =>
    checkSuiteId === null ? null : (runOfSuite.get(checkSuiteId) ?? null)
  const ofCheck = (check: CommitCheck) => originOf(config, head, check.name, runOf(check))
  const isElsewhere = (check: CommitCheck) => ofCheck(check).origin?.kind === 'other-workflow'
  for (const candidate of newestByName([...head.checkRuns, ...head.statuses], isElsewhere)) {
    const match = firstMatch(config.checks, candidate.name)
    if (match === null) continue
    const workflowRun = runOf(candidate)
    const artifacts =
      workflowRun === null ? [] : (head.artifacts.get(workflowRun.id) ?? []).filter(isOf(candidate, workflowRun))
    found.push({
      ...match,
      checkSuiteId: candidate.checkSuiteId,
      check: {
        check: candidate.name,
        ...placeOf(match.parts),
        state: candidate.isFinished ? 'finished' : 'pending',
        conclusion: candidate.conclusion,
        ...(candidate.isFinished && { said: candidate.title ?? '' }),
        url: candidate.url,
        startedAt: candidate.startedAt,
        finishedAt: candidate.finishedAt,
        attempt: attemptOf(candidate.finishedAt),
        workflowRun,
        ...ofCheck(candidate),
        ...artifactsFor(config, artifacts, match.parts),
      },
    })
  }
  return found
}

function checksByArtifact(config: RepositoryConfig, head: HeadChecks): PerformanceCheck[] {
  const checks: PerformanceCheck[] = []
  const seen = new Set<string>()
  const watched = head.workflowRuns.filter((run) => isWatchedWorkflow(config, run))
  const found = watched.map((run) => checksOfWorkflowRun(config, head, run))
  const isElsewhere = ({ origin }: PerformanceCheck) => origin?.kind === 'other-workflow'
  const ofTrunk = new Set(found.flat().flatMap((check) => (isElsewhere(check) ? [] : [check.check])))
  // Newest workflow run first: an artifact of the same name in an older one has been replaced.
  for (const [index, run] of watched.entries()) {
    const ofRun = found[index]!.filter((check) => !isElsewhere(check) || !ofTrunk.has(check.check))
    const isNamed = config.workflows.length > 0
    for (const check of ofRun) {
      if (seen.has(check.check)) continue
      seen.add(check.check)
      checks.push(check)
    }
    const isOutstanding = !run.isFinished && (isNamed || ofRun.length > 0)
    const isWithoutResults = run.isFinished && isNamed && ofRun.length === 0
    if ((isOutstanding || isWithoutResults) && !seen.has(run.name)) {
      seen.add(run.name)
      checks.push(workflowRunAsCheck(run, isWithoutResults ? (head.artifacts.get(run.id) ?? []) : []))
    }
  }
  return [...checks, ...missingSiblings(checks.map((check) => ({ check, pattern: null, parts: partsOf(check) })))]
}

/** Names of artifacts without an architecture: `performance-results` and `performance-go` fit `performance-{architecture}` too. */
const NO_ARCHITECTURE =
  /^(?:results?|reports?|data|output|raw|tests?|benchmarks?|comparison|artifacts?|all|pr|main|master|go|rust|java|python|js|cpp|dotnet|cli|asv|bmf|catch|criterion|custom|iai|jmh|pytest|vitest)$/i

function placeOfArtifact(parts: NameParts): Pick<PerformanceCheck, 'architecture' | 'shard' | 'shards'> {
  const place = placeOf(parts)
  return NO_ARCHITECTURE.test(place.architecture ?? '') ? { ...place, architecture: null } : place
}

/** Names of artifacts and workflows that measure something; most others are of builds, and nobody wants to hear of them. */
const SOUNDS_MEASURED =
  /bench|perf|speed|timing|measure|latency|throughput|results?|criterion|hyperfine|jmh|pyperf|(?:^|[^a-z])asv/i
const SOUNDS_TESTED = /test|junit|cov|lint|e2e|docs|screenshot|playwright|lighthouse|scan|sarif/i

/** The names of artifacts that fit no pattern although they sound like results, each once. */
export function unfitArtifacts(config: RepositoryConfig, { workflowRuns, artifacts }: HeadChecks): readonly string[] {
  const fits = ({ name }: Artifact) =>
    config.results.some((source) => source.kind === 'artifact' && matchName(source.artifact, name) !== null)
  const unfit = workflowRuns
    .filter((run) => isWatchedWorkflow(config, run))
    .flatMap((run) => (artifacts.get(run.id) ?? []).filter((artifact) => !fits(artifact)))
    .map(({ name }) => name)
    .filter((name) => SOUNDS_MEASURED.test(name) && !SOUNDS_TESTED.test(name))
  return [...new Set(unfit)]
}

/**
 * Whether an artifact can be of this run of the check. Artifacts of all attempts of a workflow run are listed together:
 * when the check itself ran again in the latest attempt, those from before that attempt are an older run's.
 */
function isOf(check: CommitCheck, run: WorkflowRun): (artifact: Artifact) => boolean {
  const isOfLatestAttempt = check.startedAt !== null && check.startedAt >= run.startedAt
  return ({ createdAt }) => !isOfLatestAttempt || createdAt >= run.startedAt
}

function checksOfWorkflowRun(config: RepositoryConfig, head: HeadChecks, run: WorkflowRun): PerformanceCheck[] {
  const artifacts = head.artifacts.get(run.id) ?? []
  const patterns = config.results.filter((source) => source.kind === 'artifact')
  const checks: PerformanceCheck[] = []
  for (const artifact of artifacts) {
    const source = patterns.find((pattern) => matchName(pattern.artifact, artifact.name) !== null)
    if (source === undefined) continue
    checks.push({
      check: artifact.name,
      ...placeOfArtifact(matchName(source.artifact, artifact.name) ?? {}),
      state: 'finished',
      conclusion: run.conclusion,
      url: run.url,
      startedAt: run.startedAt,
      finishedAt: artifact.createdAt,
      attempt: attemptOf(artifact.createdAt),
      workflowRun: run,
      ...originOf(config, head, artifact.name, run),
      artifacts: [{ artifact, source }],
      isAmbiguous: false,
    })
  }
  return checks
}

/** Attempts of a check that are read beside its newest: two that do not show a finding take it back. */
const MOST_REPLACED = 5

/**
 * A check as it stood in the attempts that its newest has replaced, the newest first: one for each older artifact of the same name
 * from its workflow. `artifacts`: of all attempts.
 *
 * Two: `performance-results` of 12:05, where `performance-results` of 12:00 and 11:50 are there too. None: `performance-arm` of 12:00.
 */
export function replacedAttempts(
  check: PerformanceCheck,
  { workflowRuns, artifacts }: Pick<HeadChecks, 'workflowRuns' | 'artifacts'>,
): readonly PerformanceCheck[] {
  const [newest] = check.artifacts
  if (check.state !== 'finished' || newest === undefined) return []
  const isOlder = ({ id, name }: Artifact) => name === newest.artifact.name && id < newest.artifact.id
  const older = workflowRuns
    .filter(({ path }) => workflowFile(path) === workflowOf(check))
    .flatMap((workflowRun) => (artifacts.get(workflowRun.id) ?? []).filter(isOlder).map(asItStood(check, workflowRun)))
    .toSorted((a, b) => b.attempt - a.attempt)
  const times = [check, ...older].map(({ attempt }) => attempt)
  return older.filter((one, index) => one.attempt < times[index]!).slice(0, MOST_REPLACED)
}

function asItStood(check: PerformanceCheck, workflowRun: WorkflowRun): (artifact: Artifact) => PerformanceCheck {
  const { source } = check.artifacts[0]!
  return (artifact) => {
    const { createdAt } = artifact
    const finished = { finishedAt: createdAt, attempt: attemptOf(createdAt) }
    return { ...check, ...finished, workflowRun, artifacts: [{ artifact, source }] }
  }
}

function workflowRunAsCheck(run: WorkflowRun, unfit: readonly Artifact[]): PerformanceCheck {
  return {
    check: run.name,
    architecture: null,
    shard: null,
    shards: null,
    state: run.isFinished ? 'finished' : 'pending',
    conclusion: run.conclusion,
    url: run.url,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    attempt: attemptOf(run.finishedAt),
    workflowRun: run,
    artifacts: [],
    isAmbiguous: false,
    ...unfitOf(unfit),
  }
}

/**
 * One check can be there twice, as a re-run or in two workflows: the one that is running, else the last to finish. One that was
 * skipped takes nothing back that another one has measured, and one of another workflow than the trunk's takes nothing back at all.
 */
function newestByName(checks: readonly CommitCheck[], isElsewhere: (check: CommitCheck) => boolean): CommitCheck[] {
  const newest = new Map<string, CommitCheck>()
  for (const check of checks) {
    const known = newest.get(check.name)
    if (known === undefined || standsBefore(check, known, isElsewhere)) newest.set(check.name, check)
  }
  return [...newest.values()]
}

function standsBefore(check: CommitCheck, known: CommitCheck, isElsewhere: (check: CommitCheck) => boolean): boolean {
  const isSkipped = check.conclusion === 'skipped'
  if (isSkipped !== (known.conclusion === 'skipped')) return !isSkipped
  if (isElsewhere(check) !== isElsewhere(known)) return !isElsewhere(check)
  if (!known.isFinished) return false
  return !check.isFinished || (check.finishedAt ?? '') > (known.finishedAt ?? '')
}

function firstMatch(
  patterns: readonly string[],
  name: string,
): { readonly pattern: string; readonly parts: NameParts } | null {
  for (const pattern of patterns) {
    const parts = matchName(pattern, name)
    if (parts !== null) return { pattern, parts }
  }
  return null
}

/** Artifacts whose names match a pattern and contradict nothing that the check's own name says. */
function artifactsFor(
  config: RepositoryConfig,
  artifacts: readonly Artifact[],
  checkParts: NameParts,
): Pick<PerformanceCheck, 'artifacts' | 'isAmbiguous' | 'unfit'> {
  for (const source of config.results) {
    if (source.kind !== 'artifact') continue
    const fitting = artifacts.filter(({ name }) => {
      const parts = matchName(source.artifact, name)
      return parts !== null && Object.entries(parts).every(([key, value]) => (checkParts[key] ?? value) === value)
    })
    if (fitting.length > 1) return { artifacts: [], isAmbiguous: true }
    if (fitting.length === 1) return { artifacts: [{ artifact: fitting[0]!, source }], isAmbiguous: false }
  }
  return { artifacts: [], isAmbiguous: false, ...unfitOf(artifacts) }
}

function unfitOf(artifacts: readonly Artifact[]): Pick<PerformanceCheck, 'unfit'> {
  return artifacts.length === 0 ? {} : { unfit: artifacts.map(({ name }) => name) }
}

function placeOf(parts: NameParts): Pick<PerformanceCheck, 'architecture' | 'shard' | 'shards'> {
  const shard = parts['shard'] === undefined ? null : Number(parts['shard'])
  const shards = parts['shards'] === undefined ? null : Number(parts['shards'])
  // The fifth of three is no shard of anything that could be waited for.
  const isImpossible = shard !== null && shards !== null && (shard < 1 || shard > shards)
  return { architecture: parts['architecture'] ?? null, shard, shards: isImpossible ? null : shards }
}

function partsOf({ architecture, shard, shards }: PerformanceCheck): NameParts {
  return {
    ...(architecture === null ? {} : { architecture }),
    ...(shard === null ? {} : { shard: String(shard) }),
    ...(shards === null ? {} : { shards: String(shards) }),
  }
}

/** A label may be as long as somebody likes who writes the workflow. */
const MACHINE_LIMIT = 200

/**
 * The kind of machine that measured a check by the labels of its runner; null where the jobs that may have done so do not
 * have the same. These are the jobs of its name, else those that ran when the results were uploaded.
 *
 * `ubuntu-24.04`, `bench, linux, self-hosted`
 */
export function machineOfCheck(
  { check, artifacts, finishedAt }: Pick<PerformanceCheck, 'check' | 'artifacts' | 'finishedAt'>,
  jobs: readonly WorkflowJob[],
): string | null {
  const at = artifacts[0]?.artifact.createdAt ?? finishedAt
  const named = jobs.filter(({ name }) => name === check)
  const running = (named.length > 0 ? named : jobs).filter(
    (job) => at !== null && job.startedAt <= at && at <= (job.finishedAt ?? at),
  )
  const [machine, ...others] = new Set(running.map(({ labels }) => labels.toSorted().join(', ')))
  return !machine || others.length > 0 ? null : machine.slice(0, MACHINE_LIMIT).toWellFormed()
}

function attemptOf(finishedAt: string | null): number {
  return finishedAt === null ? 0 : Math.floor(Date.parse(finishedAt) / 1000)
}

/** The part of a check's name that the shards of one run have in common. */
function familyOf({ pattern, parts }: Found): string {
  return JSON.stringify([pattern, Object.entries(parts).filter(([key]) => key !== 'shard')])
}

/** `3/12` says that there are twelve: the ones that nobody has seen yet, per set of siblings. */
function missingSiblings(found: readonly Found[]): PerformanceCheck[] {
  const sharded = found.filter(({ check }) => check.shard !== null && check.shards !== null)
  const families = Map.groupBy(sharded, familyOf)
  const missing: PerformanceCheck[] = []
  for (const family of families.values()) {
    const { check: sibling } = family[0]!
    const seen = new Set(family.map(({ check }) => check.shard))
    for (let shard = 1; shard <= sibling.shards!; shard += 1) {
      if (seen.has(shard)) continue
      missing.push({
        ...sibling,
        check: renumbered(sibling.check, sibling.shard!, sibling.shards!, shard),
        shard,
        state: 'missing',
        conclusion: null,
        url: null,
        startedAt: null,
        finishedAt: null,
        attempt: 0,
        workflowRun: null,
        artifacts: [],
        isAmbiguous: false,
      })
    }
  }
  return missing
}

/** `Performance (amd, 1/6)` with shard 4 is `Performance (amd, 4/6)`; another form of name says it in words. */
function renumbered(name: string, from: number, shards: number, to: number): string {
  for (const between of ['/', '-of-']) {
    const position = name.lastIndexOf(`${from}${between}${shards}`)
    if (position < 0) continue
    const rest = name.slice(position + `${from}${between}${shards}`.length)
    return `${name.slice(0, position)}${to}${between}${shards}${rest}`
  }
  return `${name} (shard ${to} of ${shards})`
}
