import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { type Artifact, getArtifactUrl, listArtifacts } from '../../github/artifacts.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import type { ReportedCheck, ReportedWorkflowRun } from '../../github/performance-checks.ts'
import { listFailureAnnotations } from '../../github/performance-checks.ts'
import {
  DOWNLOAD_LIMITS,
  DownloadError,
  type DownloadLimits,
  type DownloadProblem,
  download,
} from '../../intake/download/download.ts'
import type { ScratchFile, ScratchFolder } from '../../intake/download/scratch-folder.ts'
import type { CheckRow } from '../../intake/imports/checks/check-row.ts'
import type { Store } from '../../store/store.ts'
import { matchName } from '../../text/name-pattern.ts'
import { isRed } from '../events/check-colour.ts'
import { type CheckedCommit, checkRowsOfHead, isTold, type JobOfRow, type ReportedHead } from './check-rows.ts'
import { jobOfArtifact } from './ci-intake-job.ts'
import { nothingRead, rowsOfArtifact } from './ci-intake-junit.ts'

/** Keys that are remembered at once: some hundred pull requests with some hundred checks each. */
const MOST_REMEMBERED = 50_000

/**
 * What of the CI results and of the trunk's runs has been taken in, by keys with a time or a count, for the life of the
 * process. What is forgotten, at a restart all of it, is read once more and stored as the same rows again.
 */
export type ResultsTakenIn = LRUCache<string, number>

export function resultsTakenIn(max = MOST_REMEMBERED): ResultsTakenIn {
  return new LRUCache({ max })
}

export interface IntakeContext {
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  readonly repositoryId: number
  readonly config: Pick<RepositoryConfig, 'ledger' | 'results'>
  readonly ciResults: Pick<Store['ciResults'], 'save'>
  readonly isAllowedHost: (url: URL) => boolean
  readonly stopping: AbortSignal
  readonly scratch: ScratchFolder
  readonly log: Logger
  readonly taken: ResultsTakenIn
  /** Our own check runs are no CI results. */
  readonly ownAppId: number
  /** Checks whose failures are told elsewhere: the performance checks. */
  readonly isLeftOut: (checkName: string) => boolean
}

export type IntakeProblemKind =
  | 'expired'
  | 'too-large'
  | 'too-many'
  | 'host-not-allowed'
  | 'download-failed'
  | 'unreadable'

/** Results that are not there, or not whole. */
export interface IntakeProblem {
  readonly artifact: string
  readonly problem: IntakeProblemKind
  /** The problem in one line for a person. */
  readonly message: string
}

export interface Intake {
  /** Rows stored now; 0 when there was nothing new. */
  readonly rows: number
  readonly problems: readonly IntakeProblem[]
  /** False: some of what there is was not read, now or when it was taken in. */
  readonly isWhole: boolean
  /** False: something runs still, or another try may get it. */
  readonly isComplete: boolean
}

/** Compressed. The JUnit files of a job are some megabytes at most; what is larger holds something else. */
const INTAKE_LIMITS: DownloadLimits = { ...DOWNLOAD_LIMITS, maxBytes: 200 * 1024 ** 2, timeoutMs: 2 * 60_000 }

/** Limits of one workflow run, whose jobs have one or two artifacts each: a fork's workflow may upload whatever it likes. */
const MOST_ARTIFACTS = 200
const MOST_BYTES = 1024 ** 3
const MOST_ROWS = 500_000

/** Tries of a download that failed, in the life of the process. */
const MOST_TRIES = 3

/** Check runs of one commit whose annotations are read: a call each. */
const MOST_ANNOTATED = 30

/**
 * Stores what GitHub itself knows of a commit's CI where there is no CI database: its finished checks, and the tests in
 * the JUnit artifacts of its workflow runs. Cheap when nothing is new: what was taken in is remembered for the life of the
 * process, and a run that has ended and was taken in costs no call. Level-triggered: after a restart, or twice, the same
 * rows are stored. Throws `StoreUnavailable` and what GitHub answers; what was stored before that stands.
 */
export async function takeInCiResults(
  context: IntakeContext,
  commit: CheckedCommit,
  head: ReportedHead,
): Promise<Intake> {
  const others = head.checks.filter(({ appId }) => appId !== context.ownAppId)
  let rows = await takeInChecks(context, commit, { ...head, checks: others })
  const problems: IntakeProblem[] = []
  let isWhole = true
  let isComplete = others.every(({ isFinished }) => isFinished)
  for (const run of head.workflowRuns) {
    const intake = await takeInWorkflowRun(context, commit, run, others)
    rows += intake.rows
    problems.push(...intake.problems)
    isWhole &&= intake.isWhole
    isComplete &&= intake.isComplete
  }
  return { rows, problems, isWhole, isComplete }
}

