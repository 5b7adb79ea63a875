import { z } from 'zod'
import type { QueryId, Run } from '../../intake/measurement/run.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import { columnOf, dateTime64, few, float64, nullable, readAs, string, table, uint32, uint64 } from '../table.ts'

/** The run that a result of a report is of; null: not known. */
export type RunOf = (
  result: QueryId & { readonly architecture: string | null },
) => Pick<Run, 'check' | 'finishedAt'> | null

/** The worst of a report are kept; more have not changed by themselves: ClickHouse's report has 2,000 queries on two machines. */
const MOST_FLAGS = 20_000

export interface FlagRow {
  readonly report: TriageReport
  readonly row: ReportRow
  readonly result: ReportRow['results'][number]
  /** null: it was measured when all was. */
  readonly run: Pick<Run, 'check' | 'finishedAt'> | null
}

const column = columnOf<FlagRow>()

export const FLAGS = table('flags', {
  repository_id: column(uint64, ({ report }) => report.repository.id),
  test: column(few(string), ({ result }) => result.test),
  query_index: column(nullable(uint32), ({ result }) => result.queryIndex),
  query_name: column(nullable(string), ({ result }) => result.queryName),
  ordinal: column(nullable(uint32), ({ result }) => result.ordinal ?? null),
  metric: column(few(string), ({ result }) => result.metric),
  architecture: column(few(nullable(string)), ({ result }) => result.architecture),
  pull_request_number: column(uint32, ({ report }) => report.pullRequest.number),
  head: column(string, ({ report }) => report.head),
  judged_at: column(dateTime64, ({ report }) => report.judgedAt),
  check_name: column(few(string), ({ run }) => run?.check ?? ''),
  finished_at: column(dateTime64, ({ report, run }) => run?.finishedAt ?? measuredAt(report)),
  difference: column(float64, ({ result }) => result.difference!),
  direction: column(readAs(few(string), z.enum(['slower', 'faster'])), ({ result }) => result.direction!),
  threshold: column(nullable(float64), ({ result }) => result.threshold),
  old_median: column(nullable(float64), ({ result }) => result.old.median),
  new_median: column(nullable(float64), ({ result }) => result.new.median),
  verdict: column(few(nullable(string)), ({ row }) => row.verdict),
})

function measuredAt({ history, judgedAt }: TriageReport): number | string {
  return history?.measuredAt ?? judgedAt
}

/** The changed results of a report. */
export function flagRows(report: TriageReport, runOf: RunOf): FlagRow[] {
  const changed = report.rows.flatMap((row) =>
    row.results
      .filter(
        ({ outcome, direction, difference }) => outcome === 'changed' && direction !== null && difference !== null,
      )
      .map((result) => ({ row, result })),
  )
  return changed.slice(0, MOST_FLAGS).map(({ row, result }) => ({ report, row, result, run: runOf(result) }))
}
