import { readUploadedRun } from '../archive/read-run.ts'
import { PRIMARY_METRIC, type Run } from '../measurement/run.ts'
import type { ClickHouse } from '../store/client.ts'
import { writeRun } from '../store/runs/stored-runs.ts'
import { DEFAULT_SAMPLE_DAYS } from '../store/store.ts'
import { counted } from '../text/numbers.ts'
import { classify } from '../verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../verdict/thresholds.ts'
import { type CommandIO, EXIT_OK, InputError, printJson } from './command.ts'
import { withDatabase } from './database.ts'

interface ImportedRun {
  readonly commit?: string
  /** Milliseconds. */
  readonly time?: number
  readonly json?: boolean
  readonly repositoryFor: (clickhouse: ClickHouse) => Promise<number>
}

const COMMIT = /^[0-9a-f]{4,64}$/i

/** Stores what one run of the trunk measured, as the bot does after a push: the history of runs of the head alone. The same again changes nothing. */
export async function importTrunkRun(files: readonly string[], options: ImportedRun, io: CommandIO): Promise<number> {
  const { commit, time, json = false, repositoryFor } = options
  if (commit === undefined || time === undefined)
    throw new InputError('a run of the trunk takes both --commit and --time')
  if (!COMMIT.test(commit))
    throw new InputError(`--commit ${commit.slice(0, 80)} is no commit id: 4 to 64 hexadecimal digits`)
  const [file, ...others] = files
  if (file === undefined || others.length > 0)
    throw new InputError('one run at a time: give one file, folder or archive beside --commit')
  const contents = await readUploadedRun(file, { primaryMetric: PRIMARY_METRIC })
  const finishedAt = new Date(time)
  await withDatabase(io, async (clickhouse) => {
    const run: Run = {
      ...contents,
      repositoryId: await repositoryFor(clickhouse),
      pullRequestNumber: 0,
      head: commit.toLowerCase(),
      check: 'imported',
      architecture: null,
      shard: null,
      shards: null,
      attempt: Math.floor(time / 1000) % 2 ** 32,
      source: file,
      finishedAt: finishedAt.toISOString(),
    }
    const primaryMetric = contents.decides ?? PRIMARY_METRIC
    const writing = { sampleDays: DEFAULT_SAMPLE_DAYS, primaryMetric, now: new Date() }
    await writeRun(clickhouse, run, classify(run.measurements, DEFAULT_THRESHOLDS), writing)
  })
  const { length } = contents.measurements
  if (json) printJson({ commit, time: finishedAt.toISOString(), measurements: length, warnings: contents.warnings }, io)
  else io.stdout.write(`stored the run of ${commit} with ${counted(length, 'measurement', 'measurements')}\n`)
  return EXIT_OK
}
