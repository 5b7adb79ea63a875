import { type Command, InvalidArgumentError } from 'commander'
import type { GivenValues } from '../imports/checks/given-values.ts'
import { JobTime } from '../imports/checks/job-time.ts'
import { openCiResults } from '../imports/checks/read-check-rows.ts'
import type { CheckRow } from '../ledger/check-row.ts'
import { isKnownStatus, testOutcome } from '../ledger/test-status.ts'
import { saveChecks } from '../store/checks/checks.ts'
import { rowsOfChecksQuickly, storedJobStart } from '../store/checks/rows-of-checks.ts'
import type { ClickHouse } from '../store/client.ts'
import { isCommitId } from '../text/commits.ts'
import { count, counted, list } from '../text/numbers.ts'
import { type CommandIO, examples, type Finished } from './command.ts'
import { importFiles, isoTime } from './import-files.ts'
import { parseMoment, parseName, parsePullRequest, parseRepository, parseRepositoryId } from './option-values.ts'
import { plainText } from './terminal-text.ts'

export interface LedgerImportOptions {
  /** `-` is stdin. */
  readonly files: readonly string[]
  /** `auto` or the name of a format. */
  readonly format: string
  readonly given: GivenValues
  /** The start of the job in milliseconds; null: as the files state it. */
  readonly time: number | null
  readonly repositoryId: number
  readonly json: boolean
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

/** The description, options and examples of `perf-triage ledger import`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
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

/** `ledger import --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/**
 * Reads CI results from files into the bot's own `checks`. Importing the same again changes nothing. Exit codes as
 * `importFiles` has them.
 */
async function run(options: LedgerImportOptions, io: CommandIO): Promise<number> {
  const { files, json, format, given, repositoryId } = options
  const time = new JobTime(options.time)
  const counts = new ImportSummary()
  const summary = {
    get rows() {
      return counts.rows
    },
    add: (row: CheckRow) => counts.add(row),
    line: () => counts.line(),
    warning: () => counts.statusWarning(),
    fields: () => {
      const { rows, newRows, checks, tests, failing, from, to, unknownStatuses } = counts
      return {
        schemaVersion: JSON_SCHEMA_VERSION,
        rows,
        newRows,
        checks,
        tests,
        failing,
        from: isoTime(from),
        to: isoTime(to),
        unknownStatuses: Object.fromEntries(unknownStatuses),
      }
    },
  }
  return await importFiles<CheckRow>(
    {
      command: 'ledger import',
      holding: 'CI results',
      files,
      json,
      summary,
      open: async (input, warnings) => await openCiResults(input, { format, given, time, warnings }),
      save: async (clickhouse, rows) => {
        time.remember(await storedStart(options, clickhouse))
        const before = await rowsOfChecksQuickly(clickhouse, repositoryId)
        await saveChecks(clickhouse, repositoryId, rows, {})
        const after = before === null ? null : await rowsOfChecksQuickly(clickhouse, repositoryId)
        // who else writes at the same time is counted, too
        if (before !== null && after !== null) counts.newRows = Math.min(Math.max(after - before, 0), counts.rows)
      },
    },
    io,
  )
}

/**
 * The start of the job that all files are of where they don't say it themselves; null: it is not there, or nobody says
 * which.
 */
async function storedStart(
  { given, repositoryId }: LedgerImportOptions,
  clickhouse: ClickHouse,
): Promise<number | null> {
  const { commitSha, checkName, pullRequestNumber } = given
  if (commitSha === null || checkName === null) return null
  return await storedJobStart(clickhouse, {
    repositoryId,
    commitSha,
    checkName,
    pullRequestNumber: pullRequestNumber ?? 0,
  })
}

/** Names are counted one by one up to here: those of a hostile file may all be different. */
const MOST_NAMES = 1_000_000

/** Statuses are counted one by one up to here, and told up to there. */
const MOST_STATUSES = 1000
const STATUSES_TOLD = 5

/** Rows of ClickHouse's CI that are no tests: their status is a number. */
const PSEUDO_TESTS: ReadonlySet<string> = new Set(['Usage Storage', 'Usage Compute'])

/** The rows that an import has read, counted while they pass. */
export class ImportSummary {
  rows = 0
  /** Rows of failing tests and of checks that failed. */
  failing = 0
  /** The rows that were not there before; null: nobody has counted. */
  newRows: number | null = null
  readonly #checks = new Set<string>()
  readonly #tests = new Set<string>()
  readonly #unknownStatuses = new Map<string, number>()
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  add(row: CheckRow): void {
    this.rows += 1
    const isTest = row.testName !== ''
    const status = isTest ? row.testStatus : row.checkStatus
    if (testOutcome(status) === 'failing') this.failing += 1
    else if (!isKnownStatus(status) && !PSEUDO_TESTS.has(row.testName)) this.#addUnknown(status)
    if (this.#checks.size < MOST_NAMES) this.#checks.add(row.checkName)
    if (isTest && this.#tests.size < MOST_NAMES) this.#tests.add(row.testName)
    if (row.checkStartTime < this.#first) this.#first = row.checkStartTime
    if (row.checkStartTime > this.#last) this.#last = row.checkStartTime
  }

  #addUnknown(status: string): void {
    const known = this.#unknownStatuses.get(status)
    if (known === undefined && this.#unknownStatuses.size === MOST_STATUSES) return
    this.#unknownStatuses.set(status, (known ?? 0) + 1)
  }

  /** Statuses that say nothing to the ledger, with the number of their rows, the most frequent first. */
  get unknownStatuses(): readonly (readonly [status: string, rows: number])[] {
    return [...this.#unknownStatuses].toSorted((a, b) => b[1] - a[1])
  }

  get checks(): number {
    return this.#checks.size
  }

  /** Distinct names; `MOST_NAMES` stands for as many or more. */
  get tests(): number {
    return this.#tests.size
  }

  /** Milliseconds; null without a row. */
  get from(): number | null {
    return this.rows === 0 ? null : this.#first
  }

  get to(): number | null {
    return this.rows === 0 ? null : this.#last
  }

  /** `imported 1,234,567 rows: 98 checks, 12,345 tests, 4,321 failing, 2026-10-20 to 2026-11-20` */
  line(): string {
    const imported = `imported ${counted(this.rows, 'row', 'rows')}`
    if (this.from === null || this.to === null) return imported
    const [first, last] = [day(this.from), day(this.to)]
    const parts = [
      counted(this.checks, 'check', 'checks'),
      `${this.tests === MOST_NAMES ? 'at least ' : ''}${counted(this.tests, 'test', 'tests')}`,
      `${count(this.failing)} failing`,
      first === last ? first : `${first} to ${last}`,
    ]
    return `${imported}: ${parts.join(', ')}${this.#newWords()}`
  }

  #newWords(): string {
    const { rows, newRows } = this
    if (newRows === null || newRows === rows) return ''
    return newRows === 0 ? '; all were there already' : `; ${count(newRows)} new, the others were there already`
  }

  /** A line about rows that may have been meant as failures; null: there are none. */
  statusWarning(): string | null {
    const all = this.unknownStatuses
    if (all.length === 0) return null
    const rows = all.reduce((sum, [, number]) => sum + number, 0)
    const told = all
      .slice(0, STATUSES_TOLD)
      .map(([status, number]) => `${plainText(status.slice(0, 60))} (${count(number)})`)
    const more = all.length - told.length
    const names = list(more > 0 ? [...told, counted(more, 'other', 'others')] : told)
    const have = counted(rows, 'row has a status', 'rows have a status')
    return `${have} that is known neither as passing nor as failing: ${names}; counted as not executed (docs/ledger.md lists the statuses)`
  }
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The whole id of a commit, as git writes it: rows that are stored under a part of it would be found by nobody. */
function parseWholeCommit(text: string): string {
  const commit = text.trim().toLowerCase()
  if (!isCommitId(commit)) {
    throw new InvalidArgumentError(
      'It is the whole id of a commit, 40 hexadecimal digits: "git rev-parse HEAD" prints it.',
    )
  }
  return commit
}
