import type { QueryLogRow } from '../../judge/verdict/classify-query-log.ts'
import type { QueryLogReport } from '../../report/query-log.ts'
import { RESULT_COLUMNS } from '../../report/row/columns.ts'
import { type FormOptions, printWarnings } from './classify-table.ts'
import { type CommandIO, printJson } from './command.ts'
import { failOnQueryLog, readQueryLog } from './query-log-input.ts'
import { queryLogTable } from './query-log-table.ts'
import type { QueryLogCommandOptions } from './run-input.ts'
import { formOf, printTsv } from './table.ts'

/** `perf-triage classify --format query-log`: two settings under live traffic. */
export async function classifyQueryLogs(
  paths: readonly string[],
  options: QueryLogCommandOptions & FormOptions,
  io: CommandIO,
): Promise<number> {
  const form = formOf(options, 'table')
  const report = await readQueryLog(paths, options, io)
  if (options.json) printQueryLogJson(report, io)
  else if (form === 'tsv') printQueryLogTsv(report, io)
  else io.stdout.write(`${queryLogTable(report, options, io).join('\n')}\n`)
  return failOnQueryLog('classify', report, options, io)
}

function printQueryLogTsv({ rows, costs, warnings }: QueryLogReport, io: CommandIO): void {
  const variant = { key: 'variant', value: (row: QueryLogRow) => row.variant }
  printTsv<QueryLogRow>([...RESULT_COLUMNS, variant], [...rows, ...costs], io)
  printWarnings(warnings, io)
}

function printQueryLogJson(
  { rows, whole, costs, counted, counts, variants, warnings }: QueryLogReport,
  io: CommandIO,
): void {
  const queries = [...rows, ...costs]
  printJson({ metric: counted, counts, oldCommit: null, newCommit: null, variants, queries, whole, warnings }, io)
}
