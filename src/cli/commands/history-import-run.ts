import { readUploadedRun } from '../../intake/archive/read-run.ts'
import type { HistoryRow, HistoryRun } from '../../intake/imports/history/history-lines.ts'
import { parseTime } from '../../intake/imports/parse-time.ts'
import { RowError } from '../../intake/imports/table-row.ts'
import { readTsvRows } from '../../intake/imports/tsv-with-names.ts'
import {
  type Measurement,
  PRIMARY_METRIC,
  type ReadWarning,
  type Run,
  type RunContents,
} from '../../intake/measurement/run.ts'
import { SourceError } from '../../intake/measurement/source.ts'
import { queriesInFile, type RunInFile, runsInFile } from '../../judge/history/history-file.ts'
import { unitInHistory } from '../../judge/history/trunk-series.ts'
import { classify } from '../../judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../judge/verdict/thresholds.ts'
import type { ClickHouse } from '../../store/client.ts'
import { TooLargeToStore } from '../../store/runs/run-rows.ts'
import { DEFAULT_SAMPLE_DAYS } from '../../store/runs/runs.ts'
import { writeRun } from '../../store/runs/stored-runs.ts'
import { counted } from '../../text/numbers.ts'
import { isoTime } from '../../text/time.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, InputError, printJson } from './command.ts'
import { withDatabase } from './database.ts'
import { lookAt, readInput } from './input-file.ts'
import { onlyWhole } from './only-whole.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** `perf-triage history import` of whole runs. Rows of medians or repetitions: `history-import.ts`. */

interface ImportedRuns {
  readonly commit?: string
  /** Milliseconds. */
  readonly time?: number
  /** A table of runs, `-` for stdin. */
  readonly runs?: string
  readonly json?: boolean
  readonly repositoryFor: (clickhouse: ClickHouse) => Promise<number>
}

/** A file, folder or archive with what one run of the trunk measured. */
interface TrunkRunFile {
  readonly commit: string
  /** Milliseconds. */
  readonly time: number
  readonly path: string
}

const COMMIT = /^[0-9a-f]{4,64}$/i
const NO_COMMIT = 'not a commit ID: 4 to 64 hexadecimal digits'

/** Stores what one run of the trunk measured, as the bot does after a push: the history of runs of the head alone. The same again changes nothing. */
export async function importTrunkRun(files: readonly string[], options: ImportedRuns, io: CommandIO): Promise<number> {
  const { commit, time, json = false, repositoryFor } = options
  if (commit === undefined || time === undefined)
    throw new InputError('a run of the main branch needs both --commit and --time')
  if (!COMMIT.test(commit)) throw new InputError(`--commit ${commit.slice(0, 80)} is ${NO_COMMIT}`)
  const [path, ...others] = files
  if (path === undefined || others.length > 0)
    throw new InputError('one run at a time: give one file, folder or archive with --commit, or a table with --runs')
  const file = { commit, time, path }
  const contents = await readWhole(path)
  const isNew = await withDatabase(io, async (clickhouse) =>
    store(clickhouse, await repositoryFor(clickhouse), file, contents),
  )
  const { length } = contents.measurements
  const { warnings } = contents
  if (json) printJson({ commit, time: new Date(time).toISOString(), isNew, measurements: length, warnings }, io)
  else if (isNew)
    io.stdout.write(`stored the run of ${commit} with ${counted(length, 'measurement', 'measurements')}\n`)
  else io.stdout.write(`a run of ${commit} at this time is already stored; nothing was added\n`)
  return EXIT_OK
}

/** Throws `InputError` where a limit cut it: once stored, half a run stays, and the rest would be taken for the same again. */
async function readWhole(path: string): Promise<RunContents> {
  const contents = await readUploadedRun(path, { primaryMetric: PRIMARY_METRIC })
  onlyWhole(contents.warnings)
  return contents
}