/** The rows of the checks themselves; each is stored again only when it says something else than before. */
async function takeInChecks(context: IntakeContext, commit: CheckedCommit, head: ReportedHead): Promise<number> {
  const { octokit, ref, ciResults, repositoryId, taken, isLeftOut } = context
  const keyOf = (check: ReportedCheck) =>
    key(context, commit, check.kind, check.id, check.conclusion ?? '', check.finishedAt ?? '')
  const fresh = head.checks.filter(
    (check) => isTold(check) && !isLeftOut(check.name) && taken.get(keyOf(check)) === undefined,
  )
  if (fresh.length === 0) return 0
  const annotated = fresh.filter(({ conclusion, annotations }) => isRed(conclusion) && annotations > 0)
  const annotations = new Map<number, readonly string[]>()
  for (const { id } of annotated.slice(0, MOST_ANNOTATED)) {
    annotations.set(id, await listFailureAnnotations(octokit, ref, id))
  }
  await ciResults.save(
    repositoryId,
    checkRowsOfHead(commit, { checks: fresh, workflowRuns: head.workflowRuns }, annotations),
  )
  for (const check of fresh) taken.set(keyOf(check), 0)
  return fresh.length
}

/** Marks of results that were taken in: all of them, or not all. */
const WHOLE = 0
const CUT = 1

async function takeInWorkflowRun(
  context: IntakeContext,
  commit: CheckedCommit,
  run: ReportedWorkflowRun,
  checks: readonly ReportedCheck[],
): Promise<Intake> {
  const { octokit, ref, config, taken } = context
  const wholeRun = key(context, commit, 'workflow-run', run.id, String(run.attempt))
  const before = taken.get(wholeRun)
  if (run.isFinished && before !== undefined) {
    return { rows: 0, problems: [], isWhole: before === WHOLE, isComplete: true }
  }
  const all = (await listArtifacts(octokit, ref, run.id)).filter(({ name }) => isJUnitArtifact(config, name))
  const wanted = withinLimits(all)
  const problems: IntakeProblem[] = []
  if (wanted.length < all.length) {
    const message = `${run.name}: ${wanted.length} of the ${all.length} artifacts that may have test results are read`
    problems.push({ artifact: all[wanted.length]!.name, problem: 'too-many', message })
  }
  const matched = wanted.map((artifact) => ({ artifact, match: jobOfArtifact(commit, artifact, run, checks) }))
  let isWhole = problems.length === 0
  let isComplete = run.isFinished && matched.every(({ match }) => match.kind !== 'waits')
  let rows = 0
  const ofJobs = matched.flatMap(({ artifact, match }) => (match.kind === 'job' ? [{ artifact, job: match.job }] : []))
  const groups = Map.groupBy(ofJobs, ({ job }) => JSON.stringify([job.checkName, job.checkStartTime]))
  for (const [name, group] of groups) {
    // Artifacts of a job are read at once: only then two executions of one test are told from one that is stored twice.
    const done = key(context, commit, 'job', run.id, name, ...group.map(({ artifact }) => artifact.id))
    const known = taken.get(done)
    if (known !== undefined) {
      isWhole &&= known === WHOLE
      continue
    }
    const artifacts = group.map(({ artifact }) => artifact)
    const intake = await takeInJob(context, artifacts, group[0]!.job, MOST_ROWS - rows)
    rows += intake.rows
    problems.push(...intake.problems)
    isWhole &&= intake.isWhole
    if (intake.isComplete) taken.set(done, intake.isWhole ? WHOLE : CUT)
    else isComplete = false
  }
  if (isComplete) taken.set(wholeRun, isWhole ? WHOLE : CUT)
  return { rows, problems, isWhole, isComplete }
}

function withinLimits(artifacts: readonly Artifact[]): readonly Artifact[] {
  let bytes = 0
  const tooMany = artifacts.findIndex((artifact, index) => {
    bytes += artifact.bytes
    return index >= MOST_ARTIFACTS || bytes > MOST_BYTES
  })
  return tooMany === -1 ? artifacts : artifacts.slice(0, tooMany)
}

