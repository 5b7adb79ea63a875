import type { TriageReport } from '../../report/report.ts'
import { float, text } from '../runs/run-rows.ts'
import type { RunOf } from '../store.ts'

/** The worst of a report are kept; more have not changed by themselves: ClickHouse's report has 2,000 queries on two machines. */
const MOST_FLAGS = 20_000

export const FLAG_COLUMNS = [
  'repository_id',
  'test',
  'query_index',
  'query_name',
  'ordinal',
  'metric',
  'architecture',
  'pull_request_number',
  'head',
  'judged_at',
  'check_name',
  'finished_at',
  'difference',
  'direction',
  'threshold',
  'old_median',
  'new_median',
  'verdict',
] as const

/** The changed results of a report as rows of `flags`. A result whose run is not known was measured when all of it was. */
export function flagRows(report: TriageReport, runOf: RunOf): unknown[][] {
  const changed = report.rows.flatMap((row) =>
    row.results
      .filter(
        ({ outcome, direction, difference }) => outcome === 'changed' && direction !== null && difference !== null,
      )
      .map((result) => ({ row, result })),
  )
  const measuredAt = report.history?.measuredAt ?? Date.parse(report.judgedAt)
  return changed.slice(0, MOST_FLAGS).map(({ row, result }) => {
    const run = runOf(result)
    return [
      report.repository.id,
      text(result.test),
      result.queryIndex,
      text(result.queryName),
      result.ordinal ?? null,
      text(result.metric),
      text(result.architecture),
      report.pullRequest.number,
      text(report.head),
      report.judgedAt,
      text(run?.check ?? ''),
      new Date(run === null ? measuredAt : Date.parse(run.finishedAt)).toISOString(),
      float(result.difference),
      result.direction,
      float(result.threshold),
      float(result.old.median),
      float(result.new.median),
      row.verdict,
    ]
  })
}
