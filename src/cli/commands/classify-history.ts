import { basename } from 'node:path'
import { readUploadedRun } from '../../intake/archive/read-run.ts'
import { type Measurement, PRIMARY_METRIC, queryKey, type Run, type RunContents } from '../../intake/measurement/run.ts'
import { measuredInRun, type OneSidedHistory } from '../../judge/history/one-sided-history.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { classifyByHistory } from '../../judge/verdict/classify-one-sided.ts'
import { worstFirst } from '../../judge/verdict/worst-first.ts'
import type { ClickHouse } from '../../store/client.ts'
import { knownRepositories } from '../../store/history/stored-history.ts'
import { readHistoryOfJobs } from '../../store/runs/one-sided-history.ts'
import { type CommandIO, InputError } from './command.ts'
import { openStoredDatabase, withDatabase } from './database.ts'
import { chosenRepository, numberOf } from './history-repository.ts'
import { type AgainstOptions, type RunOptions, selectMetric, thresholdsGiven } from './run-input.ts'

/** Jobs of the head alone, and what is stored of the trunk. */
export interface JobsOfHead {
  /** The contents of the newest job, with the warnings of all jobs; each query stands once, as the newest job that measured it has it. */
  readonly contents: RunContents
  readonly counted: string
  readonly history: OneSidedHistory
}

/** Reads jobs of the head alone, each file, folder or archive a job and the last one the newest, and what the trunk measured before. */
export async function readJobsOfHead(
  command: string,
  paths: readonly string[],
  options: RunOptions & AgainstOptions,
  io: CommandIO,
): Promise<JobsOfHead> {
  if ((options.old ?? []).length > 0) throw new InputError('--against history replaces --old: give only --new')
  const files = [...paths, ...(options.new ?? [])]
  if (files.length === 0) throw new InputError('no FILE: give the results of each job of the head with --new')
  if (options.metric === 'all') throw new InputError('--against history judges one metric: choose with --metric NAME')
  const jobs: RunContents[] = []
  for (const file of files) {
    jobs.push(await readUploadedRun(file, { format: options.format, primaryMetric: options.metric ?? PRIMARY_METRIC }))
  }
  const contents = jobs.at(-1)!
  const { counted } = selectMetric(contents, options.metric ?? contents.decides ?? PRIMARY_METRIC)
  const place = { check: basename(files.at(-1)!), architecture: null, shard: null }
  const runs = jobs.map((job, index) => measuredInRun(runOf(job, place, index), counted))
  const ask = async (clickhouse: ClickHouse): Promise<OneSidedHistory> => {
    const known = async () => await knownRepositories(clickhouse)
    const { repository } = options
    const chosen = repository === undefined ? chosenRepository(await known()) : null
    if (chosen?.note != null) io.stderr.write(`perf-triage ${command}: ${chosen.note}\n`)
    const repositoryId = chosen === null ? await numberOf(repository!, known) : chosen.id
    const found = await readHistoryOfJobs(clickhouse, place, runs, {
      repositoryId,
      metric: counted,
      before: Date.now(),
    })
    if (found.trunkRuns > 0) return found
    const how = 'store them with `perf-triage history import --commit SHA --time TIME FILE`'
    throw new InputError(`no run of the main branch is stored for repository ${repositoryId}: ${how}`)
  }
  const history = await withDatabase(io, ask, openStoredDatabase)
  const warnings = jobs.flatMap((job) => job.warnings)
  return { contents: { ...contents, measurements: newestOf(jobs, counted), warnings }, counted, history }
}

/** Judges jobs of the head alone by what is stored of the trunk. */
export async function comparedWithHistory(
  paths: readonly string[],
  options: RunOptions & AgainstOptions,
  io: CommandIO,
): Promise<{ readonly contents: RunContents; readonly counted: string; readonly queries: readonly ClassifiedQuery[] }> {
  const { contents, counted, history } = await readJobsOfHead('classify', paths, options, io)
  const { results } = classifyByHistory(classify(contents.measurements, thresholdsGiven(options)), history)
  return { contents, counted, queries: worstFirst(results) }
}

/** Each query once, as the newest job has it that measured it. */
function newestOf(jobs: readonly RunContents[], metric: string): readonly Measurement[] {
  const found = new Map<string, Measurement>()
  for (const { measurements } of jobs) {
    for (const one of measurements) {
      if (one.metric === metric) found.set(JSON.stringify([queryKey(one), one.architecture]), one)
    }
  }
  return [...found.values()]
}

function runOf(contents: RunContents, place: Pick<Run, 'check' | 'architecture' | 'shard'>, attempt: number): Run {
  return {
    ...contents,
    ...place,
    repositoryId: 0,
    pullRequestNumber: 0,
    head: '',
    shards: null,
    attempt,
    source: place.check,
    finishedAt: new Date(attempt).toISOString(),
  }
}
