import type { TriageReport } from '../../../report/report.ts'
import type { Html } from '../../kit/layout.ts'
import { IN_THE_DATABASE, reproduce, type Way } from '../../kit/reproduce.ts'

/** How to get the numbers of a report without its page. `address` is the full one of this head. */
export function reportReproduce(report: TriageReport, address: string): Html {
  const sql = reportSql(report)
  const ofSql: Way[] = sql === null ? [] : [[`The medians, thresholds and p of each run, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['The report of this head with everything in it, unrounded:', `curl --silent --fail '${address}?format=json'`],
    ['Its table, a line per query and architecture:', `curl --silent --fail '${address}?format=tsv'`],
    [
      'Medians, thresholds, p and outcomes, computed anew from what the performance check left, downloaded into a folder (without the trunk’s history, so that floors stand in for learned thresholds):',
      'perf-triage classify results/ --all --json',
    ],
    ...ofSql,
  ])
}

/** Of the newest attempt of each check. Numbers and a commit alone: no text from outside stands in it. */
export function reportSql({ repository, head }: TriageReport): string | null {
  if (!/^[0-9a-f]{40,64}$/.test(head)) return null
  return `SELECT
    test, query_index, query_name, ifNull(result.architecture, newest.architecture) AS on_architecture, metric, unit,
    old_median, new_median, difference, threshold, p_value, rank_p_value, q_value
FROM query_results AS result
INNER JOIN (
    SELECT run_id, architecture
    FROM runs FINAL
    WHERE repository_id = ${repository.id} AND head = '${head}'
    ORDER BY attempt DESC, stored_at DESC
    LIMIT 1 BY check_name, architecture, shard) AS newest ON newest.run_id = result.run_id
WHERE repository_id = ${repository.id} AND status IS NOT NULL
ORDER BY test, query_index, on_architecture`
}
