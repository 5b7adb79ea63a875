import type { TrunkRow } from '../history/trunk-row.ts'
import { openTrunkRows } from '../imports/history/read-trunk-rows.ts'
import type { ClickHouse } from '../store/client.ts'
import { knownRepositories, rowsOfHistoryQuickly } from '../store/history/stored-history.ts'
import { saveTrunkRows } from '../store/history/trunk-history-rows.ts'
import { type CommandIO, type HistoryImportOptions, InputError } from './command.ts'
import { HistoryImportSummary } from './history-import-summary.ts'
import { chosenRepository, repositoryOfName } from './history-repository.ts'
import { importFiles } from './import-files.ts'

/**
 * Reads the trunk's history from files into the bot's own `trunk_history`. Importing the same again changes nothing. Exit
 * codes as `importFiles` has them.
 */
export async function run(options: HistoryImportOptions, io: CommandIO): Promise<number> {
  const { files, json, trunk } = options
  if (options.repositoryId === 0) throw new InputError('--repository-id 0 is no repository; each row belongs to one')
  if (options.repositoryId !== null && options.repository !== null) {
    throw new InputError('--repository and --repository-id name the same thing; give one of them')
  }
  const summary = new HistoryImportSummary()
  const skipped = () => {
    summary.skipped += 1
  }
  const unread = () => {
    summary.unread += 1
  }
  return await importFiles<TrunkRow>(
    {
      command: 'history import',
      holding: 'the trunk’s history',
      files,
      json,
      summary,
      open: async ({ where, bytes }, warnings) =>
        await openTrunkRows(where, bytes, { trunk, warnings, skipped, unread }),
      save: async (clickhouse, rows) => {
        const repositoryId = await repositoryOf(clickhouse, options, io)
        const before = await rowsOfHistoryQuickly(clickhouse, repositoryId)
        await saveTrunkRows(clickhouse, repositoryId, rows)
        const after = before === null ? null : await rowsOfHistoryQuickly(clickhouse, repositoryId)
        // who else writes at the same time is counted, too
        if (before !== null && after !== null) summary.newRows = Math.min(Math.max(after - before, 0), summary.rows)
      },
    },
    io,
  )
}

/** Rows of a history belong to one repository. What is chosen for a person is said. */
async function repositoryOf(
  clickhouse: ClickHouse,
  { repositoryId, repository }: HistoryImportOptions,
  io: CommandIO,
): Promise<number> {
  if (repositoryId !== null) return repositoryId
  const known = await knownRepositories(clickhouse)
  if (repository !== null) return repositoryOfName(known, repository)
  const { id, note } = chosenRepository(known)
  if (note !== null) io.stderr.write(`perf-triage history import: ${note}\n`)
  return id
}
