import { html } from 'hono/html'
import type { TriageReport } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { COLUMNS, columnHead } from './report-columns.ts'
import { FILTER_TERMS } from './report-counts.ts'
import { reportRow } from './report-row.ts'
import { reportTerms } from './report-terms.ts'
import { LONGEST_SEARCH, type ReportView, ROW_FILTERS, type RowsShown, type SortKey, viewPath } from './report-view.ts'

const NAME_LENGTH = 120

const ORDER_WORDS: Record<SortKey, string> = {
  worst: 'worst first',
  test: 'by test',
  old: 'slowest old median first',
  new: 'slowest new median first',
  difference: 'largest slowdown first',
  threshold: 'largest threshold first',
  p: 'smallest p first',
  'rank-p': 'smallest rank p first',
  q: 'smallest q first',
}

/** The table of the queries, with what chooses among them. */
export function rowsSection(report: TriageReport, view: ReportView, shown: RowsShown, path: string): Html {
  const last = shown.first + shown.rows.length
  const range =
    shown.matching === 0
      ? 'No query'
      : shown.pages === 1
        ? counted(shown.matching, 'query', 'queries')
        : `Queries ${count(shown.first + 1)} to ${count(last)} of ${count(shown.matching)}`
  const order = view.reverse ? `${ORDER_WORDS[view.sort]}, reversed` : ORDER_WORDS[view.sort]
  return html`<section id="rows" aria-labelledby="rows-title">
<h2 id="rows-title">Queries</h2>
${filterForm(view, path)}
${ofOneTest(view, path)}
${reportTerms()}
${
  shown.rows.length === 0
    ? html`<p>No query matches. <a href="${path}#rows">Show all of them</a>.</p>`
    : html`${pager('Pages', view, shown, path)}
<div class="scroll" role="region" aria-labelledby="rows-caption" tabindex="0">
<table class="rows queries" data-matching="${shown.matching}"><caption id="rows-caption">${range}, ${order}</caption>
<thead><tr>${COLUMNS.map((column) => columnHead(column, view, path))}</tr></thead>
${shown.rows.map(({ row }) => reportRow(report, row, path))}
</table></div>
${pager('Pages, again', view, shown, path)}`
}
</section>`
}

function filterForm(view: ReportView, path: string): Html {
  const option = (value: string, text: string, selected: boolean) =>
    html`<option value="${value}"${selected ? html` selected` : ''}>${text}</option>`
  return html`<form class="filter" method="get" action="${path}#rows" role="search">${view.test === null ? '' : html`<input type="hidden" name="test" value="${view.test}">`}
<label>Outcome <select name="outcome">${option('', 'all', view.show === null)}${ROW_FILTERS.map((filter) => option(filter, FILTER_TERMS[filter], view.show === filter))}</select></label>
<label>Test or query <input name="q" type="search" value="${view.text ?? ''}" maxlength="${LONGEST_SEARCH}" autocomplete="off"></label>
<label>Order <select name="sort">${(Object.keys(ORDER_WORDS) as SortKey[]).map((key) => option(key, ORDER_WORDS[key], view.sort === key))}</select></label>
<button type="submit">Show</button>
</form>
<p class="found" role="status"></p>`
}

/** Links lead to the queries of one test; the form then looks among these. */
function ofOneTest(view: ReportView, path: string): Html | string {
  if (view.test === null) return ''
  return html`<p>Of the test <bdi><b>${plainText(view.test, NAME_LENGTH)}</b></bdi> alone. <a href="${viewPath(path, { ...view, test: null, page: 1 })}#rows">Of all tests</a></p>`
}

function pager(name: string, view: ReportView, shown: RowsShown, path: string): Html | string {
  if (shown.pages === 1) return ''
  const link = (page: number, text: string, rel: string) =>
    page < 1 || page > shown.pages
      ? html`<span class="none">${text}</span>`
      : html`<a rel="${rel}" href="${viewPath(path, { ...view, page })}#rows">${text}</a>`
  return html`<nav class="pager" aria-label="${name}">${link(shown.page - 1, 'Previous', 'prev')}
<span>Page ${count(shown.page)} of ${count(shown.pages)}</span> ${link(shown.page + 1, 'Next', 'next')}</nav>`
}
