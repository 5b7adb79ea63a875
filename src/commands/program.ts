import { Command } from 'commander'
import { PRIMARY_METRIC } from '../measurement/run.ts'
import type { TraceType, Unit } from '../measurement/trace-type.ts'
import { DEFAULT_DAYS, parseQueryIndex } from './bisect-options.ts'
import { collectColumn, parseColumn, parseMaxP, parseWindowLength } from './change-points-options.ts'
import { type CommandIO, type FailOn, InputError, type LookupFailOn, type RunOptions } from './command.ts'
import {
  type FlamegraphOptions,
  type FlamegraphOutput,
  parseOutput,
  parseTraceType,
  parseUnit,
} from './flamegraph-options.ts'
import {
  collect,
  parseCommit,
  parseDays,
  parseLookupFailOn,
  parseMoment,
  parseName,
  parsePullRequest,
  parseRepository,
  parseRepositoryId,
  parseWholeCommit,
} from './parse-ledger-option.ts'
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
    .addHelpText(
      'after',
      `\nExit code 0; 1 when a --fail-on condition holds; 2 for bad input or usage, or where input that was not read in full leaves --fail-on undecided.`,
    )

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

  const ledger = program
    .command('ledger')
    .summary('import CI results, and look up whose a failing test is')
    .description('The ledger of failing tests: CI results are imported, and each failure is judged by its history.')
    .argument('[command]')
    .allowExcessArguments(true)
    .action((command?: string) => {
      const what = command === undefined ? 'no command' : `unknown command "${command}"`
      throw new InputError(`${what}; there are "ledger import" and "ledger lookup"`)
    })
  withLedgerImport(ledger, io, finished)
  withLedgerLookup(ledger, io, finished)

  const history = program
    .command('history')
    .summary('import the trunk’s measurements, and list what is there')
    .description('The trunk’s history: what each query measures there over time, and what is learned from it.')
    .argument('[command]')
    .allowExcessArguments(true)
    .action((command?: string) => {
      const what = command === undefined ? 'no command' : `unknown command "${command}"`
      throw new InputError(`${what}; there are "history import" and "history list"`)
    })
  withHistoryImport(history, io, finished)
  withHistoryList(history, io, finished)

  program
    .command('change-points')
    .summary('find the lasting steps of a series of measurements')
    .description(
      'Finds the lasting steps in a CSV or TSV with a header: value, and where they are there time, commit and series.',
    )
    .argument('<file>', 'the file; - reads stdin')
    .option('--value <column>', 'the column of the values (default: value); repeated, each is a series', collectColumn)
    .option('--series <column>', 'the column that names the series (default: series); repeated, all', collectColumn)
    .option('--time <column>', 'the column of the times (default: time)', parseColumn)
    .option('--commit <column>', 'the column of the commits (default: commit)', parseColumn)
    .option('--window-length <points>', 'points that are looked at together (default: 50)', parseWindowLength)
    .option('--max-p <p>', 'the largest p-value of a step (default: 0.001)', parseMaxP)
    .option('--min-step <fraction>', 'the smallest step, relative (default: 0.05)', parseFraction)
    .option('--higher-is-better', 'a rise is faster: the values are rates, not times')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['change-points history.csv', 'each step with the commits around it'],
        ['change-points history.tsv --min-step 0.02 --json', 'smaller steps too; one JSON document'],
        ['change-points runs.csv --value p50 --value p99', 'columns of other names, each a series'],
        ['change-points rows.tsv --value new_value --series test --series query_index', 'a series for each query'],
        ['change-points - --window-length 30 --max-p 0.01', 'from stdin, with shorter windows'],
      ),
    )
    .action(async (file: string, options: ChangePointsFlags) => {
      const { run } = await import('./change-points.ts')
      const { value, series, time, commit, windowLength, maxP, minStep, higherIsBetter, json } = options
      finished(
        await run(
          {
            file,
            values: value ?? [],
            series: series ?? [],
            time: time ?? null,
            commit: commit ?? null,
            windowLength: windowLength ?? null,
            maxP: maxP ?? null,
            minStep: minStep ?? null,
            higherIsBetter: higherIsBetter ?? false,
            json: json ?? false,
          },
          io,
        ),
      )
    })

  withFlamegraph(program, io, finished)

  withBisect(program, io, finished)

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
    .command('backup')
    .summary('copy what must not be forgotten to a file')
    .description(
      'Copies the inbox of PERF_TRIAGE_DATA_DIR to a file: deliveries, decisions of people, what was posted. The bot may serve meanwhile. The ClickHouse database is not in it: see docs/database.md.',
    )
    .argument('<file>', 'a file that is not there yet')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['backup /backup/inbox-2026-11-22.sqlite', 'every night, beside the running bot'],
        ['backup before-update.sqlite --json', 'with the rows of each table'],
      ),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { backUp } = await import('./backup.ts')
      finished(await backUp({ file, json: options.json ?? false }, io))
    })

  program
    .command('restore')
    .summary('put such a file back into a data folder')
    .description(
      'Puts a file of "perf-triage backup" into PERF_TRIAGE_DATA_DIR, which must have no inbox and no bot that serves from it.',
    )
    .argument('<file>', 'a file that "perf-triage backup" has made')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(['restore /backup/inbox-2026-11-22.sqlite', 'before the bot starts in a new folder']),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { restore } = await import('./backup.ts')
      finished(await restore({ file, json: options.json ?? false }, io))
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

