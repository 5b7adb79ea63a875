import { html } from 'hono/html'
import { NOTE_WORDS, OUTCOME_WORDS, STATUS_REASON_WORDS, THRESHOLD_SOURCE_WORDS } from '../../../render/glossary.ts'
import { noiseThreshold } from '../../../render/largest-threshold.ts'
import { notComparedWord } from '../../../render/sections/not-measured.ts'
import type { TriageReport } from '../../../report/report.ts'
import { plainText } from '../../../text/markdown.ts'
import { moved, pValue, thresholdPercent, values } from '../../../text/numbers.ts'
import type { ClassifiedQuery, ThresholdSource } from '../../../verdict/classified-query.ts'
import type { Html } from '../../kit/layout.ts'
import { numberCell } from '../../kit/table.ts'
import { architectureName, said } from '../../kit/word.ts'

/** The numbers of a query on one architecture. `decides`: the row's outcome is that of this one. */
export function resultRow(result: ClassifiedQuery, decides: boolean, report: TriageReport): Html {
  const name =
    result.architecture === null
      ? report.architectures.length > 1
        ? 'unnamed'
        : '–'
      : architectureName(result.architecture)
  const median = (value: number) => values([value], result.unit === null ? null : plainText(result.unit, 20))
  return html`<tr${decides ? html` class="decides"` : ''}><th scope="row"${name === '–' ? html` class="none"` : ''}>${name}${decides ? html` <small>decides</small>` : ''}</th>
<td data-name="Outcome">${outcomeOf(result)}</td>
${sideCell('Old', result.old, median)}${sideCell('New', result.new, median)}
${numberCell('Difference', result.difference, (value) => moved(value, result.old.median, result.new.median))}
${thresholdOf(result)}${numberCell('p', result.pValue, pValue)}${numberCell('Rank p', result.rankPValue, pValue)}${numberCell('q', result.qValue, pValue)}
<td data-name="Overlap">${result.separated === null ? '–' : result.separated ? 'none' : 'yes'}</td>
${thresholdCell('Flagged from', result.changedThreshold, result.changedThresholdSource)}${thresholdCell('Unstable from', result.unstableThreshold, result.unstableThresholdSource)}
<td data-name="Notes">${result.notes.length === 0 ? '–' : result.notes.map((note, index) => html`${index === 0 ? '' : ', '}${said(NOTE_WORDS[note])}`)}</td></tr>
`
}

function thresholdOf(result: ClassifiedQuery): Html {
  return numberCell('Threshold', result.threshold, (value) => noiseThreshold(value, result))
}

function outcomeOf(result: ClassifiedQuery): Html {
  if (result.outcome === null) {
    const reason = result.statusReason === null ? '' : html`: ${said(STATUS_REASON_WORDS[result.statusReason])}`
    return html`${said(notComparedWord(result))}${reason}`
  }
  if (result.outcome === 'changed') {
    return html`<b class="${result.direction ?? ''}">${result.direction ?? OUTCOME_WORDS.changed.term}</b>`
  }
  // The direction of what is not a change is said, but not as a finding.
  return html`${said(OUTCOME_WORDS[result.outcome])}${result.direction === null ? '' : html` <small>(${result.direction})</small>`}`
}

function sideCell(name: string, side: ClassifiedQuery['old'], shown: (value: number) => string): Html {
  return numberCell(name, side.median, shown, html`<small>× ${side.repetitions}</small>`)
}

function thresholdCell(name: string, threshold: number | null, source: ThresholdSource | null): Html {
  const from = source === null ? undefined : html`<small>${said(THRESHOLD_SOURCE_WORDS[source])}</small>`
  return numberCell(name, threshold, thresholdPercent, from)
}
