import { html } from 'hono/html'
import { OUTCOME_WORDS } from '../../../render/glossary.ts'
import type { TriageReport } from '../../../report/report.ts'
import { count } from '../../../text/numbers.ts'
import { isOpen } from '../../../verdict/verdict.ts'
import type { Html } from '../../kit/layout.ts'
import { DEFAULT_VIEW, type ReportView, ROW_FILTERS, type RowFilter, viewPath } from './report-view.ts'

export const FILTER_TERMS: Record<RowFilter, string> = {
  open: 'open',
  slower: 'slower',
  faster: 'faster',
  unstable: OUTCOME_WORDS.unstable.term,
  'too-small': OUTCOME_WORDS['too-small'].term,
  'not-significant': OUTCOME_WORDS['not-significant'].term,
  'not-compared': 'not compared',
}

/** How many queries have which outcome, each a link to them. */
export function countLinks(report: TriageReport, view: ReportView, path: string): Html {
  const numbers: Record<RowFilter, number> = {
    open: report.rows.filter(({ verdict }) => isOpen(verdict)).length,
    ...report.counts,
    'too-small': report.counts.tooSmall,
    'not-significant': report.counts.notSignificant,
    'not-compared': report.counts.notCompared,
  }
  const item = (show: RowFilter | null, number: number, term: string) => html`<li class="${show ?? 'all'}">
<a href="${viewPath(path, { ...DEFAULT_VIEW, show })}#rows"${view.show === show ? html` aria-current="true"` : ''}><b>${count(number)}</b> ${term}</a></li>`
  return html`<nav aria-label="Queries by outcome"><ul class="counts">
${item(null, report.rows.length, 'all')}
${ROW_FILTERS.map((filter) => item(filter, numbers[filter], FILTER_TERMS[filter]))}
</ul></nav>`
}
