import { Command, Option } from 'commander'
import { VERSION } from '../../config/version.ts'
import { list } from '../../text/numbers.ts'
import { type CommandIO, type Define, EXIT_OK, type Finished, InputError } from './command.ts'
import type { Shell } from './completion-options.ts'
import { parseName } from './option-values.ts'

/** A command as the list of `--help` has it; its module has the rest. */
interface Listed {
  /** The command's name with its options and arguments: `classify [options] [path...]`. */
  readonly term: string
  readonly summary: string
  /** Its options, help and examples. */
  readonly options: () => Promise<{ readonly define: Define }>
  /** Its work, which takes arguments, options and streams, and gives the exit code. */
  readonly work: () => Promise<{ readonly run: (...given: never[]) => Promise<number> }>
  /** Reads nothing but what it is given, and so has no use for a data folder. */
  readonly isApart?: true
}

/** A group of commands: `ledger import`, `ledger lookup`. */
interface ListedGroup {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly commands: readonly Listed[]
}

const COMMANDS: readonly (Listed | ListedGroup)[] = [
  {
    term: 'classify [options] [path...]',
    summary: 'read one run and print the outcome of each query',
    options: () => import('./classify-options.ts'),
    work: () => import('./classify.ts'),
  },
  {
    term: 'comment [options] [path...]',
    summary: 'print the comment that the bot would post for a run',
    options: () => import('./comment-options.ts'),
    work: () => import('./comment.ts'),
    isApart: true,
  },
  {
    term: 'measure [options]',
    summary: 'measure two builds in turns, into a folder that classify reads',
    options: () => import('./measure-options.ts'),
    work: () => import('./measure.ts'),
    isApart: true,
  },
  {
    name: 'ledger',
    summary: 'import CI results, look up failing tests, list known failures',
    description: 'The ledger of failing tests: CI results are imported, and each failure is judged by its history.',
    commands: [
      {
        term: 'import [options] [file...]',
        summary: 'load CI results from files',
        options: () => import('./ledger-import-options.ts'),
        work: () => import('./ledger-import.ts'),
      },
      {
        term: 'lookup [options]',
        summary: 'judge the failing tests of a commit, or one test',
        options: () => import('./ledger-lookup-options.ts'),
        work: () => import('./ledger-lookup.ts'),
      },
      {
        term: 'list [options]',
        summary: 'list the entries of the ledger',
        options: () => import('./ledger-list-options.ts'),
        work: () => import('./ledger-list.ts'),
      },
    ],
  },
  {
    name: 'history',
    summary: 'import the main branch’s measurements, and list them',
    description: 'The main branch’s history: what each query measured over time, and what is learned from it.',
    commands: [
      {
        term: 'import [options] [file...]',
        summary: 'load the main branch’s history from files',
        options: () => import('./history-import-options.ts'),
        work: () => import('./history-import.ts'),
      },
      {
        term: 'list [options]',
        summary: 'list the main branch’s stored history',
        options: () => import('./history-list-options.ts'),
        work: () => import('./history-list.ts'),
      },
    ],
  },
  {
    term: 'change-points [options] <file>',
    summary: 'find the lasting steps of a series of measurements',
    options: () => import('./change-points-options.ts'),
    work: () => import('./change-points.ts'),
    isApart: true,
  },
  {
    term: 'flamegraph [options] [old] [new]',
    summary: 'show where two profiles differ',
    options: () => import('./flamegraph-options.ts'),
    work: () => import('./flamegraph.ts'),
    isApart: true,
  },
  {
    term: 'bisect [options]',
    summary: 'find the commits between which the main branch got slower',
    options: () => import('./bisect-options.ts'),
    work: () => import('./bisect.ts'),
  },
  {
    term: 'queue [options]',
    summary: 'list what needs attention',
    options: () => import('./queue-options.ts'),
    work: () => import('./queue.ts'),
  },
  {
    term: 'record [options]',
    summary: 'say how often the bot was right',
    options: () => import('./record-options.ts'),
    work: () => import('./record.ts'),
  },
  {
    term: 'quality [options]',
    summary: 'list the benchmarks that can’t detect a change',
    options: () => import('./quality-options.ts'),
    work: () => import('./quality.ts'),
  },
  {
    term: 'replay [options]',
    summary: 'say what stored runs would be called under today’s rules',
    options: () => import('./replay-options.ts'),
    work: () => import('./replay.ts'),
  },
  {
    name: 'config',
    summary: 'check a repository’s configuration file',
    description: 'A repository’s configuration file, .github/perf-triage.yml.',
    commands: [
      {
        term: 'check [options] [file]',
        summary: 'print every mistake in the file with its line',
        options: () => import('./config-check-options.ts'),
        work: () => import('./config-check.ts'),
        isApart: true,
      },
    ],
  },
  {
    term: 'setup [options]',
    summary: 'register the GitHub App in the browser and write the environment file',
    options: () => import('./setup-options.ts'),
    work: () => import('./setup.ts'),
  },
  {
    term: 'serve [options]',
    summary: 'run the bot',
    options: () => import('./serve-options.ts'),
    work: () => import('./serve.ts'),
  },
  {
    term: 'mcp [options]',
    summary: 'answer programs that ask by the Model Context Protocol',
    options: () => import('./mcp-options.ts'),
    work: () => import('./mcp.ts'),
  },
  {
    term: 'migrate [options]',
    summary: 'bring the tables of the database up to date',
    options: () => import('./migrate-options.ts'),
    work: () => import('./migrate.ts'),
  },
  {
    term: 'backup [options] <file>',
    summary: 'back up decisions and deliveries to a file',
    options: async () => ({ define: (await import('./backup-options.ts')).defineBackup }),
    work: async () => ({ run: (await import('./backup.ts')).runBackup }),
  },
  {
    term: 'restore [options] <file>',
    summary: 'restore a backup into a data folder or PostgreSQL',
    options: async () => ({ define: (await import('./backup-options.ts')).defineRestore }),
    work: async () => ({ run: (await import('./backup.ts')).runRestore }),
  },
  {
    term: 'doctor [options]',
    summary: 'check the configuration and everything the bot depends on',
    options: () => import('./doctor-options.ts'),
    work: () => import('./doctor.ts'),
  },
]

