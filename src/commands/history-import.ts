import type { TrunkRow } from '../history/trunk-row.ts'
import { openTrunkRows } from '../imports/history/read-trunk-rows.ts'
import { rowsOfHistoryQuickly } from '../store/history/stored-history.ts'
import { saveTrunkRows } from '../store/history/trunk-history-rows.ts'
import type { CommandIO, HistoryImportOptions } from './command.ts'
import { HistoryImportSummary } from './history-import-summary.ts'
import { importFiles } from './import-files.ts'

/**
 * Reads the trunk's history from files into the bot's own `trunk_history`. Importing the same again changes nothing. Exit
 * codes as `importFiles` has them.
 */
export async function run(options: HistoryImportOptions, io: CommandIO): Promise<number> {
  const { files, json, repositoryId, trunk } = options
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
