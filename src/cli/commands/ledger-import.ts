import type { CheckRow } from '../../intake/imports/checks/check-row.ts'
import type { GivenValues } from '../../intake/imports/checks/given-values.ts'
import { JobTime } from '../../intake/imports/checks/job-time.ts'
import { openCiResults } from '../../intake/imports/checks/read-check-rows.ts'
import { isKnownStatus, testOutcome } from '../../judge/ledger/test-status.ts'
import { saveChecks } from '../../store/checks/checks.ts'
import { rowsOfChecksQuickly, storedJobStart } from '../../store/checks/rows-of-checks.ts'
import type { ClickHouse } from '../../store/client.ts'
import { count, counted, list } from '../../text/numbers.ts'
import type { CommandIO } from './command.ts'
import { oneRepository } from './history-repository.ts'
import { ImportSummary, importFiles } from './import-files.ts'
import type { RepositoryGiven } from './option-values.ts'
import { plainText } from './terminal-text.ts'

/** `ledger import`, as the command line gives it. */
interface LedgerImportOptions {
  readonly check?: string
  readonly sha?: string
  readonly pr?: number
  readonly branch?: string
  readonly base?: string
  /** The start of the job in milliseconds. Not given: as the files state it. */
  readonly time?: number
  readonly repository?: RepositoryGiven
  readonly repositoryId?: number
  /** Empty: a workflow has none to give, as on a push. */
  readonly headRepository?: string
  /** One of `CI_RESULTS_FORMATS`. */
  readonly format: string
  readonly json?: boolean
}

/**
 * Reads CI results from files into the bot's own `checks`. Importing the same again changes nothing. Exit codes as
 * `importFiles` has them.
 */
export async function run(files: readonly string[], options: LedgerImportOptions, io: CommandIO): Promise<number> {
  const { format, json = false, repository } = options
  const repositoryId = numberGiven(options)
  const given: GivenValues = {
    checkName: options.check ?? null,
    commitSha: options.sha ?? null,
    pullRequestNumber: options.pr ?? null,
    headRef: options.branch ?? null,
    baseRef: options.base ?? null,
    repository: repository !== undefined && 'name' in repository ? repository.name : null,
    headRepository: options.headRepository || null,
  }
  const time = new JobTime(options.time ?? null)
  return await importFiles<CheckRow>(
    {
      command: 'ledger import',
      holding: 'CI results',
      files,
      json,
      summary: new CheckSummary(),
      open: async (input, warnings) => await openCiResults(input, { format, given, time, warnings }),
      target: async (clickhouse) => {
        time.remember(await storedStart(given, repositoryId, clickhouse))
        return {
          save: async (rows) => await saveChecks(clickhouse, repositoryId, rows, {}),
          count: async () => await rowsOfChecksQuickly(clickhouse, repositoryId),
        }
      },
    },
    io,
  )
}

/** 0: rows are told apart by the name in them alone. Throws `InputError` where two numbers are given. */
function numberGiven({ repository, repositoryId = 0 }: LedgerImportOptions): number {
  if (repository === undefined || 'name' in repository) return repositoryId
  return oneRepository({ repository, ...(repositoryId !== 0 && { repositoryId }) }) === undefined ? 0 : repository.id
}

/**
 * The start of the job that all files are of where they don't say it themselves; null: it is not there, or nobody says
 * which.
 */
async function storedStart(
  { commitSha, checkName, pullRequestNumber }: GivenValues,
  repositoryId: number,
  clickhouse: ClickHouse,
): Promise<number | null> {
  if (commitSha === null || checkName === null) return null
  const job = { repositoryId, commitSha, checkName, pullRequestNumber: pullRequestNumber ?? 0 }
  return await storedJobStart(clickhouse, job)
}

/** Names are counted one by one up to here: those of a hostile file may all be different. */
const MOST_NAMES = 1_000_000

