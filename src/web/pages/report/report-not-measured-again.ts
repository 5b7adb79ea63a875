import { html } from 'hono/html'
import { againWords, capital } from '../../../render/sections/headline.ts'
import type { TriageReport } from '../../../report/report.ts'
import { counted } from '../../../text/numbers.ts'
import { cutAt, LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { COLUMNS, plainColumnHead } from './report-columns.ts'
import { earlierRow } from './report-row.ts'

export const NOT_MEASURED_AGAIN_ANCHOR = 'not-measured-again'

/** What an earlier run of the same head left open and no later one measured, with the numbers of then. Empty where there is nothing. */
export function notMeasuredAgainPart(report: TriageReport): Html | string {
  const rows = report.notMeasuredAgain ?? []
  if (rows.length === 0) return ''
  const title = capital(againWords({ notMeasuredAgain: rows }))
  return html`<section id="${NOT_MEASURED_AGAIN_ANCHOR}" aria-labelledby="again-title">
<h2 id="again-title">${title}</h2>
<p>An earlier run of this head found this, with the numbers of then. No later run has measured it, so nothing takes it back.</p>
<div class="scroll" role="region" aria-labelledby="again-caption" tabindex="0">
<table class="rows"><caption id="again-caption">${counted(rows.length, 'query', 'queries')} of an earlier run</caption><thead><tr>${COLUMNS.map(plainColumnHead)}</tr></thead>
${rows.slice(0, LIST_LENGTH).map((row) => earlierRow(report, row))}
</table></div>${cutAt(rows.length)}
</section>`
}
