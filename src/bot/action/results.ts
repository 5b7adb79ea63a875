import type { Logger } from 'pino'
import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import { workflowFile } from '../../config/watched.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { listCheckRuns, listWorkflowRuns, type ReportedWorkflowRun } from '../../github/performance-checks.ts'
import type { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import { type Run, runKey } from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { metricsOfReport } from '../../judge/verdict/evidence/different-work.ts'
import type { Shard } from '../../report/report.ts'
import { gatherPerformance } from '../triage/gather.ts'
import { compareChecks, type IngestContext, ingestAll, shardOf } from '../triage/ingest.ts'
import { type PerformanceCheck, skippedChecks } from '../triage/performance-checks.ts'
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

/** What was uploaded for a head by the workflows that measure. */
export interface HeadResults {
  readonly checks: readonly PerformanceCheck[]
  readonly skipped: readonly PerformanceCheck[]
  readonly shards: readonly Shard[]
  readonly runs: readonly Run[]
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
  const { checks, skipped, isFinal, appId } = await checksOf(context, head, isAdmitted)
  const runs: Run[] = []
  const shards = await ingestAll(
    {
      ...ingestContext(context, head, pullRequestNumber),
      onlyMetrics: new Set(metricsOfReport(context.config.metric)),
      runs: { has: async () => false, save: async (run) => void runs.push(run) },
      unstored: { take: (run) => runs.push(run) > 0 },
    },
    checks,
  )
  const apart = checks.length === 0 ? [] : skipped
  return {
    checks,
    skipped,
    shards: [...shards, ...apart.map((check) => shardOf(check, 'skipped', null))],
    runs: runs.toSorted(compareChecks),
    isFinal,
    appId,
  }
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
): Promise<Omit<HeadResults, 'shards' | 'runs'>> {
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
  return { checks: [...performance, ...missed], skipped: onPurpose, isFinal, appId }
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