/** Statuses are counted one by one up to here, and told up to there. */
const MOST_STATUSES = 1000
const STATUSES_TOLD = 5

/** Rows of ClickHouse's CI that are no tests: their status is a number. */
const PSEUDO_TESTS: ReadonlySet<string> = new Set(['Usage Storage', 'Usage Compute'])

class CheckSummary extends ImportSummary {
  /** Rows of pull requests of which nobody said where they come from. */
  #withoutHead = 0
  /** Rows of failing tests and of checks that failed. */
  #failing = 0
  readonly #checks = new Set<string>()
  readonly #tests = new Set<string>()
  readonly #unknownStatuses = new Map<string, number>()

  add(row: CheckRow): void {
    this.addRow(row.checkStartTime)
    if (row.pullRequestNumber > 0 && row.headRepo === '') this.#withoutHead += 1
    const isTest = row.testName !== ''
    const status = isTest ? row.testStatus : row.checkStatus
    if (testOutcome(status) === 'failing') this.#failing += 1
    else if (!isKnownStatus(status) && !PSEUDO_TESTS.has(row.testName)) this.#addUnknown(status)
    if (this.#checks.size < MOST_NAMES) this.#checks.add(row.checkName)
    if (isTest && this.#tests.size < MOST_NAMES) this.#tests.add(row.testName)
  }

  #addUnknown(status: string): void {
    const known = this.#unknownStatuses.get(status)
    if (known === undefined && this.#unknownStatuses.size === MOST_STATUSES) return
    this.#unknownStatuses.set(status, (known ?? 0) + 1)
  }

  /** Statuses that say nothing to the ledger, with the number of their rows, the most frequent first. */
  #statuses(): readonly (readonly [status: string, rows: number])[] {
    return [...this.#unknownStatuses].toSorted((a, b) => b[1] - a[1])
  }

  /** `imported 1,234,567 rows: 98 checks, 12,345 tests, 4,321 failing, 2026-10-20 to 2026-11-20` */
  line(): string {
    const imported = `imported ${counted(this.rows, 'row', 'rows')}`
    if (this.rows === 0) return imported
    const parts = [
      counted(this.#checks.size, 'check', 'checks'),
      `${this.#tests.size === MOST_NAMES ? 'at least ' : ''}${counted(this.#tests.size, 'test', 'tests')}`,
      `${count(this.#failing)} failing`,
      this.daysWords,
    ]
    return `${imported}: ${[parts.join(', '), ...(this.newWords === null ? [] : [this.newWords])].join('; ')}`
  }

  fields() {
    return {
      rows: this.rows,
      newRows: this.newRows,
      checks: this.#checks.size,
      tests: this.#tests.size,
      failing: this.#failing,
      ...this.times,
      unknownStatuses: Object.fromEntries(this.#statuses()),
    }
  }

  warnings(): readonly string[] {
    return [this.#statusWarning(), this.#headWarning()].filter((warning) => warning !== null)
  }

  #headWarning(): string | null {
    if (this.#withoutHead === 0) return null
    const name = counted(this.#withoutHead, 'row of a pull request names', 'rows of pull requests name')
    return `${name} no head repository, so these pull requests count as one; give --head-repository OWNER/NAME (docs/ci-results.md)`
  }

  /** A line about rows that may have been meant as failures; null: there are none. */
  #statusWarning(): string | null {
    const all = this.#statuses()
    if (all.length === 0) return null
    const rows = all.reduce((sum, [, number]) => sum + number, 0)
    const told = all
      .slice(0, STATUSES_TOLD)
      .map(([status, number]) => `${plainText(status.slice(0, 60))} (${count(number)})`)
    const more = all.length - told.length
    const names = list(more > 0 ? [...told, counted(more, 'other', 'others')] : told)
    const have = counted(rows, 'row has a status', 'rows have a status')
    return `${have} that is neither passing nor failing: ${names}; counted as not executed (docs/ledger.md lists the statuses)`
  }
}
