import { parseLogField } from '../../intake/imports/query-log/field.ts'
import { QueryLogReader } from '../../intake/imports/query-log/read-query-log.ts'
import { DEFAULT_LIMITS } from '../../intake/measurement/limits.ts'
import { Warnings } from '../../intake/measurement/warnings.ts'
import { type QueryLogReport, queryLogReport } from '../../report/query-log.ts'
import { count } from '../../text/numbers.ts'
import { type CommandIO, InputError } from './command.ts'
import { lookAt, readInput } from './input-file.ts'
import { byteCount, Progress } from './progress.ts'
import { failOnCode, type QueryLogCommandOptions, type RunOptions, thresholdsGiven } from './run-input.ts'

/** Reads and classifies the query log that the options name, with progress on stderr. */
export async function readQueryLog(
  paths: readonly string[],
  options: QueryLogCommandOptions,
  io: CommandIO,
): Promise<QueryLogReport> {
  if (options.queryLog === undefined && (options.since ?? options.until) !== undefined) {
    throw new InputError('--since and --until are for --query-log; from a file, every row is read')
  }
  const side = sideOf(options)
  const group = groupOf(options)
  const metric = options.metric === undefined || options.metric === 'all' ? null : options.metric
  const warnings = new Warnings(DEFAULT_LIMITS.warnings)
  const reader = new QueryLogReader({ side, group, metric, warnings })
  if (options.queryLog !== undefined)
    await (await import('./live-query-log.ts')).readLive(options, { reader, side, group, metric }, io)
  // beside a server: what its merges and parts cost, which its query log does not hold
  if (options.queryLog === undefined || paths.length > 0) await readFiles(paths, reader, io)
  const log = reader.finish()
  const progress = new Progress(io.stderr)
  try {
    return queryLogReport(log, {
      metric,
      settings: thresholdsGiven(options),
      warnings: warnings.list(),
      onProgress: (done, of) => progress.update(() => `comparing: ${done} of ${of} metrics`),
    })
  } finally {
    progress.done()
  }
}

/** The exit code that `--fail-on` asks for, by the metric that is counted. */
export function failOnQueryLog(
  command: string,
  { rows, counted, counts, warnings }: QueryLogReport,
  { failOn }: RunOptions,
  io: CommandIO,
): number {
  const results = rows.filter(({ metric }) => metric === counted)
  return failOnCode(command, { counts, results, warnings, failOn }, io)
}

async function readFiles(paths: readonly string[], reader: QueryLogReader, io: CommandIO): Promise<void> {
  if (paths.length === 0) throw new InputError('no PATH: give files with rows of system.query_log, or - for stdin')
  if (paths.filter((path) => path === '-').length > 1) throw new InputError('stdin (-) can be read only once')
  for (const path of paths) await lookAt(path, 'the files in it')
  const progress = new Progress(io.stderr)
  try {
    for (const path of paths) {
      const bytes = readInput(path, io, (read) =>
        progress.update(() => `reading: ${byteCount(read)}, ${count(reader.rows)} rows`),
      )
      await reader.read(path === '-' ? 'stdin' : path, bytes)
    }
  } finally {
    progress.done()
  }
}

function sideOf({ side, old = [], new: fresh = [] }: QueryLogCommandOptions) {
  if (old.length > 0 || fresh.length > 0) {
    throw new InputError('--old and --new are not for a query log: it has both sides, and --side tells them apart')
  }
  const example = '--side FIELD=OLD,NEW, as in tables=db.old,db.new or Settings.max_threads=4,8'
  if (side === undefined)
    throw new InputError(`--side is missing: say what tells the sides of a query log apart, with ${example}`)
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
  if (field === null)
    throw new InputError(`--group "${group}" is not a column or column.key such as log_comment.window`)
  return field
}
