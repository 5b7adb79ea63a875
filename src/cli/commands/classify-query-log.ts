import type { QueryLogReport } from '../../report/query-log.ts'
import { type CommandIO, printJson } from './command.ts'
import { failOnQueryLog, type QueryLogCommandOptions, readQueryLog } from './query-log-input.ts'
import { queryLogTable } from './query-log-table.ts'

/** `perf-triage classify --format query-log`: two settings under live traffic. */
export async function classifyQueryLogs(
  paths: readonly string[],
  options: QueryLogCommandOptions & { readonly all?: boolean },
  io: CommandIO,
): Promise<number> {
  const report = await readQueryLog(paths, options, io)
  if (options.json) printQueryLogJson(report, io)
  else io.stdout.write(`${queryLogTable(report, options, io).join('\n')}\n`)
  return failOnQueryLog('classify', report, options, io)
}

function printQueryLogJson(
  { rows, whole, costs, counted, counts, variants, warnings }: QueryLogReport,
  io: CommandIO,
): void {
  const queries = [...rows, ...costs]
  printJson({ metric: counted, counts, oldCommit: null, newCommit: null, variants, queries, whole, warnings }, io)
}
