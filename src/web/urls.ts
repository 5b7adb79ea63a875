import type { QueryId } from '../measurement/run.ts'
import { rowAnchor } from '../render/row-anchor.ts'

/**
 * The addresses of the pages, for the routes and for whoever links to them. Paths start with a slash; put the public URL
 * in front for a link from outside.
 */

export interface ReportAddress {
  readonly owner: string
  readonly repo: string
  readonly number: number
  /** Full commit id: the permanent address of the report of that head. Without it: the newest report. */
  readonly head?: string
}

export const INDEX_PATH = '/'
export const WORDS_PATH = '/words'

/** The routes with their parameters, in Hono's notation. */
export const REPORT_ROUTE = '/r/:owner/:repo/pull/:number'
export const REPORT_OF_HEAD_ROUTE = '/r/:owner/:repo/pull/:number/:head'

/** The failing tests of that report alone, for other programs. */
export const FAILING_TESTS_ROUTE = `${REPORT_OF_HEAD_ROUTE}/failing-tests`

export function reportPath({ owner, repo, number, head }: ReportAddress): string {
  const path = `/r/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}/pull/${number}`
  return head === undefined ? path : `${path}/${head}`
}

/** The failing tests of the report of one head, as JSON or TSV. */
export function failingTestsPath(address: ReportAddress & { readonly head: string }): string {
  return `${reportPath(address)}/failing-tests`
}

/** The id of a query's row, the same in every report. */
export { rowAnchor }

/** The report at the page that holds this query's row, and at that row. */
export function rowPath(address: ReportAddress, query: QueryId): string {
  const anchor = rowAnchor(query)
  return `${reportPath(address)}?row=${anchor}#${anchor}`
}

/** The glossary, at one word when it is named: `wordsPath('too small')` is `/words#too-small`. */
export function wordsPath(term?: string): string {
  return term === undefined ? WORDS_PATH : `${WORDS_PATH}#${wordAnchor(term)}`
}

/** The id of a word in the glossary: lower case, everything but letters and digits is one hyphen. */
export function wordAnchor(term: string): string {
  return term
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
