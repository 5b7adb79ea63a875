import { ordinalLabel, type QueryId, queryKey, queryLabel } from '../../intake/measurement/run.ts'
import { codeSpan, link, NAME_LIMIT, plainText } from '../../text/markdown.ts'
import { fnv1a } from '../anchors.ts'
import type { ReportRow } from '../report.ts'

/**
 * `queryLabel` as one line of at most `limit` characters. Of a long one the test's name is cut and the position stays; without
 * a position the end of the row's anchor stands behind what is cut, and the number among equal texts stays. So it tells the
 * rows apart.
 */
export function queryName(query: QueryId, limit: number): string {
  const label = queryLabel(query)
  if (query.queryIndex === null) {
    const ordinal = ordinalLabel(query)
    const text = label.slice(0, label.length - ordinal.length)
    return `${cutWithMark(text, limit - ordinal.length, query)}${ordinal}`
  }
  const position = label.slice(query.test.length)
  return `${plainText(query.test, limit - position.length)}${position}`
}

/** A text of a query, cut as `queryName` cuts it. */
export function cutWithMark(text: string, limit: number, query: QueryId): string {
  const shown = plainText(text, limit)
  if (shown === plainText(text, limit + 1)) return shown
  const mark = ` ${fnv1a(queryKey(query))}`
  return `${plainText(text, limit - mark.length)}${mark}`
}

/** The name as code, since GitHub would link the number. */
export function queryCode(query: QueryId): string {
  return codeSpan(queryName(query, NAME_LIMIT), NAME_LIMIT)
}

interface Linked {
  readonly links: { readonly rowUrl?: ((row: ReportRow) => string) | null }
}

/** Linked to its page where there is one. */
export function rowName({ links }: Linked, row: ReportRow): string {
  return link(queryCode(row), links.rowUrl?.(row) ?? null)
}
