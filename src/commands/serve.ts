import { once } from 'node:events'
import { pino } from 'pino'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { InboxNewer, InboxUnusable } from '../inbox/database.ts'
import { type Bot, startBot } from '../main.ts'
import { DatabaseNewer } from '../store/migrate.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { DataFolderInUse } from '../triage/data-folder.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, type ServeOptions } from './command.ts'

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * `perf-triage serve`: the bot, until SIGTERM or SIGINT; the second one ends the process at once. The log goes to stdout, a
 * line of JSON each.
 */
export async function run(options: ServeOptions, io: CommandIO): Promise<number> {
  // Heard from the first moment on: whoever sees the bot start may stop it.
  const stop = new AbortController()
  // Without a handler of ours the next one, of either kind, ends the process.
  const hear = () => {
    for (const signal of STOP_SIGNALS) process.off(signal, hear)
    stop.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, hear)
  let bot: Bot
  try {
    const environment = readEnvironment({
      ...io.env,
      ...(options.port === null ? {} : { PORT: String(options.port) }),
      ...(options.host === null ? {} : { HOST: options.host }),
    })
    const log = pino({ name: 'perf-triage', level: environment.logLevel })
    bot = await startBot(environment, { log, signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) return ended()
    const problems = readable(error)
    if (problems === null) throw error
    for (const problem of problems) io.stderr.write(`perf-triage serve: ${problem}\n`)
    return EXIT_BAD_INPUT
  }
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  await bot.stop()
  return ended()
}

/** A library that still waits, for the next try of a request, does not keep the process: its work is put back. */
function ended(): number {
  setTimeout(() => process.exit(EXIT_OK), 100).unref()
  return EXIT_OK
}

/** What the person who starts the bot can mend, a line each; null for everything else. */
function readable(error: unknown): readonly string[] | null {
  if (error instanceof EnvironmentError) return error.problems
  if (FATAL.some((kind) => error instanceof kind)) return [(error as Error).message]
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return [`${message}: another process listens there; choose another PORT`]
  if (code !== undefined && FOLDER_PROBLEMS.has(code)) {
    return [`${message}: check PERF_TRIAGE_DATA_DIR and PORT`]
  }
  return null
}

/** Their messages say what to do. */
const FATAL = [StoreUnavailable, DataFolderInUse, DatabaseNewer, InboxNewer, InboxUnusable]

/** What is wrong with a folder or file, as the system calls it. */
const FOLDER_PROBLEMS: ReadonlySet<string> = new Set(['EACCES', 'EEXIST', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EROFS'])