interface FlamegraphFlags {
  readonly run?: string
  readonly test?: string
  readonly query?: number
  readonly trace?: TraceType
  readonly as: FlamegraphOutput
  readonly unit?: Unit
  readonly normalize?: boolean
  readonly stripHex?: boolean
  readonly fractions?: boolean
  readonly icicle?: boolean
  readonly title?: string
}

function withFlamegraph(program: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  program
    .command('flamegraph')
    .summary('show where two profiles differ')
    .description(
      'Compares two files of folded stacks, or both sides of one query of a run: the frames whose share changed most, a differential flame graph, the difference of the stacks, or both profiles for speedscope.',
    )
    .argument('[old]', 'folded stacks of the old build, "frame;frame;frame COUNT" a line; - is stdin')
    .argument('[new]', 'the same of the new build; an empty file where there are none')
    .option('--run <path>', 'the stacks of one query of a run in their place: a folder or an archive', parseName)
    .option('--test <name>', 'the test of that query', parseName)
    .option('--query <number>', 'the position of that query in the test', parseQueryIndex)
    .option('--trace <type>', 'CPU, Real, MemorySample or JemallocSample (default: the first there is)', parseTraceType)
    .option(
      '--as <output>',
      'text, svg, folded (frames OLD NEW, as difffolded.pl prints) or json (speedscope)',
      parseOutput,
      'text',
    )
    .option('--normalize', 'scale the old side to the sum of the new one: compare shares, not counts')
    .option('--strip-hex', 'write 0x... for addresses in frame names')
    .option('--fractions', 'keep fractions of counts in folded output')
    .option('--icicle', 'draw the outermost frames at the top')
    .option('--unit <name>', 'what the counts are: samples (default), bytes, nanoseconds … seconds', parseUnit)
    .option('--title <text>', 'the heading of the graph')
    .addHelpText(
      'after',
      examples(
        ['flamegraph old.folded new.folded', 'the five frames whose share changed most'],
        ['flamegraph old.folded new.folded --as svg > difference.svg', 'a graph to open in a browser'],
        ['flamegraph old.folded new.folded --as svg --normalize > difference.svg', 'of shares, not of counts'],
        ['flamegraph old.folded new.folded --as folded --normalize', 'what difffolded.pl -n prints'],
        ['flamegraph old.folded new.folded --as json > both.speedscope.json', 'for speedscope'],
        ['flamegraph --run logs.tar.zst --test sum --query 3', 'one query of a performance run'],
      ),
    )
    .action(async (old: string | undefined, fresh: string | undefined, flags: FlamegraphFlags) => {
      const { run } = await import('./flamegraph.ts')
      const { as, unit = null, normalize = false, stripHex = false, fractions = false, icicle = false } = flags
      const source = profileSource(old, fresh, flags)
      finished(await run({ source, as, unit, normalize, stripHex, fractions, icicle, title: flags.title ?? null }, io))
    })
}

