import type { FailingTests, JudgedFailure } from '../../../ledger/failure.ts'
import { failureJson } from '../../../render/failure-json.ts'
import type { TriageReport } from '../../../report/report.ts'
import { type Column, tsvTable, tsvText } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import { isoTime } from '../../../text/time.ts'

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

const COLUMNS: readonly Column<{ readonly report: TriageReport; readonly judged: JudgedFailure }>[] = [
  { key: 'repository', value: ({ report: { repository } }) => `${repository.owner}/${repository.name}` },
  { key: 'pull_request_number', value: ({ report }) => report.pullRequest.number },
  { key: 'head', value: ({ report }) => report.head },
  { key: 'check_name', value: ({ judged }) => tsvText(judged.failure.checkName) },
  { key: 'test_name', value: ({ judged }) => tsvText(judged.failure.testName) },
  { key: 'signature', value: ({ judged }) => tsvText(judged.failure.signature.text) },
  { key: 'signature_kind', value: ({ judged }) => judged.failure.signature.kind },
  { key: 'status', value: ({ judged }) => judged.failure.status },
  { key: 'time', value: ({ judged }) => isoTime(judged.failure.time) },
  { key: 'report_url', value: ({ judged }) => judged.failure.reportUrl },
  { key: 'classification', value: ({ judged }) => judged.classification },
  { key: 'unrelated_pull_requests', value: ({ judged }) => judged.unrelatedPullRequests },
  { key: 'hits', value: ({ judged }) => judged.hits },
  { key: 'trunk_hits', value: ({ judged }) => judged.trunkHits },
  { key: 'runs', value: ({ judged }) => judged.runs },
  { key: 'first_seen', value: ({ judged }) => isoTime(judged.firstSeen) },
  { key: 'last_seen', value: ({ judged }) => isoTime(judged.lastSeen) },
  { key: 'first_bad_trunk_commit', value: ({ judged }) => judged.firstBadTrunkCommit },
  { key: 'caused_by', value: ({ judged }) => judged.causedBy },
  { key: 'issue', value: ({ judged }) => judged.issue?.url ?? null },
  { key: 'owner', value: ({ judged }) => judged.owner },
  { key: 'reasons', value: ({ judged }) => JSON.stringify(judged.reasons) },
  { key: 'examples', value: ({ judged }) => JSON.stringify(judged.examples) },
]

/** A line per failure, as ClickHouse's TabSeparatedWithNames: lists are JSON. */
export function failingTestsTsv(report: TriageReport, tests: FailingTests): TextInPieces {
  return tsvTable(COLUMNS, () => tests.failures.map((judged) => ({ report, judged })))
}