/** Stores many of them: the rows of a table. One that can't be read does not keep the others; the exit code is 2 then. */
export async function importTrunkRuns(files: readonly string[], options: ImportedRuns, io: CommandIO): Promise<number> {
  const { runs: table, commit, time, json = false, repositoryFor } = options
  if (files.length > 0 || commit !== undefined || time !== undefined || table === undefined)
    throw new InputError('--runs names each run in its table: remove FILE, --commit and --time')
  const { runs, refused, doubts } = await readTable(table, io)
  const stored: (TrunkRunFile & { readonly measurements: number; readonly isNew: boolean })[] = []
  const warnings: ReadWarning[] = []
  const progress = new Progress(io.stderr)
  try {
    await withDatabase(io, async (clickhouse) => {
      const repositoryId = await repositoryFor(clickhouse)
      for (const [index, run] of runs.entries()) {
        progress.update(() => `storing: run ${index + 1} of ${runs.length}, ${plainText(run.path)}`)
        try {
          const contents = await readWhole(run.path)
          const isNew = await store(clickhouse, repositoryId, run, contents)
          stored.push({ ...run, measurements: contents.measurements.length, isNew })
          warnings.push(...contents.warnings)
        } catch (error) {
          refused.push(whyNot(error, run))
        }
      }
    })
  } finally {
    progress.done()
  }
  for (const message of [...doubts, ...refused]) io.stderr.write(`perf-triage history import: ${plainText(message)}\n`)
  const times = stored.map((run) => run.time).toSorted((a, b) => a - b)
  const summary = {
    runs: stored.length,
    newRuns: stored.filter(({ isNew }) => isNew).length,
    measurements: stored.reduce((sum, { measurements }) => sum + measurements, 0),
    from: isoTime(times[0] ?? Number.NaN),
    to: isoTime(times.at(-1) ?? Number.NaN),
  }
  if (json) printJson({ ...summary, refused, warnings }, io)
  else io.stdout.write(`${summaryLine(summary, refused.length)}\n`)
  return refused.length > 0 ? EXIT_BAD_INPUT : EXIT_OK
}

/** `stored 40 runs of the trunk with 12,000 measurements, 2026-10-01 to 2026-11-09; 38 new, the others were there already; 1 was not read` */
function summaryLine(
  summary: {
    readonly runs: number
    readonly newRuns: number
    readonly measurements: number
    readonly from: string | null
    readonly to: string | null
  },
  unread: number,
): string {
  const { runs, newRuns } = summary
  const parts = [`stored ${counted(runs, 'run', 'runs')} of the main branch`]
  if (runs > 0) {
    const [from, to] = [summary.from, summary.to].map((time) => time?.slice(0, 10))
    const days = from === to ? from : `${from} to ${to}`
    parts[0] += ` with ${counted(summary.measurements, 'measurement', 'measurements')}, ${days}`
  }
  if (newRuns < runs)
    parts.push(newRuns === 0 ? 'all were already stored' : `${newRuns} new, the others were already stored`)
  if (unread > 0) parts.push(`${counted(unread, 'was', 'were')} not read`)
  return parts.join('; ')
}

interface TableOfRuns {
  readonly runs: TrunkRunFile[]
  /** Lines that name no run, each with why. */
  readonly refused: string[]
  /** Warnings of lines that are read all the same, such as a last line without an end. */
  readonly doubts: readonly string[]
}

/** The runs that a table with the columns commit, time and path names. */
async function readTable(path: string, io: CommandIO): Promise<TableOfRuns> {
  await lookAt(path, 'the table')
  const where = path === '-' ? 'stdin' : path
  const refused: string[] = []
  const doubts: string[] = []
  const warn = (_: string, line: number | null, message: string) =>
    (message.endsWith('skipped') ? refused : doubts).push(`${where}:${line ?? 1}: ${message}`)
  const runs: TrunkRunFile[] = []
  for await (const rows of readTsvRows(
    readInput(path, io, () => {}),
    { warn },
    onlyOnce(runOfRow),
    { timeColumn: 'time' },
  ))
    runs.push(...rows)
  if (runs.length === 0) {
    const [first = `${where}: it has no runs`] = refused
    throw new InputError(`${first}; the table needs a header line with commit, time and path, separated by tabs`)
  }
  return { runs, refused, doubts }
}

/** Refuses the second of two rows that would be the same run: the store keeps the first, and the other would be lost without a word. */
function onlyOnce(of: typeof runOfRow): typeof runOfRow {
  const known = new Set<string>()
  return (value) => {
    const run = of(value)
    const key = `${run.commit.toLowerCase()} ${secondsOf(run.time)}`
    if (known.has(key))
      throw new RowError('an earlier row has this commit and time: put the files of both in one folder to make one run')
    known.add(key)
    return run
  }
}

