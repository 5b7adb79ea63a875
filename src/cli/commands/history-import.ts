import type { Command } from 'commander'
import { openTrunkRows } from '../../intake/imports/history/read-trunk-rows.ts'
import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { queryKey } from '../../intake/measurement/run.ts'
import { mediansOfRepetitions } from '../../judge/history/medians-of-repetitions.ts'
import type { ClickHouse } from '../../store/client.ts'
import { knownRepositories, rowsOfHistoryQuickly } from '../../store/history/stored-history.ts'
import { saveTrunkRows } from '../../store/history/trunk-history-rows.ts'
import { counted } from '../../text/numbers.ts'
import { type CommandIO, examples, type Finished, InputError } from './command.ts'
import { importTrunkRun, importTrunkRuns } from './history-import-run.ts'
import { chosenRepository, numberOf, oneRepository } from './history-repository.ts'
import { ImportSummary, importFiles } from './import-files.ts'
import {
  collect,
  DEFAULT_TRUNK,
  parseMoment,
  parseRepository,
  parseRepositoryId,
  REPOSITORY_FLAGS,
  type RepositoryGiven,
} from './option-values.ts'
import { plainText } from './terminal-text.ts'

/** `history import`, as the command line gives it. */
interface HistoryImportOptions {
  readonly trunk?: readonly string[]
  readonly commit?: string
  /** Milliseconds. */
  readonly time?: number
  readonly runs?: string
  readonly repositoryId?: number
  readonly repository?: RepositoryGiven
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage history import`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Loads the main branch’s history into the bot’s tables: rows with the columns of ClickHouse’s query_metrics_v2, or raw runs of its query_metric_runs_v1 (JSONEachRow, TSVWithNames), optionally compressed with gzip or zstd. Raw runs become medians with their exact threshold; all rows of a run must be in one file, preferably together. Rows of pull requests and other branches are skipped. Importing the same rows again changes nothing.',
    )
    .argument('[file...]', 'files, folders or patterns; - is stdin')
    .option('--trunk <name>', 'the main branch’s name; may be repeated (default: master and main)', collect)
    .option(
      REPOSITORY_FLAGS,
      'whose history it is; a name works if a report of it is stored (default: the only one known)',
      parseRepository,
    )
    .option('--repository-id <number>', 'the same, by GitHub’s repository ID', parseRepositoryId)
    .option('--commit <sha>', 'FILE is a run of the main branch at that commit, in any format that classify reads')
    .option('--time <time>', 'with --commit: when it ran', parseMoment)
    .option('--runs <table>', 'many runs: a TSV with the columns commit, time and path; - is stdin')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['history import --repository 60246359 query_metrics_v2.tsv.zst', 'rows of ClickHouse’s query_metrics_v2'],
        ['history import query_metric_runs_v1.tsv.zst', 'raw runs, sorted by check_start_time, new_sha, arch'],
        ['history import --repository acme/database --trunk main rows.jsonl', 'of one of several repositories'],
        ['history import - < rows.tsv', 'from another command'],
        [
          'history import --repository 1 --commit 5b7f2aa --time 2026-10-20T08:15Z bench.jsonl',
          'one run of the head alone',
        ],
        ['history import --repository 1 --runs runs.tsv', 'many runs; paths are relative to the current folder'],
      ),
    )
    .action(async (files: string[], options: HistoryImportOptions) => {
      finished(await run(files, options, io))
    })
}

/**
 * Reads the trunk's history from files into the bot's own `trunk_history`. Importing the same again changes nothing. Exit
 * codes as `importFiles` has them.
 */
async function run(files: readonly string[], options: HistoryImportOptions, io: CommandIO): Promise<number> {
  const { json = false, trunk = DEFAULT_TRUNK } = options
  if (options.repositoryId === 0)
    throw new InputError('--repository-id 0 is not a repository; each row must belong to one')
  const given = oneRepository(options)
  if (options.commit !== undefined || options.time !== undefined || options.runs !== undefined) {
    const repositoryFor = async (clickhouse: ClickHouse) => await repositoryOf(clickhouse, given, io)
    const importRuns = options.runs === undefined ? importTrunkRun : importTrunkRuns
    return await importRuns(files, { ...options, repositoryFor }, io)
  }
  const summary = new HistorySummary()
  const skipped = () => {
    summary.skipped += 1
  }
  const unread = () => {
    summary.unread += 1
  }
  return await importFiles<TrunkRow>(
    {
      command: 'history import',
      holding: 'the main branch’s history',
      files,
      json,
      summary,
      open: async ({ where, bytes }, warnings) =>
        await openTrunkRows(where, bytes, { trunk, medians: mediansOfRepetitions, warnings, skipped, unread }),
      target: async (clickhouse) => {
        const repositoryId = await repositoryOf(clickhouse, given, io)
        return {
          save: async (rows) => await saveTrunkRows(clickhouse, repositoryId, rows),
          count: async () => await rowsOfHistoryQuickly(clickhouse, repositoryId),
        }
      },
    },
    io,
  )
}

/** Rows of a history belong to one repository. What is chosen for a person is said. */
async function repositoryOf(
  clickhouse: ClickHouse,
  given: RepositoryGiven | undefined,
  io: CommandIO,
): Promise<number> {
  const known = async () => await knownRepositories(clickhouse)
  if (given !== undefined) return await numberOf(given, known)
  const { id, note } = chosenRepository(await known())
  if (note !== null) io.stderr.write(`perf-triage history import: ${note}\n`)
  return id
}

/** Queries and runs are counted one by one up to here: those of a hostile file may all be different. */
const MOST_COUNTED = 1_000_000

/** Whole or not: ids of commits are hexadecimal. */
const COMMIT = /^[0-9a-f]+$/i

class HistorySummary extends ImportSummary {
  /** Rows that are not the trunk's. */
  skipped = 0
  /** Rows that could not be read; each was told in a warning, as far as there is room for them. */
  unread = 0
  #notCommits = 0
  #notCommit = ''
  readonly #queries = new Set<string>()
  readonly #runs = new Set<string>()

  add(row: TrunkRow): void {
    this.addRow(row.time)
    if (!COMMIT.test(row.newCommit)) {
      if (this.#notCommits === 0) this.#notCommit = row.newCommit
      this.#notCommits += 1
    }
    if (this.#queries.size < MOST_COUNTED) this.#queries.add(queryKey(row))
    if (this.#runs.size < MOST_COUNTED) this.#runs.add(`${row.newCommit} ${row.time} ${row.architecture}`)
  }

  /**
   * `imported 1,234,567 rows: 1,893 queries, 652 runs, 2026-10-20 to 2026-11-20; 1,564 new, the others were there already;
   * 12 rows are not the trunk’s; 8 rows were not read`
   */
  line(): string {
    const parts = [`imported ${counted(this.rows, 'row', 'rows')}`]
    if (this.rows > 0) {
      const queries = counted(this.#queries.size, 'query', 'queries')
      const runs = counted(this.#runs.size, 'run', 'runs')
      parts[0] += `: ${queries}, ${runs}, ${this.daysWords}`
    }
    if (this.newWords !== null) parts.push(this.newWords)
    if (this.skipped > 0) parts.push(`${counted(this.skipped, 'row is', 'rows are')} not of the main branch`)
    if (this.unread > 0) parts.push(`${counted(this.unread, 'row was', 'rows were')} not read`)
    return parts.join('; ')
  }

  /** A step between such runs is found, but its commits can't be listed. */
  warnings(): readonly string[] {
    if (this.#notCommits === 0) return []
    const names = counted(this.#notCommits, 'row names', 'rows name')
    return [
      `${names} something that isn’t a commit ID as new_sha (${plainText(this.#notCommit).slice(0, 60)}), so the commits of their steps can’t be listed`,
    ]
  }

  fields() {
    return {
      rows: this.rows,
      newRows: this.newRows,
      skipped: this.skipped,
      unread: this.unread,
      queries: this.#queries.size,
      runs: this.#runs.size,
      ...this.times,
    }
  }
}
