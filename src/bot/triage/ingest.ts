import pLimit from 'p-limit'
import type { Logger } from 'pino'
import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import { getArtifactUrl } from '../../github/artifacts.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { listJobs } from '../../github/performance-checks.ts'
import { isRefusal, type RefusedSources } from '../../inbox/refused-sources.ts'
import { readUploadedRun } from '../../intake/archive/read-run.ts'
import { DOWNLOAD_LIMITS, DownloadError, type DownloadProblem, download } from '../../intake/download/download.ts'
import type { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { type ByMetric, type Measurement, type Run, type RunContents, runKey } from '../../intake/measurement/run.ts'
import { baseName, SourceError } from '../../intake/measurement/source.ts'
import { isMeasuredAlone } from '../../judge/history/one-sided-history.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { metricsOfReport } from '../../judge/verdict/evidence/different-work.ts'
import type { ThresholdSettings } from '../../judge/verdict/thresholds.ts'
import type { Shard, ShardProblem } from '../../report/report.ts'
import { type RunKey, TooLargeToStore } from '../../store/runs/run-rows.ts'
import type { Runs } from '../../store/runs/runs.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { plainText } from '../../text/markdown.ts'
import { count, list } from '../../text/numbers.ts'
import { fillTemplate } from '../../text/url-template.ts'
import { LOOK_AGAIN_MS, PATIENCE_MS } from './look-again.ts'
import { machineOfCheck, type PerformanceCheck, workflowOf } from './performance-checks.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'
import type { UnstoredRuns } from './unstored-runs.ts'

/** From finished checks to stored runs: download, read, store. Judging comes after it, in `judge-head.ts`. */

export interface IngestContext {
  readonly metrics: Pick<Metrics, 'download'>
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  readonly config: RepositoryConfig
  readonly thresholds: ThresholdSettings
  /** The measured commit: the head of a pull request, or a commit of the trunk, whose number is 0. */
  readonly subject: {
    readonly repositoryId: number
    readonly pullRequestNumber: number
    /** Full commit id. */
    readonly head: string
  }
  readonly runs: Pick<Runs, 'has' | 'save'>
  /** The metrics to read first, of files that have many more; absent: all. */
  readonly onlyMetrics?: ReadonlySet<string>
  /** Takes the runs that can be stored later; absent: each is stored at once. */
  readonly unstored?: Pick<UnstoredRuns, 'take'>
  /** Called with each new run before it counts as stored; again after a crash in between. */
  readonly beforeStored?: (run: Run, results: readonly ClassifiedQuery[]) => Promise<void>
  readonly isAllowedHost: (url: URL) => boolean
  readonly scratch: ScratchFolder
  readonly log: Logger
  readonly stopping: AbortSignal
  readonly refusedSources: Pick<RefusedSources, 'add' | 'refusalOf'>
  readonly now: () => number
}

/** Longest text of why an artifact was refused. */
export const REFUSAL_LIMIT = 1200

/** Downloads and reads at once, per pull request. */
const INGESTED_AT_ONCE = 3

/**
 * Reads what is in and not stored yet, by the metrics that a report is made of; returns the measurement set and the state of every shard. Runs
 * that can be stored after the comment go to `unstored`.
 */
export async function measure(
  context: TriageContext,
  publishing: PublishContext,
  config: RepositoryConfig,
  checks: readonly PerformanceCheck[],
  unstored: UnstoredRuns,
): Promise<{ readonly runs: readonly Run[]; readonly shards: readonly Shard[] }> {
  const { store } = context
  const { repository, head } = publishing.pullRequest
  // Of many shards most were stored before: they are asked for at once.
  let stored: ReturnType<Runs['stored']> | null = null
  const has = async (key: RunKey) => {
    stored ??= store.runs.stored(repository.id, head)
    return (await stored)(key)
  }
  const ingesting: IngestContext = {
    ...ingestContext(context, publishing, config),
    runs: { ...store.runs, has },
    onlyMetrics: new Set(metricsOfReport(config.metric)),
    unstored,
  }
  const shards = await ingestAll(ingesting, checks)
  // An older attempt of a check that runs again, or one that gave nothing this time, does not stand in for it.
  const current = new Set(checks.map(runKey))
  const currentRuns = async () => {
    const read = await store.runs.of(repository.id, head, config.metric)
    // Another pull request of the head may have stored one meanwhile: that one stands.
    const known = new Map([...unstored.runs, ...read].map((run) => [runKey(run), run]))
    return [...known.values()].filter((run) => current.has(runKey(run))).toSorted(compareChecks)
  }
  let runs = await currentRuns()
  // The repository's file may name another metric than when they were read: no check turns green without it.
  const isLate = (run: Run) => run.othersUnread === true && !isMeasuredBy(run, config.metric)
  if (runs.some(isLate)) {
    await readOthers(context, publishing, config, checks, runs.filter(isLate), async () => false)
    runs = await currentRuns()
  }
  const found = new Map(runs.map((run) => [runKey(run), run]))
  return {
    runs: runs.filter((run) => !isLate(run)),
    shards: shards.map((shard, index) => {
      const check = checks[index]!
      const run = found.get(runKey(check))
      if (shard.state !== 'measured' || (run !== undefined && !isLate(run))) return shard
      // Rows of a run may be missing for the moment in which another process writes them.
      return shardOf(check, 'failed', run === undefined ? 'no-results' : 'download-failed')
    }),
  }
}

/** By check, architecture and shard, those without first: the same runs make the same report, whichever were read just now. */
export function compareChecks(a: Run, b: Run): number {
  const compare = <T extends string | number>(one: T | null, other: T | null) =>
    one === other ? 0 : one === null || (other !== null && one < other) ? -1 : 1
  return compare(a.check, b.check) || compare(a.architecture, b.architecture) || compare(a.shard, b.shard)
}

function isMeasuredBy({ measurements }: Run, asked: string): boolean {
  return measurements.some(({ metric, old, new: fresh }) => metric === asked && old.length + fresh.length > 0)
}

function ingestContext(
  context: TriageContext,
  { octokit, ref, pullRequest, log }: PublishContext,
  config: RepositoryConfig,
): IngestContext {
  const { store, metrics, isAllowedHost, scratch, stopping, inbox, now } = context
  const { repository, number, head } = pullRequest
  return {
    octokit,
    ref,
    config,
    thresholds: thresholdSettings(config, testEntries(config, now())),
    subject: { repositoryId: repository.id, pullRequestNumber: number, head },
    runs: store.runs,
    metrics,
    isAllowedHost,
    scratch,
    log,
    stopping,
    refusedSources: inbox.refusedSources,
    now,
  }
}

/**
 * Reads the metrics that no report is made of, for the pages that show all of a query, until `isWanted` says that the pull request is to be
 * looked at. `runs` have them still unread. Those that another pull request of the same head has stored are left to it while it is looked at:
 * one process alone writes them. When to go on; null: all are there, or left.
 */
export async function readOthers(
  context: TriageContext,
  publishing: PublishContext,
  config: RepositoryConfig,
  checks: readonly PerformanceCheck[],
  runs: readonly Run[],
  isWanted: () => Promise<boolean>,
): Promise<number | null> {
  const ingesting = ingestContext(context, publishing, config)
  const { subject } = ingesting
  const isLeft = async ({ pullRequestNumber: owner }: Run) =>
    owner !== subject.pullRequestNumber && (await context.inbox.triages.goesFirst({ ...subject, owner }, context.now()))
  let isMissing = false
  for (const run of runs) {
    const check = checks.find((one) => runKey(one) === runKey(run))
    if (check === undefined || (await isLeft(run))) continue
    if (await isWanted()) return context.now()
    const { othersUnread: _, ...known } = run
    const byMetric = await readAgain(ingesting, check, run)
    if (!(await publishing.isHeld())) return context.now()
    if (byMetric === null) isMissing = true
    // What else the source says stays as it was judged: a file at an address may be another one by now.
    else if (!(await isLeft(run))) await saveOthers(context.store.runs, ingesting, known, byMetric)
  }
  return isMissing ? context.now() + LOOK_AGAIN_MS : null
}

const NOTHING: ByMetric = new Map()

/** All measurements of the source of a run, none where it is gone; null: another try may get them. */
async function readAgain(
  context: IngestContext,
  check: PerformanceCheck,
  { source: name, storedAt = 0, pullRequestNumber }: Run,
): Promise<ByMetric | null> {
  // The address may have the number of the pull request that has stored it.
  const subject = { ...context.subject, pullRequestNumber }
  const source = sourcesOf({ ...context, subject }, check).find((one) => one.name === name)
  if (source === undefined) return NOTHING
  const contents = await read(context, source, true)
  if (!('problem' in contents)) return contents.byMetric ?? NOTHING
  const mayCome = contents.problem === 'download-failed' && context.now() - storedAt <= PATIENCE_MS
  return mayCome ? null : NOTHING
}

async function saveOthers(
  runs: Pick<Runs, 'saveOthers'>,
  context: IngestContext,
  run: Run,
  byMetric: ByMetric,
): Promise<void> {
  const { thresholds, config, log } = context
  const metrics = [...byMetric.keys()]
  const decides = decidingMetric(
    config.metric,
    metrics.map((metric) => ({ metric })),
  )
  const judge = (measurements: readonly Measurement[]) =>
    classify(withArchitecture({ ...run, measurements }), thresholds)
  try {
    await runs.saveOthers(run, byMetric, judge, decides)
  } catch (error) {
    if (!(error instanceof TooLargeToStore)) throw error
    log.warn({ check: run.check, source: run.source }, error.message)
    await runs.saveOthers(run, NOTHING, judge, decides)
  }
  log.info({ check: run.check, source: run.source, metrics: metrics.length }, 'other metrics stored')
}

export function shardOf(check: PerformanceCheck, state: Shard['state'], problem: ShardProblem | null): Shard {
  const { architecture, shard, shards, url, conclusion, said, origin } = check
  const place = { check: check.check, architecture, shard, shards }
  const known = { ...place, state, problem, url, conclusion, ...(origin !== undefined && { origin }) }
  return said === undefined ? known : { ...known, said }
}

/** Why the run of a finished check is not there. */
export interface LostRun {
  readonly problem: ShardProblem
  /** `Shard.refusal`. */
  readonly refusal?: string
  /** `Shard.awaited`. */
  readonly awaited?: true
}

/** The state of every shard, with what is in and not stored yet read. */
export async function ingestAll(context: IngestContext, checks: readonly PerformanceCheck[]): Promise<Shard[]> {
  return await pLimit(INGESTED_AT_ONCE).map(checks, async (check): Promise<Shard> => {
    if (check.skipped !== undefined) return shardOf(check, 'failed', check.skipped)
    if (check.state !== 'finished') return shardOf(check, check.state, null)
    const lost = await ingest(context, check)
    return lost === null ? shardOf(check, 'measured', null) : { ...shardOf(check, 'failed', lost.problem), ...lost }
  })
}

/** Makes sure that the run of a finished check is stored, or among `unstored`; says why it is not there when it can't be. */
export async function ingest(context: IngestContext, check: PerformanceCheck): Promise<LostRun | null> {
  if (check.isAmbiguous) return { problem: 'ambiguous' }
  const { runs, subject, refusedSources, now } = context
  const key = {
    repositoryId: subject.repositoryId,
    head: subject.head,
    check: check.check,
    architecture: check.architecture,
    shard: check.shard,
    attempt: check.attempt,
  }
  if (await runs.has(key)) return null

  let lost: LostRun = { problem: 'no-results' }
  for (const source of sourcesOf(context, check)) {
    const reading = {
      repositoryId: subject.repositoryId,
      head: subject.head,
      source: JSON.stringify([source.name, source.path, source.format, check.attempt, context.config.reference.file]),
    }
    const known = await refusedSources.refusalOf(reading)
    if (known !== null) {
      lost = known
      continue
    }
    const contents = await read(context, source)
    if (!('problem' in contents)) {
      const { shards, finishedAt } = check
      const run: Run = {
        ...contents,
        ...key,
        pullRequestNumber: subject.pullRequestNumber,
        shards,
        source: source.name,
        workflow: workflowOf(check),
        finishedAt: finishedAt ?? new Date(check.attempt * 1000).toISOString(),
      }
      const refused = await save(context, await withMachine(context, run, check))
      if (refused === null) return null
      await refusedSources.add(reading, { problem: refused }, now())
      return { problem: refused }
    }
    const { problem } = contents
    // A source that is not there says nothing of one that was.
    if (problem !== 'no-results') lost = contents
    else if (lost.problem !== 'no-results') lost = { ...lost, awaited: true }
    // It may be there at the next look: what a later source has says less, and would be kept for good.
    if (problem === 'download-failed') return contents
    if (isRefusal(problem)) await refusedSources.add(reading, { ...contents, problem }, now())
  }
  return lost.problem === 'no-results' ? { ...lost, ...whatIsMissing(context.config, check) } : lost
}

/** What a check that left no results should have left; nothing of one that failed before it could. */
function whatIsMissing(config: RepositoryConfig, check: PerformanceCheck): Pick<LostRun, 'refusal'> {
  if (check.unfit !== undefined) return unfitNames(config, check)
  if (check.conclusion !== 'success') return {}
  const wanted = config.results.map((source) => (source.kind === 'artifact' ? source.artifact : source.url))
  return { refusal: plainText(`nothing under the expected names: ${wanted.join(', ')}`, REFUSAL_LIMIT) }
}

/** A run of the head alone is held against those of its kind of machine: where the results do not say which, its runner's labels do. */
async function withMachine({ octokit, ref, config }: IngestContext, run: Run, check: PerformanceCheck): Promise<Run> {
  const decides = decidingMetric(config.metric, run.measurements)
  if (run.machine !== undefined || check.workflowRun === null || !isMeasuredAlone(run, decides)) return run
  const machine = machineOfCheck(check, await listJobs(octokit, ref, check.workflowRun.id))
  return machine === null ? run : { ...run, machine }
}

/** Artifacts that stand there beside the pattern that they don't fit. */
const NAMED_UNFIT = 5

/** `the artifact bench-results fits none of performance-{architecture}, …`; nothing where there is no artifact. */
export function unfitNames(config: RepositoryConfig, { unfit }: Pick<PerformanceCheck, 'unfit'>): { refusal?: string } {
  if (unfit === undefined) return {}
  const patterns = config.results.flatMap((source) => (source.kind === 'artifact' ? [source.artifact] : []))
  if (patterns.length === 0) return {}
  const named = unfit.slice(0, NAMED_UNFIT)
  const more = unfit.length - named.length
  const names = list(more > 0 ? [...named, `${count(more)} more`] : named)
  const what = unfit.length === 1 ? `the artifact ${names} matches` : `the artifacts ${names} match`
  return { refusal: `${what} none of the expected names: ${patterns.join(', ')}` }
}

/** Null when it is stored, or will be; a run beyond every measure is refused for good. */
async function save(context: IngestContext, run: Run): Promise<'too-large' | null> {
  const { runs, thresholds, config, log, unstored } = context
  const decides = decidingMetric(config.metric, run.measurements)
  const storeNow = async () => {
    const results = classify(withArchitecture(run), thresholds)
    await context.beforeStored?.(run, results)
    await runs.save(run, results, config.retention.sampleDays, decides)
    log.info({ check: run.check, source: run.source, measurements: run.measurements.length }, 'run stored')
  }
  if (isMeasuredBy(run, config.metric) && unstored?.take(run, decides, storeNow) === true) return null
  try {
    await storeNow()
  } catch (error) {
    if (!(error instanceof TooLargeToStore)) throw error
    log.warn({ check: run.check, source: run.source }, error.message)
    return 'too-large'
  }
  return null
}

interface Source {
  /** `artifact 123`, or the address: unique, shown to people. */
  readonly name: string
  /** How a person knows what was uploaded. */
  readonly fileName: string
  readonly path: string | null
  readonly format: string
  url(): Promise<URL | null>
}

function sourcesOf({ octokit, ref, config, subject }: IngestContext, check: PerformanceCheck): Source[] {
  return config.results.flatMap((source): Source[] => {
    if (source.kind === 'artifact') {
      return check.artifacts
        .filter((one) => one.source === source)
        .map(({ artifact }) => ({
          name: `artifact ${artifact.id}`,
          fileName: artifact.name,
          path: source.path,
          format: source.format,
          url: async () => (artifact.isExpired ? null : getArtifactUrl(octokit, ref, artifact.id)),
        }))
    }
    const address = fillTemplate(source.url, {
      pr: String(subject.pullRequestNumber),
      sha: subject.head,
      workflow: check.workflowRun?.name ?? '',
      check: check.check,
    })
    const { path, format } = source
    return [{ name: address, fileName: baseName(address), path, format, url: async () => new URL(address) }]
  })
}

const SHARD_PROBLEM_OF: Readonly<Record<DownloadProblem, ShardProblem>> = {
  missing: 'no-results',
  expired: 'expired',
  'host-not-allowed': 'host-not-allowed',
  'too-large': 'too-large',
  failed: 'download-failed',
}

async function read(
  { isAllowedHost, ref, scratch, config, onlyMetrics, log, stopping, metrics }: IngestContext,
  source: Source,
  byMetric = false,
): Promise<RunContents | LostRun> {
  const file = await scratch.open(ref.owner)
  try {
    const url = await source.url()
    if (url === null) return { problem: 'expired' }
    await download(url, file, isAllowedHost, { ...DOWNLOAD_LIMITS, stopping })
    metrics.download('done')
    return await readUploadedRun(file.path, {
      shownAs: source.fileName,
      format: source.format,
      memberPattern: source.path,
      oldCommitFile: config.reference.file,
      primaryMetric: config.metric,
      metrics: onlyMetrics,
      byMetric,
      signal: stopping,
    })
  } catch (error) {
    // A reading that was cut off says nothing about the source.
    stopping.throwIfAborted()
    if (error instanceof DownloadError) {
      metrics.download('failed')
      log.warn({ source: source.name, problem: error.problem }, error.message)
      const problem = SHARD_PROBLEM_OF[error.problem]
      return problem === 'host-not-allowed'
        ? { problem, refusal: plainText(error.message, REFUSAL_LIMIT) }
        : { problem }
    }
    if (error instanceof SourceError) {
      log.warn({ source: source.name }, error.message)
      const nothing = error.unmeasured === null ? 'empty' : 'not-compared'
      const problem = error.problem === 'no-measurements' ? nothing : 'unreadable'
      return { problem, refusal: plainText(error.reason, REFUSAL_LIMIT) }
    }
    throw error
  } finally {
    await file.close()
  }
}

function withArchitecture(run: Run) {
  return run.measurements.map((measurement) => ({
    ...measurement,
    architecture: measurement.architecture ?? run.architecture,
  }))
}
