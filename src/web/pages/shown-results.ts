import { html } from 'hono/html'
import type { ReportRow } from '../../report/report.ts'
import { counted } from '../../text/numbers.ts'
import type { ClassifiedQuery } from '../../verdict/classified-query.ts'
import type { Html } from '../kit/layout.ts'

/** Architectures that a page shows of one query. An archive can name thousands; all of them are in the JSON. */
export const MOST_ARCHITECTURES = 8

/** The results that a page shows: the first ones, with the deciding one and the one of the architecture that is asked for. */
export function shownResults({ results, decidedBy }: ReportRow, asked: string | null = null): ClassifiedQuery[] {
  if (results.length <= MOST_ARCHITECTURES) return [...results]
  const named = asked === null ? -1 : results.findIndex(({ architecture }) => architecture === asked)
  return results.filter((_, index) => index < MOST_ARCHITECTURES || index === decidedBy || index === named)
}

/** Says how many are not shown; nothing where all are. */
export function leftOut(row: ReportRow, shown: readonly ClassifiedQuery[]): Html | string {
  const left = row.results.length - shown.length
  return left === 0 ? '' : html`And ${counted(left, 'architecture', 'architectures')} more, in the JSON.`
}
