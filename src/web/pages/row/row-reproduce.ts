import type { Html } from '../../kit/layout.ts'
import { IN_THE_DATABASE, reproduce, type Way } from '../../kit/reproduce.ts'
import { primaryOf, type ShownRow } from './shown-row.ts'

/** How to get the numbers of a row without the page. `address` is its full one. */
export function rowReproduce(shown: ShownRow, address: string): Html {
  const sql = mediansSql(shown)
  const ofSql: Way[] = sql === null ? [] : [[`The medians, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['Every sample, from this address:', `curl --silent --fail '${address}?format=tsv'`],
    [
      'Threshold, p and outcome, computed anew from them (needs clickhouse local, which makes the lines that perf-triage reads):',
      classifyShell(shown, address),
    ],
    ...ofSql,
  ])
}

/** Numbers and UUIDs alone: no text from outside stands in it. null where no samples are stored. */
export function mediansSql({ report, measured }: ShownRow): string | null {
  const places = measured.flatMap((one) => {
    const primary = primaryOf(one)
    return one.run === null || primary === null || primary.samples === null
      ? []
      : [`('${one.run.runId}', ${primary.measurement})`]
  })
  if (places.length === 0) return null
  return `SELECT
    any(result.metric) AS metric,
    any(result.old_median) AS stored_old_median,
    quantileExactIf(0.5)(sample.value, sample.side = 'old') AS old_median,
    any(result.new_median) AS stored_new_median,
    quantileExactIf(0.5)(sample.value, sample.side = 'new') AS new_median,
    any(result.difference) AS difference,
    any(result.threshold) AS threshold,
    any(result.p_value) AS p_value
FROM query_results AS result
INNER JOIN samples AS sample
    ON sample.repository_id = result.repository_id AND sample.run_id = result.run_id AND sample.measurement = result.measurement
WHERE result.repository_id = ${report.repository.id}
  AND sample.repository_id = ${report.repository.id}
  AND (result.run_id, result.measurement) IN (${places.join(', ')})
  AND (sample.run_id, sample.measurement) IN (${places.join(', ')})
GROUP BY result.run_id, result.measurement`
}

/** The deciding result's thresholds are given: the command knows neither the repository's configuration nor its history. */
function classifyShell({ row }: ShownRow, address: string): string {
  const { changedThreshold, unstableThreshold } = row.results[row.decidedBy]!
  const options = [
    /^[A-Za-z0-9_.-]{1,200}$/.test(row.metric) ? ` --metric ${row.metric}` : '',
    changedThreshold === null ? '' : ` --changed-threshold ${changedThreshold}`,
    unstableThreshold === null ? '' : ` --unstable-threshold ${unstableThreshold}`,
  ]
  return `curl --silent --fail '${address}?format=tsv' |
  clickhouse local --input-format TabSeparatedWithNames --output-format JSONEachRow --output_format_json_quote_64bit_integers 0 --query "
    SELECT test, query_index AS queryIndex, query_name AS queryName, architecture, metric, unit, side, repetition, value
    FROM table" > measurements.jsonl
perf-triage classify measurements.jsonl --all --json${options.join('')}`
}
