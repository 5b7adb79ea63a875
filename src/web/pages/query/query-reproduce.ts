import { queryHash } from '../../../measurement/query-hash.ts'
import { shellQuote, sqlLiteral } from '../../../text/quote.ts'
import type { Html } from '../../kit/layout.ts'
import { IN_THE_DATABASE, reproduce, type Way } from '../../kit/reproduce.ts'
import { queryViewPath } from './query-view.ts'
import type { ShownQuery } from './shown-query.ts'

/** How to get a history without the page. `address` is the page's full one without a view. */
export function queryReproduce(shown: ShownQuery, address: string): Html {
  const { metric, architecture, view } = shown
  const data = `curl --silent --fail '${queryViewPath(address, { ...view, metric, architecture }, 'tsv')}'`
  const bisect = bisectShell(shown)
  const sql = historySql(shown)
  const ofBisect: Way[] =
    bisect === null
      ? []
      : [['The windows, where the bot’s database is, and with --repository the commits in between:', bisect]]
  const ofSql: Way[] = sql === null ? [] : [[`The rows, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['Every run, from this address:', data],
    [
      'The change points, computed anew from them (the levels alone; a window needs the pairs as well):',
      `${data} |\n  perf-triage change-points - --value new`,
    ],
    ...ofBisect,
    ...ofSql,
  ])
}

/** null where a name can be no argument of a command. */
export function bisectShell({ repository, query, metric, architecture, view }: ShownQuery): string | null {
  const names = [query.test, metric, architecture ?? '-'].map(shellQuote)
  if (names.includes(null)) return null
  const [test, ofMetric, on] = names
  const position = query.queryIndex === null ? '' : ` --query ${query.queryIndex}`
  // An empty name is refused: what has none is not asked for.
  const where = architecture === null ? '' : ` --architecture=${on}`
  return `perf-triage bisect --repository-id ${repository.id} --test=${test}${position}${where} --metric=${ofMetric} --days ${view.days}`
}

/** null where the history is not stored, or is the second of equal texts, whom an index alone tells apart. */
export function historySql({
  repository,
  query,
  metric,
  architecture,
  histories,
  copiedFrom,
  range,
  view,
}: ShownQuery): string | null {
  const [history] = histories.filter(({ series }) => series.architecture === architecture)
  if (history === undefined || copiedFrom === null || view.ordinal > 0) return null
  const tables = ['', ...copiedFrom].map(sqlLiteral).join(', ')
  const seconds = (time: number) => Math.floor(time / 1000)
  return `SELECT event_time, new_sha, old_sha, old_value, new_value, diff, stat_threshold
FROM trunk_history FINAL
WHERE repository_id = ${repository.id}
  AND metric = ${sqlLiteral(metric)}
  AND test = ${sqlLiteral(query.test)}
  AND query_hash = ${queryHash(query)}
  AND arch = ${sqlLiteral(architecture ?? '')}
  AND NOT superseded
  AND copied_from IN (${tables})
  AND pr_number = 0
  AND event_time > toDateTime(${seconds(range.from)}, 'UTC')
  AND event_time <= toDateTime(${seconds(range.to)}, 'UTC')
ORDER BY event_time`
}
