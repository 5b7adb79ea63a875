import type { ReportRow, TriageReport } from '../../report/report.ts'
import { isCommitId } from '../../text/commits.ts'
import { sqlLiteral } from '../../text/quote.ts'

/** The query whose results are wanted. */
type OneQuery = Pick<ReportRow, 'test' | 'queryIndex' | 'queryName' | 'metric'>

/** A longer name would fill the answer that the statement stands in. */
const LONGEST_NAME = 500

/**
 * What a report was judged from, as a statement for whoever asks the database: the newest attempt of each check, of these queries. Of
 * all, without any, it holds numbers and a commit, and no text from outside. null where a name can't be in it.
 */
export function resultsSql(
  { repository, head }: Pick<TriageReport, 'repository' | 'head'>,
  queries: readonly OneQuery[] = [],
): string | null {
  const each = queries.map(conditionsOf)
  if (!isCommitId(head) || each.includes(null)) return null
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
WHERE ${[`repository_id = ${repository.id} AND status IS NOT NULL`, ...anyOf(each as string[][])].join('\n  AND ')}
ORDER BY test, query_index, on_architecture`
}

/** What holds for the rows of one query, or of one of several. */
function anyOf([only, ...others]: readonly (readonly string[])[]): readonly string[] {
  if (only === undefined || others.length === 0) return only ?? []
  return [`(${[only, ...others].map((conditions) => `(${conditions.join(' AND ')})`).join('\n    OR ')})`]
}

function conditionsOf({ test, queryIndex, queryName, metric }: OneQuery): string[] | null {
  const names = [test, metric, ...(queryIndex === null ? [queryName ?? ''] : [])]
  if (names.some(({ length }) => length > LONGEST_NAME)) return null
  return [
    `test = ${sqlLiteral(test)}`,
    queryIndex === null ? `ifNull(query_name, '') = ${sqlLiteral(queryName ?? '')}` : `query_index = ${queryIndex}`,
    `metric = ${sqlLiteral(metric)}`,
  ]
}
