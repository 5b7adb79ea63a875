import { type Command, CommanderError } from 'commander'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, isInputProblem, printJson } from './cli/commands/command.ts'
import { buildProgram } from './cli/commands/program.ts'
import { watched } from './cli/commands/watched-io.ts'

/**
 * Runs one command and gives its exit code. Whatever goes wrong is one line on stderr, and with `--json` a document on
 * stdout as well, so that whoever reads stdout finds one in any case.
 */
export async function main(argv: readonly string[], outside: CommandIO = processIO()): Promise<number> {
  const { io, isWritten, saysWorking, end } = watched(outside)
  let exitCode = EXIT_OK
  const { root: program, define } = buildProgram(io, (code) => {
    exitCode = code
  })
  const commands = commandsIn(program, argv)
  const names = commands.map((command) => command.name())
  const prefix = ['perf-triage', ...names].join(' ')
  if (argv.length === 0) {
    program.outputHelp()
    return EXIT_OK
  }
  // `help classify` and `ledger help lookup` name a command too.
  const [asked = program] = commandsIn(
    program,
    argv.filter((word) => word !== 'help'),
  ).slice(-1)
  try {
    await define(asked)
    // the bot has a log of its own
    if (asked.name() !== 'serve') saysWorking(names.join(' '))
    await program.parseAsync(knownOrRefused(program, commands, argv), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT_OK) return EXIT_OK
    const { kind, message, stack = message } = await describe(error, prefix, io)
    io.stderr.write(`${prefix}: ${stack}\n`)
    if (isJsonWanted(argv) && !isWritten()) printJson({ error: { kind, command: names.join(' '), message } }, io)
    return EXIT_BAD_INPUT
  } finally {
    end()
  }
}

/** Also where the command line itself is wrong. */
function isJsonWanted(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json')
}

/** The command and its subcommand as far as they are known: `ledger`, `lookup`. */
function commandsIn(program: Command, argv: readonly string[]): readonly Command[] {
  const [first, ...rest] = argv
  const command = program.commands.find((known) => known.name() === first)
  return command === undefined ? [] : [command, ...commandsIn(command, rest)]
}

/** `perf-triage clasify --help` is a mistake like `perf-triage clasify`: without what follows, commander suggests `classify`. */
function knownOrRefused(program: Command, commands: readonly Command[], argv: readonly string[]): readonly string[] {
  const unknown = argv[commands.length]
  const isCommand = (commands.at(-1) ?? program).commands.length > 0 && unknown !== 'help'
  return isCommand && unknown !== undefined && !unknown.startsWith('-') ? argv.slice(0, commands.length + 1) : argv
}

/** The kind of an error, as `--json` says it, a closed list: the command line, what it names, a database or a setting, none of them. */
type ErrorKind = 'usage' | 'input' | 'database' | 'unexpected'

interface Described {
  readonly kind: ErrorKind
  /** One line. */
  readonly message: string
  /** Where it happened, which was asked for. */
  readonly stack?: string | undefined
}

async function describe(error: unknown, prefix: string, io: CommandIO): Promise<Described> {
  if (error instanceof CommanderError) {
    const message = oneLine(error.message.replace(/^error: /, '')).replace(/\.$/, '')
    return { kind: 'usage', message: `${message}; see "${prefix} --help"` }
  }
  if (isInputProblem(error)) return { kind: 'input', message: oneLine(error.message) }
  const { isDatabaseProblem } = await import('./cli/commands/database.ts')
  if (isDatabaseProblem(error)) return { kind: 'database', message: oneLine(error.message) }
  const debug = io.env['LOG_LEVEL'] === 'debug' || io.env['LOG_LEVEL'] === 'trace'
  if (!(error instanceof Error)) return { kind: 'unexpected', message: oneLine(String(error)) }
  const message = `${oneLine(`${error.name}: ${error.message}`)} (unexpected; LOG_LEVEL=debug shows where)`
  return { kind: 'unexpected', message, stack: debug ? error.stack : undefined }
}

/** Names from archives and query texts may hold anything; a message stays one line and never steers the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

function processIO(): CommandIO {
  for (const stream of [process.stdout, process.stderr]) {
    // whoever read the output has had enough (`| head`): the rest is for nobody, and that is no error
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      if (stream === process.stdout)
        process.stderr.write(`perf-triage: the output can’t be written: ${error.message}\n`)
      process.exit(EXIT_BAD_INPUT)
    })
  }
  return { stdout: process.stdout, stderr: process.stderr, env: process.env }
}
