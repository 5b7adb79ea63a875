import type { ReportRow, TriageReport } from '../../../report/report.ts'
import type { ClassifiedQuery } from '../../../verdict/classified-query.ts'
import type { TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable, tsvText } from '../../kit/tsv.ts'

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

const COLUMNS: readonly TsvColumn<Line>[] = [
  ['repository', ({ report: { repository } }) => `${repository.owner}/${repository.name}`],
  ['pull_request_number', ({ report: { pullRequest } }) => pullRequest.number],
  ['head', ({ report: { head } }) => head],
  ['test', ({ result }) => tsvText(result.test)],
  ['query_index', ({ result }) => result.queryIndex],
  ['query_name', ({ result }) => tsvText(result.queryName)],
  ['metric', ({ result }) => tsvText(result.metric)],
  ['unit', ({ result }) => tsvText(result.unit)],
  ['architecture', ({ result }) => tsvText(result.architecture)],
  ['status', ({ result }) => result.status],
  ['status_reason', ({ result }) => result.statusReason],
  ['old_median', ({ result }) => result.old.median],
  ['old_repetitions', ({ result }) => result.old.repetitions],
  ['new_median', ({ result }) => result.new.median],
  ['new_repetitions', ({ result }) => result.new.repetitions],
  ['difference', ({ result }) => result.difference],
  ['threshold', ({ result }) => result.threshold],
  ['p_value', ({ result }) => result.pValue],
  ['rank_p_value', ({ result }) => result.rankPValue],
  ['q_value', ({ result }) => result.qValue],
  ['smallest_p_value', ({ result }) => result.smallestPValue],
  ['separated', ({ result }) => result.separated],
  ['outcome', ({ result }) => result.outcome],
  ['direction', ({ result }) => result.direction],
  ['changed_threshold', ({ result }) => result.changedThreshold],
  ['changed_threshold_source', ({ result }) => result.changedThresholdSource],
  ['unstable_threshold', ({ result }) => result.unstableThreshold],
  ['unstable_threshold_source', ({ result }) => result.unstableThresholdSource],
  ['notes', ({ result }) => JSON.stringify(result.notes)],
  ['decides', ({ result, row }) => row.results[row.decidedBy] === result],
  ['verdict', ({ row }) => row.verdict],
  ['guarded', ({ row }) => row.guarded],
  ['since_last_push', ({ row }) => row.sinceLastPush],
  ['evidence', ({ row }) => JSON.stringify(row.evidence)],
  ['failed_in', ({ result }) => result.failedIn ?? null],
  ['measured_again', ({ isMeasuredNow }) => isMeasuredNow],
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
