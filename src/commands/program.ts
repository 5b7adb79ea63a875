import { Command } from 'commander'
import type { CommandIO, FailOn, RunOptions } from './command.ts'
import { parseFailOn, parseFraction, parsePort } from './parse-option.ts'

/**
 * The command line: names, options and help of every command. A command itself is imported when it is called, so that
 * one does not wait for what another needs.
 */
export function buildProgram(io: CommandIO, finished: (exitCode: number) => void): Command {
  const program = new Command('perf-triage')
    .description('Triages performance CI: which queries changed, by how much, and what speaks for it and against it.')
    .helpCommand('help [command]', 'show what a command does')
    .helpOption('-h, --help', 'show this help')
    .option('-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => undefined })
    .showSuggestionAfterError(true)
    .addHelpText('after', `\nExit code 0; 1 when a --fail-on condition holds; 2 for bad input or usage.`)

  withRunOptions(program.command('classify'))
    .summary('read one run and print the outcome of each query')
    .description('Reads one run and prints the outcome of each query: changed, unstable, too small, not significant.')
    .option('--all', 'show every query, not only those of note')
    .addHelpText(
      'after',
      examples(
        ['classify results/', 'a folder with *-raw.tsv files, archives in it included'],
        ['classify logs.tar.zst --json', 'an archive as it was published; one JSON document'],
        ['classify run.zip --fail-on slower', 'exit code 1 when a query got slower'],
        ['classify --old old.jsonl --new new.jsonl', 'one side per file'],
        ['classify results/ --metric all --all', 'every metric, every row'],
      ),
    )
    .action(async (paths: string[], options: RunFlags & { all?: boolean }) => {
      const { run } = await import('./classify.ts')
      finished(await run({ ...runOptions(paths, options), all: options.all ?? false }, io))
    })

  withRunOptions(program.command('comment'))
    .summary('print the comment that the bot would post for a run')
    .description('Reads one run and prints the Markdown of the comment that the bot would post for it.')
    .option('--architecture <name>', 'the architecture of the run, where the measurements state none')
    .addHelpText(
      'after',
      examples(
        ['comment results/', 'the comment as Markdown'],
        ['comment results/ --architecture arm', 'with the architecture in its table'],
      ),
    )
    .action(async (paths: string[], options: RunFlags & { architecture?: string }) => {
      const { run } = await import('./comment.ts')
      finished(await run({ ...runOptions(paths, options), architecture: options.architecture ?? null }, io))
    })

  program
    .command('serve')
    .summary('run the bot')
    .description('Runs the bot: webhooks, triage and pages. Configured by the environment, see docs/operations.md.')
    .option('--port <number>', 'the port to listen on, in the place of PORT', parsePort)
    .option('--host <address>', 'the address to listen on, in the place of HOST')
    .addHelpText('after', examples(['serve', 'with everything from the environment'], ['serve --port 3000', '']))
    .action(async (options: { port?: number; host?: string }) => {
      const { run } = await import('./serve.ts')
      finished(await run({ port: options.port ?? null, host: options.host ?? null }, io))
    })

  program
    .command('migrate')
    .summary('bring the tables of the database up to date')
    .description('Creates the tables of the database or brings them up to date, and says what it did.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['migrate', 'before a new version serves']))
    .action(async (options: { json?: boolean }) => {
      const { run } = await import('./migrate.ts')
      finished(await run({ json: options.json ?? false }, io))
    })

  program
    .command('doctor')
    .summary('check the configuration and everything the bot depends on')
    .description('Checks configuration, permissions, webhook, database and disk, and says what to do where one fails.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['doctor', 'after an installation, or when comments stay away']))
    .action(async (options: { json?: boolean }) => {
      const { run } = await import('./doctor.ts')
      finished(await run({ json: options.json ?? false }, io))
    })

  return program
}

/** The options of a command that reads a run, as commander gives them. */
interface RunFlags {
  readonly old?: string[]
  readonly new?: string[]
  readonly format: string
  readonly metric?: string
  readonly changedThreshold?: number
  readonly unstableThreshold?: number
  readonly failOn?: readonly FailOn[]
  readonly json?: boolean
}

function withRunOptions(command: Command): Command {
  return command
    .argument('[path...]', 'the run: a folder, an archive or files')
    .option('--old <file...>', 'files of the old side, for formats with one side per file')
    .option('--new <file...>', 'files of the new side')
    .option('--format <name>', 'the format of the input, see docs/formats.md', 'auto')
    .option('--metric <name>', 'the metric to judge, or all (default: client_time)')
    .option('--changed-threshold <fraction>', 'the smallest difference that is a change (default: 0.05)', parseFraction)
    .option(
      '--unstable-threshold <fraction>',
      'the noise from which a query is unstable (default: 0.10)',
      parseFraction,
    )
    .option('--fail-on <conditions>', 'exit with 1 on slower, unstable or changed; a list or repeated', parseFailOn)
    .option('--json', 'print one JSON document')
}

function runOptions(paths: readonly string[], flags: RunFlags): RunOptions {
  return {
    paths,
    old: flags.old ?? [],
    new: flags.new ?? [],
    format: flags.format,
    metric: flags.metric ?? null,
    changedThreshold: flags.changedThreshold ?? null,
    unstableThreshold: flags.unstableThreshold ?? null,
    failOn: flags.failOn ?? [],
    json: flags.json ?? false,
  }
}

function examples(...lines: readonly (readonly [command: string, meaning: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length))
  const rows = lines.map(([command, meaning]) => `  perf-triage ${command.padEnd(width)}  ${meaning}`.trimEnd())
  return `\nExamples:\n${rows.join('\n')}`
}
