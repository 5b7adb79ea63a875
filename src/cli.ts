import { type Command, CommanderError } from 'commander'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, InputError } from './commands/command.ts'
import { buildProgram } from './commands/program.ts'
import { VERSION } from './config/version.ts'
import { SourceError } from './measurement/source.ts'

/** Runs one command and gives its exit code. Whatever goes wrong is one line on stderr. */
export async function main(argv: readonly string[], io: CommandIO = processIO()): Promise<number> {
  let exitCode = EXIT_OK
  const { root: program, define } = buildProgram(io, (code) => {
    exitCode = code
  })
  const commands = commandsIn(program, argv)
  const prefix = ['perf-triage', ...commands.map((command) => command.name())].join(' ')
  program.on('option:version', () => {
    throw new CommanderError(EXIT_OK, 'commander.version', '')
  })
  if (argv.length === 0) {
    io.stderr.write('perf-triage: no command; "perf-triage --help" lists them\n')
    return EXIT_BAD_INPUT
  }
  // `help classify` and `ledger help lookup` name a command too.
  const [asked = program] = commandsIn(
    program,
    argv.filter((word) => word !== 'help'),
  ).slice(-1)
  try {
    await define(asked)
    await program.parseAsync(knownOrRefused(program, commands, argv), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT_OK) {
      if (error.code === 'commander.version') io.stdout.write(`${VERSION}\n`)
      return EXIT_OK
    }
    io.stderr.write(`${prefix}: ${await describe(error, prefix, io)}\n`)
    return EXIT_BAD_INPUT
  }
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

/** One line, but for the stack that was asked for. */
async function describe(error: unknown, prefix: string, io: CommandIO): Promise<string> {
  if (error instanceof CommanderError) {
    return `${oneLine(error.message.replace(/^error: /, '')).replace(/\.$/, '')}; see "${prefix} --help"`
  }
  if (error instanceof InputError || error instanceof SourceError) return oneLine(error.message)
  const { isDatabaseProblem } = await import('./commands/database.ts')
  if (isDatabaseProblem(error)) return oneLine(error.message)
  const debug = io.env['LOG_LEVEL'] === 'debug' || io.env['LOG_LEVEL'] === 'trace'
  if (!(error instanceof Error)) return oneLine(String(error))
  if (debug) return error.stack ?? error.message
  return `${oneLine(`${error.name}: ${error.message}`)} (unexpected; LOG_LEVEL=debug shows where)`
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