/** The command line, with a function that adds to a command its options and what it does. */
export interface Program {
  readonly root: Command
  /** Imports the options of a command. A group has all that it needs from the start. */
  readonly define: (command: Command) => Promise<void>
}

/**
 * The command line: names of all commands. The options of a command are imported when it is called or its help is asked for,
 * and what does its work when it is called: nobody waits for what another needs.
 */
export function buildProgram(io: CommandIO, finished: Finished): Program {
  const listed = new Map<Command, Listed>()
  const defined = new Set<Command>()
  const root = new Command('perf-triage')
    .description('Triages performance CI: which queries changed, by how much, and with what evidence.')
    .helpCommand('help [command]', 'show what a command does')
    .helpOption('-h, --help', 'show this help')
    .version(VERSION, '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => undefined })
    .configureHelp({ subcommandTerm })
    .showSuggestionAfterError(true)
    .addHelpText(
      'after',
      `\nExit code 0; 1 when a --fail-on condition holds; 2 for bad input or usage, or when\na limit left out some of the input, or what can’t be read leaves --fail-on undecided.`,
    )
  for (const one of COMMANDS) {
    if ('term' in one) listOne(root, one)
    else listGroup(root, one)
  }
  listOne(root, {
    term: 'completion [options] <shell>',
    summary: 'print a script that completes the command line in a shell',
    options: () => import('./completion-options.ts'),
    work: async () => {
      const { completionScript } = await import('./completion.ts')
      return {
        run: async (shell: Shell, _options: object, { stdout }: CommandIO) => {
          for (const command of listed.keys()) await define(command)
          stdout.write(completionScript(shell, root))
          return EXIT_OK
        },
      }
    },
    isApart: true,
  })
  return { root, define }

  async function define(command: Command): Promise<void> {
    const one = listed.get(command)
    if (one === undefined || defined.has(command)) return
    defined.add(command)
    const module = await one.options()
    let { env } = io
    const own: CommandIO = {
      ...io,
      get env() {
        return env
      },
    }
    module.define(command)
    command.action(async (...given: unknown[]) => {
      const { run } = (await one.work()) as { readonly run: (...given: unknown[]) => Promise<number> }
      // last of all commander gives the command itself
      finished(await run(...given.slice(0, -1), own))
    })
    // a script gives it to all alike
    command.addOption(dataDirOption().hideHelp(one.isApart === true)).hook('preAction', () => {
      const { dataDir } = command.opts<{ dataDir?: string }>()
      if (dataDir !== undefined) env = { ...env, PERF_TRIAGE_DATA_DIR: dataDir }
    })
  }

  function listOne(parent: Command, one: Listed): void {
    listed.set(parent.command(one.term.split(' ')[0]!).summary(one.summary), one)
  }

  function listGroup(parent: Command, { name, summary, description, commands }: ListedGroup): void {
    const group = parent
      .command(name)
      .summary(summary)
      .description(description)
      .argument('[command]')
      .allowExcessArguments(true)
      .action((command?: string) => {
        if (command === undefined) {
          group.outputHelp()
          return
        }
        const names = commands.map(({ term }) => `"${name} ${term.split(' ')[0]}"`)
        throw new InputError(`unknown command "${command}"; the commands are ${list(names)}`)
      })
    for (const one of commands) listOne(group, one)
  }

  function subcommandTerm(command: Command): string {
    const [argument] = command.registeredArguments
    return (
      listed.get(command)?.term ??
      [command.name(), ...(argument === undefined ? [] : [`[${argument.name()}]`])].join(' ')
    )
  }
}

/** In the place of `PERF_TRIAGE_DATA_DIR`. */
function dataDirOption(): Option {
  return new Option(
    '--data-dir <folder>',
    'the folder with the inbox and the embedded database (default: PERF_TRIAGE_DATA_DIR, else ./data)',
  ).argParser(parseName)
}
