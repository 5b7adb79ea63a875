import { html } from 'hono/html'
import { queryName } from '../../../render/query-name.ts'
import { verdictLine } from '../../../render/sections/headline.ts'
import { NO_LINKS, viewOf } from '../../../render/view.ts'
import { decisive } from '../../../report/parts.ts'
import type { TriageReport } from '../../../report/report.ts'
import { rowPath } from '../../../report/urls.ts'
import { signedPercent } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { addressOf } from './report-address-of.ts'

const NAME_LENGTH = 120

/** The line that stands over the comment, without the failing tests, and the row to begin with. */
export function lead(report: TriageReport): Html {
  const view = viewOf(report, NO_LINKS)
  const [worst] = view.open
  return html`<p class="lead"><strong>${verdictLine({ ...view, failing: null })}.</strong>${worst === undefined ? '' : html` Start with <a href="${rowPath(addressOf(report), worst)}"><bdi>${queryName(worst, NAME_LENGTH)}</bdi></a>${differenceOf(decisive(worst).difference)}.`}</p>`
}

function differenceOf(difference: number | null): string {
  return difference === null ? '' : `, ${signedPercent(difference)}`
}
