import { queryLabel } from '../../../intake/measurement/run.ts'
import { findingsOf } from '../../../judge/verdict/findings.ts'
import { isOpen } from '../../../judge/verdict/verdict.ts'
import { rowAnchor } from '../../../report/anchors.ts'
import { decisive } from '../../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { FAILED_IN_WORDS, OUTCOME_WORDS, VERDICT_WORDS } from '../../../report/words.ts'
import { LONGEST_SEARCH } from '../../../text/searched-text.ts'
import { BY_TEST, SORTS, type Sort, WORST } from './result-columns.ts'

/** The rows of a report that a page shows, and their order: the query part of its address. */
export interface ReportView {
  readonly show: RowFilter | null
  /** The exact name of a test. */
  readonly test: string | null
  /** Part of the test or of the query's text, without regard to case. */
  readonly text: string | null
  readonly sort: Sort
  /** The other way round. */
  readonly reverse: boolean
  /** Every number of a query, or those that most look at. */
  readonly columns: 'main' | 'all'
  /** 1-based. */
  readonly page: number
  /** The anchor of a row: the page that holds it is shown, whatever `page` says. */
  readonly row: string | null
}

/**
 * The outcomes as a person counts them, the rows that somebody should do something about, and of those that were not compared
 * the ones that failed where it matters.
 */
export const ROW_FILTERS = [
  'open',
  'slower',
  'faster',
  'noise',
  'whole-run',
  'unstable',
  'too-small',
  'not-significant',
  'not-compared',
  'failed-in-new',
  'failed-unknown',
  'ignored',
] as const
export type RowFilter = (typeof ROW_FILTERS)[number]

export const FILTER_TERMS: Record<RowFilter, string> = {
  open: 'open',
  slower: 'slower',
  faster: 'faster',
  noise: VERDICT_WORDS['likely-noise'].term,
  'whole-run': 'with the whole run',
  unstable: OUTCOME_WORDS.unstable.term,
  'too-small': OUTCOME_WORDS['too-small'].term,
  'not-significant': OUTCOME_WORDS['not-significant'].term,
  'not-compared': 'not compared',
  'failed-in-new': FAILED_IN_WORDS.new.term,
  'failed-unknown': FAILED_IN_WORDS.unknown.term,
  ignored: VERDICT_WORDS.ignored.term,
}

/** Two architectures of that many rows are some 30 KB compressed; everything at once is what the TSV is for. */
export const ROWS_PER_PAGE = 200

export const DEFAULT_VIEW: ReportView = {
  show: null,
  test: null,
  text: null,
  sort: WORST,
  reverse: false,
  columns: 'main',
  page: 1,
  row: null,
}

const TEST_LENGTH = 1_000

/** Reads `?outcome=…&test=…&q=…&sort=…&order=reverse&columns=all&page=…&row=…`; what it does not know counts as absent. */
export function parseReportView(parameters: URLSearchParams): ReportView {
  const test = parameters.get('test')
  const text = (parameters.get('q') ?? '').trim()
  const page = parameters.get('page') ?? ''
  const row = parameters.get('row') ?? ''
  return {
    show: ROW_FILTERS.find((filter) => filter === parameters.get('outcome')) ?? null,
    test: test === null || test === '' || test.length > TEST_LENGTH ? null : test,
    text: text === '' || text.length > LONGEST_SEARCH ? null : text,
    sort: SORTS.find(({ key }) => key === parameters.get('sort')) ?? WORST,
    reverse: parameters.get('order') === 'reverse',
    columns: parameters.get('columns') === 'all' ? 'all' : 'main',
    page: /^[1-9][0-9]{0,5}$/.test(page) ? Number(page) : 1,
    row: /^[A-Za-z0-9_-]{1,120}$/.test(row) ? row : null,
  }
}

