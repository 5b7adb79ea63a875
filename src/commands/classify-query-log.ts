import { parseLogField } from '../imports/query-log/field.ts'
import { QueryLogReader } from '../imports/query-log/read-query-log.ts'
import { DEFAULT_LIMITS } from '../measurement/limits.ts'
import { QUERY_DURATION, type QueryLog } from '../measurement/query-log.ts'
import type { ReadWarning } from '../measurement/run.ts'
import { Warnings } from '../measurement/warnings.ts'
import { count } from '../text/numbers.ts'
import { countOutcomes } from '../verdict/classified-query.ts'
import {
  type ClassifiedQueryLog,
  classifyCosts,
  classifyQueryLog,
  type QueryLogRow,
} from '../verdict/classify-query-log.ts'
import { type CommandIO, InputError, printJson } from './command.ts'
import { lookAt, readInput } from './input-file.ts'
import type { LiveOptions } from './live-query-log.ts'
import { byteCount, Progress } from './progress.ts'
import { queryLogTable } from './query-log-table.ts'
import { failOnCode, type RunOptions, thresholdsGiven } from './run-input.ts'

/** The name of the format, which is no run: it has no repetitions. */
export const QUERY_LOG = 'query-log'

export interface QueryLogCommandOptions extends RunOptions, LiveOptions {
  /** `FIELD=OLD,NEW` */
  readonly side?: string
  readonly group?: string
  readonly all?: boolean
}

/** `perf-triage classify --format query-log`: two settings under live traffic. */
export async function classifyQueryLogs(
  paths: readonly string[],
  options: QueryLogCommandOptions,
  io: CommandIO,
): Promise<number> {
  if (options.queryLog === undefined && (options.since ?? options.until) !== undefined) {
    throw new InputError('--since and --until are for --query-log: of a file every row is read')
  }
  const side = sideOf(options)
  const group = groupOf(options)
  const metric = options.metric === undefined || options.metric === 'all' ? null : options.metric
  const warnings = new Warnings(DEFAULT_LIMITS.warnings)
  const reader = new QueryLogReader({ side, group, metric, warnings })
  const log =
    options.queryLog === undefined
      ? await readLogs(paths, reader, io)
      : await (await import('./live-query-log.ts')).readLive(paths, options, { reader, side, group, metric }, io)
  const counted =
    metric ?? (log.executions.metrics.includes(QUERY_DURATION) ? QUERY_DURATION : log.executions.metrics[0]!)
  const classified = classify(log, options, io)
  const costs = classifyCosts(log, thresholdsGiven(options))
  const counts = countOutcomes(classified.rows.filter((row) => row.metric === counted))
  const result = { ...classified, costs, counted, counts, variants: log.variants, warnings: warnings.list() }
  if (options.json) printQueryLogJson(result, io)
  else {
    const lines = queryLogTable({ ...result, executions: log.executions.rows }, options, io)
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  const results = classified.rows.filter((row) => row.metric === counted)
  return failOnCode('classify', { counts, results, warnings: result.warnings, failOn: options.failOn }, io)
}

function printQueryLogJson(
  {
    rows,
    whole,
    costs,
    counted,
    counts,
    variants,
    warnings,
  }: ClassifiedQueryLog & {
    readonly costs: readonly QueryLogRow[]
    readonly counted: string
    readonly counts: object
    readonly variants: readonly string[]
    readonly warnings: readonly ReadWarning[]
  },
  io: CommandIO,
): void {
  const queries = [...rows, ...costs]
  printJson({ metric: counted, counts, oldCommit: null, newCommit: null, variants, queries, whole, warnings }, io)
}

function classify(log: QueryLog, options: RunOptions, io: CommandIO): ClassifiedQueryLog {
  const progress = new Progress(io.stderr)
  try {
    return classifyQueryLog(log, thresholdsGiven(options), (done, of) =>
      progress.update(() => `comparing: ${done} of ${of} metrics`),
    )
  } finally {
    progress.done()
  }
}

async function readLogs(paths: readonly string[], reader: QueryLogReader, io: CommandIO): Promise<QueryLog> {
  if (paths.length === 0) throw new InputError('no PATH: give files with rows of system.query_log, or - for stdin')
  if (paths.filter((path) => path === '-').length > 1) throw new InputError('stdin (-) can be read once only')
  for (const path of paths) await lookAt(path, 'the files in it')
  const progress = new Progress(io.stderr)
  try {
    for (const path of paths) {
      const bytes = readInput(path, io, (read) =>
        progress.update(() => `reading: ${byteCount(read)}, ${count(reader.rows)} rows`),
      )
      await reader.read(path === '-' ? 'stdin' : path, bytes)
    }
    return reader.finish()
  } finally {
    progress.done()
  }
}

function sideOf({ side, old = [], new: fresh = [] }: QueryLogCommandOptions) {
  if (old.length > 0 || fresh.length > 0) {
    throw new InputError('--old and --new: a query log has both sides in it, and --side tells them apart')
  }
  const example = '--side FIELD=OLD,NEW, as in tables=db.old,db.new or Settings.max_threads=4,8'
  if (side === undefined) throw new InputError(`no --side: say what tells the sides of a query log apart: ${example}`)
  const equals = side.indexOf('=')
  const field = equals === -1 ? null : parseLogField(side.slice(0, equals))
  const variants = side
    .slice(equals + 1)
    .split(',')
    .map((text) => text.trim())
  if (field === null || variants.length < 2) throw new InputError(`--side "${side}" is not ${example}`)
  if (new Set(variants).size < variants.length) throw new InputError(`--side "${side}" names a variant twice`)
  if (variants.length > MOST_VARIANTS)
    throw new InputError(`--side "${side}" names more than ${MOST_VARIANTS} variants`)
  return { field, variants }
}

const MOST_VARIANTS = 16

function groupOf({ group }: QueryLogCommandOptions) {
  if (group === undefined) return null
  const field = parseLogField(group)
  if (field === null) throw new InputError(`--group "${group}" is no column, or column.key: log_comment.window`)
  return field
}
