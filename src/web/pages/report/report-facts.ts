import { html } from 'hono/html'
import { MEASUREMENT_WORDS } from '../../../render/glossary.ts'
import { distance } from '../../../render/view.ts'
import type { TriageReport } from '../../../report/report.ts'
import { reportPath } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import { minute, pValue } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { commit } from '../../kit/links.ts'
import { architectureName, word } from '../../kit/word.ts'

const NAME_LENGTH = 120

/** What was compared with what, and when. */
export function facts(report: TriageReport): Html {
  const { owner, name } = report.repository
  const newest = reportPath({ owner, repo: name, number: report.pullRequest.number })
  const references = report.references.map((reference) => {
    const on = report.references.length > 1 ? ` on ${reference.architectures.map(architectureName).join(', ')}` : ''
    const from = distance(reference)
    return html`<li>${commit(report, reference.commit)}${on}${from === null ? '' : ` (${from})`}</li>`
  })
  return html`<dl class="facts">
<div><dt>${word('new')}</dt><dd>${commit(report, report.head)} · <a href="${newest}/${report.head}">permanent</a> · <a href="${newest}">newest</a></dd></div>
<div><dt>${word('old')}</dt><dd>${references.length === 0 ? 'not stated' : html`<ul>${references}</ul>`}</dd></div>
<div><dt>Base</dt><dd><bdi>${plainText(report.pullRequest.baseRef, NAME_LENGTH)}</bdi>${report.mergeBase === null ? '' : html`, merge base ${commit(report, report.mergeBase)}`}</dd></div>
<div><dt>Metric</dt><dd>${plainText(report.primaryMetric, NAME_LENGTH)}${onArchitectures(report)}</dd></div>
<div><dt>Judged</dt><dd><time datetime="${report.judgedAt}">${judgedAt(report)}</time>, ${report.mode}</dd></div>
${
  report.smallestPValue === null
    ? ''
    : html`<div><dt>Smallest ${word(MEASUREMENT_WORDS.pValue.term)}</dt><dd>${pValue(report.smallestPValue)} with these repetitions</dd></div>`
}
</dl>`
}

function judgedAt({ judgedAt: text }: TriageReport): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? plainText(text, 40) : minute(time)
}

/** Nothing where there is one only and the source does not name it. */
function onArchitectures({ architectures }: TriageReport): string {
  const [first, ...others] = architectures
  if (first === null && others.length === 0) return ''
  return ` on ${architectures.map(architectureName).join(', ') || 'no architecture yet'}`
}
