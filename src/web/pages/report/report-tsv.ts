import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { type Column, tsvTable, tsvText } from '../../../text/table.ts'
import type { TextInPieces } from '../../../text/text-pieces.ts'
import type { ClassifiedQuery } from '../../../verdict/classified-query.ts'

/**
 * The report as ClickHouse's TabSeparatedWithNames: a line per query and architecture, every number unrounded, `\N` where
 * there is none. Lists (notes, evidence) are JSON; names and
 * texts are cut as `tsvText` does. `clickhouse local --input-format TabSeparatedWithNames` reads it.
 */

interface Line {
  readonly result: ClassifiedQuery
  readonly row: ReportRow
  readonly report: TriageReport
  /** False: of an earlier run of the head, with the numbers of then. */
  readonly isMeasuredNow: boolean
}

const COLUMNS: readonly Column<Line>[] = [
  { key: 'repository', value: ({ report: { repository } }) => `${repository.owner}/${repository.name}` },
  { key: 'pull_request_number', value: ({ report: { pullRequest } }) => pullRequest.number },
  { key: 'head', value: ({ report: { head } }) => head },
  { key: 'test', value: ({ result }) => tsvText(result.test) },
  { key: 'query_index', value: ({ result }) => result.queryIndex },
  { key: 'query_name', value: ({ result }) => tsvText(result.queryName) },
  { key: 'metric', value: ({ result }) => tsvText(result.metric) },
  { key: 'unit', value: ({ result }) => tsvText(result.unit) },
  { key: 'architecture', value: ({ result }) => tsvText(result.architecture) },
  { key: 'status', value: ({ result }) => result.status },
  { key: 'status_reason', value: ({ result }) => result.statusReason },
  { key: 'old_median', value: ({ result }) => result.old.median },
  { key: 'old_repetitions', value: ({ result }) => result.old.repetitions },
  { key: 'new_median', value: ({ result }) => result.new.median },
  { key: 'new_repetitions', value: ({ result }) => result.new.repetitions },
  { key: 'difference', value: ({ result }) => result.difference },
  { key: 'threshold', value: ({ result }) => result.threshold },
  { key: 'p_value', value: ({ result }) => result.pValue },
  { key: 'rank_p_value', value: ({ result }) => result.rankPValue },
  { key: 'q_value', value: ({ result }) => result.qValue },
  { key: 'smallest_p_value', value: ({ result }) => result.smallestPValue },
  { key: 'separated', value: ({ result }) => result.separated },
  { key: 'outcome', value: ({ result }) => result.outcome },
  { key: 'direction', value: ({ result }) => result.direction },
  { key: 'changed_threshold', value: ({ result }) => result.changedThreshold },
  { key: 'changed_threshold_source', value: ({ result }) => result.changedThresholdSource },
  { key: 'unstable_threshold', value: ({ result }) => result.unstableThreshold },
  { key: 'unstable_threshold_source', value: ({ result }) => result.unstableThresholdSource },
  { key: 'notes', value: ({ result }) => JSON.stringify(result.notes) },
  { key: 'decides', value: ({ result, row }) => row.results[row.decidedBy] === result },
  { key: 'verdict', value: ({ row }) => row.verdict },
  { key: 'guarded', value: ({ row }) => row.guarded },
  { key: 'since_last_push', value: ({ row }) => row.sinceLastPush },
  { key: 'evidence', value: ({ row }) => JSON.stringify(row.evidence) },
  { key: 'failed_in', value: ({ result }) => result.failedIn ?? null },
  { key: 'measured_again', value: ({ isMeasuredNow }) => isMeasuredNow },
]

/** UTF-8, every line ended, rows in the order of the report, those that were not measured again behind them. */
export function reportTsv(report: TriageReport): TextInPieces {
  return tsvTable(COLUMNS, () => linesOf(report))
}

function* linesOf(report: TriageReport): Generator<Line> {
  const measured = [
    [report.rows, true],
    [report.notMeasuredAgain ?? [], false],
  ] as const
  for (const [rows, isMeasuredNow] of measured)
    for (const row of rows) for (const result of row.results) yield { result, row, report, isMeasuredNow }
}
