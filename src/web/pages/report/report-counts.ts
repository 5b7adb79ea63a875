import { html } from 'hono/html'
import { FAILED_IN_WORDS, OUTCOME_WORDS } from '../../../render/glossary.ts'
import { againWords } from '../../../render/sections/headline.ts'
import type { TriageReport } from '../../../report/report.ts'
import { count } from '../../../text/numbers.ts'
import { findingsOf } from '../../../verdict/findings.ts'
import { isOpen } from '../../../verdict/verdict.ts'
import type { Html } from '../../kit/layout.ts'
import { NOT_MEASURED_AGAIN_ANCHOR } from './report-not-measured-again.ts'
import { DEFAULT_VIEW, type ReportView, ROW_FILTERS, type RowFilter, viewPath } from './report-view.ts'

export const FILTER_TERMS: Record<RowFilter, string> = {
  open: 'open',
  slower: 'slower',
  faster: 'faster',
  unstable: OUTCOME_WORDS.unstable.term,
  'too-small': OUTCOME_WORDS['too-small'].term,
  'not-significant': OUTCOME_WORDS['not-significant'].term,
  'not-compared': 'not compared',
  'failed-in-new': FAILED_IN_WORDS.new.term,
  'failed-unknown': FAILED_IN_WORDS.unknown.term,
}

/** Of most reports there is nothing in these, so that a zero is not said. */
const SAID_WHERE_THERE: ReadonlySet<RowFilter> = new Set(['failed-in-new', 'failed-unknown'])

/** How many queries have which outcome, each a link to them. */
export function countLinks(report: TriageReport, view: ReportView, path: string): Html {
  const { failedInNew, failedUnknown, notMeasuredAgain } = findingsOf(report)
  const numbers: Record<RowFilter, number> = {
    open: report.rows.filter(({ verdict }) => isOpen(verdict)).length,
    ...report.counts,
    'too-small': report.counts.tooSmall,
    'not-significant': report.counts.notSignificant,
    'not-compared': report.counts.notCompared,
    'failed-in-new': failedInNew.length,
    'failed-unknown': failedUnknown.length,
  }
  const shown = ROW_FILTERS.filter((filter) => numbers[filter] > 0 || !SAID_WHERE_THERE.has(filter))
  const item = (show: RowFilter | null, number: number, term: string) => html`<li class="${show ?? 'all'}">
<a href="${viewPath(path, { ...DEFAULT_VIEW, show })}#rows"${view.show === show ? html` aria-current="true"` : ''}><b>${count(number)}</b> ${term}</a></li>`
  return html`<nav aria-label="Queries by outcome"><ul class="counts">
${item(null, report.rows.length, 'all')}
${shown.map((filter) => item(filter, numbers[filter], FILTER_TERMS[filter]))}
${notMeasuredAgain.length === 0 ? '' : html`<li><a href="#${NOT_MEASURED_AGAIN_ANCHOR}">${againWords({ notMeasuredAgain })}</a></li>`}
</ul></nav>`
}
