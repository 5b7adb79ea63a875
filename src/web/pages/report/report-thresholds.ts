import { html } from 'hono/html'
import { THRESHOLD_SOURCE_WORDS } from '../../../render/glossary.ts'
import { historyWords } from '../../../render/history-words.ts'
import type { TriageReport } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { count } from '../../../text/numbers.ts'
import type { ThresholdSource } from '../../../verdict/classified-query.ts'
import { fold } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { numberCell } from '../../kit/table.ts'
import { architectureName, explained } from '../../kit/word.ts'

/** Where the thresholds came from, and how many queries would pass the rank test by chance. */
export function thresholdsFold(report: TriageReport): Html {
  const sources = (Object.keys(THRESHOLD_SOURCE_WORDS) as ThresholdSource[])
    .filter((source) => report.thresholdSources[source] > 0)
    .map(
      (source) => html`<li>${count(report.thresholdSources[source])} ${explained(THRESHOLD_SOURCE_WORDS[source])}</li>`,
    )
  const budgets = report.discoveries.map(
    ({
      architecture,
      metric,
      tested,
      level,
      expectedByChance,
      passed,
    }) => html`<tr><th scope="row">${architectureName(architecture)}</th><td>${plainText(metric, 40)}</td>
<td class="n">${count(tested)}</td><td class="n">${level}</td>${numberCell('Expected', expectedByChance, (value) => value.toFixed(1))}<td class="n">${count(passed)}</td></tr>`,
  )
  return fold(
    'Thresholds and chance',
    html`<p>Where the thresholds of the compared queries came from:</p><ul>${sources.length === 0 ? html`<li>no query was compared</li>` : sources}</ul>
${report.history ? html`<p>History of the trunk: ${historyWords(report.history)}.</p>` : ''}
<table><caption>How many queries would pass the rank test by chance</caption><thead><tr><th scope="col">Architecture</th><th scope="col">Metric</th><th scope="col" class="n">Tested</th><th scope="col" class="n">Level</th><th scope="col" class="n">Expected</th><th scope="col" class="n">Passed</th></tr></thead>
<tbody>${budgets}</tbody></table>`,
  )
}
