import { once } from 'node:events'
import { pino } from 'pino'
import { DataFolderInUse } from '../../bot/triage/data-folder.ts'
import { EnvironmentError, readEnvironment } from '../../config/environment.ts'
import type { Role } from '../../config/process-roles.ts'
import { InboxNewer, InboxUnusable } from '../../inbox/database.ts'
import { type Bot, startBot } from '../../main.ts'
import { DatabaseNewer } from '../../store/migrate.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_CONDITION, EXIT_OK } from './command.ts'

/** What stands in the place of PORT, HOST and PERF_TRIAGE_ROLE. */
interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly role?: Role
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * `perf-triage serve`: the bot, until SIGTERM or SIGINT; the second one ends the process at once. The log goes to stdout, a
 * line of JSON each.
 */
export async function run({ port, host, role }: ServeOptions, io: CommandIO): Promise<number> {
  // Heard from the first moment on: whoever sees the bot start may stop it.
  const stop = new AbortController()
  // Without a handler of ours the next one, of either kind, ends the process.
  const hear = () => {
    for (const signal of STOP_SIGNALS) process.off(signal, hear)
    stop.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, hear)
  let bot: Bot
  let isLost = false
  try {
    const environment = readEnvironment({
      ...io.env,
      ...(port !== undefined && { PORT: String(port) }),
      ...(host !== undefined && { HOST: host }),
      ...(role !== undefined && { PERF_TRIAGE_ROLE: role }),
    })
    const log = pino({ name: 'perf-triage', level: environment.logLevel })
    const onLost = () => {
      isLost = true
      stop.abort()
    }
    bot = await startBot(environment, { log, signal: stop.signal, onLost })
  } catch (error) {
    if (stop.signal.aborted) return ended()
    const problems = readable(error, io.env)
    if (problems === null) throw error
    for (const problem of problems) io.stderr.write(`perf-triage serve: ${problem}\n`)
    return EXIT_BAD_INPUT
  }
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  await bot.stop()
  return ended(isLost ? EXIT_CONDITION : EXIT_OK)
}

/** A library that still waits, for the next try of a request, does not keep the process: its work is put back. */
function ended(code = EXIT_OK): number {
  setTimeout(() => process.exit(code), 100).unref()
  return code
}

/** Problems that the person who starts the bot can mend, a line each; null for everything else. */
function readable(error: unknown, env: CommandIO['env']): readonly string[] | null {
  if (error instanceof EnvironmentError) return error.problems
  if (FATAL.some((kind) => error instanceof kind)) return [(error as Error).message]
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') {
    const variable = ['METRICS_PORT', 'WEBHOOK_PORT'].find((name) => env[name] === String(port)) ?? 'PORT'
    return [`${message}: another process listens there; choose another ${variable}`]
  }
  if (code !== undefined && FOLDER_PROBLEMS.has(code)) {
    if (syscall === 'listen') return [`${message}: choose another PORT or HOST`]
    return [`${message}: set PERF_TRIAGE_DATA_DIR to a folder that this user can write to, on a disk with free space`]
  }
  return null
}

/** Errors whose messages say what to do. */
const FATAL = [StoreUnavailable, DataFolderInUse, DatabaseNewer, InboxNewer, InboxUnusable]

/** Codes of the system for what is wrong with a folder or file. */
const FOLDER_PROBLEMS: ReadonlySet<string> = new Set(['EACCES', 'EEXIST', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EROFS'])
