import type { FailingTests, JudgedFailure } from '../../../ledger/failure.ts'
import { failureJson } from '../../../render/failure-json.ts'
import type { TriageReport } from '../../../report/report.ts'
import { isoTime } from '../../../text/time.ts'
import { jsonInPieces, type TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable, tsvText } from '../../kit/tsv.ts'

/**
 * The failing tests of a report for other programs: the fields of `ledger lookup --json` and what the bot knows beside
 * them. Times are ISO 8601 in UTC.
 */
export function failingTestsJson(report: TriageReport, tests: FailingTests): TextInPieces {
  const { owner, name } = report.repository
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${name}`,
    pullRequest: report.pullRequest.number,
    head: report.head,
    judgedAt: report.judgedAt,
    source: tests.source,
    problem: tests.problem,
    lookbackDays: tests.lookbackDays,
    failures: tests.failures.map(failureJson),
    notJudged: tests.notJudged,
    redChecks: tests.redChecks,
  })
}

const COLUMNS: readonly TsvColumn<{ readonly report: TriageReport; readonly judged: JudgedFailure }>[] = [
  ['repository', ({ report: { repository } }) => `${repository.owner}/${repository.name}`],
  ['pull_request_number', ({ report }) => report.pullRequest.number],
  ['head', ({ report }) => report.head],
  ['check_name', ({ judged }) => tsvText(judged.failure.checkName)],
  ['test_name', ({ judged }) => tsvText(judged.failure.testName)],
  ['signature', ({ judged }) => tsvText(judged.failure.signature.text)],
  ['signature_kind', ({ judged }) => judged.failure.signature.kind],
  ['status', ({ judged }) => judged.failure.status],
  ['time', ({ judged }) => isoTime(judged.failure.time)],
  ['report_url', ({ judged }) => judged.failure.reportUrl],
  ['classification', ({ judged }) => judged.classification],
  ['unrelated_pull_requests', ({ judged }) => judged.unrelatedPullRequests],
  ['hits', ({ judged }) => judged.hits],
  ['trunk_hits', ({ judged }) => judged.trunkHits],
  ['runs', ({ judged }) => judged.runs],
  ['first_seen', ({ judged }) => isoTime(judged.firstSeen)],
  ['last_seen', ({ judged }) => isoTime(judged.lastSeen)],
  ['first_bad_trunk_commit', ({ judged }) => judged.firstBadTrunkCommit],
  ['caused_by', ({ judged }) => judged.causedBy],
  ['issue', ({ judged }) => judged.issue?.url ?? null],
  ['owner', ({ judged }) => judged.owner],
  ['reasons', ({ judged }) => JSON.stringify(judged.reasons)],
  ['examples', ({ judged }) => JSON.stringify(judged.examples)],
]

/** A line per failure, as ClickHouse's TabSeparatedWithNames: lists are JSON. */
export function failingTestsTsv(report: TriageReport, tests: FailingTests): TextInPieces {
  return tsvTable(COLUMNS, () => tests.failures.map((judged) => ({ report, judged })))
}
