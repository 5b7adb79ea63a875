import type { RecentReport } from '../../../store/reports/recent-reports.ts'
import { isoTime } from '../../../text/time.ts'
import { jsonInPieces, type TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable } from '../../kit/tsv.ts'

/** The recent runs of a repository for other programs. `next`: the `before` of the next page; null: there is none. */
export function repositoryJson(reports: readonly RecentReport[], next: string | null): TextInPieces {
  const runs = reports.map((report) => ({ ...report, judgedAt: isoTime(report.judgedAt) }))
  return jsonInPieces({ schemaVersion: 1, runs, next })
}

const COLUMNS: readonly TsvColumn<RecentReport>[] = [
  ['pull_request_number', ({ pullRequestNumber }) => pullRequestNumber],
  ['head', ({ head }) => head],
  ['judged_at', ({ judgedAt }) => isoTime(judgedAt)],
  ['base_ref', ({ baseRef }) => baseRef],
  ['complete', ({ complete }) => complete],
  ['slower', ({ counts }) => counts.slower],
  ['faster', ({ counts }) => counts.faster],
  ['unstable', ({ counts }) => counts.unstable],
  ['too_small', ({ counts }) => counts.tooSmall],
  ['not_significant', ({ counts }) => counts.notSignificant],
  ['not_compared', ({ counts }) => counts.notCompared],
]

export function repositoryTsv(reports: readonly RecentReport[]): TextInPieces {
  return tsvTable(COLUMNS, () => reports)
}