/** Results of performance runs have their own readers, whatever else their names fit. */
function isJUnitArtifact({ ledger, results }: IntakeContext['config'], name: string): boolean {
  const fits = (pattern: string) => matchName(pattern, name) !== null
  return ledger.junit.some(fits) && !results.some((source) => source.kind === 'artifact' && fits(source.artifact))
}

const PROBLEM_OF: Readonly<Record<DownloadProblem, IntakeProblemKind>> = {
  missing: 'expired',
  expired: 'expired',
  'host-not-allowed': 'host-not-allowed',
  'too-large': 'too-large',
  failed: 'download-failed',
}

/** `isComplete`: another try would give nothing else. */
async function takeInJob(
  context: IntakeContext,
  artifacts: readonly Artifact[],
  job: JobOfRow,
  mostRows: number,
): Promise<Intake> {
  const { ciResults, repositoryId, log } = context
  const problems: IntakeProblem[] = []
  let rows = 0
  let isComplete = true
  const tell = (artifact: Artifact, problem: IntakeProblemKind, message: string) => {
    log.warn({ artifact: artifact.id, name: artifact.name, problem }, message)
    problems.push({ artifact: artifact.name, problem, message })
    if (problem === 'download-failed' && isWorthAnotherTry(context, artifact)) isComplete = false
  }
  async function* all(): AsyncGenerator<CheckRow> {
    for (const artifact of artifacts) {
      for await (const some of rowsOf(context, artifact, job, tell)) {
        rows += some.length
        yield* some
        if (rows < mostRows) continue
        tell(artifact, 'too-many', `more than ${MOST_ROWS.toLocaleString('en')} tests in one workflow run`)
        return
      }
    }
  }
  await ciResults.save(repositoryId, all())
  if (rows > 0) log.info({ check: job.checkName, artifacts: artifacts.length, rows }, 'tests stored')
  return { rows, problems, isWhole: problems.length === 0, isComplete }
}

/** Counts the tries of an artifact: its job's others are fetched again with it. */
function isWorthAnotherTry({ repositoryId, taken }: IntakeContext, { id }: Artifact): boolean {
  const tries = JSON.stringify([repositoryId, 'tries', id])
  const count = (taken.get(tries) ?? 0) + 1
  taken.set(tries, count)
  return count < MOST_TRIES
}

async function* rowsOf(
  context: IntakeContext,
  artifact: Artifact,
  job: JobOfRow,
  tell: (artifact: Artifact, problem: IntakeProblemKind, message: string) => void,
): AsyncGenerator<readonly CheckRow[]> {
  const file = await context.scratch.open(context.ref.owner)
  try {
    const failed = await fetchArtifact(context, artifact, file)
    if (failed === null) {
      const reading = nothingRead()
      yield* rowsOfArtifact(file.path, job, reading)
      const { rows, members, unread, warnings } = reading
      context.log.debug({ artifact: artifact.id, name: artifact.name, rows, members, warnings }, 'artifact read')
      if (unread.length > 0) tell(artifact, 'unreadable', unread.join('; '))
    } else {
      tell(artifact, failed.problem, failed.message)
    }
  } finally {
    await file.close()
  }
}

/** Null when it is in the file. */
async function fetchArtifact(
  { octokit, ref, isAllowedHost, stopping }: IntakeContext,
  { id, bytes, isExpired }: Artifact,
  file: ScratchFile,
): Promise<Omit<IntakeProblem, 'artifact'> | null> {
  const { maxBytes } = INTAKE_LIMITS
  if (!isExpired && bytes > maxBytes) {
    return { problem: 'too-large', message: `the artifact has ${bytes} bytes, more than the limit of ${maxBytes}` }
  }
  const url = isExpired ? null : await getArtifactUrl(octokit, ref, id)
  if (url === null) return { problem: 'expired', message: 'the artifact has expired' }
  try {
    await download(url, file, isAllowedHost, { ...INTAKE_LIMITS, stopping })
    return null
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error
    return { problem: PROBLEM_OF[error.problem], message: error.message }
  }
}

/** A commit may be the head of two pull requests, and of the trunk later: each has rows of its own. */
function key({ repositoryId }: IntakeContext, commit: CheckedCommit, ...parts: readonly (string | number)[]): string {
  return JSON.stringify([repositoryId, commit.pullRequest?.number ?? 0, ...parts])
}
