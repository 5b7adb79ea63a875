import { JobTime } from '../imports/checks/job-time.ts'
import { openCiResults } from '../imports/checks/read-check-rows.ts'
import type { CheckRow } from '../ledger/check-row.ts'
import { saveChecks } from '../store/checks/checks.ts'
import { rowsOfChecksQuickly } from '../store/checks/rows-of-checks.ts'
import { storedJobStart } from '../store/checks/stored-job.ts'
import type { ClickHouse } from '../store/client.ts'
import type { CommandIO, LedgerImportOptions } from './command.ts'
import { importFiles, isoTime } from './import-files.ts'
import { ImportSummary } from './import-summary.ts'

/** `ledger import --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/**
 * Reads CI results from files into the bot's own `checks`. Importing the same again changes nothing. Exit codes as
 * `importFiles` has them.
 */
export async function run(options: LedgerImportOptions, io: CommandIO): Promise<number> {
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

/** Of the job that all files are of where they don't say it themselves; null: it is not there, or nobody says which. */
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
