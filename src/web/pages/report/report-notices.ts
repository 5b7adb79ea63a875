import { html } from 'hono/html'
import { DEGRADATION_WORDS, HISTORY_PROBLEM_WORDS } from '../../../render/glossary.ts'
import { shardsIn } from '../../../render/view.ts'
import { shardTally } from '../../../report/parts.ts'
import type { TriageReport } from '../../../report/report.ts'
import { counted } from '../../../text/numbers.ts'
import type { Html } from '../../kit/layout.ts'
import { capital } from '../../kit/word.ts'

/** What the reader must know before the numbers. */
export function notices(report: TriageReport): Html | string {
  const tally = shardTally(report)
  const sentences: Html[] = report.degradations.map((degradation) => {
    const problem = degradation === 'history-not-available' ? report.history?.problem : null
    const { term, meaning } = problem ? HISTORY_PROBLEM_WORDS[problem] : DEGRADATION_WORDS[degradation]
    return html`<strong>${capital(term)}.</strong> ${meaning}`
  })
  if (!report.complete) {
    sentences.unshift(
      html`<strong>Not all shards are in yet</strong> (${shardsIn(tally)}). The numbers may still change.`,
    )
  } else if (tally.lost.length > 0) {
    sentences.unshift(
      html`<strong>${counted(tally.lost.length, 'shard', 'shards')} without results.</strong> Their queries are not measured, which is not the same as unchanged.`,
    )
  }
  if (sentences.length === 0) return ''
  return html`<ul class="notices">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
}