function secondsOf(time: number): number {
  return Math.floor(time / 1000) % 2 ** 32
}

function runOfRow(value: (column: string) => unknown): TrunkRunFile {
  const [commit, time, path] = ['commit', 'time', 'path'].map((column) => {
    const text = value(column)
    if (typeof text !== 'string' || text === '') throw new RowError(`${column} is missing`)
    return text
  }) as [string, string, string]
  if (!COMMIT.test(commit)) throw new RowError(`"${commit.slice(0, 80)}" is ${NO_COMMIT}`)
  const at = parseTime(time)
  if (at === null) throw new RowError(`"${time.slice(0, 80)}" is not a time such as 2026-10-20T08:15Z`)
  return { commit, time: at, path }
}

function whyNot(error: unknown, { path }: TrunkRunFile): string {
  if (error instanceof SourceError) return error.message
  if (error instanceof TooLargeToStore || error instanceof InputError) return `${path}: ${error.message}`
  throw error
}

/**
 * Stores the one-sided runs of the Action's history, whose lines come one after the other, a line for each metric. The repetitions are not in
 * them: each query has one value, its median.
 */
export class OneSidedRuns {
  #target: { readonly clickhouse: ClickHouse; readonly repositoryId: number } | null = null
  #lines: HistoryRun[] = []
  /** Runs that were read. */
  read = 0

  storeIn(clickhouse: ClickHouse, repositoryId: number): void {
    this.#target = { clickhouse, repositoryId }
  }

  async take(line: HistoryRun): Promise<void> {
    const [first] = this.#lines
    if (first !== undefined && placeOf(first) !== placeOf(line)) await this.flush()
    if (line.rows.some(isMeasuredAlone)) this.#lines.push(line)
  }

  /** Stores the last one. */
  async flush(): Promise<void> {
    const [first] = this.#lines
    if (first === undefined || this.#target === null) return
    const { clickhouse, repositoryId } = this.#target
    const { attempt, run: number } = first
    const [{ runId: _, lines, head, time, ...place }] = runsInFile(this.#lines, Number.POSITIVE_INFINITY) as [RunInFile]
    const run: Run = {
      ...place,
      attempt,
      head,
      repositoryId,
      pullRequestNumber: 0,
      source: `workflow run ${number}`,
      finishedAt: new Date(time).toISOString(),
      oldCommit: null,
      newCommit: null,
      warnings: [],
      measurements: [...new Set(lines.map(({ metric }) => metric))].flatMap((metric) => measuredAlone(lines, metric)),
    }
    this.#lines = []
    this.read += 1
    await writeClassified(clickhouse, run, PRIMARY_METRIC)
  }
}

function placeOf({ run, attempt, check, shard, architecture }: HistoryRun): string {
  return JSON.stringify([run, attempt, check, shard, architecture])
}

function isMeasuredAlone({ old, new: fresh }: HistoryRow): boolean {
  return old === null && fresh !== null
}

function measuredAlone(lines: readonly HistoryRun[], metric: string): Measurement[] {
  const shared = { metric, unit: unitInHistory(metric), old: [], reportThreshold: null, rounded: false, problems: [] }
  return queriesInFile({ lines }, metric)
    .filter(({ row }) => isMeasuredAlone(row))
    .map(({ query, architecture, row }) => ({ ...query, architecture, ...shared, new: [row.new!] }))
}

/** False: it was there already. */
async function store(
  clickhouse: ClickHouse,
  repositoryId: number,
  { commit, time, path }: TrunkRunFile,
  contents: RunContents,
): Promise<boolean> {
  const run: Run = {
    ...contents,
    repositoryId,
    pullRequestNumber: 0,
    head: commit.toLowerCase(),
    check: 'imported',
    architecture: null,
    shard: null,
    shards: null,
    attempt: secondsOf(time),
    source: path,
    finishedAt: new Date(time).toISOString(),
  }
  return await writeClassified(clickhouse, run, contents.decides ?? PRIMARY_METRIC)
}

async function writeClassified(clickhouse: ClickHouse, run: Run, primaryMetric: string): Promise<boolean> {
  const writing = { sampleDays: DEFAULT_SAMPLE_DAYS, primaryMetric, now: new Date() }
  return await writeRun(clickhouse, run, classify(run.measurements, DEFAULT_THRESHOLDS), writing)
}