function profileSource(
  old: string | undefined,
  fresh: string | undefined,
  { run, test, query, trace }: FlamegraphFlags,
): FlamegraphOptions['source'] {
  if (run !== undefined) {
    if (old !== undefined) throw new InputError('give either OLD and NEW or --run PATH, not both')
    return { kind: 'run', path: run, test: test ?? null, query: query ?? null, traceType: trace ?? null }
  }
  if (old === undefined || fresh === undefined) {
    throw new InputError(`no ${old === undefined ? 'OLD' : 'NEW'}: give the files of both sides, or --run PATH`)
  }
  if (test !== undefined || query !== undefined || trace !== undefined) {
    throw new InputError('--test, --query and --trace choose from a run: give it with --run PATH')
  }
  return { kind: 'files', old, new: fresh }
}

interface BisectFlags {
  readonly test?: string
  readonly query?: number
  readonly architecture?: string
  readonly metric?: string
  readonly repository?: string
  readonly repositoryId?: number
  readonly trunk?: readonly string[]
  readonly now?: number
  readonly days?: number
  readonly script?: boolean
  readonly buildLink?: string
  readonly skipInert?: boolean
  readonly json?: boolean
}

function withBisect(program: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  program
    .command('bisect')
    .summary('find the commits between which the trunk got slower')
    .description(
      'Finds the lasting steps in the stored history of the trunk. For each: the last good and the first bad commit and, with a local clone, the commits in between, those that can change the binary, and which to build first.',
    )
    .option('--test <name>', 'only queries of this test', parseName)
    .option('--query <number>', 'only the query at this position of the test', parseQueryIndex)
    .option('--architecture <name>', 'only on this architecture', parseName)
    .option('--metric <name>', 'the metric whose history is read (default: client_time)', parseName)
    .option('--repository <folder>', 'a local clone that counts and lists the commits', parseName)
    .option('--script', 'print a shell script that bisects the one window found')
    .option('--build-link <address>', 'where builds of single commits are, with {sha}; for the script', parseName)
    .option('--skip-inert', 'the script builds only commits that can change the binary; needs a clone')
    .option('--days <days>', 'how much history is looked at (default: 365)', parseDays)
    .option('--now <time>', 'the end of the history, UTC (default: now)', parseMoment)
    .option('--trunk <name>', 'the name of the trunk; may be repeated (default: master and main)', collect)
    .option(
      '--repository-id <number>',
      'GitHub’s number of the repository (default: the only one with a history)',
      parseRepositoryId,
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['bisect', 'every query that has a step, what lasts first'],
        ['bisect --test jit_sort --query 12 --architecture arm --repository .', 'one query, with the commits'],
        ['bisect --test jit_sort --query 12 --architecture arm --script > bisect.sh', 'a script to complete and run'],
        ['bisect --json --days 90', 'one JSON document'],
      ),
    )
    .action(async (flags: BisectFlags) => {
      const { run } = await import('./bisect.ts')
      finished(
        await run(
          {
            test: flags.test ?? null,
            query: flags.query ?? null,
            architecture: flags.architecture ?? null,
            metric: flags.metric ?? PRIMARY_METRIC,
            repository: flags.repository ?? null,
            repositoryId: flags.repositoryId ?? null,
            trunk: flags.trunk ?? [],
            now: flags.now ?? null,
            days: flags.days ?? DEFAULT_DAYS,
            script: flags.script ?? false,
            buildLink: flags.buildLink ?? null,
            skipInert: flags.skipInert ?? false,
            json: flags.json ?? false,
          },
          io,
        ),
      )
    })
}

interface ImportFlags {
  readonly check?: string
  readonly sha?: string
  readonly pr?: number
  readonly branch?: string
  readonly base?: string
  readonly time?: number
  readonly repository?: string
  readonly repositoryId?: number
  readonly format: string
  readonly json?: boolean
}