/** `path` with the view as its query part; what is as by default is left out. */
export function viewPath(path: string, view: ReportView): string {
  const parameters = new URLSearchParams()
  if (view.show !== null) parameters.set('outcome', view.show)
  if (view.test !== null) parameters.set('test', view.test)
  if (view.text !== null) parameters.set('q', view.text)
  if (view.sort !== WORST) parameters.set('sort', view.sort.key)
  if (view.reverse) parameters.set('order', 'reverse')
  if (view.columns === 'all') parameters.set('columns', 'all')
  if (view.page !== 1) parameters.set('page', String(view.page))
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

export interface RowsShown {
  readonly rows: readonly { readonly row: ReportRow; readonly anchor: string }[]
  /** 0-based position of the first one among those that match. */
  readonly first: number
  readonly matching: number
  readonly page: number
  readonly pages: number
}

/** The rows of one page. A page past the last one is the last one. */
export function rowsShown(report: TriageReport, view: ReportView): RowsShown {
  const text = view.text?.toLowerCase() ?? null
  const matching = rowsOfFilter(report, view.show).filter(
    (row) => (view.test === null || row.test === view.test) && (text === null || holds(row, text)),
  )
  const sorted = sortRows(matching, view)
  const pages = Math.max(1, Math.ceil(sorted.length / ROWS_PER_PAGE))
  const wanted = view.row === null ? -1 : sorted.findIndex((row) => rowAnchor(row) === view.row)
  const page = wanted === -1 ? Math.min(view.page, pages) : Math.floor(wanted / ROWS_PER_PAGE) + 1
  const first = (page - 1) * ROWS_PER_PAGE
  return {
    rows: sorted.slice(first, first + ROWS_PER_PAGE).map((row) => ({ row, anchor: rowAnchor(row) })),
    first,
    matching: sorted.length,
    page,
    pages,
  }
}

/** What changed is counted as the headline does: what it leaves to noise, or to the whole run, stands by itself. */
export function rowsOfFilter(
  report: TriageReport,
  filter: RowFilter | null,
  findings = findingsOf(report),
): readonly ReportRow[] {
  if (filter === null) return report.rows
  const { slower, faster, withWholeRun, failedInNew, failedUnknown, ignored } = findings
  if (filter === 'slower') return slower
  if (filter === 'faster') return faster
  if (filter === 'failed-in-new') return failedInNew
  if (filter === 'failed-unknown') return failedUnknown
  if (filter === 'ignored') return ignored
  const moved = new Set(withWholeRun)
  const isWith = (row: ReportRow) => row.direction === 'slower' && moved.has(row)
  return report.rows.filter((row) => {
    if (row.verdict === 'ignored') return false
    if (filter === 'open') return isOpen(row.verdict)
    if (filter === 'whole-run') return row.outcome === 'changed' && isWith(row)
    if (filter === 'noise')
      return row.outcome === 'changed' && row.direction === 'faster' && row.verdict === 'likely-noise'
    return row.outcome === (filter === 'not-compared' ? null : filter)
  })
}

function holds(row: ReportRow, lowerCase: string): boolean {
  return `${queryLabel(row)}\n${row.queryName ?? ''}`.toLowerCase().includes(lowerCase)
}

function sortRows(rows: readonly ReportRow[], { sort, reverse }: ReportView): readonly ReportRow[] {
  const sign = reverse ? -1 : 1
  if (sort === BY_TEST) return rows.toSorted((a, b) => sign * compareTests(a, b))
  const { value, ascending = false } = sort
  if (value === undefined) return reverse ? rows.toReversed() : rows
  return rows.toSorted((a, b) => {
    const [left, right] = [value(decisive(a)), value(decisive(b))]
    // Rows without the number stand last in both orders.
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return (ascending ? sign : -sign) * (left - right)
  })
}

function compareTests(a: ReportRow, b: ReportRow): number {
  return a.test === b.test ? (a.queryIndex ?? -1) - (b.queryIndex ?? -1) : a.test < b.test ? -1 : 1
}
