import { readClickHouseEnvironment } from '../../config/environment.ts'
import type { QueryLogOptions, QueryLogReader } from '../../intake/imports/query-log/read-query-log.ts'
import { MOST_ROWS } from '../../intake/measurement/executions.ts'
import { ExternalDatabase } from '../../store/external-database.ts'
import { type LiveQueryLogWanted, liveQueryLog } from '../../store/query-log/live-query-log.ts'
import { count, minute } from '../../text/numbers.ts'
import { type CommandIO, InputError } from './command.ts'
import { Progress } from './progress.ts'

/** Reads the query log of a running server, for `--format query-log` without files. */

const A_DAY = 24 * 3_600_000
/** Of the whole answer. */
const LIVE_TIMEOUT = 10 * 60_000

export interface LiveOptions {
  /** The table of a server that is asked; true: `system.query_log`. Absent: files are read. */
  readonly queryLog?: string | true
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly until?: number
}

interface LiveReader extends Omit<QueryLogOptions, 'warnings'> {
  readonly reader: QueryLogReader
}

/** Reads the query log of the server of CLICKHOUSE_URL. */
export async function readLive(options: LiveOptions, { reader, ...by }: LiveReader, io: CommandIO): Promise<void> {
  const wanted = wantedOf(options, by)
  const { url, user, password } = readClickHouseEnvironment(io.env)
  if (url === null) throw new InputError('--query-log needs a server: set CLICKHOUSE_URL')
  const access = { user: user ?? 'default', password: password ?? '' }
  const database = new ExternalDatabase({
    url,
    ...access,
    timeout: LIVE_TIMEOUT,
    called: 'the server of the query log',
  })
  const progress = new Progress(io.stderr)
  try {
    const onPiece = () => progress.update(() => `reading: ${count(reader.rows)} rows`)
    await reader.read(wanted.table, answerOf(wanted, liveQueryLog(database, wanted), onPiece))
    if (reader.rows >= wanted.mostRows) {
      throw new InputError(`${wanted.table}: more than ${count(MOST_ROWS)} executions; give a shorter period`)
    }
  } finally {
    progress.done()
    await database.close()
  }
}

/** What is asked of the server. */
function wantedOf(
  { queryLog, until = Date.now(), since = until - A_DAY }: LiveOptions,
  { side, group, metric }: Omit<QueryLogOptions, 'warnings'>,
): LiveQueryLogWanted {
  if (since >= until) throw new InputError('--since must be before --until')
  const isByTables = side.field.column === 'tables' && side.field.key === null
  return {
    table: typeof queryLog === 'string' ? queryLog : 'system.query_log',
    from: since,
    to: until,
    tables: isByTables ? side.variants : [],
    columns: [side.field, ...(group === null ? [] : [group])].map(({ column }) => column),
    metric,
    mostRows: MOST_ROWS + 1,
  }
}

/** The answer of a server, which has no byte where no row is wanted. */
async function* answerOf(
  { table, from, to }: LiveQueryLogWanted,
  bytes: AsyncIterable<Uint8Array>,
  onPiece: () => void,
): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const piece of bytes) {
    isEmpty = false
    yield piece
    onPiece()
  }
  if (isEmpty) throw new InputError(`${table}: no such query finished from ${minute(from)} to ${minute(to)}`)
}