function withLedgerImport(ledger: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  ledger
    .command('import')
    .summary('load CI results from files')
    .description(
      'Loads CI results into the tables of the bot: rows in the columns of ClickHouse’s checks (JSONEachRow, TSVWithNames) or JUnit XML, also compressed by gzip or zstd. The same rows again change nothing.',
    )
    .argument('[file...]', 'the files; - is stdin')
    .option('--check <name>', 'the check, where the rows name none (JUnit)', parseName)
    .option('--sha <commit>', 'the whole id of the commit, where the rows name none (JUnit)', parseWholeCommit)
    .option('--pr <number>', 'the pull request, where the rows name none (default: 0, the trunk)', parsePullRequest)
    .option('--branch <name>', 'the branch that was built', parseName)
    .option('--base <name>', 'the branch that the pull request aims at', parseName)
    .option(
      '--time <time>',
      'when the job started, UTC (default: as JUnit states it, else the time of the file)',
      parseMoment,
    )
    .option('--repository <owner/name>', 'the repository, where the rows name none', parseRepository)
    .option('--repository-id <number>', 'GitHub’s number of the repository (default: 0, any)', parseRepositoryId)
    .option('--format <name>', 'the format of the files, see docs/ci-results.md', 'auto')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger import checks.jsonl.zst', 'rows of ClickHouse’s checks'],
        ['ledger import --check "Unit tests" --sha "$HEAD_SHA" --pr 42 junit/*.xml', 'one job of a pull request'],
        ['ledger import --check "Unit tests" --sha "$HEAD_SHA" --branch main junit.xml', 'one job of the trunk'],
        ['ledger import - < rows.tsv', 'from another command'],
      ),
    )
    .action(async (files: string[], flags: ImportFlags) => {
      const { run } = await import('./ledger-import.ts')
      const given = {
        checkName: flags.check ?? null,
        commitSha: flags.sha ?? null,
        pullRequestNumber: flags.pr ?? null,
        headRef: flags.branch ?? null,
        baseRef: flags.base ?? null,
        repository: flags.repository ?? null,
      }
      const { format, time = null, repositoryId = 0, json = false } = flags
      finished(await run({ files, format, given, time, repositoryId, json }, io))
    })
}

interface HistoryImportFlags {
  readonly trunk?: readonly string[]
  readonly repositoryId?: number
  readonly repository?: string
  readonly json?: boolean
}

function withHistoryImport(history: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  history
    .command('import')
    .summary('load the trunk’s history from files')
    .description(
      'Loads the trunk’s history into the tables of the bot: rows in the columns of ClickHouse’s query_metrics_v2, or the raw runs of its query_metric_runs_v1 (JSONEachRow, TSVWithNames), also compressed by gzip or zstd. Raw runs become medians with their exact threshold; all rows of a run have to be in one file, best one after the other. Rows of pull requests and of other branches are passed over. The same rows again change nothing.',
    )
    .argument('[file...]', 'the files; - is stdin')
    .option('--trunk <name>', 'the name of the trunk; may be repeated (default: master and main)', collect)
    .option(
      '--repository-id <number>',
      'GitHub’s number of the repository (default: the only one known)',
      parseRepositoryId,
    )
    .option('--repository <owner/name>', 'the repository by its name, where a report of it is stored', parseName)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['history import --repository-id 60246359 query_metrics_v2.tsv.zst', 'rows of ClickHouse’s query_metrics_v2'],
        ['history import query_metric_runs_v1.tsv.zst', 'raw runs, sorted by check_start_time, new_sha, arch'],
        ['history import --repository acme/database --trunk main rows.jsonl', 'of one of several repositories'],
        ['history import - < rows.tsv', 'from another command'],
      ),
    )
    .action(async (files: string[], flags: HistoryImportFlags) => {
      const { run } = await import('./history-import.ts')
      const { trunk = ['master', 'main'], repositoryId = null, repository = null, json = false } = flags
      finished(await run({ files, trunk, repositoryId, repository, json }, io))
    })
}

