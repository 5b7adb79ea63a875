import { queryHash } from '../../../measurement/query-hash.ts'
import { sqlLiteral } from '../../../text/quote.ts'
import type { Html } from '../../kit/layout.ts'
import { IN_THE_DATABASE, reproduce, type Way } from '../../kit/reproduce.ts'
import type { ShownProfile } from './shown-profile.ts'

/** How to get a profile without its page. `addresses` are full ones, of the formats. */
export function flameGraphReproduce(
  shown: ShownProfile,
  addresses: { readonly json: string; readonly tsv: string },
): Html {
  const sql = stacksSql(shown)
  const ofSql: Way[] = sql === null ? [] : [[`The stacks, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['Every stack and how often each side has it:', `curl --silent --fail '${addresses.tsv}'`],
    ['Both profiles, for speedscope:', `curl --silent --fail '${addresses.json}'`],
    ...ofSql,
  ])
}

/** So many runs the summary names at most; there may be more. */
const MOST_RUNS = 20

/** null where the profile is not in the bot's own tables, whose runs have UUIDs, or is of too many runs to name them. */
export function stacksSql({
  report,
  row,
  view,
  summaries,
}: Pick<ShownProfile, 'report' | 'row' | 'view' | 'summaries'>): string | null {
  const runs = summaries.find(({ traceType }) => traceType === view.traceType)?.runs ?? []
  if (runs.length === 0 || runs.length >= MOST_RUNS || !runs.every((run) => UUID.test(run))) return null
  return `SELECT
    stack,
    sumIf(samples, side = 'old') AS old,
    sumIf(samples, side = 'new') AS new
FROM stacks
WHERE repository_id = ${report.repository.id}
  AND run_id IN (${runs.map((run) => `'${run}'`).join(', ')})
  AND query_hash = ${queryHash(row)}
  AND test = ${sqlLiteral(row.test)}
  AND ifNull(ordinal, 0) = ${row.ordinal ?? 0}
  AND trace_type = '${view.traceType}'
GROUP BY stack
ORDER BY greatest(old, new) DESC`
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
