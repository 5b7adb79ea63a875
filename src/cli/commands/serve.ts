import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { pino } from 'pino'
import { DataFolderInUse } from '../../bot/triage/data-folder.ts'
import { EnvironmentError, ROLES, type Role, readEnvironment } from '../../config/environment.ts'
import { InboxNewer, InboxUnusable } from '../../inbox/database.ts'
import { type Bot, startBot } from '../../main.ts'
import { DatabaseNewer } from '../../store/migrate.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_CONDITION, EXIT_OK, examples, type Finished } from './command.ts'

/** What stands in the place of PORT, HOST and PERF_TRIAGE_ROLE. */
interface ServeOptions {
  readonly port?: number
  readonly host?: string
  readonly role?: Role
}

/** The description, options and examples of `perf-triage serve`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description('Runs the bot: webhooks, triage and pages. Configured by the environment, see docs/operations.md.')
    .option('--port <number>', 'the port to listen on; overrides PORT', parsePort)
    .option('--host <address>', 'the address to listen on; overrides HOST')
    .addOption(
      new Option(
        '--role <role>',
        'web receives webhooks and serves pages, worker does the work; overrides PERF_TRIAGE_ROLE',
      ).choices(ROLES),
    )
    .addHelpText(
      'after',
      examples(['serve', 'with everything from the environment'], ['serve --port 3000', 'on another port than PORT']),
    )
    .action(async (options: ServeOptions) => {
      finished(await run(options, io))
    })
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * `perf-triage serve`: the bot, until SIGTERM or SIGINT; the second one ends the process at once. The log goes to stdout, a
 * line of JSON each.
 */
async function run({ port, host, role }: ServeOptions, io: CommandIO): Promise<number> {
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
    const variable = env['METRICS_PORT'] === String(port) ? 'METRICS_PORT' : 'PORT'
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

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return port
}