function withHistoryList(history: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  history
    .command('list')
    .summary('list what is stored of the trunk’s history')
    .description('Lists the stored history of the trunk: repositories, metrics, architectures, queries, runs and days.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['history list', 'what an import has brought, and what the bot has read itself']))
    .action(async (flags: { json?: boolean }) => {
      const { run } = await import('./history-list.ts')
      finished(await run({ json: flags.json ?? false }, io))
    })
}

interface LookupFlags {
  readonly pr?: number
  readonly sha?: string
  readonly test?: string
  readonly check?: string
  readonly now?: number
  readonly lookback?: number
  readonly trunk?: readonly string[]
  readonly repository?: string
  readonly repositoryId?: number
  readonly mergeBase?: string
  readonly changedFile?: readonly string[]
  readonly config?: string
  readonly failOn?: readonly LookupFailOn[]
  readonly json?: boolean
}

function withLedgerLookup(ledger: Command, io: CommandIO, finished: (exitCode: number) => void): void {
  ledger
    .command('lookup')
    .summary('judge the failing tests of a commit, or one test')
    .description(
      'Judges each failing test of a commit by its history elsewhere: chronic, broken on the trunk, flaky, or maybe caused by the pull request. Reads the CI database of CIDB_URL, or what was imported.',
    )
    .option('--pr <number>', 'the pull request; nothing of it counts as evidence for itself', parsePullRequest)
    .option('--sha <commit>', 'the commit whose failures are judged, or its first 7 digits or more', parseCommit)
    .option('--test <name>', 'one test: of the commit, or without one everything that is known of it', parseName)
    .option('--check <name>', 'only in this check; without --test the check itself', parseName)
    .option(
      '--now <time>',
      'the end of the lookback, UTC (default: the time of each failure; of --test its newest execution)',
      parseMoment,
    )
    .option('--lookback <days>', 'how far back failures count (default: 60)', parseDays)
    .option('--trunk <name>', 'the name of the trunk; may be repeated (default: master and main)', collect)
    .option('--repository <owner/name>', 'rows of other repositories do not count', parseRepository)
    .option('--repository-id <number>', 'GitHub’s number of the repository (default: 0)', parseRepositoryId)
    .option('--merge-base <commit>', 'where the pull request left the trunk', parseCommit)
    .option('--changed-file <path>', 'a file that the pull request changes; may be repeated', collect)
    .option('--config <file>', 'thresholds and names (default: .github/perf-triage.yml where it is there)', parseName)
    .option('--fail-on <classes>', 'exit with 1 on pr-suspect, unknown, …; a list or repeated', parseLookupFailOn)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger lookup --pr 42 --sha 1f2e3d4c', 'whose are the failing tests of this commit?'],
        ['ledger lookup --pr 42 --sha 1f2e3d4c --fail-on pr-suspect,unknown', 'exit code 1 when one may be its own'],
        ['ledger lookup --test "02995_settings_26_10_1"', 'what is known of one test'],
        ['ledger lookup --test test_s3/test.py::test_put --now "2026-11-20 12:00:00" --json', 'as of then'],
      ),
    )
    .action(async (flags: LookupFlags) => {
      const { run } = await import('./ledger-lookup.ts')
      const options = {
        pullRequestNumber: flags.pr ?? null,
        commitSha: flags.sha ?? null,
        testName: flags.test ?? null,
        checkName: flags.check ?? null,
        now: flags.now ?? null,
        lookbackDays: flags.lookback ?? null,
        trunk: flags.trunk ?? [],
        repository: flags.repository ?? null,
        repositoryId: flags.repositoryId ?? 0,
        mergeBase: flags.mergeBase ?? null,
        changedFiles: flags.changedFile ?? [],
        config: flags.config ?? null,
        failOn: flags.failOn ?? [],
        json: flags.json ?? false,
      }
      finished(await run(options, io))
    })
}

/** The options of `change-points` as commander gives them. */
interface ChangePointsFlags {
  readonly value?: readonly string[]
  readonly series?: readonly string[]
  readonly time?: string
  readonly commit?: string
  readonly windowLength?: number
  readonly maxP?: number
  readonly minStep?: number
  readonly higherIsBetter?: boolean
  readonly json?: boolean
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
    .option('--fail-on <conditions>', 'exit with 1 on slower, unstable, changed or failed; a list', parseFailOn)
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
