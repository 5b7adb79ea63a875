import { openTrunkRows } from '../../intake/imports/history/read-trunk-rows.ts'
import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { queryKey } from '../../intake/measurement/run.ts'
import { mediansOfRepetitions } from '../../judge/history/medians-of-repetitions.ts'
import type { ClickHouse } from '../../store/client.ts'
import { knownRepositories, rowsOfHistoryQuickly } from '../../store/history/stored-history.ts'
import { saveTrunkRows } from '../../store/history/trunk-history-rows.ts'
import { counted } from '../../text/numbers.ts'
import { type CommandIO, InputError } from './command.ts'
import { importTrunkRun, importTrunkRuns, OneSidedRuns } from './history-import-run.ts'
import { chosenRepository, numberOf, oneRepository } from './history-repository.ts'
import { ImportSummary, importFiles } from './import-files.ts'
import { DEFAULT_TRUNK, type RepositoryGiven } from './option-values.ts'
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

/**
 * Reads the trunk's history from files into the bot's own `trunk_history`. Importing the same again changes nothing. Exit
 * codes as `importFiles` has them.
 */
export async function run(files: readonly string[], options: HistoryImportOptions, io: CommandIO): Promise<number> {
  const { json = false, trunk = DEFAULT_TRUNK } = options
  if (options.repositoryId === 0)
    throw new InputError('--repository-id 0 is not a repository; each row must belong to one')
  const given = oneRepository(options)
  if (options.commit !== undefined || options.time !== undefined || options.runs !== undefined) {
    const repositoryFor = async (clickhouse: ClickHouse) => await repositoryOf(clickhouse, given, io)
    const importRuns = options.runs === undefined ? importTrunkRun : importTrunkRuns
    return await importRuns(files, { ...options, repositoryFor }, io)
  }
  const oneSided = new OneSidedRuns()
  const summary = new HistorySummary(oneSided)
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
        await openTrunkRows(where, bytes, {
          trunk,
          medians: mediansOfRepetitions,
          warnings,
          skipped,
          unread,
          runs: async (run) => await oneSided.take(run),
        }),
      target: async (clickhouse) => {
        const repositoryId = await repositoryOf(clickhouse, given, io)
        oneSided.storeIn(clickhouse, repositoryId)
        return {
          save: async (rows) => {
            await saveTrunkRows(clickhouse, repositoryId, rows)
            await oneSided.flush()
          },
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
  /** Lines that could not be read; each was told in a warning, as far as there is room for them. */
  unread = 0
  #notCommits = 0
  #notCommit = ''
  readonly #queries = new Set<string>()
  readonly #runs = new Set<string>()
  readonly #oneSided: OneSidedRuns

  constructor(oneSided: OneSidedRuns) {
    super()
    this.#oneSided = oneSided
  }

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
   * 12 rows are not the trunk’s; 8 lines were not read`
   */
  line(): string {
    const parts = [`imported ${counted(this.rows, 'row', 'rows')}`]
    if (this.rows > 0) {
      const queries = counted(this.#queries.size, 'query', 'queries')
      const runs = counted(this.#runs.size, 'run', 'runs')
      parts[0] += `: ${queries}, ${runs}, ${this.daysWords}`
    }
    if (this.newWords !== null) parts.push(this.newWords)
    const { read } = this.#oneSided
    if (read > 0) parts.push(counted(read, 'one-sided run', 'one-sided runs'))
    if (this.skipped > 0) parts.push(`${counted(this.skipped, 'row is', 'rows are')} not of the main branch`)
    if (this.unread > 0) parts.push(`${counted(this.unread, 'line was', 'lines were')} not read`)
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
      ...(this.#oneSided.read > 0 && { oneSidedRuns: this.#oneSided.read }),
      ...this.times,
    }
  }
}
