import { basename } from 'node:path'
import { readUploadedRun } from '../archive/read-run.ts'
import { type MeasuredOnce, measuredInRun, oneSidedHistory, type Place } from '../history/one-sided-history.ts'
import { type Measurement, PRIMARY_METRIC, queryKey, type Run, type RunContents } from '../measurement/run.ts'
import { knownRepositories } from '../store/history/stored-history.ts'
import { readTrunkMedians } from '../store/runs/one-sided-history.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'
import { classify } from '../verdict/classify.ts'
import { classifyByHistory } from '../verdict/classify-one-sided.ts'
import { worstFirst } from '../verdict/worst-first.ts'
import { type CommandIO, InputError } from './command.ts'
import { withDatabase } from './database.ts'
import { chosenRepository, numberOf } from './history-repository.ts'
import type { RepositoryGiven } from './option-values.ts'
import { type RunOptions, selectMetric, thresholdsGiven } from './run-input.ts'

interface AgainstOptions extends RunOptions {
  readonly repository?: RepositoryGiven
}

/** Judges jobs of the head alone by what is stored of the trunk: each file, folder or archive is a job, the last one the newest. */
export async function comparedWithHistory(
  paths: readonly string[],
  options: AgainstOptions,
  io: CommandIO,
): Promise<{ readonly contents: RunContents; readonly counted: string; readonly queries: readonly ClassifiedQuery[] }> {
  if ((options.old ?? []).length > 0)
    throw new InputError('--against history is in the place of --old: give --new alone')
  const files = [...paths, ...(options.new ?? [])]
  if (files.length === 0) throw new InputError('no FILE: give what each job of the head measured with --new')
  if (options.metric === 'all') throw new InputError('--against history judges one metric: choose with --metric NAME')
  const jobs: RunContents[] = []
  for (const file of files) {
    jobs.push(await readUploadedRun(file, { format: options.format, primaryMetric: options.metric ?? PRIMARY_METRIC }))
  }
  const contents = jobs.at(-1)!
  const { counted } = selectMetric(contents, options.metric ?? contents.decides ?? PRIMARY_METRIC)
  const place = { check: basename(files.at(-1)!), architecture: null, shard: null }
  const runs = jobs.map((job, index) => measuredInRun(runOf(job, place, index), counted))
  const { machine } = contents
  const trunk = await trunkOf({ ...place, ...(machine !== undefined && { machine }) }, counted, options, io)
  const history = oneSidedHistory(trunk, runs)
  const { results } = classifyByHistory(classify(newestOf(jobs, counted), thresholdsGiven(options)), history)
  const warnings = jobs.flatMap((job) => job.warnings)
  return { contents: { ...contents, warnings }, counted, queries: worstFirst(results) }
}

async function trunkOf(
  place: Place,
  metric: string,
  { repository }: AgainstOptions,
  io: CommandIO,
): Promise<readonly MeasuredOnce[]> {
  return await withDatabase(io, async (clickhouse) => {
    const known = async () => await knownRepositories(clickhouse)
    const chosen = repository === undefined ? chosenRepository(await known()) : null
    if (chosen?.note != null) io.stderr.write(`perf-triage classify: ${chosen.note}\n`)
    const repositoryId = chosen === null ? await numberOf(repository!, known) : chosen.id
    const trunk = await readTrunkMedians(clickhouse, place, { repositoryId, metric, before: Date.now() })
    if (trunk.length === 0) {
      const how = 'store them with `perf-triage history import --commit SHA --time TIME FILE`'
      throw new InputError(`no run of the trunk is stored of repository ${repositoryId}: ${how}`)
    }
    return trunk
  })
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
