import type { Logger } from 'pino'
import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import { workflowFile } from '../../config/watched.ts'
import { type Artifact, listArtifactsOfAttempts } from '../../github/artifacts.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { listCheckRuns, listWorkflowRuns, type ReportedWorkflowRun } from '../../github/performance-checks.ts'
import type { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import { type Run, runKey } from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { metricsOfReport } from '../../judge/verdict/evidence/different-work.ts'
import type { Shard } from '../../report/report.ts'
import { gatherPerformance } from '../triage/gather.ts'
import { compareChecks, type IngestContext, ingestAll, shardOf } from '../triage/ingest.ts'
import { type PerformanceCheck, replacedAttempts, skippedChecks } from '../triage/performance-checks.ts'
import { CHECK_NAME } from '../triage/publish.ts'
import type { Admitted } from './border.ts'

/** From a run that the border let in to its measurements, in memory: what the App reads of a head, without a store. */

export interface ReadingContext {
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  readonly repositoryId: number
  readonly config: RepositoryConfig
  readonly isAllowedHost: (url: URL) => boolean
  readonly scratch: ScratchFolder
  readonly now: () => number
  readonly log: Logger
  readonly stopping: AbortSignal
}

/** Runs of a head that were judged together, and the state of each of its checks then. */
export interface MeasuredTogether {
  readonly runs: readonly Run[]
  readonly shards: readonly Shard[]
}

/** The uploads for a head by the workflows that measure. */
export interface HeadResults extends MeasuredTogether {
  readonly checks: readonly PerformanceCheck[]
  readonly skipped: readonly PerformanceCheck[]
  /** The head before its newest attempts, the oldest first: what they found stands until later ones take it back. */
  readonly replaced: readonly MeasuredTogether[]
  /** Nothing more comes: no workflow of the head that measures runs any longer. */
  readonly isFinal: boolean
  /** The number of GitHub Actions as an App, as whose a job writes; null: none of its checks was found. */
  readonly appId: number | null
}

/** Whether a run of the same head counts too. */
export type IsAdmitted = (run: ReportedWorkflowRun) => Promise<boolean>

/** The results of a pull request's head. `pullRequestNumber` is GitHub's, never that of the artifact. */
export async function readHead(
  context: ReadingContext,
  { head }: Admitted,
  pullRequestNumber: number,
  isAdmitted: IsAdmitted,
): Promise<HeadResults> {
  const { workflowRuns, ...found } = await checksOf(context, head, isAdmitted)
  const { checks, skipped } = found
  const reading = ingestContext(context, head, pullRequestNumber)
  const newest = await readTogether(reading, checks)
  const apart = checks.length === 0 ? [] : skipped
  return {
    ...found,
    replaced: await readReplaced(reading, checks, workflowRuns, newest),
    shards: [...newest.shards, ...apart.map((check) => shardOf(check, 'skipped', null))],
    runs: newest.runs,
  }
}

type Reading = Omit<IngestContext, 'runs'>

async function readTogether(reading: Reading, checks: readonly PerformanceCheck[]): Promise<MeasuredTogether> {
  const runs: Run[] = []
  const shards = await ingestAll(
    {
      ...reading,
      onlyMetrics: new Set(metricsOfReport(reading.config.metric)),
      runs: { has: async () => false, save: async (run) => void runs.push(run) },
      unstored: { take: (run) => runs.push(run) > 0 },
    },
    checks,
  )
  return { runs: runs.toSorted(compareChecks), shards }
}

/** Each replaced attempt is read once. A check that has fewer of them than another stands in the oldest ones as it first was. */
async function readReplaced(
  reading: Reading,
  checks: readonly PerformanceCheck[],
  workflowRuns: readonly ReportedWorkflowRun[],
  newest: MeasuredTogether,
): Promise<readonly MeasuredTogether[]> {
  const artifacts = await artifactsOfRepeated(reading, workflowRuns)
  const attempts = checks.map((check) => replacedAttempts(check, { workflowRuns, artifacts }))
  const older = attempts.flat()
  // An address has the newest results alone.
  const results = reading.config.results.filter(({ kind }) => kind === 'artifact')
  const read = await readTogether({ ...reading, config: { ...reading.config, results } }, older)
  const runs = [...newest.runs, ...read.runs]
  const shardOfKey = new Map(
    [...checks, ...older].map((check, index) => [runKey(check), [...newest.shards, ...read.shards][index]!]),
  )
  return Array.from({ length: Math.max(0, ...attempts.map(({ length }) => length)) }, (_, before) => {
    const keys = attempts.map((ofCheck, index) => runKey(ofCheck[before] ?? ofCheck.at(-1) ?? checks[index]!))
    return {
      runs: runs.filter((run) => keys.includes(runKey(run))).toSorted(compareChecks),
      shards: keys.map((key) => shardOfKey.get(key)!),
    }
  }).toReversed()
}

/** The artifacts of the workflows that have run more than once for the head, by the id of the run. */
async function artifactsOfRepeated(
  { octokit, ref }: Reading,
  workflowRuns: readonly ReportedWorkflowRun[],
): Promise<ReadonlyMap<number, readonly Artifact[]>> {
  const ofWorkflows = [...Map.groupBy(workflowRuns, ({ path }) => workflowFile(path)).values()]
  const repeated = ofWorkflows.filter((runs) => runs.length > 1 || runs[0]!.attempt > 1).flat()
  const artifacts = new Map<number, readonly Artifact[]>()
  for (const { id } of repeated) artifacts.set(id, await listArtifactsOfAttempts(octokit, ref, id))
  return artifacts
}

/** A run of the trunk with the outcome of each of its results, and the check that it is of. */
export interface ReadTrunkRun {
  readonly run: Run
  readonly results: readonly ClassifiedQuery[]
  readonly check: PerformanceCheck
}

/** The runs of a commit of the trunk. */
export async function readTrunk(
  context: ReadingContext,
  { head }: Admitted,
  isAdmitted: IsAdmitted,
): Promise<readonly ReadTrunkRun[]> {
  const { checks } = await checksOf(context, head, isAdmitted)
  const checkOf = new Map(checks.map((check) => [runKey(check), check]))
  const read: ReadTrunkRun[] = []
  const save: IngestContext['runs']['save'] = async (run, results) => {
    read.push({ run, results, check: checkOf.get(runKey(run))! })
  }
  await ingestAll({ ...ingestContext(context, head, 0), runs: { has: async () => false, save } }, checks)
  return read.toSorted((a, b) => compareChecks(a.run, b.run))
}

async function checksOf(
  { octokit, ref, config }: ReadingContext,
  head: string,
  isAdmitted: IsAdmitted,
): Promise<Omit<HeadResults, keyof MeasuredTogether | 'replaced'> & { workflowRuns: readonly ReportedWorkflowRun[] }> {
  const listed = await listWorkflowRuns(octokit, ref, head)
  const workflowRuns: ReportedWorkflowRun[] = []
  for (const run of listed) if (await isAdmitted(run)) workflowRuns.push(run)
  const suites = new Set(workflowRuns.map(({ checkSuiteId }) => checkSuiteId))
  const reported = await listCheckRuns(octokit, ref, head)
  const ofRuns = reported.filter(({ checkSuiteId }) => checkSuiteId !== null && suites.has(checkSuiteId))
  // GitHub puts the check run of this job into a suite of another one.
  const checkRuns = ofRuns.filter(({ name }) => name !== CHECK_NAME)
  const performance = await gatherPerformance(octokit, ref, config, checkRuns, [], workflowRuns)
  const { missed, onPurpose } = skippedChecks(config, { checkRuns, statuses: [], workflowRuns, artifacts: new Map() })
  const isFinal = workflowRuns.every(({ isFinished }) => isFinished)
  const appId = ofRuns.find((run) => run.appId !== null)?.appId ?? null
  return { checks: [...performance, ...missed], skipped: onPurpose, isFinal, appId, workflowRuns }
}

function ingestContext(
  { octokit, ref, repositoryId, config, isAllowedHost, scratch, now, log, stopping }: ReadingContext,
  head: string,
  pullRequestNumber: number,
): Omit<IngestContext, 'runs'> {
  return {
    octokit,
    ref,
    config,
    thresholds: thresholdSettings(config, testEntries(config, now())),
    subject: { repositoryId, pullRequestNumber, head },
    metrics: { download: () => {} },
    isAllowedHost,
    scratch,
    log,
    stopping,
    refusedSources: { add: async () => {}, refusalOf: async () => null },
    now,
  }
}

/** The workflow that each check is of: the file that the default branch has, which the border has seen to. */
export function workflowsOf(checks: readonly PerformanceCheck[]): ReadonlyMap<string, string> {
  return new Map(
    checks.flatMap(({ check, workflowRun }) =>
      workflowRun === null ? [] : [[check, workflowFile(workflowRun.path)] as const],
    ),
  )
}
